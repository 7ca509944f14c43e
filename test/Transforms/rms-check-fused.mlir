// Functions that are one rms op, and what may stand beside them.
//
// RUN: rms-opt %s --rms-check-fused | FileCheck %s

// CHECK-LABEL: func.func @norm(
// CHECK: rms.norm
func.func @norm(%x: tensor<?x8xbf16>, %w: tensor<8xf32>) -> tensor<?x8xbf16> {
  %y = rms.norm x(%x : tensor<?x8xbf16>) weight(%w : tensor<8xf32>)
      epsilon(1.0e-06) -> y(tensor<?x8xbf16>)
  return %y : tensor<?x8xbf16>
}

// A gradient may be returned twice; arguments that the op does not use keep
// their places, whatever kind of parameter they look like.
//
// CHECK-LABEL: func.func @norm_backward(
// CHECK: rms.norm_backward
func.func @norm_backward(%g: tensor<?x3x8xbf16>, %rows: tensor<?x3x8xf32>,
                         %columns: tensor<8xf32>, %scalars: tensor<?x3xf32>,
                         %kept: tensor<?x3x1xf32>, %n: tensor<?x3x8xf32>,
                         %rstd: tensor<?x3x1xf32>)
    -> (tensor<?x3x8xbf16>, tensor<?x3x8xbf16>, tensor<8xf32>) {
  %dx, %dw = rms.norm_backward grad_output(%g : tensor<?x3x8xbf16>)
      normalized(%n : tensor<?x3x8xf32>) rstd(%rstd : tensor<?x3x1xf32>)
      -> dx(tensor<?x3x8xbf16>) dw(tensor<8xf32>)
  return %dx, %dx, %dw
      : tensor<?x3x8xbf16>, tensor<?x3x8xbf16>, tensor<8xf32>
}

// What is private is not compiled and not looked at.
//
// CHECK-LABEL: func.func private @helper(
func.func private @helper(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
func.func private @declaration(i32)
