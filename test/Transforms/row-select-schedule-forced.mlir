// Schedules given on the command line stand in place of the choice for dense and
// aligned operands, in their order; the variants for all others stay.
//
// One is called "forced", and its text may be the whole attribute or a part.
// RUN: rms-opt %s --row-select-schedule="chip=sm_90 schedule=threads_per_row=64,elements=8,access_bytes=16,grid=persistent,ctas_per_sm=1,column_sum=partials,sum_columns=64,sum_threads=128" | FileCheck %s --check-prefix=ONE
// RUN: rms-opt %s --row-select-schedule="chip=sm_90 schedule={<threads_per_row = 64, elements = 8, access_bytes = 16, grid = persistent, ctas_per_sm = 1, column_sum = partials, sum_columns = 64, sum_threads = 128>}" | FileCheck %s --check-prefix=ONE
// RUN: rms-opt %s --row-select-schedule="chip=sm_90 schedule={#row.schedule<threads_per_row = 64, elements = 8, access_bytes = 16, grid = persistent, ctas_per_sm = 1, column_sum = partials, sum_columns = 64, sum_threads = 128>}" | FileCheck %s --check-prefix=ONE
// ONE-LABEL: row.kernel @backward_forced
// ONE: variant "forced" rows [0, 2147483647]
// ONE-NEXT: schedule(#row.schedule<threads_per_row = 64, elements = 8, access_bytes = 16, grid = persistent, ctas_per_sm = 1, column_sum = partials, sum_columns = 64, sum_threads = 128>)
// ONE: row.kernel @backward_strided
// ONE: row.kernel @backward_any
// ONE-NOT: row.kernel
//
// Several are numbered.
// RUN: rms-opt %s --row-select-schedule="chip=sm_90 schedule={threads_per_row=320,elements=8,access_bytes=16,column_sum=role_split,sum_columns=32; threads_per_row=640,elements=4,access_bytes=8,column_sum=role_split,sum_columns=64}" | FileCheck %s --check-prefix=TWO
// TWO-LABEL: row.kernel @backward_s0
// TWO: variant "s0" rows [0, 2147483647]
// TWO-NEXT: threads_per_row = 320
// TWO: row.kernel @backward_s1
// TWO: variant "s1" rows [0, 2147483647]
// TWO-NEXT: threads_per_row = 640
// TWO: row.kernel @backward_strided
// TWO: row.kernel @backward_any
// TWO-NOT: row.kernel
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
