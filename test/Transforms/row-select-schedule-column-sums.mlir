// A kernel with column sums: schedules for ranges of row counts, from no row on
// and without a gap, each for the rows where it was measured to be the fastest.
// The ranges go by the bytes that a launch moves against the chip's L2.
//
// RUN: rms-opt %s --row-select-schedule=chip=sm_90 | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: rms-opt %s --row-select-schedule=chip=sm_100 | FileCheck %s --check-prefixes=CHECK,SM100

// As long as the L2 holds what is read, CTAs of their own sum columns, and all is
// one launch. CTAs grow with the rows, and none of the former takes a second trip:
// 128 threads of 8 elements take 5 rows of 32 columns 32 times. A thread with several
// chunks of a row gets the registers for all their loads: two CTAs an SM, unless they
// are large ones of several rows.
// CHECK-LABEL: row.kernel @backward_split hidden
// CHECK: variant "split" rows [0, 160]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 128, elements = 8, access_bytes = 16, ctas_per_sm = 2, column_sum = role_split, sum_columns = 32, sum_rows = 5>)
// CHECK: row.kernel @backward_split256 hidden
// CHECK: variant "split256" rows [161, 320]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 128, rows_per_cta = 2, elements = 8, access_bytes = 16, ctas_per_sm = 2, column_sum = role_split, sum_columns = 32, sum_rows = 5>)
// CHECK: row.kernel @backward_split480 hidden
// CHECK: variant "split480" rows [321, 480]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 160, rows_per_cta = 3, elements = 8, access_bytes = 16, column_sum = role_split, sum_columns = 32>)
// CHECK: row.kernel @backward_split640 hidden
// CHECK: variant "split640" rows [481, 1280]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 320, rows_per_cta = 2, elements = 8, access_bytes = 16, column_sum = role_split, sum_columns = 32, sum_rows = 8>)

// Then persistent CTAs with partial sums and a second launch, and a row on its
// way: 640 threads an SM, with 8 elements of a row and of the row ahead each, which
// are 32 bytes of the wider input. One access of that is a chunk: 4 elements, whose
// bf16 are 8 bytes. What will not be met again is not kept in the cache, up to 1.75
// times what the L2 holds.
// CHECK: row.kernel @backward_middle hidden
// SM90: variant "middle" rows [1281, 5376]
// SM90-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 4, access_bytes = 16, grid = persistent, ctas_per_sm = 2, prefetch_rows = 1, column_sum = partials, sum_columns = 32, sum_threads = 512, loads = streaming, stores = streaming>)
// A chip with wider accesses has one chunk of 8 elements instead: 32 bytes of the
// wider stream, 16 of the narrower.
// SM100: variant "middle" rows [1281, 11289]
// SM100-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 32, grid = persistent, ctas_per_sm = 2, prefetch_rows = 1, column_sum = partials, sum_columns = 32, sum_threads = 512, loads = streaming, stores = streaming>)

// Once a launch moves several times what the L2 holds, plain loads.
// CHECK: row.kernel @backward_many hidden
// SM90: variant "many" rows [5377, 2147483647]
// SM90-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 4, access_bytes = 16, grid = persistent, {{.*}}sum_threads = 512, stores = streaming>)
// SM100: variant "many" rows [11290, 2147483647]
// SM100-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 32, grid = persistent, {{.*}}sum_threads = 512, stores = streaming>)

// Strides, and any alignment, for all row counts.
// CHECK: row.kernel @backward_strided hidden
// CHECK: variant "strided" rows [0, 2147483647]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16, grid = persistent, {{.*}}column_sum = partials, {{.*}}strided = true>)
// CHECK: row.kernel @backward_any hidden
// CHECK: variant "any" rows [0, 2147483647]
// CHECK-NEXT: schedule(#row.schedule<threads_per_row = 320, elements = 1, access_bytes = 1, grid = persistent, {{.*}}column_sum = partials, {{.*}}strided = true>)
// CHECK-NOT: row.kernel @backward
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

// Short rows: four to a CTA, four CTAs an SM, and columns kept from row to row. All
// CTAs together walk short rows faster than one takes in its columns of them, so the
// range ends (at 597 rows) before that one has to make a second trip (at 641).
// CHECK-LABEL: row.kernel @h256_split640
// CHECK: variant "split640" rows [481, 597]
// CHECK-LABEL: row.kernel @h256_many
// CHECK: schedule(#row.schedule<threads_per_row = 32, rows_per_cta = 4, elements = 8, {{.*}}grid = persistent, ctas_per_sm = 4, prefetch_rows = 1, column_sum = partials, sum_columns = 16, sum_threads = 512, stores = streaming>)
row.kernel @h256 hidden 256
    inputs(%g: !row.rows<256xbf16>, %x: !row.rows<256xbf16>, %w: !row.columns<256xbf16>)
    outputs(%y: !row.rows<256xbf16>, %dw: !row.columns<256xf32>) {
  %0 = row.load %g : !row.rows<256xbf16> -> vector<256xbf16>
  %1 = row.load %x : !row.rows<256xbf16> -> vector<256xbf16>
  %2 = row.load %w : !row.columns<256xbf16> -> vector<256xbf16>
  %3 = arith.extf %0 : vector<256xbf16> to vector<256xf32>
  %4 = arith.extf %1 : vector<256xbf16> to vector<256xf32>
  %5 = arith.mulf %0, %2 : vector<256xbf16>
  row.store %5, %y : vector<256xbf16>, !row.rows<256xbf16>
  row.accumulate %3, %4 into %dw : vector<256xf32>, !row.columns<256xf32>
}

// Twice as much in a thread: a row ahead is worth more than columns that are kept.
// CHECK-LABEL: row.kernel @h512_many
// CHECK: schedule(#row.schedule<threads_per_row = 32, rows_per_cta = 4, elements = 8, {{.*}}grid = persistent, ctas_per_sm = 4, prefetch_rows = 1, column_load = late, column_sum = partials, sum_columns = 16,
row.kernel @h512 hidden 512
    inputs(%g: !row.rows<512xbf16>, %x: !row.rows<512xbf16>, %w: !row.columns<512xbf16>)
    outputs(%y: !row.rows<512xbf16>, %dw: !row.columns<512xf32>) {
  %0 = row.load %g : !row.rows<512xbf16> -> vector<512xbf16>
  %1 = row.load %x : !row.rows<512xbf16> -> vector<512xbf16>
  %2 = row.load %w : !row.columns<512xbf16> -> vector<512xbf16>
  %3 = arith.extf %0 : vector<512xbf16> to vector<512xf32>
  %4 = arith.extf %1 : vector<512xbf16> to vector<512xf32>
  %5 = arith.mulf %0, %2 : vector<512xbf16>
  row.store %5, %y : vector<512xbf16>, !row.rows<512xbf16>
  row.accumulate %3, %4 into %dw : vector<512xf32>, !row.columns<512xf32>
}

// So it is for longer rows, whose CTAs have one each. No more CTAs sum columns than
// there are SMs: 80 with 64 columns, in both ways to sum them, and not 160 with 32.
// CHECK-LABEL: row.kernel @h5120_split
// CHECK: column_sum = role_split, sum_columns = 64,
// CHECK-LABEL: row.kernel @h5120_middle
// CHECK: schedule(#row.schedule<threads_per_row = 320, elements = 8, {{.*}}grid = persistent, ctas_per_sm = 2, prefetch_rows = 1, column_load = late, column_sum = partials, sum_columns = 64, sum_threads = 1024, loads
// Narrow accesses need registers of their own: even with accumulators in shared
// memory there are none for a row ahead.
// CHECK-LABEL: row.kernel @h5120_any
// CHECK: schedule(#row.schedule<threads_per_row = 320, elements = 1, {{.*}}grid = persistent, ctas_per_sm = 2, column_load = late, column_sum = partials, accumulators = shared,
row.kernel @h5120 hidden 5120
    inputs(%g: !row.rows<5120xbf16>, %x: !row.rows<5120xbf16>, %w: !row.columns<5120xbf16>)
    outputs(%y: !row.rows<5120xbf16>, %dw: !row.columns<5120xf32>) {
  %0 = row.load %g : !row.rows<5120xbf16> -> vector<5120xbf16>
  %1 = row.load %x : !row.rows<5120xbf16> -> vector<5120xbf16>
  %2 = row.load %w : !row.columns<5120xbf16> -> vector<5120xbf16>
  %3 = arith.extf %0 : vector<5120xbf16> to vector<5120xf32>
  %4 = arith.extf %1 : vector<5120xbf16> to vector<5120xf32>
  %5 = arith.mulf %0, %2 : vector<5120xbf16>
  row.store %5, %y : vector<5120xbf16>, !row.rows<5120xbf16>
  row.accumulate %3, %4 into %dw : vector<5120xf32>, !row.columns<5120xf32>
}

// A thread with 32 elements has the hints of streaming accesses cost registers, and
// so no such variant; the first range ends at 0.075 of the L2, ahead of one trip.
// Accumulators go to shared memory where the registers for a row ahead lack by
// nothing else: strides take those that dense rows leave.
// CHECK-LABEL: row.kernel @h7168_split
// SM90: variant "split" rows [0, 109]
// CHECK-NOT: @h7168_middle
// CHECK: row.kernel @h7168_many
// CHECK: schedule(#row.schedule<threads_per_row = 224, elements = 8, {{.*}}grid = persistent, ctas_per_sm = 2, prefetch_rows = 1, column_load = late, column_sum = partials, sum_columns = 64,
// CHECK: row.kernel @h7168_strided
// CHECK: schedule(#row.schedule<threads_per_row = 224, elements = 8, {{.*}}grid = persistent, ctas_per_sm = 2, prefetch_rows = 1, column_load = late, column_sum = partials, accumulators = shared, sum_columns = 64,
row.kernel @h7168 hidden 7168
    inputs(%g: !row.rows<7168xbf16>, %x: !row.rows<7168xbf16>, %w: !row.columns<7168xbf16>)
    outputs(%y: !row.rows<7168xbf16>, %dw: !row.columns<7168xf32>) {
  %0 = row.load %g : !row.rows<7168xbf16> -> vector<7168xbf16>
  %1 = row.load %x : !row.rows<7168xbf16> -> vector<7168xbf16>
  %2 = row.load %w : !row.columns<7168xbf16> -> vector<7168xbf16>
  %3 = arith.extf %0 : vector<7168xbf16> to vector<7168xf32>
  %4 = arith.extf %1 : vector<7168xbf16> to vector<7168xf32>
  %5 = arith.mulf %0, %2 : vector<7168xbf16>
  row.store %5, %y : vector<7168xbf16>, !row.rows<7168xbf16>
  row.accumulate %3, %4 into %dw : vector<7168xf32>, !row.columns<7168xf32>
}

// 64 KB a row: no registers for a row ahead, but with accumulators in shared memory
// for much of the row itself.
// CHECK-LABEL: row.kernel @h16384_many
// CHECK: schedule(#row.schedule<threads_per_row = 512, elements = 4, {{.*}}grid = persistent, ctas_per_sm = 1, column_load = late, column_sum = partials, accumulators = shared, sum_columns = 128, sum_threads = 1024, stores = streaming>)
row.kernel @h16384 hidden 16384
    inputs(%g: !row.rows<16384xf32>, %x: !row.rows<16384xf32>, %w: !row.columns<16384xf32>)
    outputs(%y: !row.rows<16384xf32>, %dw: !row.columns<16384xf32>) {
  %0 = row.load %g : !row.rows<16384xf32> -> vector<16384xf32>
  %1 = row.load %x : !row.rows<16384xf32> -> vector<16384xf32>
  %2 = row.load %w : !row.columns<16384xf32> -> vector<16384xf32>
  %5 = arith.mulf %0, %2 : vector<16384xf32>
  row.store %5, %y : vector<16384xf32>, !row.rows<16384xf32>
  row.accumulate %0, %1 into %dw : vector<16384xf32>, !row.columns<16384xf32>
}

// Columns take 128 of 132 SMs with 64 a CTA, which leaves some for rows beside them
// where rows are many, but not where they are few: then 128 columns a CTA, up to the
// 64 rows of one trip. 148 SMs are enough for both.
// CHECK-LABEL: row.kernel @h8192_{{few|split}}
// SM90: variant "few" rows [0, 64]
// SM90-NEXT: schedule(#row.schedule<threads_per_row = 256, elements = 8, access_bytes = 16, ctas_per_sm = 1, column_sum = role_split, sum_columns = 128>)
// SM90: variant "split" rows [65,
// SM90-NEXT: {{.*}}column_sum = role_split, sum_columns = 64,
// SM100: variant "split" rows [0,
// SM100-NEXT: {{.*}}column_sum = role_split, sum_columns = 64,
row.kernel @h8192 hidden 8192
    inputs(%g: !row.rows<8192xbf16>, %x: !row.rows<8192xbf16>, %w: !row.columns<8192xbf16>)
    outputs(%y: !row.rows<8192xbf16>, %dw: !row.columns<8192xf32>) {
  %0 = row.load %g : !row.rows<8192xbf16> -> vector<8192xbf16>
  %1 = row.load %x : !row.rows<8192xbf16> -> vector<8192xbf16>
  %2 = row.load %w : !row.columns<8192xbf16> -> vector<8192xbf16>
  %3 = arith.extf %0 : vector<8192xbf16> to vector<8192xf32>
  %4 = arith.extf %1 : vector<8192xbf16> to vector<8192xf32>
  %5 = arith.mulf %0, %2 : vector<8192xbf16>
  row.store %5, %y : vector<8192xbf16>, !row.rows<8192xbf16>
  row.accumulate %3, %4 into %dw : vector<8192xf32>, !row.columns<8192xf32>
}
