// Column accumulators in shared memory that the launch asks for: every thread adds
// to its own columns in place, with no barrier, and the loop carries none of them.
//
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s

// CHECK: llvm.mlir.global external @sums_dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x f32>
// CHECK-LABEL: gpu.func @sums(
// CHECK: %[[ALL:.*]] = llvm.mlir.addressof @sums_dynamic : !llvm.ptr<3>
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// Neighbouring threads have neighbouring 16 bytes; the parts of a chunk, and the
// chunks, lie 64 threads apart.
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK: %[[OWN:.*]] = arith.muli %[[THREAD]], %[[FOUR]] : i32
// CHECK: %[[SUMS:.*]] = llvm.getelementptr inbounds|nuw %[[ALL]][%[[OWN]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
// CHECK: llvm.store %{{.*}}, %[[SUMS]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds|nuw %[[SUMS]][256]
// CHECK-NEXT: llvm.store %{{.*}}, %[[P]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds|nuw %[[SUMS]][512]
// CHECK-NEXT: llvm.store
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds|nuw %[[SUMS]][768]
// CHECK-NEXT: llvm.store
// CHECK: scf.for %{{.*}} iter_args(%{{[a-z0-9]+}} = %{{[a-z0-9_]+}}) -> (i32) : i64 {
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK-NOT: nvvm.barrier
// CHECK: %[[A:.*]] = llvm.load %[[SUMS]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds|nuw %[[SUMS]][256]
// CHECK-NEXT: %[[B:.*]] = llvm.load %[[P]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: %[[SUM:.*]] = vector.shuffle %[[A]], %[[B]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: %[[NEXT:.*]] = math.fma %{{.*}}, %{{.*}}, %[[SUM]] : vector<8xf32>
// CHECK: %[[A:.*]] = vector.extract_strided_slice %[[NEXT]] {offsets = [0], sizes = [4]
// CHECK: llvm.store %[[A]], %[[SUMS]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK: %[[B:.*]] = vector.extract_strided_slice %[[NEXT]] {offsets = [4], sizes = [4]
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds|nuw %[[SUMS]][256]
// CHECK-NEXT: llvm.store %[[B]], %[[P]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NOT: nvvm.barrier
// CHECK: scf.yield %{{[a-z0-9]+}} : i32
// CHECK: griddepcontrol launch_dependents
// CHECK: llvm.load %[[SUMS]]
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: gpu.return
// The second launch asks for none.
// CHECK: gpu.func @sums_sum(
// CHECK-NOT: @sums_dynamic
module attributes {row.target = "sm_90"} {
  row.kernel @sums hidden 1024 inputs(%x: !row.rows<1024xbf16>)
      outputs(%s: !row.columns<1024xf32>)
      schedule(#row.schedule<threads_per_row = 64, elements = 8,
                             access_bytes = 16, grid = persistent,
                             ctas_per_sm = 2, column_sum = partials,
                             accumulators = shared, sum_columns = 32,
                             sum_threads = 64>) {
    %0 = row.load %x : !row.rows<1024xbf16> -> vector<1024xbf16>
    %1 = arith.extf %0 : vector<1024xbf16> to vector<1024xf32>
    row.accumulate %1, %1 into %s : vector<1024xf32>, !row.columns<1024xf32>
  }
}
