// A CTA for a row: what it loads is on its way before anything waits, and one
// barrier is all it waits at.
//
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s --check-prefix=BARRIERS
// BARRIERS-COUNT-1: nvvm.barrier
// BARRIERS-NOT: nvvm.barrier

// A part for each of the eight warps, twice.
// CHECK: llvm.mlir.global internal @[[SHARED:.*]]() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<16 x f32>
// CHECK: gpu.func @kernel(%[[X:[a-z0-9]+]]: !llvm.ptr<1>, %[[W:[a-z0-9]+]]: !llvm.ptr<1>, %[[Y:[a-z0-9]+]]: !llvm.ptr<1>
// CHECK-DAG: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-DAG: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x : i32

// The row's number, and the offset of the row in elements, are 64 bits wide.
// CHECK: %[[ROW:.*]] = arith.extui %[[CTA]] : i32 to i64
// CHECK: %[[OFFSET:.*]] = arith.muli %[[ROW]], %{{.*}} overflow<nsw, nuw> : i64
// CHECK: llvm.getelementptr inbounds|nuw %[[X]][%[[OFFSET]]] : (!llvm.ptr<1>, i64)

// The row is asked for first, then the weight, and both stay ahead of the sum.
// CHECK: %[[VX:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: %[[VW:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: nvvm.inline_ptx "// pinned" ro(%{{.*}} : i32, i32, i32, i32, i32, i32, i32, i32)
// CHECK-NOT: llvm.load

// The sum of products: fused where a product joins a sum.
// CHECK: math.fma
// Five steps in two trips: what three of them would combine, then what two would.
// CHECK: %[[VO16:.*]] = arith.constant 16 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V16:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V:.*]], %[[VO16]],
// CHECK: %[[VO8:.*]] = arith.constant 8 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V8:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[VO8]],
// CHECK: %[[VO24:.*]] = arith.constant 24 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V24:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[VO24]],
// CHECK: %[[VO4:.*]] = arith.constant 4 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V4:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[VO4]],
// CHECK: %[[VO20:.*]] = arith.constant 20 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V20:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[VO20]],
// CHECK: %[[VO12:.*]] = arith.constant 12 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V12:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[VO12]],
// CHECK: %[[VO28:.*]] = arith.constant 28 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[V28:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[V]], %[[VO28]],
// CHECK-COUNT-7: arith.addf
// CHECK: %[[WO2:.*]] = arith.constant 2 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[W2:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[W:.*]], %[[WO2]],
// CHECK: %[[WO1:.*]] = arith.constant 1 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[W1:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[W]], %[[WO1]],
// CHECK: %[[WO3:.*]] = arith.constant 3 : i32
// CHECK-NEXT: arith.constant 31
// CHECK-NEXT: %[[W3:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[W]], %[[WO3]],
// CHECK-COUNT-3: arith.addf
// CHECK-NOT: nvvm.shfl.sync
// One lane of a warp leaves its part, and every thread adds all parts up.
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: }
// CHECK-NEXT: nvvm.barrier
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-7: arith.addf %{{.*}} : f32
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
// CHECK-NEXT: gpu.return
module attributes {row.target = "sm_90"} {
  row.kernel @kernel hidden 2048
      inputs(%x: !row.rows<2048xbf16>, %w: !row.columns<2048xbf16>)
      outputs(%y: !row.rows<2048xbf16>)
      schedule(#row.schedule<threads_per_row = 256, elements = 8,
                             access_bytes = 16>) {
    %0 = row.load %x : !row.rows<2048xbf16> -> vector<2048xbf16>
    %1 = arith.extf %0 : vector<2048xbf16> to vector<2048xf32>
    %2 = row.load %w : !row.columns<2048xbf16> -> vector<2048xbf16>
    %3 = arith.extf %2 : vector<2048xbf16> to vector<2048xf32>
    %4 = row.dot %1, %1 : vector<2048xf32>
    %5 = vector.broadcast %4 : f32 to vector<2048xf32>
    %6 = arith.mulf %5, %3 : vector<2048xf32>
    %7 = arith.truncf %6 : vector<2048xf32> to vector<2048xbf16>
    row.store %7, %y : vector<2048xbf16>, !row.rows<2048xbf16>
  }
}
