// One schedule for every row count: a row gives the same bits in a batch of any
// size.
//
// RUN: rms-opt %s --row-select-schedule="chip=sm_90 batch-invariant" | FileCheck %s

// CHECK-LABEL: row.kernel @backward_many
// CHECK: variant "many" rows [0, 2147483647]
// CHECK: row.kernel @backward_strided
// CHECK: variant "strided" rows [0, 2147483647]
// CHECK: row.kernel @backward_any
// CHECK: variant "any" rows [0, 2147483647]
// CHECK-NOT: row.kernel
row.kernel @backward hidden 2560
    inputs(%g: !row.rows<2560xbf16>, %n: !row.rows<2560xf32>)
    outputs(%dx: !row.rows<2560xbf16>, %dw: !row.columns<2560xf32>) {
  %0 = row.load %g : !row.rows<2560xbf16> -> vector<2560xbf16>
  %1 = row.load %n : !row.rows<2560xf32> -> vector<2560xf32>
  %2 = arith.extf %0 : vector<2560xbf16> to vector<2560xf32>
  %3 = row.dot %1, %2 : vector<2560xf32>
  %4 = vector.broadcast %3 : f32 to vector<2560xf32>
  %5 = arith.mulf %4, %2 : vector<2560xf32>
  %6 = arith.truncf %5 : vector<2560xf32> to vector<2560xbf16>
  row.store %6, %dx : vector<2560xbf16>, !row.rows<2560xbf16>
  row.accumulate %2, %1 into %dw : vector<2560xf32>, !row.columns<2560xf32>
}
