// Persistent CTAs with partial sums: as many of them share an SM as its registers
// and 96 KB of workspace allow, however many its threads would.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 | FileCheck %s

// Five CTAs of 128 threads, with 8 KB of partial sums each.
// CHECK-LABEL: row.kernel @one_many
// CHECK: schedule(#row.schedule<threads_per_row = 128, elements = 8, access_bytes = 16, grid = persistent, ctas_per_sm = 5, prefetch_rows = 1,
row.kernel @one hidden 2048 inputs(%g: !row.rows<2048xbf16>)
    outputs(%s0: !row.columns<2048xf32>) {
  %0 = row.load %g : !row.rows<2048xbf16> -> vector<2048xbf16>
  %1 = arith.extf %0 : vector<2048xbf16> to vector<2048xf32>
  row.accumulate %1, %1 into %s0 : vector<2048xf32>, !row.columns<2048xf32>
}

// Three times as much: four of them.
// CHECK-LABEL: row.kernel @three_many
// CHECK: schedule(#row.schedule<threads_per_row = 128, elements = 8, access_bytes = 16, grid = persistent, ctas_per_sm = 4, prefetch_rows = 1,
row.kernel @three hidden 2048 inputs(%g: !row.rows<2048xbf16>)
    outputs(%s0: !row.columns<2048xf32>,
            %s1: !row.columns<2048xf32>,
            %s2: !row.columns<2048xf32>) {
  %0 = row.load %g : !row.rows<2048xbf16> -> vector<2048xbf16>
  %1 = arith.extf %0 : vector<2048xbf16> to vector<2048xf32>
  row.accumulate %1, %1 into %s0 : vector<2048xf32>, !row.columns<2048xf32>
  row.accumulate %1, %1 into %s1 : vector<2048xf32>, !row.columns<2048xf32>
  row.accumulate %1, %1 into %s2 : vector<2048xf32>, !row.columns<2048xf32>
}

// More than that for a single CTA, which there is in any case.
// CHECK-LABEL: row.kernel @longest_many
// CHECK: grid = persistent, ctas_per_sm = 1, {{.*}}column_sum = partials
// CHECK-LABEL: row.kernel @longest_strided
// CHECK: grid = persistent, ctas_per_sm = 1, {{.*}}column_sum = partials
// CHECK-LABEL: row.kernel @longest_any
// CHECK: grid = persistent, ctas_per_sm = 1, {{.*}}column_sum = partials
row.kernel @longest hidden 16384 inputs(%g: !row.rows<16384xbf16>)
    outputs(%s0: !row.columns<16384xf32>,
            %s1: !row.columns<16384xf32>) {
  %0 = row.load %g : !row.rows<16384xbf16> -> vector<16384xbf16>
  %1 = arith.extf %0 : vector<16384xbf16> to vector<16384xf32>
  row.accumulate %1, %1 into %s0 : vector<16384xf32>, !row.columns<16384xf32>
  row.accumulate %1, %1 into %s1 : vector<16384xf32>, !row.columns<16384xf32>
}
