// Column sums as partial sums: registers that live over a CTA's rows, one row of
// the workspace for each CTA, and a second launch that adds those up.
//
// RUN: rms-opt %s --convert-row-to-gpu --split-input-file | FileCheck %s

// CHECK-LABEL: gpu.module @sums [
// CHECK: gpu.func @sums(%[[X:[a-z0-9]+]]: !llvm.ptr<1>, %[[S:[a-z0-9]+]]: !llvm.ptr<1> {llvm.noalias}, %[[ROWS:[a-z0-9]+]]: i64, %{{[a-z0-9]+}}: i64, %[[WORKSPACE:[a-z0-9]+]]: !llvm.ptr<1>)
// CHECK-SAME: known_block_size = array<i32: 32, 1, 1>, nvvm.minctasm = 2 : i32
// CHECK-NOT: griddepcontrol
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: %[[LOOP:.*]]:2 = scf.for %{{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]], %{{.*}} = %{{.*}}) -> (vector<4xf32>, i32) : i64 {
// CHECK: %[[V:.*]] = llvm.load
// CHECK: %[[NEXT:.*]] = math.fma %[[V]], %[[V]], %[[SUM]] : vector<4xf32>
// CHECK: scf.yield %[[NEXT]]
// CHECK: }
// The second launch may be brought in as soon as the rows are done; it waits for
// the stores by itself.
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK: llvm.getelementptr inbounds|nuw %[[WORKSPACE]][%{{.*}}] : (!llvm.ptr<1>, i64)
// CHECK: llvm.store %[[LOOP]]#0, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NEXT: gpu.return

// 64 threads for 32 columns, four neighbouring ones each: eight lanes, which meet
// in shared memory. It has the first launch's arguments, and touches no memory
// before it has waited.
// CHECK: gpu.func @sums_sum(%{{[a-z0-9]+}}: !llvm.ptr<1>, %[[S:[a-z0-9]+]]: !llvm.ptr<1> {llvm.noalias}, %[[ROWS:[a-z0-9]+]]: i64, %{{[a-z0-9]+}}: i64, %[[WORKSPACE:[a-z0-9]+]]: !llvm.ptr<1>)
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK-NOT: minctasm
// CHECK-NOT: llvm.load
// CHECK: nvvm.griddepcontrol wait
// As many partial sums as the first launch had CTAs: 2 on each of 132 SMs, or
// one a row.
// CHECK: %[[MOST:.*]] = arith.constant 264 : i64
// CHECK-NEXT: %[[PARTIALS64:.*]] = arith.minui %[[ROWS]], %[[MOST]] : i64
// CHECK-NEXT: %[[PARTIALS:.*]] = arith.trunci %[[PARTIALS64]]
// All of them: their number is a constant.
// CHECK: %[[ALL:.*]] = arith.cmpi eq, %[[PARTIALS]], %{{.*}} : i32
// CHECK-NEXT: %[[SUM:.*]] = scf.if %[[ALL]] -> (vector<4xf32>)
// CHECK-NEXT: %[[NUMBER:.*]] = arith.constant 264 : i32
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[NUMBER]] step
// CHECK: } else {
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[PARTIALS]] step
// What is not there is not read, and counts nothing.
// CHECK: %[[LAST:.*]] = arith.subi %[[PARTIALS]],
// CHECK: %[[PARTIAL:.*]] = arith.addi %[[I]],
// CHECK-NEXT: %[[EXISTS:.*]] = arith.cmpi slt, %[[PARTIAL]], %[[PARTIALS]]
// CHECK-NEXT: arith.minsi %[[PARTIAL]], %[[LAST]]
// CHECK: %[[PART:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NEXT: arith.select %[[EXISTS]], %[[PART]], %{{.*}} : vector<4xf32>
// CHECK: }
// CHECK: %[[COLUMNS:.*]]:4 = vector.to_elements %[[SUM]]
// CHECK: llvm.store %[[COLUMNS]]#0, %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK: llvm.store %[[COLUMNS]]#3, %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK-NEXT: nvvm.barrier
// CHECK: scf.if
// CHECK-NEXT: %[[P:.*]] = llvm.getelementptr inbounds|nuw %[[S]]
// CHECK-NEXT: llvm.store %{{.*}}, %[[P]] {alignment = 4 : i64} : f32, !llvm.ptr<1>
// CHECK-NOT: nvvm.barrier
// CHECK: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @sums hidden 128 inputs(%x: !row.rows<128xf32>)
      outputs(%s: !row.columns<128xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 4,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 2, column_sum = partials,
                             sum_columns = 32, sum_threads = 64>) {
    %0 = row.load %x : !row.rows<128xf32> -> vector<128xf32>
    row.accumulate %0, %0 into %s : vector<128xf32>, !row.columns<128xf32>
  }
}

// -----

// Two rows a CTA, in one warp: its lanes add up what they hold of the same
// columns, and one row of lanes stores. A row that does not exist counts nothing,
// whatever stands in the row that is loaded for it; both factors are masked,
// since zero times infinity is no zero.
// CHECK-LABEL: gpu.func @groups(
// CHECK: %[[LOOP:.*]]:2 = scf.for
// CHECK: %[[LOAD:.*]] = llvm.load
// CHECK: %[[A:.*]] = arith.select %[[EXISTS:.*]], %[[LOAD]], %{{.*}} : vector<4xf32>
// CHECK: %[[B:.*]] = arith.select %[[EXISTS]], %[[LOAD]], %{{.*}} : vector<4xf32>
// CHECK: math.fma %[[A]], %[[B]],
// CHECK: scf.yield
// CHECK: %[[HELD:.*]]:4 = vector.to_elements %[[LOOP]]#0
// CHECK: %[[APART:.*]] = arith.constant 16 : i32
// CHECK: %[[OTHER:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[HELD]]#0, %[[APART]],
// CHECK-NEXT: %[[SUM0:.*]] = arith.addf %[[HELD]]#0, %[[OTHER]]
// CHECK-COUNT-3: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
// CHECK: %[[SUMS:.*]] = vector.from_elements %[[SUM0]],
// A CTA that never had a row stores too: all partial sums are added up.
// CHECK: %[[STORES:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: scf.if %[[STORES]]
// CHECK: llvm.store %[[SUMS]], %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: gpu.return
// CHECK: gpu.func @groups_sum(
// ceil(rows / 2) CTAs, 132 at most, one partial sum each.
// CHECK: arith.divui %{{.*}}, %{{.*}} : i64
// CHECK: %[[MOST:.*]] = arith.constant 132 : i64
// CHECK-NEXT: %[[CTAS:.*]] = arith.minui %{{.*}}, %[[MOST]] : i64
// CHECK-NEXT: %[[PARTIALS:.*]] = arith.trunci %[[CTAS]]
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[PARTIALS]] step
module attributes {row.target = "sm_90"} {
  row.kernel @groups hidden 64 inputs(%x: !row.rows<64xf32>)
      outputs(%s: !row.columns<64xf32>)
      schedule(#row.schedule<threads_per_row = 16, rows_per_cta = 2,
                             elements = 4, access_bytes = 16,
                             grid = persistent, ctas_per_sm = 1,
                             column_sum = partials, sum_columns = 32,
                             sum_threads = 64>) {
    %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
    row.accumulate %0, %0 into %s : vector<64xf32>, !row.columns<64xf32>
  }
}

// -----

// Two rows a CTA, two warps each: the sums of the two groups meet in shared
// memory and are added there, group by group. What does not go through at once
// takes several rounds, and a round writes when the one before has been read.
// CHECK: llvm.mlir.global internal @warps_shared0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x f32>
// CHECK-LABEL: gpu.func @warps(
// CHECK: scf.for
// CHECK: math.fma
// CHECK: scf.yield
// CHECK-NOT: nvvm.shfl.sync
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK-NOT: nvvm.barrier
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: %[[SECOND:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[FIRST]], %[[SECOND]] : vector<4xf32>
// CHECK: llvm.store %[[SUM]], %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: nvvm.barrier
// CHECK-COUNT-2: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: nvvm.barrier
// CHECK: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @warps hidden 4096 inputs(%x: !row.rows<4096xf32>)
      outputs(%s: !row.columns<4096xf32>)
      schedule(#row.schedule<threads_per_row = 256, rows_per_cta = 2,
                             elements = 16, access_bytes = 16,
                             grid = persistent, ctas_per_sm = 1,
                             column_sum = partials, sum_columns = 32,
                             sum_threads = 64>) {
    %0 = row.load %x : !row.rows<4096xf32> -> vector<4096xf32>
    row.accumulate %0, %0 into %s : vector<4096xf32>, !row.columns<4096xf32>
  }
}

// -----

// The sum is f32 until it is stored, and rounded once.
// CHECK-LABEL: gpu.func @narrow_sum(
// CHECK-NOT: bf16
// CHECK: %[[ROUNDED:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK: llvm.store %[[ROUNDED]], %{{.*}} {alignment = 2 : i64} : bf16, !llvm.ptr<1>
module attributes {row.target = "sm_90"} {
  row.kernel @narrow hidden 128 inputs(%x: !row.rows<128xf32>)
      outputs(%s: !row.columns<128xbf16>)
      schedule(#row.schedule<threads_per_row = 32, elements = 4,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 2, column_sum = partials,
                             sum_columns = 32, sum_threads = 64>) {
    %0 = row.load %x : !row.rows<128xf32> -> vector<128xf32>
    row.accumulate %0, %0 into %s : vector<128xf32>, !row.columns<128xbf16>
  }
}

// -----

// Columns that four do not divide are loaded two at a time: every row of the
// workspace is aligned to that.
// CHECK-LABEL: gpu.func @pairs_sum(
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
module attributes {row.target = "sm_90"} {
  row.kernel @pairs hidden 126 inputs(%x: !row.rows<126xf32>)
      outputs(%s: !row.columns<126xf32>)
      schedule(#row.schedule<threads_per_row = 64, elements = 2,
                             access_bytes = 8, grid = persistent,
                             ctas_per_sm = 2, column_sum = partials,
                             sum_columns = 32, sum_threads = 64>) {
    %0 = row.load %x : !row.rows<126xf32> -> vector<126xf32>
    row.accumulate %0, %0 into %s : vector<126xf32>, !row.columns<126xf32>
  }
}
