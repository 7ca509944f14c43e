// A kernel with column sums: three schedules, each for the row counts where it
// was measured to be the fastest, without a gap between them.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 | FileCheck %s
// RUN: rms-opt %s --row-select-schedule=chip=sm_100 | FileCheck %s

// Few rows: CTAs of their own sum columns, and all is one launch.
// CHECK-LABEL: row.kernel @backward_few
// CHECK: variant "few" rows [0, 600]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16, column_sum = role_split, sum_columns = 32>)

// Then persistent CTAs with partial sums and a second launch. Two rows are on
// their way, and what will not be met again is not kept in the cache.
// CHECK: row.kernel @backward_middle
// CHECK: variant "middle" rows [601, 6000]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16, grid = persistent, ctas_per_sm = 2, prefetch_rows = 2, {{.*}}column_sum = partials, sum_columns = 32, sum_threads = 1024, {{.*}}loads = streaming, stores = streaming>)

// Many rows: more CTAs an SM, one row on its way, plain accesses.
// CHECK: row.kernel @backward_many
// CHECK: variant "many" rows [6001, 2147483647]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16, grid = persistent, ctas_per_sm = 3, prefetch_rows = 1, {{.*}}column_sum = partials, sum_columns = 32, sum_threads = 1024{{.*}}>)

// CHECK: row.kernel @backward_strided
// CHECK: variant "strided" rows [0, 2147483647]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16, grid = persistent, {{.*}}column_sum = partials, {{.*}}strided = true>)
// CHECK: row.kernel @backward_any
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
