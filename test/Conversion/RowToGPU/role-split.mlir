// Column sums by CTAs of their own, in the one launch there is: the first ones
// sum columns, the others walk rows, and neither waits for the other.
//
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s --check-prefix=ONE
// ONE-COUNT-3: gpu.func
// ONE-NOT: gpu.func
// ONE-NOT: griddepcontrol

// CHECK: gpu.func @split(%[[G:[a-z0-9]+]]: !llvm.ptr<1>, %[[N:[a-z0-9]+]]: !llvm.ptr<1>, %[[S:[a-z0-9]+]]: !llvm.ptr<1>, %[[U:[a-z0-9]+]]: !llvm.ptr<1>, %[[DX:[a-z0-9]+]]: !llvm.ptr<1> {llvm.noalias}, %[[DW:[a-z0-9]+]]: !llvm.ptr<1> {llvm.noalias}, %[[ROWS:[a-z0-9]+]]: i64
// CHECK-DAG: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK-DAG: %[[CTAS:.*]] = nvvm.read.ptx.sreg.nctaid.x
// 256 columns, 64 a CTA: four of them.
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK-NEXT: %[[SUMS:.*]] = arith.cmpi slt, %[[CTA]], %[[FOUR]] : i32
// CHECK-NEXT: scf.if %[[SUMS]] {
// Only what the sum needs is loaded and computed: not %u, not dx.
// CHECK: scf.for %{{.*}} to %[[ROWS]]
// CHECK-NOT: %[[U]]
// CHECK-NOT: nvvm.shfl
// CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK-NOT: %[[DX]]
// CHECK: scf.yield
// CHECK: nvvm.barrier
// CHECK: nvvm.shfl.sync
// CHECK: llvm.getelementptr inbounds|nuw %[[DW]]
// CHECK: } else {
// The others count from zero among themselves.
// CHECK: %[[ROW_CTA:.*]] = arith.subi %[[CTA]], %[[FOUR]] : i32
// CHECK: arith.extui %[[ROW_CTA]] : i32 to i64
// CHECK: llvm.getelementptr inbounds|nuw %[[U]]
// CHECK: nvvm.barrier
// CHECK: llvm.getelementptr inbounds|nuw %[[DX]]
// CHECK-NOT: %[[DW]]
// CHECK: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @split hidden 256
      inputs(%g: !row.rows<256xf32>, %n: !row.rows<256xf32>,
             %s: !row.scalars<f32>, %u: !row.rows<256xf32>)
      outputs(%dx: !row.rows<256xf32>, %dw: !row.columns<256xf32>)
      schedule(#row.schedule<threads_per_row = 64, elements = 4,
                             access_bytes = 16, column_sum = role_split,
                             sum_columns = 64>) {
    %0 = row.load %g : !row.rows<256xf32> -> vector<256xf32>
    %1 = row.load %n : !row.rows<256xf32> -> vector<256xf32>
    %2 = row.load %s : !row.scalars<f32> -> f32
    %3 = row.load %u : !row.rows<256xf32> -> vector<256xf32>
    %4 = vector.broadcast %2 : f32 to vector<256xf32>
    %5 = arith.mulf %1, %4 : vector<256xf32>
    %6 = row.dot %0, %5 : vector<256xf32>
    %7 = vector.broadcast %6 : f32 to vector<256xf32>
    %8 = math.fma %7, %5, %3 : vector<256xf32>
    row.store %8, %dx : vector<256xf32>, !row.rows<256xf32>
    row.accumulate %0, %5 into %dw : vector<256xf32>, !row.columns<256xf32>
  }

  // Also with a persistent grid, the CTAs that walk rows sum no columns: they
  // carry no sums, and there is no workspace to leave any in.
  // CHECK: gpu.func @persistent(
  // CHECK-SAME: %[[WORKSPACE:[a-z0-9]+]]: !llvm.ptr<1>) kernel
  // CHECK-NOT: %[[WORKSPACE]]
  // CHECK: } else {
  // CHECK-NOT: %[[WORKSPACE]]
  // CHECK: scf.for %{{.*}} iter_args(%{{[a-z0-9]+}} = %{{[a-z0-9_]+}}) -> (i32) : i64 {
  // CHECK-NOT: math.fma
  // CHECK-NOT: %[[WORKSPACE]]
  // CHECK: gpu.return
  row.kernel @persistent hidden 256 inputs(%g: !row.rows<256xf32>)
      outputs(%y: !row.rows<256xf32>, %s: !row.columns<256xf32>)
      schedule(#row.schedule<threads_per_row = 64, elements = 4,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 1, column_sum = role_split,
                             sum_columns = 64>) {
    %0 = row.load %g : !row.rows<256xf32> -> vector<256xf32>
    row.store %0, %y : vector<256xf32>, !row.rows<256xf32>
    row.accumulate %0, %0 into %s : vector<256xf32>, !row.columns<256xf32>
  }

  // sum_rows: so many rows are on their way before the first one is added up,
  // and a step is that many times the lanes (4 of 16 chunks).
  // CHECK: gpu.func @sum_rows(
  // CHECK: %[[STEP:.*]] = arith.constant 8 : i64
  // CHECK-NEXT: scf.for %{{.*}} step %[[STEP]]
  // CHECK-COUNT-2: llvm.load
  // CHECK-NOT: llvm.load
  // CHECK-COUNT-2: math.fma
  // CHECK-NOT: math.fma
  // CHECK: scf.yield
  row.kernel @sum_rows hidden 256 inputs(%g: !row.rows<256xf32>)
      outputs(%y: !row.rows<256xf32>, %s: !row.columns<256xf32>)
      schedule(#row.schedule<threads_per_row = 64, elements = 4,
                             access_bytes = 16, column_sum = role_split,
                             sum_columns = 64, sum_rows = 2>) {
    %0 = row.load %g : !row.rows<256xf32> -> vector<256xf32>
    row.store %0, %y : vector<256xf32>, !row.rows<256xf32>
    row.accumulate %0, %0 into %s : vector<256xf32>, !row.columns<256xf32>
  }
}
