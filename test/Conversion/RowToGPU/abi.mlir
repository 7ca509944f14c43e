// What a launch of any kernel is given, and what the launch is told of its CTAs.
//
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s
// RUN: rms-opt %s --convert-row-to-gpu=ptx=86 | FileCheck %s --check-prefix=PTX
// PTX: gpu.module @kernel_vec [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx86">]

// The chip moves from the module to its parts.
// CHECK: module attributes {gpu.container_module} {
// CHECK-NOT: row.target

// A module for each variant, named after its first entry point. Pointers of
// inputs, pointers of outputs, rows, a stride for each operand of rows, whether
// it is used or not, workspace. What is written aliases nothing.
// CHECK-LABEL: gpu.module @kernel_vec [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx88">]
// CHECK: gpu.func @kernel_vec(
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr<1>, %{{[a-z0-9]+}}: !llvm.ptr<1>, %{{[a-z0-9]+}}: !llvm.ptr<1>, %{{[a-z0-9]+}}: !llvm.ptr<1>,
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr<1> {llvm.noalias}, %{{[a-z0-9]+}}: !llvm.ptr<1> {llvm.noalias},
// CHECK-SAME: %{{[a-z0-9]+}}: i64,
// CHECK-SAME: %{{[a-z0-9]+}}: i64, %{{[a-z0-9]+}}: i64, %{{[a-z0-9]+}}: i64,
// CHECK-SAME: %{{[a-z0-9]+}}: !llvm.ptr<1>) kernel
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// No promise of CTAs an SM.
// CHECK-NOT: minctasm
// CHECK: gpu.return
// CHECK-LABEL: gpu.module @kernel_promise
// CHECK: gpu.func @kernel_promise(
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>, nvvm.minctasm = 4 : i32
// CHECK-NOT: row.
module attributes {row.target = "sm_90"} {
  row.kernel @kernel_vec hidden 512
      inputs(%x: !row.rows<512xf32>, %w: !row.columns<512xf32>,
             %u: !row.rows<512xf32>, %s: !row.scalars<f32>)
      outputs(%y: !row.rows<512xf32>, %t: !row.scalars<f32>)
      schedule(#row.schedule<threads_per_row = 128, elements = 4,
                             access_bytes = 16>) {
    %0 = row.load %x : !row.rows<512xf32> -> vector<512xf32>
    %1 = row.load %s : !row.scalars<f32> -> f32
    row.store %0, %y : vector<512xf32>, !row.rows<512xf32>
    row.store %1, %t : f32, !row.scalars<f32>
  }
  row.kernel @kernel_promise hidden 512
      inputs(%x: !row.rows<512xf32>)
      outputs(%y: !row.rows<512xf32>)
      schedule(#row.schedule<threads_per_row = 64, elements = 4,
                             access_bytes = 16, ctas_per_sm = 4>) {
    %0 = row.load %x : !row.rows<512xf32> -> vector<512xf32>
    row.store %0, %y : vector<512xf32>, !row.rows<512xf32>
  }
}
