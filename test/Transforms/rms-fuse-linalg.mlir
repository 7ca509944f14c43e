// An addition or a cast may be any element-wise linalg op.
//
// RUN: rms-opt %s --rms-fuse-residual-add | FileCheck %s

#rows = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0) -> (d0)>

// Casts and addition in one body.
//
// CHECK-LABEL: func.func @generic_body(
// CHECK-SAME: %[[X:.*]]: tensor<4x64xbf16>, %[[R:.*]]: tensor<4x64xbf16>)
// CHECK-NEXT: %[[Y:.*]] = rms.norm x(%[[X]] : tensor<4x64xbf16>) residual(%[[R]] : tensor<4x64xbf16>) epsilon(1.0e-06) -> y(tensor<4x64xbf16>)
// CHECK-NEXT: return %[[Y]]
func.func @generic_body(%x: tensor<4x64xbf16>, %r: tensor<4x64xbf16>)
    -> tensor<4x64xbf16> {
  %empty = tensor.empty() : tensor<4x64xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #rows, #rows],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<4x64xbf16>, tensor<4x64xbf16>)
      outs(%empty : tensor<4x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x64xf32>
  %y = rms.norm x(%sum : tensor<4x64xf32>) epsilon(1.0e-06)
      -> y(tensor<4x64xf32>)
  %narrow = tensor.empty() : tensor<4x64xbf16>
  %rounded = linalg.generic {indexing_maps = [#rows, #rows],
                             iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<4x64xf32>) outs(%narrow : tensor<4x64xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<4x64xbf16>
  return %rounded : tensor<4x64xbf16>
}

// One op gives the sum and its rounding.
//
// CHECK-LABEL: func.func @generic_of_two_results(
// CHECK-NEXT: %[[Y:.*]], %[[SUM:.*]] = rms.norm x(%arg0 : tensor<4x64xbf16>) residual(%arg1 : tensor<4x64xbf16>) epsilon(1.0e-06) -> y(tensor<4x64xf32>) sum(tensor<4x64xbf16>)
// CHECK-NEXT: return %[[Y]], %[[SUM]]
func.func @generic_of_two_results(%x: tensor<4x64xbf16>, %r: tensor<4x64xbf16>)
    -> (tensor<4x64xf32>, tensor<4x64xbf16>) {
  %wide = tensor.empty() : tensor<4x64xf32>
  %narrow = tensor.empty() : tensor<4x64xbf16>
  %sum:2 = linalg.generic {indexing_maps = [#rows, #rows, #rows, #rows],
                           iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : tensor<4x64xbf16>, tensor<4x64xbf16>)
      outs(%wide, %narrow : tensor<4x64xf32>, tensor<4x64xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %out0: f32, %out1: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %2, %3 : f32, bf16
  } -> (tensor<4x64xf32>, tensor<4x64xbf16>)
  %y = rms.norm x(%sum#0 : tensor<4x64xf32>) epsilon(1.0e-06)
      -> y(tensor<4x64xf32>)
  return %y, %sum#1 : tensor<4x64xf32>, tensor<4x64xbf16>
}

// CHECK-LABEL: func.func @named_add(
// CHECK-NEXT: rms.norm x(%arg0 : tensor<4x64xbf16>) residual(%arg1 : tensor<4x64xbf16>) epsilon(1.0e-06) residual_rounding(storage) -> y(tensor<4x64xbf16>)
// CHECK-NEXT: return
func.func @named_add(%x: tensor<4x64xbf16>, %r: tensor<4x64xbf16>)
    -> tensor<4x64xbf16> {
  %empty = tensor.empty() : tensor<4x64xbf16>
  %sum = linalg.add ins(%x, %r : tensor<4x64xbf16>, tensor<4x64xbf16>)
                    outs(%empty : tensor<4x64xbf16>) -> tensor<4x64xbf16>
  %y = rms.norm x(%sum : tensor<4x64xbf16>) epsilon(1.0e-06)
      -> y(tensor<4x64xbf16>)
  return %y : tensor<4x64xbf16>
}

// The op below a chain of others brings the next one beside the norm.
//
// CHECK-LABEL: func.func @chain_of_maps(
// CHECK-NEXT: rms.norm x(%arg0 : tensor<4x64xf16>) residual(%arg1 : tensor<4x64xf32>) epsilon(1.0e-06) -> y(tensor<4x64xf32>)
// CHECK-NEXT: return
func.func @chain_of_maps(%x: tensor<4x64xf16>, %r: tensor<4x64xf32>)
    -> tensor<4x64xf32> {
  %empty = tensor.empty() : tensor<4x64xf32>
  %wide = linalg.map { arith.extf } ins(%x : tensor<4x64xf16>)
                                    outs(%empty : tensor<4x64xf32>)
  %sum = linalg.map { arith.addf } ins(%wide, %r : tensor<4x64xf32>,
                                                   tensor<4x64xf32>)
                                   outs(%empty : tensor<4x64xf32>)
  %y = rms.norm x(%sum : tensor<4x64xf32>) epsilon(1.0e-06)
      -> y(tensor<4x64xf32>)
  return %y : tensor<4x64xf32>
}

// CHECK-LABEL: func.func @elementwise_op(
// CHECK-NEXT: rms.norm x(%arg0 : tensor<4x64xf32>) residual(%arg1 : tensor<4x64xf32>) epsilon(1.0e-06) -> y(tensor<4x64xf32>)
// CHECK-NEXT: return
func.func @elementwise_op(%x: tensor<4x64xf32>, %r: tensor<4x64xf32>)
    -> tensor<4x64xf32> {
  %empty = tensor.empty() : tensor<4x64xf32>
  %sum = linalg.elementwise kind=#linalg.elementwise_kind<add>
      ins(%x, %r : tensor<4x64xf32>, tensor<4x64xf32>)
      outs(%empty : tensor<4x64xf32>) -> tensor<4x64xf32>
  %y = rms.norm x(%sum : tensor<4x64xf32>) epsilon(1.0e-06)
      -> y(tensor<4x64xf32>)
  return %y : tensor<4x64xf32>
}

// A scalar constant of the body becomes a constant tensor.
//
// CHECK-LABEL: func.func @weight_offset(
// CHECK-NEXT: rms.norm x(%arg0 : tensor<?x64xf32>) weight(%arg1 : tensor<64xbf16>) epsilon(1.0e-06) weight_offset(1.0) -> y(tensor<?x64xf32>)
// CHECK-NEXT: return
func.func @weight_offset(%x: tensor<?x64xf32>, %w: tensor<64xbf16>)
    -> tensor<?x64xf32> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %scale = linalg.generic {indexing_maps = [#columns, #columns],
                           iterator_types = ["parallel"]}
      ins(%w : tensor<64xbf16>) outs(%empty : tensor<64xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %0, %one : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %y = rms.norm x(%x : tensor<?x64xf32>) weight(%scale : tensor<64xf32>)
      epsilon(1.0e-06) -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// The gradient's addition and truncation.
//
// CHECK-LABEL: func.func @gradient(
// CHECK-NEXT: %[[DX:.*]] = rms.norm_backward grad_output(%arg0 : tensor<4x64xbf16>) normalized(%arg1 : tensor<4x64xf32>) rstd(%arg2 : tensor<4xf32>) grad_sum(%arg3 : tensor<4x64xbf16>) -> dx(tensor<4x64xbf16>)
// CHECK-NEXT: return %[[DX]]
func.func @gradient(%g: tensor<4x64xbf16>, %n: tensor<4x64xf32>,
                    %rstd: tensor<4xf32>, %direct: tensor<4x64xbf16>)
    -> tensor<4x64xbf16> {
  %dx = rms.norm_backward grad_output(%g : tensor<4x64xbf16>)
      normalized(%n : tensor<4x64xf32>) rstd(%rstd : tensor<4xf32>)
      -> dx(tensor<4x64xf32>)
  %empty = tensor.empty() : tensor<4x64xbf16>
  %sum = linalg.generic {indexing_maps = [#rows, #rows, #rows],
                         iterator_types = ["parallel", "parallel"]}
      ins(%dx, %direct : tensor<4x64xf32>, tensor<4x64xbf16>)
      outs(%empty : tensor<4x64xbf16>) {
  ^bb0(%a: f32, %b: bf16, %out: bf16):
    %0 = arith.extf %b : bf16 to f32
    %1 = arith.addf %a, %0 : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<4x64xbf16>
  return %sum : tensor<4x64xbf16>
}

// What is not next to an rms op stays as it is.
//
// CHECK-LABEL: func.func @elsewhere(
// CHECK: linalg.add
// CHECK: rms.norm x(%arg0
// CHECK: linalg.add
func.func @elsewhere(%x: tensor<4x64xf32>, %r: tensor<4x64xf32>)
    -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  %empty = tensor.empty() : tensor<4x64xf32>
  %sum = linalg.add ins(%x, %r : tensor<4x64xf32>, tensor<4x64xf32>)
                    outs(%empty : tensor<4x64xf32>) -> tensor<4x64xf32>
  %y = rms.norm x(%x : tensor<4x64xf32>) epsilon(1.0e-06)
      -> y(tensor<4x64xf32>)
  %after = linalg.add ins(%y, %r : tensor<4x64xf32>, tensor<4x64xf32>)
                      outs(%empty : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %sum, %after : tensor<4x64xf32>, tensor<4x64xf32>
}
