// Element-wise ops on a row become one for each of a thread's chunks, on a
// scalar of the row one; constants keep their value; roots are instructions of
// the GPU, not calls of a library.
//
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s

// CHECK-LABEL: gpu.func @kernel(
// CHECK-DAG: %[[A:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-DAG: %[[B:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-DAG: %[[S:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : vector<4xf32>
// CHECK: %[[MA:.*]] = arith.maximumf %[[A]], %[[HALF]] : vector<4xf32>
// CHECK-NEXT: %[[MB:.*]] = arith.maximumf %[[B]], %[[HALF]] : vector<4xf32>
// CHECK-NEXT: %[[CA:.*]] = arith.cmpf olt, %[[A]], %[[MA]] : vector<4xf32>
// CHECK-NEXT: %[[CB:.*]] = arith.cmpf olt, %[[B]], %[[MB]] : vector<4xf32>
// CHECK-NEXT: %[[SA:.*]] = arith.select %[[CA]], %[[A]], %[[HALF]] : vector<4xi1>, vector<4xf32>
// CHECK-NEXT: %[[SB:.*]] = arith.select %[[CB]], %[[B]], %[[HALF]] : vector<4xi1>, vector<4xf32>
// CHECK-NEXT: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%[[S]]) : (f32) -> f32
// CHECK-NEXT: %[[Q:.*]] = llvm.call_intrinsic "llvm.nvvm.sqrt.rn.f"(%[[R]]) : (f32) -> f32
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[D:.*]] = arith.divf %[[ONE]], %[[Q]] : f32
// CHECK-NEXT: %[[V:.*]] = vector.broadcast %[[D]] : f32 to vector<4xf32>
// CHECK-NEXT: %[[FA:.*]] = math.fma %[[SA]], %[[V]], %[[A]] : vector<4xf32>
// CHECK-NEXT: %[[FB:.*]] = math.fma %[[SB]], %[[V]], %[[B]] : vector<4xf32>
// CHECK-NOT: math.
// CHECK: llvm.store %[[FA]]
// CHECK: llvm.store %[[FB]]
module attributes {row.target = "sm_90"} {
  row.kernel @kernel hidden 256
      inputs(%x: !row.rows<256xf32>, %s: !row.scalars<f32>)
      outputs(%y: !row.rows<256xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 4,
                             access_bytes = 16>) {
    %0 = row.load %x : !row.rows<256xf32> -> vector<256xf32>
    %1 = row.load %s : !row.scalars<f32> -> f32
    %half = arith.constant dense<0.5> : vector<256xf32>
    %2 = arith.maximumf %0, %half : vector<256xf32>
    %3 = arith.cmpf olt, %0, %2 : vector<256xf32>
    %4 = arith.select %3, %0, %half : vector<256xi1>, vector<256xf32>
    %5 = math.rsqrt %1 : f32
    %6 = math.sqrt %5 : f32
    %one = arith.constant 1.0 : f32
    %7 = arith.divf %one, %6 : f32
    %8 = vector.broadcast %7 : f32 to vector<256xf32>
    %9 = math.fma %4, %8, %0 : vector<256xf32>
    row.store %9, %y : vector<256xf32>, !row.rows<256xf32>
  }
}
