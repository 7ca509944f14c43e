// An output that may be written over an input: both lose what is otherwise said
// of outputs, and no thread reads what another one writes.
//
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s

// %y may lie over %x, %z over nothing.
// CHECK: gpu.func @tail(%[[X:[a-z0-9]+]]: !llvm.ptr<1>, %[[R:[a-z0-9]+]]: !llvm.ptr<1>, %{{[a-z0-9]+}}: !llvm.ptr<1>, %{{[a-z0-9]+}}: !llvm.ptr<1> {llvm.noalias}, %{{[a-z0-9]+}}: i64
// A chunk beyond the row repeats the last one where that is safe; here it is
// another thread's, so it is not loaded.
// CHECK: %[[IN:.*]] = arith.cmpi slt
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %{{.*}} : i64
// CHECK: llvm.getelementptr inbounds|nuw %[[X]]
// CHECK: scf.if %[[EXISTS]] -> (vector<4xf32>) {
// CHECK-NEXT: %[[V:.*]] = llvm.load
// CHECK-NEXT: scf.yield %[[V]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT: scf.yield %[[ZERO]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[EXISTS]], %[[IN]]
// CHECK-NEXT: scf.if %[[BOTH]] -> (vector<4xf32>) {
// CHECK-NEXT: llvm.load
// CHECK: llvm.getelementptr inbounds|nuw %[[R]]
// CHECK-NOT: scf.if
// CHECK: llvm.load
// CHECK-NOT: scf.if
// CHECK: llvm.load
// CHECK: nvvm.inline_ptx "// pinned"
module attributes {row.target = "sm_90"} {
  row.kernel @tail hidden 52
      inputs(%x: !row.rows<52xf32>, %r: !row.rows<52xf32>)
      outputs(%y: !row.rows<52xf32>, %z: !row.rows<52xf32>) may_alias [0, -1]
      schedule(#row.schedule<threads_per_row = 8, rows_per_cta = 4,
                             elements = 4, access_bytes = 16>) {
    %0 = row.load %x : !row.rows<52xf32> -> vector<52xf32>
    %1 = row.load %r : !row.rows<52xf32> -> vector<52xf32>
    %2 = row.dot %0, %1 : vector<52xf32>
    %3 = vector.broadcast %2 : f32 to vector<52xf32>
    row.store %3, %y : vector<52xf32>, !row.rows<52xf32>
    row.store %1, %z : vector<52xf32>, !row.rows<52xf32>
  }

  // The last row, repeated as a row ahead, may be another CTA's.
  // CHECK: gpu.func @ahead(%[[X:[a-z0-9]+]]: !llvm.ptr<1>, %{{[a-z0-9]+}}: !llvm.ptr<1>, %[[ROWS:[a-z0-9]+]]: i64
  // CHECK: scf.if
  // CHECK: scf.for
  // CHECK: %[[AHEAD:.*]] = arith.addi
  // CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[AHEAD]], %[[ROWS]] : i64
  // CHECK: scf.if %[[EXISTS]] -> (vector<4xf32>) {
  // CHECK-NEXT: llvm.load
  // CHECK: llvm.store
  // CHECK: scf.yield
  row.kernel @ahead hidden 128 inputs(%x: !row.rows<128xf32>)
      outputs(%y: !row.rows<128xf32>) may_alias [0]
      schedule(#row.schedule<threads_per_row = 32, elements = 4,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 1, prefetch_rows = 1>) {
    %0 = row.load %x : !row.rows<128xf32> -> vector<128xf32>
    row.store %0, %y : vector<128xf32>, !row.rows<128xf32>
  }

  // The common case pays nothing: a row of whole chunks, one row a CTA.
  // CHECK: gpu.func @plain(
  // CHECK-NOT: scf.if
  // CHECK: gpu.return
  row.kernel @plain hidden 128 inputs(%x: !row.rows<128xf32>)
      outputs(%y: !row.rows<128xf32>) may_alias [0]
      schedule(#row.schedule<threads_per_row = 32, elements = 4,
                             access_bytes = 16>) {
    %0 = row.load %x : !row.rows<128xf32> -> vector<128xf32>
    row.store %0, %y : vector<128xf32>, !row.rows<128xf32>
  }
}
