// Partial sums of a long row: as many CTAs an SM as 96 KB of workspace for each
// allow, however many its threads would.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 | FileCheck %s

// 48 KB a CTA: two.
// CHECK-LABEL: row.kernel @h12288_many
// CHECK: grid = persistent, ctas_per_sm = 2,
row.kernel @h12288 hidden 12288 inputs(%g: !row.rows<12288xbf16>)
    outputs(%dw: !row.columns<12288xf32>) {
  %0 = row.load %g : !row.rows<12288xbf16> -> vector<12288xbf16>
  %1 = arith.extf %0 : vector<12288xbf16> to vector<12288xf32>
  row.accumulate %1, %1 into %dw : vector<12288xf32>, !row.columns<12288xf32>
}

// 64 KB a CTA: one, in each variant that leaves partial sums.
// CHECK-LABEL: row.kernel @h16384_middle
// CHECK: grid = persistent, ctas_per_sm = 1,
// CHECK-LABEL: row.kernel @h16384_many
// CHECK: grid = persistent, ctas_per_sm = 1,
// CHECK-LABEL: row.kernel @h16384_strided
// CHECK: grid = persistent, ctas_per_sm = 1,
// CHECK-LABEL: row.kernel @h16384_any
// CHECK: grid = persistent, ctas_per_sm = 1,
row.kernel @h16384 hidden 16384 inputs(%g: !row.rows<16384xbf16>)
    outputs(%dw: !row.columns<16384xf32>) {
  %0 = row.load %g : !row.rows<16384xbf16> -> vector<16384xbf16>
  %1 = arith.extf %0 : vector<16384xbf16> to vector<16384xf32>
  row.accumulate %1, %1 into %dw : vector<16384xf32>, !row.columns<16384xf32>
}
