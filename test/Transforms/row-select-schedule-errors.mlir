// What cannot be scheduled. Each message names the limit that is passed, and
// nothing is printed.
//
// RUN: split-file %s %t

// The chip.
// RUN: not rms-opt %t/forward.mlir --row-select-schedule=chip=sm_80 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: unknown chip 'sm_80'; known are sm_90, sm_90a, sm_100, sm_100a, sm_100f, sm_103, sm_103a, sm_120
// CHIP-NOT: row.kernel @

// The hidden size.
// RUN: not rms-opt %t/too-long.mlir --row-select-schedule 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: error: hidden size 16385 is above the largest supported one, 16384

// A text that is no schedule, one that lacks a field, one that is inconsistent.
// RUN: not rms-opt %t/forward.mlir --row-select-schedule="schedule=fast" 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: cannot read the schedule 'fast': expected '='
// RUN: not rms-opt %t/forward.mlir --row-select-schedule="schedule=threads_per_row=32" 2>&1 | FileCheck %s --check-prefix=FIELD
// FIELD: error: cannot read the schedule 'threads_per_row=32': struct is missing required parameter
// RUN: not rms-opt %t/forward.mlir --row-select-schedule="schedule=threads_per_row=33,elements=1,access_bytes=4" 2>&1 | FileCheck %s --check-prefix=INCONSISTENT
// INCONSISTENT: error: cannot read the schedule 'threads_per_row=33,elements=1,access_bytes=4': threads_per_row must be a power of two up to 32 or a multiple of 32, but is 33
// The second of two is read as well.
// RUN: not rms-opt %t/forward.mlir --row-select-schedule="schedule=threads_per_row=256,elements=8,access_bytes=16;slow" 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: error: cannot read the schedule 'slow'

// Accesses wider than the chip's.
// RUN: not rms-opt %t/forward.mlir --row-select-schedule="chip=sm_90 schedule=threads_per_row=128,elements=16,access_bytes=32" 2>&1 | FileCheck %s --check-prefix=WIDTH
// WIDTH: error: accesses of 32 bytes are wider than the 16 bytes of sm_90; lower access_bytes
// RUN: rms-opt %t/forward.mlir --row-select-schedule="chip=sm_100 schedule=threads_per_row=128,elements=16,access_bytes=32" | FileCheck %s --check-prefix=WIDE
// WIDE: schedule(#row.schedule<threads_per_row = 128, elements = 16, access_bytes = 32>)

// Chunks that do not divide the row.
// RUN: not rms-opt %t/h2052.mlir --row-select-schedule="chip=sm_90 schedule=threads_per_row=256,elements=8,access_bytes=16" 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: error: hidden size 2052 is not divisible by elements = 8

// More of a row than a thread's registers hold.
// RUN: not rms-opt %t/forward.mlir --row-select-schedule="chip=sm_90 schedule=threads_per_row=16,rows_per_cta=2,elements=8,access_bytes=16" 2>&1 | FileCheck %s --check-prefix=HELD
// HELD: error: a thread would hold 128 elements of a row of 2048, and at most 64 fit its registers; raise threads_per_row

// More threads, or more CTAs, than an SM holds.
// RUN: not rms-opt %t/forward.mlir --row-select-schedule="chip=sm_90 schedule=threads_per_row=1024,elements=2,access_bytes=4,ctas_per_sm=3" 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: 3 CTAs of 1024 threads do not fit an SM of sm_90, which holds 2048 threads; lower ctas_per_sm
// RUN: not rms-opt %t/forward.mlir --row-select-schedule="chip=sm_120 schedule=threads_per_row=32,elements=8,access_bytes=16,ctas_per_sm=25" 2>&1 | FileCheck %s --check-prefix=CTAS
// CTAS: error: 25 CTAs do not fit an SM of sm_120, which holds 24; lower ctas_per_sm

// Column sums without a way to sum them, and the other way round.
// RUN: not rms-opt %t/backward.mlir --row-select-schedule="chip=sm_90 schedule=threads_per_row=32,elements=8,access_bytes=16" 2>&1 | FileCheck %s --check-prefix=SUMS
// SUMS: error: the kernel accumulates along columns; say how with column_sum
// RUN: not rms-opt %t/forward.mlir --row-select-schedule="chip=sm_90 schedule=threads_per_row=256,elements=8,access_bytes=16,column_sum=role_split,sum_columns=32" 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: the kernel accumulates nothing along columns; drop column_sum

// Columns that CTAs of their own cannot sum.
// RUN: not rms-opt %t/in-place.mlir --row-select-schedule="chip=sm_90 schedule=threads_per_row=32,elements=4,access_bytes=16,column_sum=role_split,sum_columns=32" 2>&1 | FileCheck %s --check-prefix=IN-PLACE
// IN-PLACE: error: CTAs of their own cannot sum columns: input #0, which it would read, may share its buffer with an output; use column_sum = partials
// RUN: not rms-opt %t/reduced.mlir --row-select-schedule="chip=sm_90 schedule=threads_per_row=32,elements=4,access_bytes=16,column_sum=role_split,sum_columns=32" 2>&1 | FileCheck %s --check-prefix=REDUCED
// REDUCED: error: CTAs of their own cannot sum columns: a reduction along the row enters what is summed along columns; use column_sum = partials

// A row that another CTA writes over while one reads it.
// RUN: not rms-opt %t/forward-in-place.mlir --row-select-schedule="chip=sm_90 schedule=threads_per_row=256,ctas_per_row=2,elements=8,access_bytes=16" 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: input #1, which several CTAs would read whole, may share its buffer with an output; drop ctas_per_row
// RUN: rms-opt %t/forward.mlir --row-select-schedule="chip=sm_90 schedule=threads_per_row=256,ctas_per_row=2,elements=8,access_bytes=16" | FileCheck %s --check-prefix=APART
// APART: schedule(#row.schedule<threads_per_row = 256, ctas_per_row = 2, elements = 8, access_bytes = 16>)

// More shared memory than a CTA can declare: 512 lanes of 33 columns.
// RUN: not rms-opt %t/backward.mlir --row-select-schedule="chip=sm_100 schedule=threads_per_row=32,rows_per_cta=32,elements=16,access_bytes=32,column_sum=role_split,sum_columns=32" 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: a CTA would need 67584 bytes of shared memory, and at most 49152 can be declared; lower the threads of a CTA, or elements, or raise sum_columns

//--- forward.mlir
row.kernel @forward hidden 2048 inputs(%x: !row.rows<2048xbf16>)
    outputs(%y: !row.rows<2048xbf16>) {
  %0 = row.load %x : !row.rows<2048xbf16> -> vector<2048xbf16>
  row.store %0, %y : vector<2048xbf16>, !row.rows<2048xbf16>
}
//--- forward-in-place.mlir
row.kernel @forward hidden 2048
    inputs(%x: !row.rows<2048xbf16>, %r: !row.rows<2048xbf16>)
    outputs(%y: !row.rows<2048xbf16>, %z: !row.rows<2048xbf16>)
    may_alias [-1, 1] {
  %0 = row.load %x : !row.rows<2048xbf16> -> vector<2048xbf16>
  %1 = row.load %r : !row.rows<2048xbf16> -> vector<2048xbf16>
  row.store %0, %y : vector<2048xbf16>, !row.rows<2048xbf16>
  row.store %1, %z : vector<2048xbf16>, !row.rows<2048xbf16>
}
//--- h2052.mlir
row.kernel @forward hidden 2052 inputs(%x: !row.rows<2052xbf16>)
    outputs(%y: !row.rows<2052xbf16>) {
  %0 = row.load %x : !row.rows<2052xbf16> -> vector<2052xbf16>
  row.store %0, %y : vector<2052xbf16>, !row.rows<2052xbf16>
}
//--- too-long.mlir
row.kernel @forward hidden 16385 inputs() outputs() {
}
//--- backward.mlir
row.kernel @backward hidden 256 inputs(%g: !row.rows<256xbf16>)
    outputs(%dw: !row.columns<256xf32>) {
  %0 = row.load %g : !row.rows<256xbf16> -> vector<256xbf16>
  %1 = arith.extf %0 : vector<256xbf16> to vector<256xf32>
  row.accumulate %1, %1 into %dw : vector<256xf32>, !row.columns<256xf32>
}
//--- in-place.mlir
row.kernel @backward hidden 256 inputs(%g: !row.rows<256xf32>)
    outputs(%dx: !row.rows<256xf32>, %dw: !row.columns<256xf32>)
    may_alias [0, -1] {
  %0 = row.load %g : !row.rows<256xf32> -> vector<256xf32>
  row.store %0, %dx : vector<256xf32>, !row.rows<256xf32>
  row.accumulate %0, %0 into %dw : vector<256xf32>, !row.columns<256xf32>
}
//--- reduced.mlir
row.kernel @backward hidden 256 inputs(%g: !row.rows<256xf32>)
    outputs(%dw: !row.columns<256xf32>) {
  %0 = row.load %g : !row.rows<256xf32> -> vector<256xf32>
  %1 = row.dot %0, %0 : vector<256xf32>
  %2 = vector.broadcast %1 : f32 to vector<256xf32>
  row.accumulate %0, %2 into %dw : vector<256xf32>, !row.columns<256xf32>
}
