// Threads with chunks beyond the row: they load the row's last chunk again, so
// that no load needs a branch or leaves the buffer, count nothing, and store
// nothing.
//
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s

// 13 chunks of 4 for 8 threads: the first chunk of a thread is always in the
// row, the second of the last three is not.
// CHECK-LABEL: gpu.func @tail(
// CHECK: %[[SECOND:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: %[[CHUNKS:.*]] = arith.constant 13 : i32
// CHECK-NEXT: %[[IN:.*]] = arith.cmpi slt, %[[SECOND]], %[[CHUNKS]] : i32
// CHECK-NEXT: %[[LAST:.*]] = arith.constant 12 : i32
// CHECK-NEXT: %[[CLAMPED:.*]] = arith.minui %[[SECOND]], %[[LAST]] : i32
// CHECK: %[[COLUMN:.*]] = arith.muli %[[CLAMPED]], %{{.*}} : i32
// CHECK-NOT: scf.if
// CHECK: %[[A:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: %[[B:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT: %[[MASKED:.*]] = arith.select %[[IN]], %[[B]], %[[ZERO]] : vector<4xf32>
// CHECK: vector.extract_strided_slice %[[A]]
// CHECK: vector.extract_strided_slice %[[MASKED]]
// The first chunk is stored by everyone whose row exists, the second by those
// who also have one.
// CHECK: scf.if %[[EXISTS:.*]] {
// CHECK: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK: %[[BOTH:.*]] = arith.andi %[[EXISTS]], %[[IN]] : i1
// CHECK-NEXT: scf.if %[[BOTH]] {
// CHECK: llvm.getelementptr inbounds|nuw %{{.*}}[%[[COLUMN]]]
// CHECK-NEXT: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @tail hidden 52 inputs(%x: !row.rows<52xf32>)
      outputs(%y: !row.rows<52xf32>)
      schedule(#row.schedule<threads_per_row = 8, rows_per_cta = 4,
                             elements = 4, access_bytes = 16>) {
    %0 = row.load %x : !row.rows<52xf32> -> vector<52xf32>
    %1 = row.dot %0, %0 : vector<52xf32>
    %2 = vector.broadcast %1 : f32 to vector<52xf32>
    %3 = arith.mulf %0, %2 : vector<52xf32>
    row.store %3, %y : vector<52xf32>, !row.rows<52xf32>
  }
}
