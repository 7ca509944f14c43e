// What the back ends can take passes; each thing that they cannot is named.
//
// RUN: rms-opt %s --pass-pipeline="builtin.module(gpu.module(rms-check-nvvm))" --split-input-file --verify-diagnostics
// The pipeline ends with the check.
// RUN: not rms-opt %s --rmsc-to-nvvm --split-input-file 2>&1 | FileCheck %s
// CHECK: error: 'vector.print' is left in GPU code: no conversion to LLVM takes it (C1)

gpu.module @ready [#nvvm.target<chip = "sm_90">] {
  llvm.mlir.global internal @shared() {addr_space = 3 : i32} : !llvm.array<4 x f32>
  llvm.func @kernel(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %0 = nvvm.read.ptx.sreg.tid.x : i32
    %1 = nvvm.inline_ptx "ld.global.cs.b32 $0, [$1];" ro(%x : !llvm.ptr<1>) -> i32
    nvvm.inline_ptx "// pinned" ro(%1 : i32)
    llvm.return
  }
}

// -----

// (C1)
gpu.module @c1 {
  llvm.func @kernel(%x: vector<4xf32>) {
    // expected-error @below {{'vector.print' is left in GPU code: no conversion to LLVM takes it (C1)}}
    vector.print %x : vector<4xf32>
    llvm.return
  }
}

// -----

// (C1): the level above.
gpu.module @c1_function {
  // expected-error @below {{'gpu.func' is left in GPU code: no conversion to LLVM takes it (C1)}}
  gpu.func @kernel() kernel {
    gpu.return
  }
}

// -----

// (C2): one character more than the entry.
gpu.module @c2 {
  llvm.func @kernel(%x: !llvm.ptr<1>) {
    // expected-error @below {{'ld.global.cs.b32  $0, [$1];' is not in the table of inline PTX (C2)}}
    %0 = nvvm.inline_ptx "ld.global.cs.b32  $0, [$1];" ro(%x : !llvm.ptr<1>) -> i32
    llvm.return
  }
}

// -----

// (C3): what upstream makes of an op that the GPU has no instruction for.
gpu.module @c3 {
  // expected-error @below {{'__nv_rsqrtf' has no body, and no library is linked to GPU code (C3)}}
  llvm.func @__nv_rsqrtf(f32) -> f32
}
