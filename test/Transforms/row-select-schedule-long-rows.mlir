// Rows without column sums: up to 5 KB a thread has one chunk. A longer row takes
// several for each of about 256 threads, and beyond 16 KB of about 512: large CTAs
// are few, and an SM idles while one of them reduces.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 | FileCheck %s

// 5 KB.
// CHECK-LABEL: row.kernel @h2560_vec
// CHECK: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16>)
row.kernel @h2560 hidden 2560 inputs(%x: !row.rows<2560xbf16>)
    outputs(%y: !row.rows<2560xbf16>) {
  %0 = row.load %x : !row.rows<2560xbf16> -> vector<2560xbf16>
  row.store %0, %y : vector<2560xbf16>, !row.rows<2560xbf16>
}

// More than that: 321 chunks, two each, and no more threads than that needs.
// CHECK-LABEL: row.kernel @h2568_vec
// CHECK: schedule(#row.schedule<threads_per_row = 192, elements = 8, access_bytes = 16>)
row.kernel @h2568 hidden 2568 inputs(%x: !row.rows<2568xbf16>)
    outputs(%y: !row.rows<2568xbf16>) {
  %0 = row.load %x : !row.rows<2568xbf16> -> vector<2568xbf16>
  row.store %0, %y : vector<2568xbf16>, !row.rows<2568xbf16>
}

// 512 chunks: two each, however many rows.
// CHECK-LABEL: row.kernel @h4096_vec
// CHECK: schedule(#row.schedule<threads_per_row = 256, elements = 8, access_bytes = 16>)
// CHECK-LABEL: row.kernel @h4096_middle
// CHECK: schedule(#row.schedule<threads_per_row = 256, elements = 8, access_bytes = 16, loads = streaming, stores = streaming>)
// CHECK-LABEL: row.kernel @h4096_many
// CHECK: schedule(#row.schedule<threads_per_row = 256, elements = 8, access_bytes = 16>)
row.kernel @h4096 hidden 4096 inputs(%x: !row.rows<4096xbf16>)
    outputs(%y: !row.rows<4096xbf16>) {
  %0 = row.load %x : !row.rows<4096xbf16> -> vector<4096xbf16>
  row.store %0, %y : vector<4096xbf16>, !row.rows<4096xbf16>
}

// 16 KB: four each.
// CHECK-LABEL: row.kernel @h8192_vec
// CHECK: schedule(#row.schedule<threads_per_row = 256, elements = 8, access_bytes = 16>)
row.kernel @h8192 hidden 8192 inputs(%x: !row.rows<8192xbf16>)
    outputs(%y: !row.rows<8192xbf16>) {
  %0 = row.load %x : !row.rows<8192xbf16> -> vector<8192xbf16>
  row.store %0, %y : vector<8192xbf16>, !row.rows<8192xbf16>
}

// 24 KB: three each.
// CHECK-LABEL: row.kernel @h12288_vec
// CHECK: schedule(#row.schedule<threads_per_row = 512, elements = 8, access_bytes = 16>)
row.kernel @h12288 hidden 12288 inputs(%x: !row.rows<12288xbf16>)
    outputs(%y: !row.rows<12288xbf16>) {
  %0 = row.load %x : !row.rows<12288xbf16> -> vector<12288xbf16>
  row.store %0, %y : vector<12288xbf16>, !row.rows<12288xbf16>
}

// The longest. Where each element is accessed by itself, no thread has more than 16.
// CHECK-LABEL: row.kernel @h16384_vec
// CHECK: schedule(#row.schedule<threads_per_row = 512, elements = 8, access_bytes = 16>)
// CHECK-LABEL: row.kernel @h16384_any
// CHECK: schedule(#row.schedule<threads_per_row = 1024, elements = 1, access_bytes = 1, strided = true>)
row.kernel @h16384 hidden 16384 inputs(%x: !row.rows<16384xbf16>)
    outputs(%y: !row.rows<16384xbf16>) {
  %0 = row.load %x : !row.rows<16384xbf16> -> vector<16384xbf16>
  row.store %0, %y : vector<16384xbf16>, !row.rows<16384xbf16>
}
