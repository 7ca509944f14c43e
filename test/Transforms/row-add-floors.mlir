// RUN: rms-opt %s --row-add-floors=chip=sm_90 | FileCheck %s
// RUN: rms-opt %s --row-add-floors=chip=sm_90 \
// RUN:   | FileCheck %s --check-prefix=SCHEDULES
// RUN: rms-opt %s --row-add-floors=chip=sm_100 \
// RUN:   | FileCheck %s --check-prefix=WIDE
// RUN: rms-opt %s --row-add-floors=chip=sm_90 \
// RUN:   --row-select-schedule=chip=sm_90 --convert-row-to-gpu \
// RUN:   | FileCheck %s --check-prefix=GPU
// RUN: not rms-opt %s --row-add-floors=chip=sm_1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHIP

// CHIP: error: unknown chip 'sm_1'; known are sm_90,

// A bf16 stream is moved as it is; of an f32 stream the upper half is stored,
// which is finite where the input is. The weight, the scalar, the accumulator
// and the input that nothing reads are no part of the floor.

// CHECK-LABEL: row.kernel @backward hidden 2560
// CHECK: row.kernel @backward_floor_s0 hidden 2560
// CHECK-NEXT: inputs(%[[G:.*]]: !row.rows<2560xbf16>, %[[N:.*]]: !row.rows<2560xf32>)
// CHECK-NEXT: outputs(%[[D:.*]]: !row.rows<2560xbf16>)
// CHECK-DAG: %[[G0:.*]] = row.load %[[G]]
// CHECK-DAG: %[[N0:.*]] = row.load %[[N]]
// CHECK-DAG: %[[G1:.*]] = arith.bitcast %[[G0]] : vector<2560xbf16> to vector<2560xi16>
// CHECK-DAG: %[[N1:.*]] = arith.bitcast %[[N0]] : vector<2560xf32> to vector<2560xi32>
// CHECK: %[[N2:.*]] = arith.shrui %[[N1]]
// CHECK: %[[N3:.*]] = arith.trunci %[[N2]] : vector<2560xi32> to vector<2560xi16>
// CHECK: %[[A:.*]] = arith.andi %[[G1]], %[[N3]]
// CHECK: %[[R:.*]] = arith.bitcast %[[A]] : vector<2560xi16> to vector<2560xbf16>
// CHECK-NEXT: row.store %[[R]], %[[D]]
// CHECK-NEXT: }

// Full-width accesses, one-shot and persistent grids of several sizes, with and
// without hints.
// SCHEDULES-DAG: (#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16>)
// SCHEDULES-DAG: (#row.schedule<threads_per_row = 320, rows_per_cta = 3, elements = 8, access_bytes = 16>)
// SCHEDULES-DAG: (#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16, grid = persistent, ctas_per_sm = 1>)
// SCHEDULES-DAG: (#row.schedule<threads_per_row = 160, elements = 8, access_bytes = 16, grid = persistent, ctas_per_sm = 8>)
// SCHEDULES-DAG: (#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16, loads = streaming, stores = streaming>)
// SCHEDULES-DAG: (#row.schedule<threads_per_row = 320, elements = 8, access_bytes = 16, loads = no_allocate>)
// SCHEDULES-NOT: access_bytes = 32

// On a chip with accesses of 32 bytes these are tried too.
// WIDE: (#row.schedule<threads_per_row = 160, elements = 16, access_bytes = 32>

// The kernel itself is still scheduled, and its floors are not once more.
// GPU: gpu.func @backward_floor_s0(
// GPU-NOT: gpu.func @backward_floor_s0_
row.kernel @backward hidden 2560
    inputs(%g: !row.rows<2560xbf16>, %unused: !row.rows<2560xf32>,
           %n: !row.rows<2560xf32>, %rstd: !row.scalars<f32>,
           %w: !row.columns<2560xf32>)
    outputs(%dx: !row.rows<2560xbf16>, %dw: !row.columns<2560xf32>) {
  %0 = row.load %g : !row.rows<2560xbf16> -> vector<2560xbf16>
  %1 = arith.extf %0 : vector<2560xbf16> to vector<2560xf32>
  %2 = row.load %n : !row.rows<2560xf32> -> vector<2560xf32>
  %3 = row.load %rstd : !row.scalars<f32> -> f32
  %4 = row.load %w : !row.columns<2560xf32> -> vector<2560xf32>
  %5 = arith.mulf %1, %4 : vector<2560xf32>
  %6 = vector.broadcast %3 : f32 to vector<2560xf32>
  %7 = arith.mulf %5, %6 : vector<2560xf32>
  %8 = arith.truncf %7 : vector<2560xf32> to vector<2560xbf16>
  row.store %8, %dx : vector<2560xbf16>, !row.rows<2560xbf16>
  row.accumulate %1, %2 into %dw : vector<2560xf32>, !row.columns<2560xf32>
}

// Nothing is moved where no row is written.
// CHECK-NOT: @sums_floor
row.kernel @sums hidden 64 inputs(%x: !row.rows<64xf32>)
    outputs(%s: !row.columns<64xf32>) {
  %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
  row.accumulate %0, %0 into %s : vector<64xf32>, !row.columns<64xf32>
}
