// A kernel prints as it is written, also through the generic form.
//
// RUN: rms-opt %s | rms-opt | FileCheck %s
// RUN: rms-opt %s --mlir-print-op-generic | rms-opt | FileCheck %s
// RUN: rms-opt %s --emit-bytecode | rms-opt | FileCheck %s
// RUN: rms-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: row.kernel @double hidden 256
// CHECK-NEXT:    inputs(%[[X:.*]]: !row.rows<256xf32>)
// CHECK-NEXT:    outputs(%[[Y:.*]]: !row.rows<256xf32>) {
// CHECK-NEXT:  %[[V:.*]] = row.load %[[X]]
// CHECK-NEXT:  %[[W:.*]] = arith.addf %[[V]], %[[V]] : vector<256xf32>
// CHECK-NEXT:  row.store %[[W]], %[[Y]]
// CHECK-NEXT: }
// Nothing a kernel is told by default is printed, all of it is inherent.
// GENERIC: "row.kernel"() <{hidden_size = 256 : i64, max_rows = 2147483647 : i64, may_alias = array<i64: -1>, min_rows = 0 : i64, num_inputs = 1 : i64, sym_name = "double"}>
row.kernel @double hidden 256 inputs(%x: !row.rows<256xf32>)
    outputs(%y: !row.rows<256xf32>) {
  %0 = row.load %x : !row.rows<256xf32> -> vector<256xf32>
  %1 = arith.addf %0, %0 : vector<256xf32>
  row.store %1, %y : vector<256xf32>, !row.rows<256xf32>
}

// Without inputs and outputs, and with an attribute of somebody else's.
// CHECK-LABEL: row.kernel @empty hidden 3
// CHECK-NEXT:    inputs()
// CHECK-NEXT:    outputs() attributes {somebody.else = 7 : i64} {
// CHECK-NEXT: }
row.kernel @empty hidden 3 inputs() outputs()
    attributes {somebody.else = 7 : i64} {
}

// CHECK-LABEL: row.kernel @in_place hidden 8
// CHECK-NEXT:    inputs(%{{.*}}: !row.rows<8xf32>, %{{.*}}: !row.rows<8xf32>)
// CHECK-NEXT:    outputs(%{{.*}}: !row.rows<8xf32>, %{{.*}}: !row.rows<8xf32>) may_alias [1, -1] {
row.kernel @in_place hidden 8
    inputs(%a: !row.rows<8xf32>, %b: !row.rows<8xf32>)
    outputs(%c: !row.rows<8xf32>, %d: !row.rows<8xf32>) may_alias [1, -1] {
  %0 = row.load %a : !row.rows<8xf32> -> vector<8xf32>
  %1 = row.load %b : !row.rows<8xf32> -> vector<8xf32>
  row.store %0, %c : vector<8xf32>, !row.rows<8xf32>
  row.store %1, %d : vector<8xf32>, !row.rows<8xf32>
}

// That nothing is shared is not worth a word.
// CHECK-LABEL: row.kernel @apart hidden 8
// CHECK-NOT:     may_alias
// CHECK:       }
row.kernel @apart hidden 8 inputs(%a: !row.rows<8xf32>)
    outputs(%b: !row.rows<8xf32>) may_alias [-1] {
  %0 = row.load %a : !row.rows<8xf32> -> vector<8xf32>
  row.store %0, %b : vector<8xf32>, !row.rows<8xf32>
}

// CHECK-LABEL: row.kernel @scale_few hidden 64
// CHECK-NEXT:    inputs(%{{.*}}: !row.rows<64xf32>)
// CHECK-NEXT:    outputs(%{{.*}}: !row.rows<64xf32>)
// CHECK-NEXT:    variant "few" rows [0, 600]
// CHECK-NEXT:    schedule(#row.schedule<threads_per_row = 32, elements = 2, access_bytes = 8>) {
row.kernel @scale_few hidden 64 inputs(%x: !row.rows<64xf32>)
    outputs(%y: !row.rows<64xf32>) variant "few" rows [0, 600]
    schedule(#row.schedule<threads_per_row = 32, elements = 2,
                           access_bytes = 8>) {
  %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
  row.store %0, %y : vector<64xf32>, !row.rows<64xf32>
}
