// A block of a cluster ends while another one still reads its shared memory.
//
// RUN: not rms-emulate --kernel-ir=%s --manifest=%S/Inputs/reduce-cluster.json --rows=1 --jobs=1 --order=forward 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: sed -e '/[/][/] FAULT$/d' -e 's,// FIXED ,,' %s \
// RUN:   | rms-emulate --kernel-ir=- --manifest=%S/Inputs/reduce-cluster.json --rows=1 --jobs=1 --order=forward 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED --implicit-check-not=error:

// CHECK: error: exited-remote: reduce, block 0, thread {{[0-9]+}}: llvm.load of 4 bytes in the shared memory of block 1, which has ended [cluster-exit.mlir:
// FIXED: ran reduce sm_90 only rows=1

gpu.module @reduce {
  llvm.mlir.global internal @partials() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x f32>
  llvm.func @reduce(%x: !llvm.ptr<1>, %sum: !llvm.ptr<1>, %rows: i64, %x_stride: i64,
                    %workspace: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %rank = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %cluster = nvvm.read.ptx.sreg.clusterid.x : i32
    %row = llvm.zext %cluster : i32 to i64
    %half = llvm.mlir.constant(32 : i32) : i32
    %hidden = llvm.mlir.constant(64 : i64) : i64
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %start = llvm.mul %row, %hidden : i64
    %xrow = llvm.getelementptr %x[%start] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %part = llvm.mul %rank, %half : i32
    %column = llvm.add %part, %tid : i32
    %from = llvm.getelementptr %xrow[%column] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %to = llvm.getelementptr %sum[%row] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %value = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %base = llvm.mlir.addressof @partials : !llvm.ptr<3>
    %mine = llvm.getelementptr %base[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %value, %mine {alignment = 4 : i64} : f32, !llvm.ptr<3>
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    %isFirstCta = llvm.icmp "eq" %rank, %zero : i32
    llvm.cond_br %isFirstCta, ^remote, ^end
  ^remote:
    %remote = nvvm.mapa %mine, %one : !llvm.ptr<3> -> !llvm.ptr<7>
    %other = llvm.load %remote {alignment = 4 : i64} : !llvm.ptr<7> -> f32
    %total = llvm.fadd %value, %other : f32
    %isFirst = llvm.icmp "eq" %tid, %zero : i32
    llvm.cond_br %isFirst, ^write, ^end
  ^write:
    llvm.store %total, %to {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    // FIXED nvvm.cluster.arrive {aligned}
    // FIXED nvvm.cluster.wait {aligned}
    llvm.return
  }
}
