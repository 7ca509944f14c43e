// RUN: rms-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @unused_results(
// CHECK: %[[Y:.*]], %[[RSTD:.*]] = rms.norm
// CHECK-SAME: {note = "kept"} -> y(tensor<?x8xf32>) rstd(tensor<?xf32>)
// CHECK-NEXT: return %[[Y]], %[[RSTD]]
func.func @unused_results(%x: tensor<?x8xf32>, %r: tensor<?x8xf32>)
    -> (tensor<?x8xf32>, tensor<?xf32>) {
  %y, %sum, %rstd, %n = rms.norm x(%x : tensor<?x8xf32>)
      residual(%r : tensor<?x8xf32>) epsilon(1.0e-06) {note = "kept"}
      -> y(tensor<?x8xf32>) sum(tensor<?x8xf32>) rstd(tensor<?xf32>)
         normalized(tensor<?x8xf32>)
  return %y, %rstd : tensor<?x8xf32>, tensor<?xf32>
}

// y is no optional result: it stays.
//
// CHECK-LABEL: func.func @unused_y(
// CHECK: %{{.*}}, %[[SUM:.*]] = rms.norm
// CHECK-SAME: -> y(tensor<?x8xf32>) sum(tensor<?x8xf32>)
// CHECK-NEXT: return %[[SUM]]
func.func @unused_y(%x: tensor<?x8xf32>, %r: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y, %sum = rms.norm x(%x : tensor<?x8xf32>) residual(%r : tensor<?x8xf32>)
      epsilon(1.0e-06) -> y(tensor<?x8xf32>) sum(tensor<?x8xf32>)
  return %sum : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @unused_op(
// CHECK-NEXT: return
func.func @unused_op(%x: tensor<?x8xf32>, %rstd: tensor<?xf32>) {
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(1.0e-06) -> y(tensor<?x8xf32>)
  %dx, %dw = rms.norm_backward grad_output(%x : tensor<?x8xf32>)
      normalized(%x : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x8xf32>) dw(tensor<8xf32>)
  return
}

// To round an f32 to f32 is nothing.
//
// CHECK-LABEL: func.func @rounding_to_f32(
// CHECK: rms.norm
// CHECK-NOT: rounding
// CHECK: return
func.func @rounding_to_f32(%x: tensor<?x8xf32>, %r: tensor<?x8xf32>,
                           %w: tensor<8xbf16>) -> tensor<?x8xbf16> {
  %y = rms.norm x(%x : tensor<?x8xf32>) residual(%r : tensor<?x8xf32>)
      weight(%w : tensor<8xbf16>) epsilon(1.0e-06) residual_rounding(storage)
      norm_rounding(storage) -> y(tensor<?x8xbf16>)
  return %y : tensor<?x8xbf16>
}

// The residual's type decides for one rounding, x's for the other.
//
// CHECK-LABEL: func.func @rounding_to_each_type(
// CHECK: epsilon(1.0e-06) residual_rounding(storage) -> y(tensor<?x8xbf16>)
// CHECK: epsilon(1.0e-06) norm_rounding(storage) -> y(tensor<?x8xbf16>)
func.func @rounding_to_each_type(%a: tensor<?x8xf32>, %b: tensor<?x8xbf16>,
                                 %w: tensor<8xbf16>)
    -> (tensor<?x8xbf16>, tensor<?x8xbf16>) {
  %0 = rms.norm x(%a : tensor<?x8xf32>) residual(%b : tensor<?x8xbf16>)
      weight(%w : tensor<8xbf16>) epsilon(1.0e-06) residual_rounding(storage)
      norm_rounding(storage) -> y(tensor<?x8xbf16>)
  %1 = rms.norm x(%b : tensor<?x8xbf16>) residual(%a : tensor<?x8xf32>)
      weight(%w : tensor<8xbf16>) epsilon(1.0e-06) residual_rounding(storage)
      norm_rounding(storage) -> y(tensor<?x8xbf16>)
  return %0, %1 : tensor<?x8xbf16>, tensor<?x8xbf16>
}

// Without a weight, n rounded to y's type is y. To another type it is not.
//
// CHECK-LABEL: func.func @norm_rounding_without_weight(
// CHECK: epsilon(1.0e-06) -> y(tensor<?x8xbf16>)
// CHECK: epsilon(1.0e-06) norm_rounding(storage) -> y(tensor<?x8xf32>)
// CHECK: epsilon(1.0e-06) norm_rounding(storage) -> y(tensor<?x8xf16>)
func.func @norm_rounding_without_weight(%x: tensor<?x8xbf16>)
    -> (tensor<?x8xbf16>, tensor<?x8xf32>, tensor<?x8xf16>) {
  %0 = rms.norm x(%x : tensor<?x8xbf16>) epsilon(1.0e-06)
      norm_rounding(storage) -> y(tensor<?x8xbf16>)
  %1 = rms.norm x(%x : tensor<?x8xbf16>) epsilon(1.0e-06)
      norm_rounding(storage) -> y(tensor<?x8xf32>)
  %2 = rms.norm x(%x : tensor<?x8xbf16>) epsilon(1.0e-06)
      norm_rounding(storage) -> y(tensor<?x8xf16>)
  return %0, %1, %2 : tensor<?x8xbf16>, tensor<?x8xf32>, tensor<?x8xf16>
}

// CHECK-LABEL: func.func @unused_dw(
// CHECK: %[[DX:.*]] = rms.norm_backward
// CHECK-SAME: weight(%{{.*}} : tensor<8xf32>) grad_sum(%{{.*}} : tensor<?x8xf32>) weight_offset(1.0) -> dx(tensor<?x8xf32>)
// CHECK-NEXT: return %[[DX]]
func.func @unused_dw(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>,
                     %rstd: tensor<?xf32>, %w: tensor<8xf32>)
    -> tensor<?x8xf32> {
  %dx, %dw = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      weight(%w : tensor<8xf32>) grad_sum(%g : tensor<?x8xf32>)
      weight_offset(1.0) -> dx(tensor<?x8xf32>) dw(tensor<8xf32>)
  return %dx : tensor<?x8xf32>
}

// dw depends on neither the weight nor the direct gradient.
//
// CHECK-LABEL: func.func @unused_dx(
// CHECK-SAME: %[[G:.*]]: tensor<?x8xf32>, %[[N:.*]]: tensor<?x8xf32>, %[[RSTD:.*]]: tensor<?xf32>
// CHECK: %[[DW:.*]] = rms.norm_backward grad_output(%[[G]] : tensor<?x8xf32>) normalized(%[[N]] : tensor<?x8xf32>) rstd(%[[RSTD]] : tensor<?xf32>) -> dw(tensor<8xf32>)
// CHECK-NEXT: return %[[DW]]
func.func @unused_dx(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>,
                     %rstd: tensor<?xf32>, %w: tensor<8xf32>)
    -> tensor<8xf32> {
  %dx, %dw = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      weight(%w : tensor<8xf32>) grad_sum(%g : tensor<?x8xf32>)
      weight_offset(1.0) -> dx(tensor<?x8xf32>) dw(tensor<8xf32>)
  return %dw : tensor<8xf32>
}

// CHECK-LABEL: func.func @weight_without_dx(
// CHECK: rms.norm_backward
// CHECK-NOT: weight
// CHECK-SAME: -> dw(tensor<8xf32>)
func.func @weight_without_dx(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>,
                             %rstd: tensor<?xf32>, %w: tensor<8xf32>)
    -> tensor<8xf32> {
  %dw = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      weight(%w : tensor<8xf32>) -> dw(tensor<8xf32>)
  return %dw : tensor<8xf32>
}
