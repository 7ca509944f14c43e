// A shuffle with the mask of a whole warp in a block of 16 threads.
//
// RUN: not rms-emulate --kernel-ir=%s --manifest=%S/Inputs/reduce-narrow.json --rows=1 --jobs=1 --order=forward 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: sed -e '/[/][/] FAULT$/d' -e 's,// FIXED ,,' %s \
// RUN:   | rms-emulate --kernel-ir=- --manifest=%S/Inputs/reduce-narrow.json --rows=1 --jobs=1 --order=forward 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED --implicit-check-not=error:

// CHECK: error: bad-shuffle: reduce, block 0, thread 0: nvvm.shfl.sync with mask 0xFFFFFFFF names lane 16, which does not exist in a block of 16 threads [shuffle-mask.mlir:
// FIXED: ran reduce sm_90 only rows=1

gpu.module @reduce {
  llvm.mlir.global internal @partials() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<2 x f32>
  llvm.func @reduce(%x: !llvm.ptr<1>, %sum: !llvm.ptr<1>, %rows: i64, %x_stride: i64,
                    %workspace: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    %row = llvm.zext %cta : i32 to i64
    %hidden = llvm.mlir.constant(16 : i64) : i64
    %start = llvm.mul %row, %hidden : i64
    %xrow = llvm.getelementptr %x[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %from = llvm.getelementptr %xrow[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %to = llvm.getelementptr %sum[%row] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %value = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %eight = llvm.mlir.constant(8 : i32) : i32
    %mask = llvm.mlir.constant(-1 : i32) : i32 // FAULT
    // FIXED %mask = llvm.mlir.constant(65535 : i32) : i32
    %other = nvvm.shfl.sync bfly %mask, %value, %eight, %clamp : f32 -> f32
    %total = llvm.fadd %value, %other : f32
    %isFirst = llvm.icmp "eq" %tid, %zero : i32
    llvm.cond_br %isFirst, ^write, ^end
  ^write:
    llvm.store %total, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
