// A grid of a fixed size: each CTA walks rows a grid apart, with the rows ahead
// of the one it computes already on their way.
//
// RUN: rms-opt %s --convert-row-to-gpu --split-input-file | FileCheck %s

// One row ahead, in registers. It is loaded at the top of the loop, so that
// it arrives while this one is computed, and clamped to a row that exists. The
// weight is loaded once. Ahead of the loop stands the first row.
// CHECK: gpu.func @one(%[[X:[a-z0-9]+]]: !llvm.ptr<1>, %[[W:[a-z0-9]+]]: !llvm.ptr<1>, %{{[a-z0-9]+}}: !llvm.ptr<1> {llvm.noalias}, %[[ROWS:[a-z0-9]+]]: i64
// CHECK-SAME: nvvm.minctasm = 2 : i32
// CHECK-DAG: %[[CTA32:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK-DAG: %[[CTAS32:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK-DAG: %[[STEP:.*]] = arith.extui %[[CTAS32]] : i32 to i64
// CHECK-DAG: %[[FIRST:.*]] = arith.extui %[[CTA32]] : i32 to i64
// CHECK: %[[A:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: scf.for %[[ROW:.*]] = %[[FIRST]] to %[[ROWS]] step %[[STEP]] iter_args(%[[CURRENT:.*]] = %[[A]], %[[PHASE:.*]] = %{{.*}}) -> (vector<4xf32>, i32) : i64 {
// CHECK-NOT: row.dot
// CHECK: %[[AHEAD:.*]] = arith.addi %[[ROW]], %{{.*}} : i64
// CHECK: %[[LAST:.*]] = arith.subi %[[ROWS]], %{{.*}} : i64
// CHECK: %[[CLAMPED:.*]] = arith.minui %[[AHEAD]], %[[LAST]] : i64
// CHECK: %[[OFFSET:.*]] = arith.muli %[[CLAMPED]],
// CHECK: llvm.getelementptr inbounds|nuw %[[X]][%[[OFFSET]]]
// CHECK: %[[NEXT:.*]] = llvm.load
// CHECK: nvvm.inline_ptx "// pinned"
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<1>
// CHECK: arith.mulf %{{.*}}, %{{.*}} : vector<2xf32>
// The buffer of the reduction changes sides with every row.
// CHECK: arith.muli %[[PHASE]],
// CHECK: nvvm.barrier
// CHECK-NOT: nvvm.barrier
// CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]],
// CHECK: %[[HERE:.*]] = arith.muli %[[ROW]],
// CHECK: llvm.store
// CHECK: scf.yield %[[NEXT]], %[[OTHER]] : vector<4xf32>, i32
// CHECK: }
// CHECK-NEXT: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @one hidden 256
      inputs(%x: !row.rows<256xf32>, %w: !row.columns<256xf32>)
      outputs(%y: !row.rows<256xf32>)
      schedule(#row.schedule<threads_per_row = 64, elements = 4,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 2, prefetch_rows = 1>) {
    %0 = row.load %x : !row.rows<256xf32> -> vector<256xf32>
    %1 = row.load %w : !row.columns<256xf32> -> vector<256xf32>
    %2 = row.dot %0, %0 : vector<256xf32>
    %3 = vector.broadcast %2 : f32 to vector<256xf32>
    %4 = arith.mulf %3, %1 : vector<256xf32>
    row.store %4, %y : vector<256xf32>, !row.rows<256xf32>
  }
}

// -----

// Two rows ahead: the older one is computed, the younger one moves up.
// CHECK-LABEL: gpu.func @two(
// CHECK: scf.for %{{.*}} iter_args(%[[OLD:.*]] = %{{.*}}, %[[YOUNG:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<4xf32>, vector<4xf32>, i32) : i64 {
// CHECK: %[[NEW:.*]] = llvm.load
// CHECK: llvm.store %[[OLD]]
// CHECK: scf.yield %[[YOUNG]], %[[NEW]],
module attributes {row.target = "sm_90"} {
  row.kernel @two hidden 128 inputs(%x: !row.rows<128xf32>)
      outputs(%y: !row.rows<128xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 4,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 1, prefetch_rows = 2>) {
    %0 = row.load %x : !row.rows<128xf32> -> vector<128xf32>
    row.store %0, %y : vector<128xf32>, !row.rows<128xf32>
  }
}

// -----

// None ahead: a row is loaded when its turn comes.
// CHECK-LABEL: gpu.func @none(
// CHECK-NOT: llvm.load
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i32) : i64 {
// CHECK: llvm.load
// CHECK: llvm.store
module attributes {row.target = "sm_90"} {
  row.kernel @none hidden 128 inputs(%x: !row.rows<128xf32>)
      outputs(%y: !row.rows<128xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 4,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 1>) {
    %0 = row.load %x : !row.rows<128xf32> -> vector<128xf32>
    row.store %0, %y : vector<128xf32>, !row.rows<128xf32>
  }
}

// -----

// Several rows a CTA, several CTAs: a step is all of them.
// CHECK-LABEL: gpu.func @groups(
// CHECK: %[[CTAS32:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: %[[CTAS:.*]] = arith.extui %[[CTAS32]] : i32 to i64
// CHECK-NEXT: %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK-NEXT: %[[STEP:.*]] = arith.muli %[[CTAS]], %[[FOUR]] : i64
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[STEP]]
module attributes {row.target = "sm_90"} {
  row.kernel @groups hidden 128 inputs(%x: !row.rows<128xf32>)
      outputs(%y: !row.rows<128xf32>)
      schedule(#row.schedule<threads_per_row = 32, rows_per_cta = 4,
                             elements = 4, access_bytes = 16,
                             grid = persistent, ctas_per_sm = 1>) {
    %0 = row.load %x : !row.rows<128xf32> -> vector<128xf32>
    row.store %0, %y : vector<128xf32>, !row.rows<128xf32>
  }
}

// -----

// A row's scalar, loaded ahead with the row, at an address of which nobody knows
// that all threads have it: a uniform register would wait for it.
// CHECK-LABEL: gpu.func @scalar(
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[ZERO:.*]] = nvvm.inline_ptx "shr.u32 $0, $1, 31;" ro(%[[THREAD]] : i32) -> i32
// CHECK: scf.for
// CHECK: %[[OWN:.*]] = arith.extui %[[ZERO]] : i32 to i64
// CHECK: %[[INDEX:.*]] = arith.addi %{{.*}}, %[[OWN]] : i64
// CHECK: llvm.getelementptr inbounds|nuw %{{.*}}[%[[INDEX]]]
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK: scf.yield
module attributes {row.target = "sm_90"} {
  row.kernel @scalar hidden 256
      inputs(%x: !row.rows<256xf32>, %r: !row.scalars<f32>)
      outputs(%y: !row.rows<256xf32>)
      schedule(#row.schedule<threads_per_row = 64, elements = 4,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 2, prefetch_rows = 1>) {
    %0 = row.load %x : !row.rows<256xf32> -> vector<256xf32>
    %1 = row.load %r : !row.scalars<f32> -> f32
    %2 = vector.broadcast %1 : f32 to vector<256xf32>
    %3 = arith.mulf %0, %2 : vector<256xf32>
    row.store %3, %y : vector<256xf32>, !row.rows<256xf32>
  }
}
