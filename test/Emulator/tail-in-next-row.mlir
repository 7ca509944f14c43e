// The last vector of a row is stored whole and reaches into the next row: seen
// as a race and as a changed value within the tensor, and as a wild store
// behind its last row.
//
// RUN: not rms-emulate --kernel-ir=%s --manifest=%S/Inputs/copy-odd.json --rows=2 --jobs=1 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: sed -e '/[/][/] FAULT$/d' -e 's,// FIXED ,,' %s \
// RUN:   | rms-emulate --kernel-ir=- --manifest=%S/Inputs/copy-odd.json --rows=2 --jobs=1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED --implicit-check-not=error:

// CHECK: error: global-race: copy, block 1, thread 0: llvm.store of 8 bytes at y+252 (row 1, column 0), which block 0, thread 31 wrote with no barrier, fence or atomic between [tail-in-next-row.mlir:
// CHECK: error: rewritten: copy, block 1, thread 0: llvm.store of 8 bytes at y+252 (row 1, column 0) changes what block 0, thread 31 wrote [tail-in-next-row.mlir:
// CHECK: error: out-of-bounds: copy, block 1, thread 31: llvm.store of 8 bytes at y+500, 4 bytes beyond its end (it has 504) [tail-in-next-row.mlir:
// FIXED: ran copy sm_90 only rows=2

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
    %zero = llvm.mlir.constant(0 : i32) : i32
    %last = llvm.mlir.constant(62 : i32) : i32
    %first = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %isTail = llvm.icmp "eq" %column, %last : i32
    llvm.cond_br %isTail, ^tail, ^whole
  ^tail:
    %half = llvm.mlir.undef : vector<2xf32>
    %full = llvm.insertelement %first, %half[%zero : i32] : vector<2xf32>
    llvm.store %full, %to {alignment = 4 : i64} : vector<2xf32>, !llvm.ptr<1> // FAULT
    // FIXED llvm.store %first, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.return
  ^whole:
    %value = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xf32>
    llvm.store %value, %to {alignment = 4 : i64} : vector<2xf32>, !llvm.ptr<1>
    llvm.return
  }
}
