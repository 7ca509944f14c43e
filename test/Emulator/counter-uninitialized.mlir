// An atomic adds to a word of the workspace that nothing has set.
//
// RUN: not rms-emulate --kernel-ir=%s --manifest=%S/Inputs/atomic.json --rows=1 --jobs=1 --order=forward 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: sed -e '/[/][/] FAULT$/d' -e 's,// FIXED ,,' %s \
// RUN:   | rms-emulate --kernel-ir=- --manifest=%S/Inputs/atomic.json --rows=1 --jobs=1 --order=forward 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED --implicit-check-not=error:

// CHECK: error: uninitialized-read: atomic, block 0, thread 0: llvm.atomicrmw of 4 bytes at workspace+0 (byte 0), which nothing has written [counter-uninitialized.mlir:{{.*}} (64 times)
// FIXED: ran atomic sm_90 only rows=1

gpu.module @atomic {
  // Every block adds its row to the sums with atomics.
  llvm.func @atomic(%x: !llvm.ptr<1>, %dw: !llvm.ptr<1>, %rows: i64, %x_stride: i64,
                    %workspace: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    %row = llvm.zext %cta : i32 to i64
    %hidden = llvm.mlir.constant(64 : i64) : i64
    %start = llvm.mul %row, %hidden : i64
    %xrow = llvm.getelementptr %x[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %from = llvm.getelementptr %xrow[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %value = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %to = llvm.getelementptr %workspace[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %old = llvm.atomicrmw fadd %to, %value monotonic : !llvm.ptr<1>, f32 // FAULT
    // FIXED llvm.store %value, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @result(%x: !llvm.ptr<1>, %dw: !llvm.ptr<1>, %rows: i64, %x_stride: i64,
                    %workspace: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %from = llvm.getelementptr %workspace[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %to = llvm.getelementptr %dw[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %sum = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    llvm.store %sum, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
}
