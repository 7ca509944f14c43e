// Only one warp stores its partial sum, both are read.
//
// RUN: not rms-emulate --kernel-ir=%s --manifest=%S/Inputs/reduce.json --rows=1 --jobs=1 --order=forward 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: sed -e '/[/][/] FAULT$/d' -e 's,// FIXED ,,' %s \
// RUN:   | rms-emulate --kernel-ir=- --manifest=%S/Inputs/reduce.json --rows=1 --jobs=1 --order=forward 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED --implicit-check-not=error:

// CHECK: error: uninitialized-read: reduce, block 0, thread 0: llvm.load of 8 bytes at partials+4, which nothing has written [shared-uninitialized.mlir:{{.*}} (64 times)
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
    %o16 = llvm.mlir.constant(16 : i32) : i32
    %v16 = nvvm.shfl.sync bfly %all, %value, %o16, %clamp : f32 -> f32
    %warpSum = llvm.fadd %value, %v16 : f32
    %five = llvm.mlir.constant(5 : i32) : i32
    %warp = llvm.lshr %tid, %five : i32
    %lane = llvm.and %tid, %clamp : i32
    %base = llvm.mlir.addressof @partials : !llvm.ptr<3>
    %mine = llvm.getelementptr %base[%warp] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %isLeader = llvm.icmp "eq" %tid, %zero : i32 // FAULT
    // FIXED %isLeader = llvm.icmp "eq" %lane, %zero : i32
    llvm.cond_br %isLeader, ^leader, ^join
  ^leader:
    llvm.store %warpSum, %mine {alignment = 4 : i64} : f32, !llvm.ptr<3>
    llvm.br ^join
  ^join:
    nvvm.barrier
    %pair = llvm.load %base {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
    %p0 = llvm.extractelement %pair[%zero : i32] : vector<2xf32>
    %p1 = llvm.extractelement %pair[%one : i32] : vector<2xf32>
    %total = llvm.fadd %p0, %p1 : f32
    %isFirst = llvm.icmp "eq" %tid, %zero : i32
    llvm.cond_br %isFirst, ^write, ^end
  ^write:
    llvm.store %total, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
