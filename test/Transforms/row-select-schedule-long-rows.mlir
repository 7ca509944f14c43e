// Rows of more chunks than a CTA has threads: a thread takes several, as few as
// will do, and no more threads than that needs.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_100 | FileCheck %s

// 2048 chunks: two each.
// CHECK-LABEL: row.kernel @h16384_vec
// CHECK: schedule(#row.schedule<threads_per_row = 1024, elements = 8, access_bytes = 16>)
// CHECK-LABEL: row.kernel @h16384_any
// CHECK: schedule(#row.schedule<threads_per_row = 1024, elements = 1, access_bytes = 1, strided = true>)
row.kernel @h16384 hidden 16384 inputs(%x: !row.rows<16384xbf16>)
    outputs(%y: !row.rows<16384xbf16>) {
  %0 = row.load %x : !row.rows<16384xbf16> -> vector<16384xbf16>
  row.store %0, %y : vector<16384xbf16>, !row.rows<16384xbf16>
}

// 1536 chunks: two each for 768 threads, and not for 1024 with some idle.
// CHECK-LABEL: row.kernel @h12288_vec
// CHECK: schedule(#row.schedule<threads_per_row = 768, elements = 8, access_bytes = 16>)
row.kernel @h12288 hidden 12288 inputs(%x: !row.rows<12288xbf16>)
    outputs(%y: !row.rows<12288xbf16>) {
  %0 = row.load %x : !row.rows<12288xbf16> -> vector<12288xbf16>
  row.store %0, %y : vector<12288xbf16>, !row.rows<12288xbf16>
}
