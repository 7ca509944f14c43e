// A kernel that a caller may overlap with the grid before it: it waits before it
// touches any memory. Without dependent_launch it does not.
//
// RUN: rms-opt %s --convert-row-to-gpu | FileCheck %s

module attributes {row.target = "sm_90"} {
  // CHECK-LABEL: gpu.func @waits(
  // CHECK-NOT: llvm.load
  // CHECK-NOT: llvm.store
  // CHECK: nvvm.griddepcontrol wait
  // CHECK: llvm.load
  // CHECK-NOT: griddepcontrol
  // CHECK: gpu.return
  row.kernel @waits hidden 128 inputs(%x: !row.rows<128xf32>)
      outputs(%y: !row.rows<128xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 4,
                             access_bytes = 16, dependent_launch = true>) {
    %0 = row.load %x : !row.rows<128xf32> -> vector<128xf32>
    row.store %0, %y : vector<128xf32>, !row.rows<128xf32>
  }
  // CHECK-LABEL: gpu.func @does_not(
  // CHECK-NOT: griddepcontrol
  // CHECK: gpu.return
  row.kernel @does_not hidden 128 inputs(%x: !row.rows<128xf32>)
      outputs(%y: !row.rows<128xf32>)
      schedule(#row.schedule<threads_per_row = 32, elements = 4,
                             access_bytes = 16>) {
    %0 = row.load %x : !row.rows<128xf32> -> vector<128xf32>
    row.store %0, %y : vector<128xf32>, !row.rows<128xf32>
  }
}
