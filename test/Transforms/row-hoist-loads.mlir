// Loads go to the top of their kernel: rows and scalars in their order, then
// columns in theirs. Nothing else moves, and a second run moves nothing.
//
// RUN: rms-opt %s --pass-pipeline="builtin.module(row.kernel(row-hoist-loads))" | FileCheck %s
// RUN: rms-opt %s --pass-pipeline="builtin.module(row.kernel(row-hoist-loads))" -o %t.once
// RUN: rms-opt %t.once --pass-pipeline="builtin.module(row.kernel(row-hoist-loads))" -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK-LABEL: row.kernel @order
// CHECK-NEXT: inputs(%[[X:.*]]: !row.rows<64xf32>, %[[R:.*]]: !row.rows<64xf32>, %[[S:.*]]: !row.scalars<f32>, %[[W:.*]]: !row.columns<64xf32>, %[[B:.*]]: !row.columns<64xf32>)
// CHECK-NEXT: outputs
// CHECK-NEXT: %[[VX:.*]] = row.load %[[X]]
// CHECK-NEXT: %[[VS:.*]] = row.load %[[S]]
// CHECK-NEXT: %[[VR:.*]] = row.load %[[R]]
// CHECK-NEXT: %[[VW:.*]] = row.load %[[W]]
// CHECK-NEXT: %[[VB:.*]] = row.load %[[B]]
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<2.000000e+00>
// CHECK-NEXT: %[[D:.*]] = row.dot %[[VX]], %[[C]]
// CHECK-NEXT: %[[N:.*]] = vector.broadcast %[[D]]
// CHECK-NEXT: %[[T:.*]] = vector.broadcast %[[VS]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[N]], %[[VW]]
// CHECK-NEXT: %[[Q:.*]] = arith.addf %[[P]], %[[VB]]
// CHECK-NEXT: row.store %[[Q]]
// CHECK-NEXT: %[[U:.*]] = arith.mulf %[[VR]], %[[T]]
// CHECK-NEXT: row.store %[[U]]
// CHECK-NEXT: }
row.kernel @order hidden 64
    inputs(%x: !row.rows<64xf32>, %r: !row.rows<64xf32>,
           %s: !row.scalars<f32>, %w: !row.columns<64xf32>,
           %b: !row.columns<64xf32>)
    outputs(%y: !row.rows<64xf32>, %z: !row.rows<64xf32>) {
  %c = arith.constant dense<2.0> : vector<64xf32>
  %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
  %1 = row.dot %0, %c : vector<64xf32>
  %2 = vector.broadcast %1 : f32 to vector<64xf32>
  %3 = row.load %w : !row.columns<64xf32> -> vector<64xf32>
  %4 = row.load %s : !row.scalars<f32> -> f32
  %5 = vector.broadcast %4 : f32 to vector<64xf32>
  %6 = row.load %b : !row.columns<64xf32> -> vector<64xf32>
  %7 = arith.mulf %2, %3 : vector<64xf32>
  %8 = arith.addf %7, %6 : vector<64xf32>
  row.store %8, %y : vector<64xf32>, !row.rows<64xf32>
  // Behind a store: buffers are disjoint, so it is the same load above.
  %9 = row.load %r : !row.rows<64xf32> -> vector<64xf32>
  %10 = arith.mulf %9, %5 : vector<64xf32>
  row.store %10, %z : vector<64xf32>, !row.rows<64xf32>
}
