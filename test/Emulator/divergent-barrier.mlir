// One warp comes to a barrier that the other one never reaches: on a GPU the
// kernel hangs.
//
// RUN: not rms-emulate --kernel-ir=%s --manifest=%S/Inputs/reduce.json --rows=1 --jobs=1 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: sed -e '/[/][/] FAULT$/d' -e 's,// FIXED ,,' %s \
// RUN:   | rms-emulate --kernel-ir=- --manifest=%S/Inputs/reduce.json --rows=1 --jobs=1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED --implicit-check-not=error:

// CHECK: error: divergence: reduce, block 0, thread 0: waits in vain at nvvm.barrier, which 32 of 64 threads have reached; thread 32 has ended [divergent-barrier.mlir:
// FIXED: ran reduce sm_90 only rows=1

gpu.module @reduce {
  llvm.mlir.global internal @partials() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<2 x f32>
  llvm.func @reduce(%x: !llvm.ptr<1>, %sum: !llvm.ptr<1>, %rows: i64, %x_stride: i64,
                    %workspace: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    %row = llvm.zext %cta : i32 to i64
    %hidden = llvm.mlir.constant(64 : i64) : i64
    %start = llvm.mul %row, %hidden : i64
    %xrow = llvm.getelementptr %x[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %from = llvm.getelementptr %xrow[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %to = llvm.getelementptr %sum[%row] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %value = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %half = llvm.mlir.constant(32 : i32) : i32
    %inside = llvm.icmp "slt" %tid, %half : i32
    // FIXED nvvm.barrier
    llvm.cond_br %inside, ^first, ^end
  ^first:
    nvvm.barrier // FAULT
    %isFirst = llvm.icmp "eq" %tid, %zero : i32
    llvm.cond_br %isFirst, ^write, ^end
  ^write:
    llvm.store %value, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
