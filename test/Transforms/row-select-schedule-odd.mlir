// A chunk divides the row, so that no row but the first starts in the middle of
// an access: what 16 bytes do not divide falls to narrower chunks.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_100 | FileCheck %s

// Odd: element by element. How many threads a row takes goes by its bytes: 4 KB and a
// little, so one for each 16 bytes, in whole warps, with 8 elements each. Strides then
// cost nothing, so one variant less.
// CHECK-LABEL: row.kernel @h2049_quarters
// CHECK: schedule(#row.schedule<threads_per_row = 288, ctas_per_row = 4, elements = 1, access_bytes = 16, ctas_per_sm = 1>)
// CHECK: row.kernel @h2049_vec
// CHECK: schedule(#row.schedule<threads_per_row = 288, elements = 1, access_bytes = 16>)
// CHECK-NOT: @h2049_strided
// CHECK: row.kernel @h2049_any
row.kernel @h2049 hidden 2049 inputs(%x: !row.rows<2049xbf16>)
    outputs(%y: !row.rows<2049xbf16>) {
  %0 = row.load %x : !row.rows<2049xbf16> -> vector<2049xbf16>
  row.store %0, %y : vector<2049xbf16>, !row.rows<2049xbf16>
}

// 4 divides 2052 and 8 does not: 513 chunks, two for each of 288 threads.
// CHECK-LABEL: row.kernel @h2052_vec
// CHECK: schedule(#row.schedule<threads_per_row = 288, elements = 4, access_bytes = 16>)
// CHECK: row.kernel @h2052_strided
// CHECK: schedule(#row.schedule<threads_per_row = 288, elements = 4, access_bytes = 16, strided = true>)
row.kernel @h2052 hidden 2052 inputs(%x: !row.rows<2052xbf16>)
    outputs(%y: !row.rows<2052xbf16>) {
  %0 = row.load %x : !row.rows<2052xbf16> -> vector<2052xbf16>
  row.store %0, %y : vector<2052xbf16>, !row.rows<2052xbf16>
}
