// A kernel without column sums: the same schedule for all row counts where
// operands are dense and aligned, but for chips with wider accesses, which take
// them from some rows on; then one for strides from the arguments, then one for
// any alignment. The last one always fits.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: rms-opt %s --row-select-schedule=chip=sm_100 | FileCheck %s --check-prefixes=CHECK,SM100
// Without a chip: the default one.
// RUN: rms-opt %s --row-select-schedule | FileCheck %s --check-prefixes=CHECK,SM100

// The chip is named once, for all kernels.
// SM90: module attributes {row.target = "sm_90"}
// SM100: module attributes {row.target = "sm_100"}

// One 16-byte chunk a thread: the latency of a row is what counts.
// CHECK-LABEL: row.kernel @forward_vec hidden 2048
// SM90: variant "vec" rows [0, 2147483647]
// SM100: variant "vec" rows [0, [[#LAST:]]]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 256, elements = 8, access_bytes = 16>)
// CHECK: row.load
// CHECK: row.dot
// CHECK: row.store

// Bandwidth counts: 32 bytes at a time.
// SM90-NOT: @forward_wide
// SM100: row.kernel @forward_wide hidden 2048
// SM100: variant "wide" rows [[[#LAST + 1]], 2147483647]
// SM100-NEXT: schedule(#row.schedule<threads_per_row = 128, elements = 16, access_bytes = 32>)

// CHECK: row.kernel @forward_strided hidden 2048
// CHECK: variant "strided" rows [0, 2147483647]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 256, elements = 8, access_bytes = 16, strided = true>)
// CHECK: row.kernel @forward_any hidden 2048
// CHECK: variant "any" rows [0, 2147483647]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 1024, elements = 1, access_bytes = 1, strided = true>)
// The kernel itself is gone.
// CHECK-NOT: row.kernel
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
