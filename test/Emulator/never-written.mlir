// Half of every output pair is forgotten.
//
// RUN: not rms-emulate --kernel-ir=%s --manifest=%S/Inputs/copy.json --rows=2 --jobs=1 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: sed -e '/[/][/] FAULT$/d' -e 's,// FIXED ,,' %s \
// RUN:   | rms-emulate --kernel-ir=- --manifest=%S/Inputs/copy.json --rows=2 --jobs=1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED --implicit-check-not=error:

// CHECK: error: never-written: y+4 (row 0, column 1) and 63 more of 128 elements of an output never written
// FIXED: ran copy sm_90 only rows=2

gpu.module @copy {
  llvm.func @copy(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %rows: i64, %x_stride: i64,
                  %y_stride: i64, %workspace: !llvm.ptr<1>)
      attributes {gpu.kernel, nvvm.kernel} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cta = nvvm.read.ptx.sreg.ctaid.x : i32
    %row = llvm.zext %cta : i32 to i64
    %hidden = llvm.mlir.constant(64 : i64) : i64
    %start = llvm.mul %row, %hidden : i64
    %two = llvm.mlir.constant(2 : i32) : i32
    %column = llvm.mul %tid, %two : i32
    %xrow = llvm.getelementptr %x[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %yrow = llvm.getelementptr %y[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %from = llvm.getelementptr %xrow[%column] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %to = llvm.getelementptr %yrow[%column] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %value = llvm.load %from {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %half = llvm.extractelement %value[%zero : i32] : vector<2xf32>
    llvm.store %half, %to {alignment = 4 : i64} : f32, !llvm.ptr<1> // FAULT
    // FIXED llvm.store %value, %to {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
    llvm.return
  }
}
