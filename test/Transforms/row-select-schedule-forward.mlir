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
// As long as SMs idle, four of them share a row of 4 KB, then two: up to half of 132
// (148) SMs, as whole numbers.
// CHECK-LABEL: row.kernel @forward_quarters hidden 2048
// SM90: variant "quarters" rows [0, 16]
// SM100: variant "quarters" rows [0, 18]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 256, ctas_per_row = 4, elements = 8, access_bytes = 16, ctas_per_sm = 1>)
// CHECK: row.kernel @forward_halves hidden 2048
// SM90: variant "halves" rows [17, 33]
// SM100: variant "halves" rows [19, 37]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 256, ctas_per_row = 2, elements = 8, access_bytes = 16, ctas_per_sm = 1>)
// Then a CTA for each, up to two rows for each SM.
// CHECK: row.kernel @forward_vec hidden 2048
// SM90: variant "vec" rows [34, 264]
// SM100: variant "vec" rows [38, 296]
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
// SM90: variant "vec" rows [34, 1280]
// SM100: variant "vec" rows [38, 296]
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

// One stream of a short row: its CTAs are not halved, and not shared either, however
// few there are: a row of 2 KB is on its way no longer than its sum takes.
// CHECK-NOT: row.kernel @short_quarters
// CHECK-NOT: row.kernel @short_halves
// CHECK-LABEL: row.kernel @short_vec hidden 1024
// CHECK: variant "vec" rows [0,
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 128, elements = 8, access_bytes = 16>)
// SM90-NOT: @short_wide
// SM100: row.kernel @short_wide
// SM100: schedule(#row.schedule<threads_per_row = 64, rows_per_cta = 2, elements = 16, access_bytes = 32>)
// CHECK: row.kernel @short_middle
row.kernel @short hidden 1024 inputs(%x: !row.rows<1024xbf16>)
    outputs(%y: !row.rows<1024xbf16>) {
  %0 = row.load %x : !row.rows<1024xbf16> -> vector<1024xbf16>
  row.store %0, %y : vector<1024xbf16>, !row.rows<1024xbf16>
}

// The least that is shared: 4 KB, of which no element is cut off, so 8 bytes less are
// not. From 8 KB on two CTAs share a row up to half the SMs, up to the longest.
// CHECK-LABEL: row.kernel @h2044_vec hidden 2044
// CHECK: variant "vec" rows [0,
row.kernel @h2044 hidden 2044 inputs(%x: !row.rows<2044xbf16>)
    outputs(%y: !row.rows<2044xbf16>) {
  %0 = row.load %x : !row.rows<2044xbf16> -> vector<2044xbf16>
  row.store %0, %y : vector<2044xbf16>, !row.rows<2044xbf16>
}

// CHECK-LABEL: row.kernel @h8192_quarters hidden 8192
// SM90: variant "quarters" rows [0, 16]
// SM100: variant "quarters" rows [0, 18]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 256, ctas_per_row = 4, elements = 8, access_bytes = 16, ctas_per_sm = 1>)
// CHECK: row.kernel @h8192_halves hidden 8192
// SM90: variant "halves" rows [17, 66]
// SM100: variant "halves" rows [19, 74]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 256, ctas_per_row = 2, elements = 8, access_bytes = 16, ctas_per_sm = 1>)
// CHECK: row.kernel @h8192_vec hidden 8192
// SM90: variant "vec" rows [67,
// SM100: variant "vec" rows [75,
row.kernel @h8192 hidden 8192 inputs(%x: !row.rows<8192xbf16>)
    outputs(%y: !row.rows<8192xbf16>) {
  %0 = row.load %x : !row.rows<8192xbf16> -> vector<8192xbf16>
  row.store %0, %y : vector<8192xbf16>, !row.rows<8192xbf16>
}

// CHECK-LABEL: row.kernel @h16384_quarters hidden 16384
// SM90: variant "quarters" rows [0, 16]
// SM100: variant "quarters" rows [0, 18]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 512, ctas_per_row = 4, elements = 8, access_bytes = 16, ctas_per_sm = 1>)
// CHECK: row.kernel @h16384_halves hidden 16384
// SM90: variant "halves" rows [17, 66]
// SM100: variant "halves" rows [19, 74]
row.kernel @h16384 hidden 16384 inputs(%x: !row.rows<16384xbf16>)
    outputs(%y: !row.rows<16384xbf16>) {
  %0 = row.load %x : !row.rows<16384xbf16> -> vector<16384xbf16>
  row.store %0, %y : vector<16384xbf16>, !row.rows<16384xbf16>
}
