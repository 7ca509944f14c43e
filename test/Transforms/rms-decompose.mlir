// The shape of the decomposition. What it computes is rms-decompose-run.mlir's
// to test.
//
// RUN: rms-opt %s --rms-decompose | FileCheck %s

// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[LEADING:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG: #[[KEPT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, 0)>

// Leading dimensions of any number; rstd gets its last dimension of 1.
//
// CHECK-LABEL: func.func @norm(
// CHECK-SAME: %[[X:.*]]: tensor<?x4x8xf32>, %[[W:.*]]: tensor<8xf32>)
// CHECK: %[[ROWS_SIZE:.*]] = tensor.dim %[[X]]
// CHECK: %[[SQUARES:.*]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[LEADING]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]] : tensor<?x4x8xf32>)
// CHECK: %[[RSTD:.*]] = linalg.generic {{.*}} ins(%[[SQUARES]] : tensor<?x4xf32>)
// CHECK: arith.constant 1.250000e-01
// CHECK: arith.addf
// CHECK: math.sqrt
// CHECK: arith.divf
// CHECK: %[[N:.*]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[LEADING]], #[[ROWS]]], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[X]], %[[RSTD]] :
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[COLUMNS]], #[[ROWS]]], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[N]], %[[W]] :
// CHECK: %[[KEPT_RSTD:.*]] = tensor.expand_shape %[[RSTD]] {{\[}}[0], [1, 2]] output_shape [%[[ROWS_SIZE]], 4, 1]
// CHECK: return %[[Y]], %[[KEPT_RSTD]]
func.func @norm(%x: tensor<?x4x8xf32>, %w: tensor<8xf32>)
    -> (tensor<?x4x8xf32>, tensor<?x4x1xf32>) {
  %y, %rstd = rms.norm x(%x : tensor<?x4x8xf32>) weight(%w : tensor<8xf32>)
      epsilon(1.0e-06) -> y(tensor<?x4x8xf32>) rstd(tensor<?x4x1xf32>)
  return %y, %rstd : tensor<?x4x8xf32>, tensor<?x4x1xf32>
}

// CHECK-LABEL: func.func @norm_backward(
// CHECK-SAME: %[[G:.*]]: tensor<?x4x8xf32>, %[[S:.*]]: tensor<?x4x8xf32>, %[[RSTD:.*]]: tensor<?x4x1xf32>
// CHECK: %[[N:.*]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[KEPT]], #[[ROWS]]], {{.*}} ins(%[[S]], %[[RSTD]] :
// CHECK: %[[DW:.*]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[ROWS]], #[[COLUMNS]]], iterator_types = ["reduction", "reduction", "parallel"]} ins(%[[G]], %[[N]] :
// CHECK: return %[[DW]]
func.func @norm_backward(%g: tensor<?x4x8xf32>, %s: tensor<?x4x8xf32>,
                         %rstd: tensor<?x4x1xf32>) -> tensor<8xf32> {
  %dw = rms.norm_backward grad_output(%g : tensor<?x4x8xf32>)
      sum(%s : tensor<?x4x8xf32>) rstd(%rstd : tensor<?x4x1xf32>)
      -> dw(tensor<8xf32>)
  return %dw : tensor<8xf32>
}

// A gradient that nobody asks for is not computed: without dw, no sum over rows.
//
// CHECK-LABEL: func.func @dx_only(
// CHECK-NOT: iterator_types = ["reduction", "parallel"]
// CHECK: return
func.func @dx_only(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>,
                   %rstd: tensor<?xf32>) -> tensor<?x8xf32> {
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x8xf32>)
  return %dx : tensor<?x8xf32>
}

// What each tensor knows of the sizes is kept.
//
// CHECK-LABEL: func.func @mixed_sizes(
// CHECK: %[[Y:.*]] = tensor.cast %{{.*}} : tensor<?x8xf32> to tensor<4x8xf32>
// CHECK: %[[RSTD:.*]] = tensor.cast %{{.*}} : tensor<?xf32> to tensor<4xf32>
// CHECK: return %[[Y]], %[[RSTD]]
func.func @mixed_sizes(%x: tensor<?x8xf32>, %r: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4xf32>) {
  %y, %rstd = rms.norm x(%x : tensor<?x8xf32>) residual(%r : tensor<4x8xf32>)
      epsilon(1.0e-06) -> y(tensor<4x8xf32>) rstd(tensor<4xf32>)
  return %y, %rstd : tensor<4x8xf32>, tensor<4xf32>
}

// In f32 there is no cast, and epsilon = 0 is no addition.
//
// CHECK-LABEL: func.func @no_cast(
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: arith.constant 1.250000e-01
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: math.sqrt
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @no_cast(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = rms.norm x(%x : tensor<8xf32>) residual(%x : tensor<8xf32>)
      epsilon(0.0) residual_rounding(storage) norm_rounding(storage)
      -> y(tensor<8xf32>)
  return %y : tensor<8xf32>
}

// The rounding attributes round to the type that they name.
//
// CHECK-LABEL: func.func @roundings(
// CHECK: arith.addf
// CHECK-NEXT: %[[S:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: arith.extf %[[S]] : f16 to f32
// CHECK: math.sqrt
// CHECK: %[[N:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT: arith.extf %[[N]] : bf16 to f32
// CHECK: return
func.func @roundings(%x: tensor<8xbf16>, %r: tensor<8xf16>, %w: tensor<8xf32>)
    -> tensor<8xf32> {
  %y = rms.norm x(%x : tensor<8xbf16>) residual(%r : tensor<8xf16>)
      weight(%w : tensor<8xf32>) epsilon(0.0) residual_rounding(storage)
      norm_rounding(storage) -> y(tensor<8xf32>)
  return %y : tensor<8xf32>
}
