// Ops of a kernel's body print as they are written, also through the generic
// form.
//
// RUN: rms-opt %s | rms-opt | FileCheck %s
// RUN: rms-opt %s --mlir-print-op-generic | rms-opt | FileCheck %s
// RUN: rms-opt %s --emit-bytecode | rms-opt | FileCheck %s

// CHECK-LABEL: row.kernel @load_store
// CHECK-NEXT: inputs(%[[X:.*]]: !row.rows<8xbf16>, %[[W:.*]]: !row.columns<8xf16>, %[[S:.*]]: !row.scalars<f32>)
// CHECK-NEXT: outputs(%[[Y:.*]]: !row.rows<8xbf16>, %[[T:.*]]: !row.scalars<f32>)
row.kernel @load_store hidden 8
    inputs(%x: !row.rows<8xbf16>, %w: !row.columns<8xf16>,
           %s: !row.scalars<f32>)
    outputs(%y: !row.rows<8xbf16>, %t: !row.scalars<f32>) {
  // CHECK: %[[V:.*]] = row.load %[[X]] : !row.rows<8xbf16> -> vector<8xbf16>
  %0 = row.load %x : !row.rows<8xbf16> -> vector<8xbf16>
  // CHECK: row.load %[[W]] : !row.columns<8xf16> -> vector<8xf16>
  %1 = row.load %w : !row.columns<8xf16> -> vector<8xf16>
  // CHECK: %[[R:.*]] = row.load %[[S]] : !row.scalars<f32> -> f32
  %2 = row.load %s : !row.scalars<f32> -> f32
  // CHECK: row.store %[[V]], %[[Y]] : vector<8xbf16>, !row.rows<8xbf16>
  row.store %0, %y : vector<8xbf16>, !row.rows<8xbf16>
  // CHECK: row.store %[[R]], %[[T]] : f32, !row.scalars<f32>
  row.store %2, %t : f32, !row.scalars<f32>
}

// CHECK-LABEL: row.kernel @reduce
row.kernel @reduce hidden 8 inputs(%x: !row.rows<8xf32>, %r: !row.rows<8xf32>)
    outputs(%a: !row.scalars<f32>, %b: !row.scalars<f32>,
            %c: !row.scalars<f32>) {
  // CHECK: %[[V:.*]] = row.load
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  // CHECK: %[[W:.*]] = row.load
  %1 = row.load %r : !row.rows<8xf32> -> vector<8xf32>
  // CHECK: %[[A:.*]] = row.reduce <sum> %[[V]] : vector<8xf32>
  %2 = row.reduce <sum> %0 : vector<8xf32>
  // CHECK: %[[B:.*]] = row.reduce <max> %[[V]] : vector<8xf32>
  %3 = row.reduce <max> %0 : vector<8xf32>
  // CHECK: %[[C:.*]] = row.dot %[[V]], %[[W]] : vector<8xf32>
  %4 = row.dot %0, %1 : vector<8xf32>
  // CHECK: row.store %[[A]], %{{.*}} : f32, !row.scalars<f32>
  row.store %2, %a : f32, !row.scalars<f32>
  row.store %3, %b : f32, !row.scalars<f32>
  row.store %4, %c : f32, !row.scalars<f32>
}

// CHECK-LABEL: row.kernel @accumulate
// CHECK: outputs(%[[DW:.*]]: !row.columns<8xf32>, %[[DB:.*]]: !row.columns<8xbf16>)
row.kernel @accumulate hidden 8
    inputs(%x: !row.rows<8xf32>, %r: !row.rows<8xf32>)
    outputs(%dw: !row.columns<8xf32>, %db: !row.columns<8xbf16>) {
  // CHECK: %[[V:.*]] = row.load
  %0 = row.load %x : !row.rows<8xf32> -> vector<8xf32>
  // CHECK: %[[W:.*]] = row.load
  %1 = row.load %r : !row.rows<8xf32> -> vector<8xf32>
  // CHECK: row.accumulate %[[V]], %[[W]] into %[[DW]] : vector<8xf32>, <8xf32>
  row.accumulate %0, %1 into %dw : vector<8xf32>, !row.columns<8xf32>
  // Summed in f32 whatever the target holds.
  // CHECK: row.accumulate %[[V]], %[[V]] into %[[DB]] : vector<8xf32>, <8xbf16>
  row.accumulate %0, %0 into %db : vector<8xf32>, !row.columns<8xbf16>
}
