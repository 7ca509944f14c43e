// A kernel with column sums: schedules for ranges of row counts, from no row on
// and without a gap, each for the rows where it was measured to be the fastest.
// The ranges go by the bytes that a launch moves against the chip's L2.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: rms-opt %s --row-select-schedule=chip=sm_100 | FileCheck %s --check-prefixes=CHECK,SM100

// As long as the L2 holds what is read, CTAs of their own sum columns, and all is
// one launch. CTAs grow with the rows.
// CHECK-LABEL: row.kernel @backward_split hidden
// SM90: variant "split" rows [0, 230]
// CHECK: schedule(#row.schedule<threads_per_row = 128, elements = 8, access_bytes = 16, column_sum = role_split, sum_columns = 32{{.*}}>)
// CHECK: row.kernel @backward_split256 hidden
// SM90: variant "split256" rows [231, 368]
// CHECK: schedule(#row.schedule<threads_per_row = 128, rows_per_cta = 2, elements = 8, access_bytes = 16, column_sum = role_split, sum_columns = 32{{.*}}>)
// CHECK: row.kernel @backward_split480 hidden
// SM90: variant "split480" rows [369, 737]
// CHECK: schedule(#row.schedule<threads_per_row = 160, rows_per_cta = 3, elements = 8, access_bytes = 16, column_sum = role_split, sum_columns = 32{{.*}}>)
// CHECK: row.kernel @backward_split640 hidden
// SM90: variant "split640" rows [738, 1843]
// CHECK: schedule(#row.schedule<threads_per_row = 320, rows_per_cta = 2, elements = 8, access_bytes = 16, column_sum = role_split, sum_columns = 32{{.*}}>)

// Then persistent CTAs with partial sums and a second launch, and a row on its
// way. What will not be met again is not kept in the cache.
// CHECK: row.kernel @backward_middle hidden
// CHECK: variant "middle" rows [{{[0-9]+}}, [[#LAST:]]]
// SM90-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16, grid = persistent, ctas_per_sm = 2, prefetch_rows = 1, column_sum = partials, sum_columns = 16, sum_threads = 512, loads = streaming, stores = streaming>)
// A chip with wider accesses takes them for the wider of the streams.
// SM100-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 32, grid = persistent, {{.*}}loads = streaming, stores = streaming>)

// Once a launch moves several times what the L2 holds, plain accesses.
// CHECK: row.kernel @backward_many hidden
// CHECK: variant "many" rows [[[#LAST + 1]], 2147483647]
// SM90-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16, grid = persistent, ctas_per_sm = 2, prefetch_rows = 1, column_sum = partials, sum_columns = 16, sum_threads = 512>)
// SM100-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 32, grid = persistent, ctas_per_sm = 2, prefetch_rows = 1, column_sum = partials, sum_columns = 16, sum_threads = 512>)

// Strides, and any alignment, for all row counts.
// CHECK: row.kernel @backward_strided hidden
// CHECK: variant "strided" rows [0, 2147483647]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16, grid = persistent, {{.*}}column_sum = partials, {{.*}}strided = true>)
// CHECK: row.kernel @backward_any hidden
// CHECK: variant "any" rows [0, 2147483647]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 864, elements = 1, access_bytes = 1, grid = persistent, {{.*}}column_sum = partials, {{.*}}strided = true>)
// CHECK-NOT: row.kernel
row.kernel @backward hidden 2560
    inputs(%g: !row.rows<2560xbf16>, %n: !row.rows<2560xf32>)
    outputs(%dx: !row.rows<2560xbf16>, %dw: !row.columns<2560xf32>) {
  %0 = row.load %g : !row.rows<2560xbf16> -> vector<2560xbf16>
  %1 = row.load %n : !row.rows<2560xf32> -> vector<2560xf32>
  %2 = arith.extf %0 : vector<2560xbf16> to vector<2560xf32>
  %3 = row.dot %1, %2 : vector<2560xf32>
  %4 = vector.broadcast %3 : f32 to vector<2560xf32>
  %5 = arith.mulf %4, %2 : vector<2560xf32>
  %6 = arith.truncf %5 : vector<2560xf32> to vector<2560xbf16>
  row.store %6, %dx : vector<2560xbf16>, !row.rows<2560xbf16>
  row.accumulate %2, %1 into %dw : vector<2560xf32>, !row.columns<2560xf32>
}
