// With column_load = late the weight is loaded where it is used, behind the
// reduction, and takes no registers before.
//
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s

// CHECK: gpu.func @late(%[[X:[a-z0-9]+]]: !llvm.ptr<1>, %[[W:[a-z0-9]+]]: !llvm.ptr<1>
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<1>
// CHECK: nvvm.barrier
// CHECK: %[[PW:.*]] = llvm.getelementptr inbounds|nuw %[[W]]
// CHECK-NEXT: llvm.load %[[PW]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: arith.mulf
module attributes {row.target = "sm_90"} {
  row.kernel @late hidden 256
      inputs(%x: !row.rows<256xf32>, %w: !row.columns<256xf32>)
      outputs(%y: !row.rows<256xf32>)
      schedule(#row.schedule<threads_per_row = 64, elements = 4,
                             access_bytes = 16, column_load = late>) {
    %0 = row.load %x : !row.rows<256xf32> -> vector<256xf32>
    %1 = row.load %w : !row.columns<256xf32> -> vector<256xf32>
    %2 = row.dot %0, %0 : vector<256xf32>
    %3 = vector.broadcast %2 : f32 to vector<256xf32>
    %4 = arith.mulf %3, %1 : vector<256xf32>
    row.store %4, %y : vector<256xf32>, !row.rows<256xf32>
  }
}
