// The last block to arrive leaves the ticket counter as it is: the next call
// would never see a last block.
//
// RUN: not rms-emulate --kernel-ir=%s --manifest=%S/Inputs/ticket.json --rows=3 --jobs=1 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: sed -e '/[/][/] FAULT$/d' -e 's,// FIXED ,,' %s \
// RUN:   | rms-emulate --kernel-ir=- --manifest=%S/Inputs/ticket.json --rows=3 --jobs=1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED --implicit-check-not=error:

// CHECK: error: counter-not-reset: workspace+0 is not zero after the call, so that the next call would find it changed
// FIXED: ran ticket sm_90 only rows=3

gpu.module @ticket {
  llvm.mlir.global internal @last() {addr_space = 3 : i32, alignment = 4 : i64} : !llvm.array<1 x i32>
  // Every block stores partial sums; the last one to arrive adds them up.
  llvm.func @ticket(%x: !llvm.ptr<1>, %dw: !llvm.ptr<1>, %rows: i64, %x_stride: i64,
                    %workspace: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    %ctas = nvvm.read.ptx.sreg.nctaid.x : i32
    %first = llvm.zext %cta : i32 to i64
    %step = llvm.zext %ctas : i32 to i64
    %hidden = llvm.mlir.constant(64 : i64) : i64
    %none = llvm.mlir.constant(0.0 : f32) : f32
    llvm.br ^loop(%first, %none : i64, f32)
  ^loop(%row: i64, %sum: f32):
    %more = llvm.icmp "slt" %row, %rows : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %start = llvm.mul %row, %hidden : i64
    %xrow = llvm.getelementptr %x[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %from = llvm.getelementptr %xrow[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %value = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %nextSum = llvm.fadd %sum, %value : f32
    %next = llvm.add %row, %step : i64
    llvm.br ^loop(%next, %nextSum : i64, f32)
  ^done:
    %offset = llvm.mul %first, %hidden : i64
    %sixteen = llvm.mlir.constant(16 : i64) : i64
    %area = llvm.getelementptr %workspace[%sixteen] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    %slot = llvm.getelementptr %area[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %to = llvm.getelementptr %slot[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %sum, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
    nvvm.barrier
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %flag = llvm.mlir.addressof @last : !llvm.ptr<3>
    %isFirst = llvm.icmp "eq" %tid, %zero : i32
    llvm.cond_br %isFirst, ^arrive, ^join
  ^arrive:
    llvm.fence syncscope("device") acq_rel
    %before = llvm.atomicrmw add %workspace, %one monotonic : !llvm.ptr<1>, i32
    llvm.fence syncscope("device") acq_rel
    %arrived = llvm.add %before, %one : i32
    %isLast = llvm.icmp "eq" %arrived, %ctas : i32
    %isLastWord = llvm.zext %isLast : i1 to i32
    llvm.store %isLastWord, %flag {alignment = 4 : i64} : i32, !llvm.ptr<3>
    llvm.br ^join
  ^join:
    nvvm.barrier
    %last = llvm.load %flag {alignment = 4 : i64} : !llvm.ptr<3> -> i32
    %adds = llvm.icmp "ne" %last, %zero : i32
    llvm.cond_br %adds, ^reset, ^end
  ^reset:
    llvm.cond_br %isFirst, ^clear, ^sums
  ^clear:
    // FIXED llvm.store %zero, %workspace {alignment = 4 : i64} : i32, !llvm.ptr<1>
    llvm.br ^sums
  ^sums:
    %row0 = llvm.mlir.constant(0 : i64) : i64
    %rowStep = llvm.mlir.constant(1 : i64) : i64
    llvm.br ^blocks(%row0, %none : i64, f32)
  ^blocks(%block: i64, %all: f32):
    %moreBlocks = llvm.icmp "slt" %block, %step : i64
    llvm.cond_br %moreBlocks, ^add, ^store
  ^add:
    %at = llvm.mul %block, %hidden : i64
    %theirs = llvm.getelementptr %area[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %their = llvm.getelementptr %theirs[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %part = llvm.load %their {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %nextAll = llvm.fadd %all, %part : f32
    %nextBlock = llvm.add %block, %rowStep : i64
    llvm.br ^blocks(%nextBlock, %nextAll : i64, f32)
  ^store:
    %out = llvm.getelementptr %dw[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %all, %out {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
