// The mask of a row's tail lets one element too many through.
//
// RUN: not rms-emulate --kernel-ir=%s --manifest=%S/Inputs/copy-odd.json --rows=1 --jobs=1 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: sed -e '/[/][/] FAULT$/d' -e 's,// FIXED ,,' %s \
// RUN:   | rms-emulate --kernel-ir=- --manifest=%S/Inputs/copy-odd.json --rows=1 --jobs=1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED --implicit-check-not=error:

// CHECK: error: out-of-bounds: copy, block 0, thread 31: llvm.load of 4 bytes at x+252, 4 bytes beyond its end (it has 252) [mask-off-by-one.mlir:
// FIXED: ran copy sm_90 only rows=1

gpu.module @copy {
  llvm.func @copy(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %rows: i64, %x_stride: i64,
                  %y_stride: i64, %workspace: !llvm.ptr<1>)
      attributes {gpu.kernel, nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    %row = llvm.zext %cta : i32 to i64
    %hidden = llvm.mlir.constant(63 : i64) : i64
    %start = llvm.mul %row, %hidden : i64
    %xrow = llvm.getelementptr %x[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %yrow = llvm.getelementptr %y[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %width = llvm.mlir.constant(63 : i32) : i32
    %step = llvm.mlir.constant(32 : i32) : i32
    llvm.br ^loop(%tid : i32)
  ^loop(%column: i32):
    %inside = llvm.icmp "sle" %column, %width : i32 // FAULT
    // FIXED %inside = llvm.icmp "slt" %column, %width : i32
    llvm.cond_br %inside, ^body, ^exit
  ^body:
    %from = llvm.getelementptr %xrow[%column] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %to = llvm.getelementptr %yrow[%column] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %value = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    llvm.store %value, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
    %next = llvm.add %column, %step : i32
    llvm.br ^loop(%next : i32)
  ^exit:
    llvm.return
  }
}
