// A kernel without column sums: schedules for ranges of row counts where operands
// are dense and aligned, from no row on and without a gap; then one for strides
// from the arguments, then one for any alignment. The last one always fits.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: rms-opt %s --row-select-schedule=chip=sm_100 | FileCheck %s --check-prefixes=CHECK,SM100
// Without a chip: the default one.
// RUN: rms-opt %s --row-select-schedule | FileCheck %s --check-prefixes=CHECK,SM100

// The chip is named once, for all kernels.
// SM90: module attributes {row.target = "sm_90"}
// SM100: module attributes {row.target = "sm_100"}

// Few rows: one 16-byte chunk a thread, since the latency of a row is what counts.
// That ends with two rows for each of 132 (148) SMs.
// CHECK-LABEL: row.kernel @forward_vec hidden 2048
// SM90: variant "vec" rows [0, 264]
// SM100: variant "vec" rows [0, 296]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 256, elements = 8, access_bytes = 16>)
// CHECK: row.load
// CHECK: row.dot
// CHECK: row.store

// Then bandwidth counts: 32 bytes of the one stream for each thread, in two chunks,
// or in one where the chip has accesses as wide. Up to a quarter of the L2 (60 MB
// and 126 MB; 8 KB a row) the caches keep what is stored for the kernel after.
// CHECK: row.kernel @forward_wide hidden 2048
// SM90: variant "wide" rows [265, 1920]
// SM90-NEXT: schedule(#row.schedule<threads_per_row = 128, elements = 8, access_bytes = 16>)
// SM100: variant "wide" rows [297, 4032]
// SM100-NEXT: schedule(#row.schedule<threads_per_row = 128, elements = 16, access_bytes = 32>)

// About as many bytes as the L2 holds, up to 1.1 times: streaming accesses leave it
// to the launches before.
// CHECK: row.kernel @forward_middle hidden 2048
// SM90: variant "middle" rows [1921, 8448]
// SM90-NEXT: schedule(#row.schedule<threads_per_row = 128, elements = 8, access_bytes = 16, loads = streaming, stores = streaming>)
// SM100: variant "middle" rows [4033, 17740]
// SM100-NEXT: schedule(#row.schedule<threads_per_row = 128, elements = 16, access_bytes = 32, loads = streaming, stores = streaming>)

// Beyond that the hints only cost.
// CHECK: row.kernel @forward_many hidden 2048
// SM90: variant "many" rows [8449, 2147483647]
// SM90-NEXT: schedule(#row.schedule<threads_per_row = 128, elements = 8, access_bytes = 16>)
// SM100: variant "many" rows [17741, 2147483647]
// SM100-NEXT: schedule(#row.schedule<threads_per_row = 128, elements = 16, access_bytes = 32>)

// CHECK: row.kernel @forward_strided hidden 2048
// CHECK: variant "strided" rows [0, 2147483647]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 256, elements = 8, access_bytes = 16, strided = true>)
// CHECK: row.kernel @forward_any hidden 2048
// CHECK: variant "any" rows [0, 2147483647]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 1024, elements = 1, access_bytes = 1, strided = true>)
// The kernel itself is gone.
// CHECK-NOT: row.kernel @forward
row.kernel @forward hidden 2048
    inputs(%x: !row.rows<2048xbf16>, %w: !row.columns<2048xbf16>)
    outputs(%y: !row.rows<2048xbf16>) {
  %0 = row.load %x : !row.rows<2048xbf16> -> vector<2048xbf16>
  %1 = row.load %w : !row.columns<2048xbf16> -> vector<2048xbf16>
  %2 = arith.extf %0 : vector<2048xbf16> to vector<2048xf32>
  %3 = row.dot %2, %2 : vector<2048xf32>
  %4 = vector.broadcast %3 : f32 to vector<2048xf32>
  %5 = arith.mulf %4, %2 : vector<2048xf32>
  %6 = arith.truncf %5 : vector<2048xf32> to vector<2048xbf16>
  %7 = arith.mulf %6, %1 : vector<2048xbf16>
  row.store %7, %y : vector<2048xbf16>, !row.rows<2048xbf16>
}

// Two streams: a thread has 32 bytes on the way with one chunk of each, so that
// there is one schedule where no wider accesses are.
// CHECK-LABEL: row.kernel @residual_vec hidden 2048
// SM90: variant "vec" rows [0, 1280]
// SM100: variant "vec" rows [0, 296]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 256, elements = 8, access_bytes = 16>)
// SM90-NOT: @residual_wide
// SM100: row.kernel @residual_wide
// SM100: variant "wide" rows [297, 2688]
// SM100-NEXT: schedule(#row.schedule<threads_per_row = 128, elements = 16, access_bytes = 32>)
// CHECK: row.kernel @residual_middle
// SM90: variant "middle" rows [1281, 5632]
// SM90-NEXT: schedule(#row.schedule<threads_per_row = 256, elements = 8, access_bytes = 16, loads = streaming, stores = streaming>)
// CHECK: row.kernel @residual_many
// SM90: variant "many" rows [5633, 2147483647]
// SM90-NEXT: schedule(#row.schedule<threads_per_row = 256, elements = 8, access_bytes = 16>)
row.kernel @residual hidden 2048
    inputs(%x: !row.rows<2048xbf16>, %r: !row.rows<2048xbf16>)
    outputs(%y: !row.rows<2048xbf16>) {
  %0 = row.load %x : !row.rows<2048xbf16> -> vector<2048xbf16>
  %1 = row.load %r : !row.rows<2048xbf16> -> vector<2048xbf16>
  %2 = arith.addf %0, %1 : vector<2048xbf16>
  row.store %2, %y : vector<2048xbf16>, !row.rows<2048xbf16>
}

// One stream of a short row: its CTAs are not halved.
// CHECK-LABEL: row.kernel @short_vec hidden 1024
// CHECK: schedule(#row.schedule<threads_per_row = 128, elements = 8, access_bytes = 16>)
// SM90-NOT: @short_wide
// SM100: row.kernel @short_wide
// SM100: schedule(#row.schedule<threads_per_row = 64, rows_per_cta = 2, elements = 16, access_bytes = 32>)
// CHECK: row.kernel @short_middle
row.kernel @short hidden 1024 inputs(%x: !row.rows<1024xbf16>)
    outputs(%y: !row.rows<1024xbf16>) {
  %0 = row.load %x : !row.rows<1024xbf16> -> vector<1024xbf16>
  row.store %0, %y : vector<1024xbf16>, !row.rows<1024xbf16>
}
