// Persistent CTAs with partial sums: as many of them share an SM as its registers
// and 96 KB of workspace allow, however many its threads would.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 | FileCheck %s

// Short rows: as many small CTAs as give an SM the threads of two large ones.
// CHECK-LABEL: row.kernel @h1024_many
// CHECK: schedule(#row.schedule<threads_per_row = 128, elements = 8, access_bytes = 16, grid = persistent, ctas_per_sm = 5, prefetch_rows = 1,
row.kernel @h1024 hidden 1024 inputs(%g: !row.rows<1024xbf16>)
    outputs(%dw: !row.columns<1024xf32>) {
  %0 = row.load %g : !row.rows<1024xbf16> -> vector<1024xbf16>
  %1 = arith.extf %0 : vector<1024xbf16> to vector<1024xf32>
  row.accumulate %1, %1 into %dw : vector<1024xf32>, !row.columns<1024xf32>
}

// The longest: a CTA has 64 KB of partial sums, and no registers for a row ahead.
// One, in each variant that leaves partial sums.
// CHECK-LABEL: row.kernel @h16384_middle
// CHECK: grid = persistent, ctas_per_sm = 1, column_sum = partials
// CHECK-LABEL: row.kernel @h16384_many
// CHECK: grid = persistent, ctas_per_sm = 1, column_sum = partials
// CHECK-LABEL: row.kernel @h16384_strided
// CHECK: grid = persistent, ctas_per_sm = 1, column_sum = partials
// CHECK-LABEL: row.kernel @h16384_any
// CHECK: grid = persistent, ctas_per_sm = 1, column_sum = partials
row.kernel @h16384 hidden 16384 inputs(%g: !row.rows<16384xbf16>)
    outputs(%dw: !row.columns<16384xf32>) {
  %0 = row.load %g : !row.rows<16384xbf16> -> vector<16384xbf16>
  %1 = arith.extf %0 : vector<16384xbf16> to vector<16384xf32>
  row.accumulate %1, %1 into %dw : vector<16384xf32>, !row.columns<16384xf32>
}
