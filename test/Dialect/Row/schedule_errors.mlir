// What no schedule can be, whatever the kernel and the chip. The verifier of the
// attribute reports when one is made.
//
// RUN: rms-opt %s --split-input-file --verify-diagnostics

row.kernel @threads_zero hidden 64 inputs() outputs()
    // expected-error @below {{threads_per_row must be a power of two up to 32 or a multiple of 32, but is 0}}
    schedule(#row.schedule<threads_per_row = 0, elements = 4,
        access_bytes = 16>) {
}

// -----

row.kernel @threads_odd hidden 64 inputs() outputs()
    // expected-error @below {{threads_per_row must be a power of two up to 32 or a multiple of 32, but is 12}}
    schedule(#row.schedule<threads_per_row = 12, elements = 4,
        access_bytes = 16>) {
}

// -----

row.kernel @threads_not_warps hidden 64 inputs() outputs()
    // expected-error @below {{threads_per_row must be a power of two up to 32 or a multiple of 32, but is 48}}
    schedule(#row.schedule<threads_per_row = 48, elements = 4,
        access_bytes = 16>) {
}

// -----

row.kernel @rows_per_cta hidden 64 inputs() outputs()
    // expected-error @below {{rows_per_cta must be at least 1, but is 0}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        rows_per_cta = 0>) {
}

// -----

row.kernel @cta_half_a_warp hidden 64 inputs() outputs()
    // expected-error @below {{threads_per_row times rows_per_cta must be a multiple of 32 and at most 1024, but is 16}}
    schedule(#row.schedule<threads_per_row = 8, elements = 4, access_bytes = 16,
        rows_per_cta = 2>) {
}

// -----

row.kernel @cta_too_large hidden 64 inputs() outputs()
    // expected-error @below {{threads_per_row times rows_per_cta must be a multiple of 32 and at most 1024, but is 1280}}
    schedule(#row.schedule<threads_per_row = 256, elements = 4,
        access_bytes = 16, rows_per_cta = 5>) {
}

// -----

row.kernel @row_too_large hidden 64 inputs() outputs()
    // expected-error @below {{threads_per_row times rows_per_cta must be a multiple of 32 and at most 1024, but is 1056}}
    schedule(#row.schedule<threads_per_row = 1056, elements = 4,
        access_bytes = 16>) {
}

// -----

row.kernel @ctas_per_row_0 hidden 64 inputs() outputs()
    // expected-error @below {{ctas_per_row must be a power of two up to 8, but is 0}}
    schedule(#row.schedule<threads_per_row = 32, ctas_per_row = 0, elements = 4,
        access_bytes = 16>) {
}

// -----

row.kernel @ctas_per_row_3 hidden 64 inputs() outputs()
    // expected-error @below {{ctas_per_row must be a power of two up to 8, but is 3}}
    schedule(#row.schedule<threads_per_row = 32, ctas_per_row = 3, elements = 4,
        access_bytes = 16>) {
}

// -----

row.kernel @ctas_per_row_16 hidden 64 inputs() outputs()
    // expected-error @below {{ctas_per_row must be a power of two up to 8, but is 16}}
    schedule(#row.schedule<threads_per_row = 32, ctas_per_row = 16, elements = 4,
        access_bytes = 16>) {
}

// -----

row.kernel @ctas_per_row_persistent hidden 64 inputs() outputs()
    // expected-error @below {{ctas_per_row needs grid = one_shot, rows_per_cta = 1 and no column_sum: CTAs share rows where those are few}}
    schedule(#row.schedule<threads_per_row = 32, ctas_per_row = 2, elements = 4,
        access_bytes = 16, grid = persistent, ctas_per_sm = 2>) {
}

// -----

row.kernel @ctas_per_row_of_several_rows hidden 64 inputs() outputs()
    // expected-error @below {{ctas_per_row needs grid = one_shot, rows_per_cta = 1 and no column_sum: CTAs share rows where those are few}}
    schedule(#row.schedule<threads_per_row = 32, ctas_per_row = 2, rows_per_cta = 2,
        elements = 4, access_bytes = 16>) {
}

// -----

row.kernel @ctas_per_row_with_column_sums hidden 64 inputs() outputs()
    // expected-error @below {{ctas_per_row needs grid = one_shot, rows_per_cta = 1 and no column_sum: CTAs share rows where those are few}}
    schedule(#row.schedule<threads_per_row = 32, ctas_per_row = 2, elements = 4,
        access_bytes = 16, column_sum = role_split, sum_columns = 32>) {
}

// -----

row.kernel @elements_three hidden 64 inputs() outputs()
    // expected-error @below {{elements must be a power of two up to 32, but is 3}}
    schedule(#row.schedule<threads_per_row = 32, elements = 3,
        access_bytes = 16>) {
}

// -----

row.kernel @elements_64 hidden 64 inputs() outputs()
    // expected-error @below {{elements must be a power of two up to 32, but is 64}}
    schedule(#row.schedule<threads_per_row = 32, elements = 64,
        access_bytes = 16>) {
}

// -----

row.kernel @elements_zero hidden 64 inputs() outputs()
    // expected-error @below {{elements must be a power of two up to 32, but is 0}}
    schedule(#row.schedule<threads_per_row = 32, elements = 0,
        access_bytes = 16>) {
}

// -----

row.kernel @access_12 hidden 64 inputs() outputs()
    // expected-error @below {{access_bytes must be a power of two up to 32, but is 12}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4,
        access_bytes = 12>) {
}

// -----

row.kernel @access_64 hidden 64 inputs() outputs()
    // expected-error @below {{access_bytes must be a power of two up to 32, but is 64}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4,
        access_bytes = 64>) {
}

// -----

row.kernel @ctas_33 hidden 64 inputs() outputs()
    // expected-error @below {{ctas_per_sm must be between 0 and 32, but is 33}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        ctas_per_sm = 33>) {
}

// -----

row.kernel @ctas_negative hidden 64 inputs() outputs()
    // expected-error @below {{ctas_per_sm must be between 0 and 32, but is -1}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        ctas_per_sm = -1>) {
}

// -----

row.kernel @persistent hidden 64 inputs() outputs()
    // expected-error @below {{a persistent grid needs ctas_per_sm}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        grid = persistent>) {
}

// -----

row.kernel @prefetch_5 hidden 64 inputs() outputs()
    // expected-error @below {{prefetch_rows must be between 0 and 4, but is 5}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        prefetch_rows = 5, grid = persistent, ctas_per_sm = 2>) {
}

// -----

row.kernel @prefetch_negative hidden 64 inputs() outputs()
    // expected-error @below {{prefetch_rows must be between 0 and 4, but is -1}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        prefetch_rows = -1, grid = persistent, ctas_per_sm = 2>) {
}

// -----

row.kernel @stores_no_allocate hidden 64 inputs() outputs()
    // expected-error @below {{no_allocate is a policy of loads; stores do not allocate in the first-level cache}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        stores = no_allocate>) {
}

// -----

row.kernel @sum_rows_0 hidden 64 inputs() outputs()
    // expected-error @below {{sum_rows must be between 1 and 16, but is 0}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = role_split, sum_columns = 32, sum_rows = 0>) {
}

// -----

row.kernel @sum_rows_17 hidden 64 inputs() outputs()
    // expected-error @below {{sum_rows must be between 1 and 16, but is 17}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = role_split, sum_columns = 32, sum_rows = 17>) {
}

// -----

row.kernel @prefetch_one_shot hidden 64 inputs() outputs()
    // expected-error @below {{prefetch_rows needs a persistent grid}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        prefetch_rows = 1>) {
}

// -----

row.kernel @partials_one_shot hidden 64 inputs() outputs()
    // expected-error @below {{column_sum = partials needs a persistent grid: the number of partial sums must not grow with the rows}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = partials, sum_columns = 32, sum_threads = 256>) {
}

// -----

row.kernel @sum_columns_alone hidden 64 inputs() outputs()
    // expected-error @below {{sum_columns and sum_threads need a column_sum}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        sum_columns = 32>) {
}

// -----

row.kernel @sum_threads_alone hidden 64 inputs() outputs()
    // expected-error @below {{sum_columns and sum_threads need a column_sum}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        sum_threads = 32>) {
}

// -----

row.kernel @sum_columns_missing hidden 64 inputs() outputs()
    // expected-error @below {{sum_columns must be a power of two up to 1024, but is 0}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = partials, sum_threads = 256, grid = persistent,
        ctas_per_sm = 2>) {
}

// -----

row.kernel @sum_columns_33 hidden 64 inputs() outputs()
    // expected-error @below {{sum_columns must be a power of two up to 1024, but is 33}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = partials, sum_columns = 33, sum_threads = 256,
        grid = persistent, ctas_per_sm = 2>) {
}

// -----

row.kernel @sum_columns_2048 hidden 64 inputs() outputs()
    // expected-error @below {{sum_columns must be a power of two up to 1024, but is 2048}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = partials, sum_columns = 2048, sum_threads = 256,
        grid = persistent, ctas_per_sm = 2>) {
}

// -----

row.kernel @sum_threads_missing hidden 64 inputs() outputs()
    // expected-error @below {{sum_threads must be a power of two between 32 and 1024 and not below sum_columns, but is 0}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = partials, sum_columns = 32, grid = persistent,
        ctas_per_sm = 2>) {
}

// -----

row.kernel @sum_threads_16 hidden 64 inputs() outputs()
    // expected-error @below {{sum_threads must be a power of two between 32 and 1024 and not below sum_columns, but is 16}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = partials, sum_columns = 16, sum_threads = 16,
        grid = persistent, ctas_per_sm = 2>) {
}

// -----

row.kernel @sum_threads_2048 hidden 64 inputs() outputs()
    // expected-error @below {{sum_threads must be a power of two between 32 and 1024 and not below sum_columns, but is 2048}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = partials, sum_columns = 32, sum_threads = 2048,
        grid = persistent, ctas_per_sm = 2>) {
}

// -----

row.kernel @sum_threads_below_columns hidden 64 inputs() outputs()
    // expected-error @below {{sum_threads must be a power of two between 32 and 1024 and not below sum_columns, but is 64}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = partials, sum_columns = 128, sum_threads = 64,
        grid = persistent, ctas_per_sm = 2>) {
}

// -----

row.kernel @role_split_threads hidden 64 inputs() outputs()
    // expected-error @below {{sum_threads is for column_sum = partials}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = role_split, sum_columns = 32, sum_threads = 64>) {
}

// -----

row.kernel @role_split_part_of_a_chunk hidden 64 inputs() outputs()
    // expected-error @below {{sum_columns must be a multiple of elements and give every chunk a thread, but is 2}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = role_split, sum_columns = 2>) {
}

// -----

row.kernel @role_split_more_chunks_than_threads hidden 64 inputs() outputs()
    // expected-error @below {{sum_columns must be a multiple of elements and give every chunk a thread, but is 256}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = role_split, sum_columns = 256>) {
}

// -----

row.kernel @shared_without_partials hidden 64 inputs() outputs()
    // expected-error @below {{accumulators = shared needs column_sum = partials: nothing else keeps sums over rows}}
    schedule(#row.schedule<threads_per_row = 32, elements = 4, access_bytes = 16,
        column_sum = role_split, accumulators = shared, sum_columns = 32>) {
}

// -----

row.kernel @shared_by_groups hidden 64 inputs() outputs()
    // expected-error @below {{accumulators = shared needs rows_per_cta = 1, but that is 2}}
    schedule(#row.schedule<threads_per_row = 32, rows_per_cta = 2, elements = 4,
        access_bytes = 16, grid = persistent, ctas_per_sm = 1,
        column_sum = partials, accumulators = shared, sum_columns = 32,
        sum_threads = 64>) {
}

// -----

row.kernel @no_schedule hidden 64 inputs() outputs()
    // expected-error @below {{expected a #row.schedule attribute}}
    schedule(32) {
}
