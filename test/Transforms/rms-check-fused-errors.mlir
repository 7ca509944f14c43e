// One error for each numbered constraint of rms-check-fused.
//
// RUN: rms-opt %s --rms-check-fused --split-input-file --verify-diagnostics

// (C1)
// expected-error @below {{must have a body of one block to be compiled: a kernel has no control flow of its own}}
func.func @c1_two_blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = rms.norm x(%x : tensor<8xf32>) epsilon(1.0e-06) -> y(tensor<8xf32>)
  cf.br ^end
^end:
  return %y : tensor<8xf32>
}

// -----

// (C2)
// expected-error @below {{holds no op that can be compiled to a kernel, such as 'rms.norm'; make it private, or move it out of the module}}
func.func @c2_no_kernel(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// (C2)
func.func @c2_two_kernels(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error @below {{stays outside the kernel of function 'c2_two_kernels'; a function is compiled to one kernel, which is that of 'rms.norm'; give each of the two a function of its own}}
  %0 = rms.norm x(%x : tensor<8xf32>) epsilon(1.0e-06) -> y(tensor<8xf32>)
  // expected-note @below {{the kernel is this op}}
  %1 = rms.norm x(%x : tensor<8xf32>) epsilon(1.0e-05) -> y(tensor<8xf32>)
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// (C3)
func.func @c3_leftover(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'arith.negf' op stays outside the kernel of function 'c3_leftover'; rms-fuse-residual-add folds additions and casts next to 'rms.norm'; move any other op to the caller}}
  %0 = arith.negf %x : tensor<8xf32>
  // expected-note @below {{the kernel is this op}}
  %y = rms.norm x(%0 : tensor<8xf32>) epsilon(1.0e-06) -> y(tensor<8xf32>)
  return %y : tensor<8xf32>
}

// -----

// (C3) Each leftover op is named, and the reason why it has not been folded is
// told where there is one.
func.func @c3_refused_fold(%x: tensor<8xf32>, %r: tensor<8xf32>)
    -> tensor<8xf32> {
  // expected-error @below {{'arith.truncf' op stays outside the kernel of function 'c3_refused_fold'; it is not folded into 'rms.norm' because: x is rounded before the op, and the op has no attribute that says so}}
  %0 = arith.truncf %x : tensor<8xf32> to tensor<8xbf16>
  // expected-note @below {{the kernel is this op}}
  %y = rms.norm x(%0 : tensor<8xbf16>) epsilon(1.0e-06) -> y(tensor<8xf32>)
  // expected-error @below {{'arith.addf' op stays outside the kernel of function 'c3_refused_fold'; it is not folded into 'rms.norm' because: the op adds nothing to y}}
  %1 = arith.addf %y, %r : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// (C4)
func.func @c4_returned_argument(%x: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %y = rms.norm x(%x : tensor<8xf32>) epsilon(1.0e-06) -> y(tensor<8xf32>)
  // expected-error @below {{returns argument #0 of function 'c4_returned_argument' as result #1; a kernel writes its own results only: let the caller use the argument, or drop the result}}
  return %y, %x : tensor<8xf32>, tensor<8xf32>
}

// -----

// (C5)
func.func @c5_unused_result(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{result rstd is not returned by function 'c5_unused_result', so the kernel has no buffer for it; return it, or run canonicalize, which drops results that need not be there}}
  %y, %rstd = rms.norm x(%x : tensor<8xf32>) epsilon(1.0e-06)
      -> y(tensor<8xf32>) rstd(tensor<f32>)
  return %y : tensor<8xf32>
}

// -----

// (C6)
// expected-error @below {{argument #1 is 'f32'; a kernel takes ranked tensors of bf16, f16 or f32 only}}
func.func @c6_scalar(%x: tensor<8xf32>, %epsilon: f32) -> tensor<8xf32> {
  %y = rms.norm x(%x : tensor<8xf32>) epsilon(1.0e-06) -> y(tensor<8xf32>)
  return %y : tensor<8xf32>
}

// -----

// (C6)
// expected-error @below {{argument #1 is 'tensor<8xi32>'; a kernel takes ranked tensors of bf16, f16 or f32 only}}
func.func @c6_integers(%x: tensor<8xf32>, %i: tensor<8xi32>) -> tensor<8xf32> {
  %y = rms.norm x(%x : tensor<8xf32>) epsilon(1.0e-06) -> y(tensor<8xf32>)
  return %y : tensor<8xf32>
}

// -----

// (C7)
// expected-error @below {{argument #1 is not used by 'rms.norm', and its type 'tensor<?x9xf32>' is not that of rows, of columns or of one element a row; drop it}}
func.func @c7_unused_shape(%x: tensor<?x8xf32>, %other: tensor<?x9xf32>)
    -> tensor<?x8xf32> {
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(1.0e-06) -> y(tensor<?x8xf32>)
  return %y : tensor<?x8xf32>
}

// -----

// (C8)
// expected-error @below {{argument #0 is both x and residual of 'rms.norm'; declare an argument for each: the caller may pass one buffer for both}}
func.func @c8_two_roles(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = rms.norm x(%x : tensor<?x8xf32>) residual(%x : tensor<?x8xf32>)
      epsilon(1.0e-06) -> y(tensor<?x8xf32>)
  return %y : tensor<?x8xf32>
}

// -----

// (C9)
// expected-error @below {{the module holds no public function, and so nothing to compile; write the computation as a func.func of its own}}
module {
  func.func private @helper(%x: tensor<8xf32>) -> tensor<8xf32> {
    %y = rms.norm x(%x : tensor<8xf32>) epsilon(1.0e-06) -> y(tensor<8xf32>)
    return %y : tensor<8xf32>
  }
}

// -----

// (C10)
module {
  // expected-error @below {{'memref.global' op stays outside every kernel: a module to be compiled holds functions only; move it out of the module}}
  memref.global @state : memref<8xf32>
  func.func @norm(%x: tensor<8xf32>) -> tensor<8xf32> {
    %y = rms.norm x(%x : tensor<8xf32>) epsilon(1.0e-06) -> y(tensor<8xf32>)
    return %y : tensor<8xf32>
  }
}
