// How a row is reduced: inside a warp by shuffles alone; over warps with one
// barrier a reduction, the two halves of the buffer taken in turn.
//
// RUN: rms-opt %s --convert-row-to-gpu --split-input-file | FileCheck %s

// Half a warp a row: neither barrier nor shared memory. No shuffle leaves the
// row's own lanes. Where a CTA has its row and no other, three steps are one trip:
// a lane asks for all seven that they would combine it with, and adds them up in
// the order of the steps. The fourth step is a trip of its own.
// CHECK-LABEL: gpu.module @half_warp
// CHECK-NOT: llvm.mlir.global
// CHECK-NOT: nvvm.barrier
// CHECK: %[[VO8:.*]] = arith.constant 8 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V8:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V:.*]], %[[VO8]],
// CHECK: %[[VO4:.*]] = arith.constant 4 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V4:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[VO4]],
// CHECK: %[[VO12:.*]] = arith.constant 12 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V12:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[VO12]],
// CHECK: %[[VO2:.*]] = arith.constant 2 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V2:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[VO2]],
// CHECK: %[[VO10:.*]] = arith.constant 10 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V10:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[VO10]],
// CHECK: %[[VO6:.*]] = arith.constant 6 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V6:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[VO6]],
// CHECK: %[[VO14:.*]] = arith.constant 14 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V14:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[VO14]],
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[V]], %[[V8]] : f32
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[V4]], %[[V12]] : f32
// CHECK-NEXT: %[[C:.*]] = arith.addf %[[V2]], %[[V10]] : f32
// CHECK-NEXT: %[[D:.*]] = arith.addf %[[V6]], %[[V14]] : f32
// CHECK-NEXT: %[[AB:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT: %[[CD:.*]] = arith.addf %[[C]], %[[D]] : f32
// CHECK-NEXT: %[[W:.*]] = arith.addf %[[AB]], %[[CD]] : f32
// CHECK: %[[LAST:.*]] = arith.constant 1 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[W1:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[W]], %[[LAST]],
// CHECK-NEXT: arith.addf %[[W]], %[[W1]] : f32
// CHECK-NOT: nvvm.shfl.sync
// CHECK-NOT: nvvm.barrier
// CHECK: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @half_warp hidden 64 inputs(%x: !row.rows<64xf32>)
      outputs(%s: !row.scalars<f32>)
      schedule(#row.schedule<threads_per_row = 16, rows_per_cta = 2,
                             elements = 4, access_bytes = 16>) {
    %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
    %1 = row.reduce <sum> %0 : vector<64xf32>
    row.store %1, %s : f32, !row.scalars<f32>
  }
}

// -----

// A CTA that walks rows has another one to work on meanwhile, and exchanges no more
// than it must: a step after the other.
// CHECK-LABEL: gpu.module @walk
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[O8:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V:.*]], %[[EIGHT]],
// CHECK-NEXT: %[[S8:.*]] = arith.addf %[[V]], %[[O8]]
// CHECK: nvvm.shfl.sync bfly %{{.*}}, %[[S8]],
// CHECK-COUNT-2: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
// CHECK: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @walk hidden 64 inputs(%x: !row.rows<64xf32>)
      outputs(%s: !row.scalars<f32>)
      schedule(#row.schedule<threads_per_row = 16, rows_per_cta = 2,
                             elements = 4, access_bytes = 16,
                             grid = persistent, ctas_per_sm = 1>) {
    %0 = row.load %x : !row.rows<64xf32> -> vector<64xf32>
    %1 = row.reduce <sum> %0 : vector<64xf32>
    row.store %1, %s : f32, !row.scalars<f32>
  }
}

// -----

// One thread a row: nothing to exchange.
// CHECK-LABEL: gpu.module @one_thread
// CHECK-NOT: nvvm.shfl.sync
// CHECK: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @one_thread hidden 4 inputs(%x: !row.rows<4xf32>)
      outputs(%s: !row.scalars<f32>)
      schedule(#row.schedule<threads_per_row = 1, rows_per_cta = 32,
                             elements = 4, access_bytes = 16>) {
    %0 = row.load %x : !row.rows<4xf32> -> vector<4xf32>
    %1 = row.reduce <sum> %0 : vector<4xf32>
    row.store %1, %s : f32, !row.scalars<f32>
  }
}

// -----

// Three warps a row, two rows a CTA, two reductions: parts of a row lie four
// floats apart so that they can be loaded as vectors; each row has its own; and
// the second reduction uses the other half.
// CHECK-LABEL: gpu.module @two
// CHECK: llvm.mlir.global internal @[[SHARED:.*]]() {{.*}} : !llvm.array<16 x f32>
// CHECK-NOT: llvm.mlir.global
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xf32>
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[OTHER:.*]] = arith.xori %[[ZERO]], %[[ONE]] : i32
// CHECK: arith.muli %[[OTHER]], %{{.*}} : i32
// CHECK: nvvm.barrier
// CHECK-NOT: nvvm.barrier
// CHECK: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @two hidden 384 inputs(%x: !row.rows<384xf32>)
      outputs(%s: !row.scalars<f32>, %t: !row.scalars<f32>)
      schedule(#row.schedule<threads_per_row = 96, rows_per_cta = 2,
                             elements = 4, access_bytes = 16>) {
    %0 = row.load %x : !row.rows<384xf32> -> vector<384xf32>
    %1 = row.reduce <sum> %0 : vector<384xf32>
    %2 = row.dot %0, %0 : vector<384xf32>
    row.store %1, %s : f32, !row.scalars<f32>
    row.store %2, %t : f32, !row.scalars<f32>
  }
}

// -----

// The largest element: what lies beyond the row is less than any.
// CHECK-LABEL: gpu.module @largest
// CHECK: arith.constant dense<0xFF800000> : vector<2xf32>
// CHECK: arith.maximumf %{{.*}} : vector<2xf32>
// CHECK-NOT: arith.addf
// CHECK: nvvm.shfl.sync bfly
// CHECK: arith.maximumf %{{.*}} : f32
// CHECK: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @largest hidden 68 inputs(%x: !row.rows<68xf32>)
      outputs(%s: !row.scalars<f32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 2,
                             access_bytes = 8>) {
    %0 = row.load %x : !row.rows<68xf32> -> vector<68xf32>
    %1 = row.reduce <max> %0 : vector<68xf32>
    row.store %1, %s : f32, !row.scalars<f32>
  }
}
