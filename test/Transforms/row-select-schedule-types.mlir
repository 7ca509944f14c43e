// The narrowest stream that is read or written decides how long a chunk is; the
// wider ones take several accesses for it.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 | FileCheck %s

// CHECK-LABEL: row.kernel @f32_vec
// CHECK: schedule(#row.schedule<threads_per_row = 256, elements = 4, access_bytes = 16>)
row.kernel @f32 hidden 1024 inputs(%x: !row.rows<1024xf32>)
    outputs(%y: !row.rows<1024xf32>) {
  %0 = row.load %x : !row.rows<1024xf32> -> vector<1024xf32>
  row.store %0, %y : vector<1024xf32>, !row.rows<1024xf32>
}

// CHECK-LABEL: row.kernel @narrow_output_vec
// CHECK: schedule(#row.schedule<threads_per_row = 128, elements = 8, access_bytes = 16>)
row.kernel @narrow_output hidden 1024 inputs(%x: !row.rows<1024xf32>)
    outputs(%y: !row.rows<1024xf16>) {
  %0 = row.load %x : !row.rows<1024xf32> -> vector<1024xf32>
  %1 = arith.truncf %0 : vector<1024xf32> to vector<1024xf16>
  row.store %1, %y : vector<1024xf16>, !row.rows<1024xf16>
}

// CHECK-LABEL: row.kernel @narrow_weight_vec
// CHECK: schedule(#row.schedule<threads_per_row = 128, elements = 8, access_bytes = 16>)
row.kernel @narrow_weight hidden 1024
    inputs(%x: !row.rows<1024xf32>, %w: !row.columns<1024xbf16>)
    outputs(%y: !row.rows<1024xf32>) {
  %0 = row.load %x : !row.rows<1024xf32> -> vector<1024xf32>
  %1 = row.load %w : !row.columns<1024xbf16> -> vector<1024xbf16>
  %2 = arith.extf %1 : vector<1024xbf16> to vector<1024xf32>
  %3 = arith.mulf %0, %2 : vector<1024xf32>
  row.store %3, %y : vector<1024xf32>, !row.rows<1024xf32>
}

// What is never loaded does not count.
// CHECK-LABEL: row.kernel @unused_vec
// CHECK: schedule(#row.schedule<threads_per_row = 256, elements = 4, access_bytes = 16>)
row.kernel @unused hidden 1024
    inputs(%x: !row.rows<1024xf32>, %u: !row.rows<1024xbf16>)
    outputs(%y: !row.rows<1024xf32>) {
  %0 = row.load %x : !row.rows<1024xf32> -> vector<1024xf32>
  row.store %0, %y : vector<1024xf32>, !row.rows<1024xf32>
}
