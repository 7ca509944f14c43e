// What rms-fuse-residual-add folds into rms.norm_backward.
//
// RUN: rms-opt %s --rms-fuse-residual-add | FileCheck %s
// RUN: rms-opt %s --rms-fuse-residual-add > %t.once
// RUN: rms-opt %t.once --rms-fuse-residual-add | diff %t.once -

// One gradient for hidden states and residual: one op, returned twice.
//
// CHECK-LABEL: func.func @dx_twice(
// CHECK-NEXT: %[[DX:.*]], %[[DW:.*]] = rms.norm_backward grad_output(%arg0 : tensor<?x64xbf16>) normalized(%arg1 : tensor<?x64xbf16>) rstd(%arg2 : tensor<?xf32>) weight(%arg3 : tensor<64xbf16>) -> dx(tensor<?x64xbf16>) dw(tensor<64xf16>)
// CHECK-NEXT: return %[[DX]], %[[DX]], %[[DW]]
func.func @dx_twice(%g: tensor<?x64xbf16>, %n: tensor<?x64xbf16>,
                    %rstd: tensor<?xf32>, %w: tensor<64xbf16>)
    -> (tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<64xf16>) {
  %0 = arith.extf %g : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.extf %n : tensor<?x64xbf16> to tensor<?x64xf32>
  %2 = arith.extf %w : tensor<64xbf16> to tensor<64xf32>
  %dx, %dw = rms.norm_backward grad_output(%0 : tensor<?x64xf32>)
      normalized(%1 : tensor<?x64xf32>) rstd(%rstd : tensor<?xf32>)
      weight(%2 : tensor<64xf32>) -> dx(tensor<?x64xf32>) dw(tensor<64xf32>)
  %3 = arith.truncf %dx : tensor<?x64xf32> to tensor<?x64xbf16>
  %4 = arith.truncf %dx : tensor<?x64xf32> to tensor<?x64xbf16>
  %5 = arith.truncf %dw : tensor<64xf32> to tensor<64xf16>
  return %3, %4, %5 : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<64xf16>
}

// The direct gradient is added before the one rounding.
//
// CHECK-LABEL: func.func @direct_gradient(
// CHECK-NEXT: %[[DX:.*]], %[[DW:.*]] = rms.norm_backward grad_output(%arg0 : tensor<?x64xbf16>) sum(%arg1 : tensor<?x64xbf16>) rstd(%arg2 : tensor<?xf32>) weight(%arg3 : tensor<64xf32>) grad_sum(%arg4 : tensor<?x64xbf16>) {note = "kept"} -> dx(tensor<?x64xbf16>) dw(tensor<64xf32>)
// CHECK-NEXT: return %[[DX]], %[[DX]], %[[DW]]
func.func @direct_gradient(%g: tensor<?x64xbf16>, %s: tensor<?x64xbf16>,
                           %rstd: tensor<?xf32>, %w: tensor<64xf32>,
                           %direct: tensor<?x64xbf16>)
    -> (tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<64xf32>) {
  %dx, %dw = rms.norm_backward grad_output(%g : tensor<?x64xbf16>)
      sum(%s : tensor<?x64xbf16>) rstd(%rstd : tensor<?xf32>)
      weight(%w : tensor<64xf32>) {note = "kept"}
      -> dx(tensor<?x64xf32>) dw(tensor<64xf32>)
  %0 = arith.extf %direct : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.addf %0, %dx : tensor<?x64xf32>
  %2 = arith.truncf %1 : tensor<?x64xf32> to tensor<?x64xbf16>
  return %2, %2, %dw : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<64xf32>
}

// The op moves down to an addend that is computed after it.
//
// CHECK-LABEL: func.func @addend_after_op(
// CHECK-NEXT: %[[LATE:.*]] = arith.negf
// CHECK-NEXT: %[[DX:.*]], %[[DW:.*]] = rms.norm_backward {{.*}} grad_sum(%[[LATE]] : tensor<?x64xf32>)
// CHECK-NEXT: return %[[DX]], %[[DW]]
func.func @addend_after_op(%g: tensor<?x64xf32>, %n: tensor<?x64xf32>,
                           %rstd: tensor<?xf32>)
    -> (tensor<?x64xf32>, tensor<64xf32>) {
  %dx, %dw = rms.norm_backward grad_output(%g : tensor<?x64xf32>)
      normalized(%n : tensor<?x64xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x64xf32>) dw(tensor<64xf32>)
  %late = arith.negf %g : tensor<?x64xf32>
  %0 = arith.addf %dx, %late : tensor<?x64xf32>
  return %0, %dw : tensor<?x64xf32>, tensor<64xf32>
}

// CHECK-LABEL: func.func @weight_offset(
// CHECK-NEXT: rms.norm_backward {{.*}} weight(%arg3 : tensor<64xbf16>) weight_offset(1.0) -> dx
// CHECK-NEXT: return
func.func @weight_offset(%g: tensor<?x64xf32>, %n: tensor<?x64xf32>,
                         %rstd: tensor<?xf32>, %w: tensor<64xbf16>)
    -> tensor<?x64xf32> {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %0 = arith.extf %w : tensor<64xbf16> to tensor<64xf32>
  %1 = arith.addf %0, %one : tensor<64xf32>
  %dx = rms.norm_backward grad_output(%g : tensor<?x64xf32>)
      normalized(%n : tensor<?x64xf32>) rstd(%rstd : tensor<?xf32>)
      weight(%1 : tensor<64xf32>) -> dx(tensor<?x64xf32>)
  return %dx : tensor<?x64xf32>
}
