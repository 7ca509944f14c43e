// Rows shorter than a CTA: several of them share one, and a row is never spread
// over more threads than it has chunks. CTAs hold whole warps.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 | FileCheck %s

// 16 chunks of 8: half a warp a row, eight rows a CTA.
// CHECK-LABEL: row.kernel @h128_vec
// CHECK: schedule(#row.schedule<threads_per_row = 16, rows_per_cta = 8, elements = 8, access_bytes = 16>)
row.kernel @h128 hidden 128 inputs(%x: !row.rows<128xbf16>)
    outputs(%y: !row.rows<128xbf16>) {
  %0 = row.load %x : !row.rows<128xbf16> -> vector<128xbf16>
  row.store %0, %y : vector<128xbf16>, !row.rows<128xbf16>
}

// 32 chunks: a warp a row.
// CHECK-LABEL: row.kernel @h256_vec
// CHECK: schedule(#row.schedule<threads_per_row = 32, rows_per_cta = 4, elements = 8, access_bytes = 16>)
row.kernel @h256 hidden 256 inputs(%x: !row.rows<256xbf16>)
    outputs(%y: !row.rows<256xbf16>) {
  %0 = row.load %x : !row.rows<256xbf16> -> vector<256xbf16>
  row.store %0, %y : vector<256xbf16>, !row.rows<256xbf16>
}

// 10 chunks: the next power of two, for the shuffles.
// CHECK-LABEL: row.kernel @h80_vec
// CHECK: schedule(#row.schedule<threads_per_row = 16, rows_per_cta = 8, elements = 8, access_bytes = 16>)
row.kernel @h80 hidden 80 inputs(%x: !row.rows<80xbf16>)
    outputs(%y: !row.rows<80xbf16>) {
  %0 = row.load %x : !row.rows<80xbf16> -> vector<80xbf16>
  row.store %0, %y : vector<80xbf16>, !row.rows<80xbf16>
}

// 40 chunks: whole warps a row, with threads to spare.
// CHECK-LABEL: row.kernel @h320_vec
// CHECK: schedule(#row.schedule<threads_per_row = 64, rows_per_cta = 2, elements = 8, access_bytes = 16>)
row.kernel @h320 hidden 320 inputs(%x: !row.rows<320xbf16>)
    outputs(%y: !row.rows<320xbf16>) {
  %0 = row.load %x : !row.rows<320xbf16> -> vector<320xbf16>
  row.store %0, %y : vector<320xbf16>, !row.rows<320xbf16>
}

// One element: a thread a row.
// CHECK-LABEL: row.kernel @h1_vec
// CHECK: schedule(#row.schedule<threads_per_row = 1, rows_per_cta = 128, elements = 1, access_bytes = 16>)
row.kernel @h1 hidden 1 inputs(%x: !row.rows<1xbf16>)
    outputs(%y: !row.rows<1xbf16>) {
  %0 = row.load %x : !row.rows<1xbf16> -> vector<1xbf16>
  row.store %0, %y : vector<1xbf16>, !row.rows<1xbf16>
}
