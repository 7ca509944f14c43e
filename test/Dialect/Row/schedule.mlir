// A schedule prints the fields that are not what they would be by themselves,
// also through the generic form, and in one order whatever they were written in.
//
// RUN: rms-opt %s | rms-opt | FileCheck %s
// RUN: rms-opt %s --mlir-print-op-generic | rms-opt | FileCheck %s
// RUN: rms-opt %s --emit-bytecode | rms-opt | FileCheck %s

// CHECK-LABEL: row.kernel @least
// CHECK: schedule(#row.schedule<threads_per_row = 32, elements = 1, access_bytes = 4>)
row.kernel @least hidden 64 inputs() outputs()
    schedule(#row.schedule<threads_per_row = 32, elements = 1,
                           access_bytes = 4>) {
}

// CHECK-LABEL: row.kernel @defaults
// CHECK: schedule(#row.schedule<threads_per_row = 32, elements = 1, access_bytes = 4>)
row.kernel @defaults hidden 64 inputs() outputs()
    schedule(#row.schedule<threads_per_row = 32, rows_per_cta = 1,
                           ctas_per_row = 1, elements = 1,
                           access_bytes = 4, grid = one_shot, ctas_per_sm = 0,
                           prefetch_rows = 0,
                           column_load = early, column_sum = none,
                           accumulators = registers,
                           sum_columns = 0, sum_threads = 0, sum_rows = 4,
                           loads = plain,
                           stores = plain, strided = false,
                           dependent_launch = false>) {
}

// CHECK-LABEL: row.kernel @all
// CHECK: schedule(#row.schedule<threads_per_row = 8, rows_per_cta = 4, elements = 2, access_bytes = 8, grid = persistent, ctas_per_sm = 2, prefetch_rows = 3, column_load = late, column_sum = partials, sum_columns = 32, sum_threads = 256, loads = streaming, stores = streaming, strided = true, dependent_launch = true>)
row.kernel @all hidden 64 inputs(%x: !row.rows<64xf32>)
    outputs(%s: !row.columns<64xf32>)
    schedule(#row.schedule<dependent_launch = true, strided = true,
                           stores = streaming, loads = streaming,
                           sum_threads = 256,
                           sum_columns = 32, column_sum = partials,
                           column_load = late, prefetch_rows = 3,
                           ctas_per_sm = 2, grid = persistent, access_bytes = 8,
                           elements = 2, rows_per_cta = 4,
                           threads_per_row = 8>) {
  %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
  row.accumulate %0, %0 into %s : vector<64xf32>, !row.columns<64xf32>
}

// CHECK-LABEL: row.kernel @shared
// CHECK: column_sum = partials, accumulators = shared, sum_columns = 32, sum_threads = 64>)
row.kernel @shared hidden 64 inputs(%x: !row.rows<64xf32>)
    outputs(%s: !row.columns<64xf32>)
    schedule(#row.schedule<threads_per_row = 32, elements = 2, access_bytes = 8,
                           grid = persistent, ctas_per_sm = 1,
                           accumulators = shared, column_sum = partials,
                           sum_columns = 32, sum_threads = 64>) {
  %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
  row.accumulate %0, %0 into %s : vector<64xf32>, !row.columns<64xf32>
}

// CHECK-LABEL: row.kernel @no_allocate
// CHECK: schedule(#row.schedule<threads_per_row = 32, elements = 2, access_bytes = 8, loads = no_allocate>)
row.kernel @no_allocate hidden 64 inputs() outputs()
    schedule(#row.schedule<threads_per_row = 32, elements = 2, access_bytes = 8,
                           loads = no_allocate>) {
}

// CHECK-LABEL: row.kernel @role_split
// CHECK: column_sum = role_split, sum_columns = 64, sum_rows = 8>)
row.kernel @role_split hidden 64 inputs(%x: !row.rows<64xf32>)
    outputs(%s: !row.columns<64xf32>)
    schedule(#row.schedule<threads_per_row = 32, elements = 2, access_bytes = 8,
                           column_sum = role_split, sum_columns = 64,
                           sum_rows = 8>) {
  %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
  row.accumulate %0, %0 into %s : vector<64xf32>, !row.columns<64xf32>
}

// CHECK-LABEL: row.kernel @ctas_per_row
// CHECK: schedule(#row.schedule<threads_per_row = 32, ctas_per_row = 2, elements = 1, access_bytes = 4>)
row.kernel @ctas_per_row hidden 64 inputs() outputs()
    schedule(#row.schedule<elements = 1, ctas_per_row = 2, access_bytes = 4,
                           threads_per_row = 32>) {
}
