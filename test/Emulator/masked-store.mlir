// A masked store whose mask has a bit too many.
//
// RUN: not rms-emulate --kernel-ir=%s --manifest=%S/Inputs/copy-odd.json --rows=1 --jobs=1 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: sed -e '/[/][/] FAULT$/d' -e 's,// FIXED ,,' %s \
// RUN:   | rms-emulate --kernel-ir=- --manifest=%S/Inputs/copy-odd.json --rows=1 --jobs=1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED --implicit-check-not=error:

// CHECK: error: out-of-bounds: copy, block 0, thread 31: llvm.intr.masked.store of 4 bytes at y+252, 4 bytes beyond its end (it has 252) [masked-store.mlir:
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
    %two = llvm.mlir.constant(2 : i32) : i32
    %column = llvm.mul %tid, %two : i32
    %xrow = llvm.getelementptr %x[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %yrow = llvm.getelementptr %y[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %from = llvm.getelementptr %xrow[%column] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %to = llvm.getelementptr %yrow[%column] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %all = llvm.mlir.constant(dense<true> : vector<2xi1>) : vector<2xi1>
    %one = llvm.mlir.constant(dense<[true, false]> : vector<2xi1>) : vector<2xi1>
    %pass = llvm.mlir.constant(dense<0.0> : vector<2xf32>) : vector<2xf32>
    %last = llvm.mlir.constant(62 : i32) : i32
    %isTail = llvm.icmp "eq" %column, %last : i32
    %mask = llvm.select %isTail, %one, %all : i1, vector<2xi1>
    %value = llvm.intr.masked.load %from, %mask, %pass {alignment = 4 : i32} : (!llvm.ptr<1>, vector<2xi1>, vector<2xf32>) -> vector<2xf32>
    llvm.intr.masked.store %value, %to, %all {alignment = 4 : i32} : vector<2xf32>, vector<2xi1> into !llvm.ptr<1> // FAULT
    // FIXED llvm.intr.masked.store %value, %to, %mask {alignment = 4 : i32} : vector<2xf32>, vector<2xi1> into !llvm.ptr<1>
    llvm.return
  }
}
