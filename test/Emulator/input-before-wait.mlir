// A first launch that may start before the kernel ahead of the call has ended
// reads an input, which that kernel may be writing, before it has waited.
//
// RUN: not rms-emulate --kernel-ir=%s --manifest=%S/Inputs/columns-waits.json --rows=2 --jobs=1 --order=forward 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: sed -e '/[/][/] FAULT$/d' -e 's,// FIXED ,,' %s \
// RUN:   | rms-emulate --kernel-ir=- --manifest=%S/Inputs/columns-waits.json --rows=2 --jobs=1 --order=forward 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED --implicit-check-not=error:

// CHECK: error: read-before-wait: partials, block 0, thread 0: llvm.load of 4 bytes at x+0 (row 0, column 0): the launch may start before the one ahead of the call has ended, and the thread has not executed griddepcontrol.wait [input-before-wait.mlir:{{.*}} (128 times)
// FIXED: ran columns sm_90 only rows=2

gpu.module @columns {
  // The partial sums of a block: the sum over its rows of each column.
  llvm.func @partials(%x: !llvm.ptr<1>, %dw: !llvm.ptr<1>, %rows: i64, %x_stride: i64,
                      %workspace: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    %ctas = nvvm.read.ptx.sreg.nctaid.x : i32
    %first = llvm.zext %cta : i32 to i64
    %step = llvm.zext %ctas : i32 to i64
    %hidden = llvm.mlir.constant(64 : i64) : i64
    %none = llvm.mlir.constant(0.0 : f32) : f32
    // FIXED nvvm.griddepcontrol wait
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
    nvvm.griddepcontrol wait // FAULT
    %offset = llvm.mul %first, %hidden : i64
    %slot = llvm.getelementptr %workspace[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %to = llvm.getelementptr %slot[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %sum, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
  // The sum of the partial sums.
  llvm.func @columns(%x: !llvm.ptr<1>, %dw: !llvm.ptr<1>, %rows: i64, %x_stride: i64,
                     %workspace: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %hidden = llvm.mlir.constant(64 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %two = llvm.mlir.constant(2 : i64) : i64
    %first = llvm.mlir.constant(0 : i64) : i64
    %none = llvm.mlir.constant(0.0 : f32) : f32
    %count = llvm.intr.umin(%rows, %two) : (i64, i64) -> i64
    %to = llvm.getelementptr %dw[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    nvvm.griddepcontrol wait
    llvm.br ^loop(%first, %none : i64, f32)
  ^loop(%block: i64, %sum: f32):
    %more = llvm.icmp "slt" %block, %count : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %start = llvm.mul %block, %hidden : i64
    %slot = llvm.getelementptr %workspace[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %from = llvm.getelementptr %slot[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %value = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %nextSum = llvm.fadd %sum, %value : f32
    %next = llvm.add %block, %one : i64
    llvm.br ^loop(%next, %nextSum : i64, f32)
  ^done:
    llvm.store %sum, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  }
}
