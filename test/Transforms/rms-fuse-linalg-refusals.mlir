// A linalg op that is more than additions and casts of whole tensors stays.
//
// RUN: rms-opt %s --rms-fuse-residual-add=remarks --split-input-file \
// RUN:   --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @multiplies(
// CHECK: linalg.mul
func.func @multiplies(%x: tensor<4x64xf32>, %r: tensor<4x64xf32>)
    -> tensor<4x64xf32> {
  %empty = tensor.empty() : tensor<4x64xf32>
  // expected-remark @below {{not folded into 'rms.norm': its body holds 'arith.mulf', and only additions and casts are folded}}
  %0 = linalg.mul ins(%x, %r : tensor<4x64xf32>, tensor<4x64xf32>)
                  outs(%empty : tensor<4x64xf32>) -> tensor<4x64xf32>
  %y = rms.norm x(%0 : tensor<4x64xf32>) epsilon(1.0e-06)
      -> y(tensor<4x64xf32>)
  return %y : tensor<4x64xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>

// A bias is no residual.
//
// CHECK-LABEL: func.func @broadcasts(
// CHECK: linalg.generic
func.func @broadcasts(%x: tensor<4x64xf32>, %bias: tensor<64xf32>)
    -> tensor<4x64xf32> {
  %empty = tensor.empty() : tensor<4x64xf32>
  // expected-remark @below {{it broadcasts or transposes an operand, and only ops whose operands all have one shape are folded}}
  %0 = linalg.generic {indexing_maps = [#rows, #columns, #rows],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %bias : tensor<4x64xf32>, tensor<64xf32>)
      outs(%empty : tensor<4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4x64xf32>
  %y = rms.norm x(%0 : tensor<4x64xf32>) epsilon(1.0e-06)
      -> y(tensor<4x64xf32>)
  return %y : tensor<4x64xf32>
}

// -----

#cube = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#outer = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK-LABEL: func.func @reduces(
// CHECK: linalg.generic
func.func @reduces(%x: tensor<4x64x2xf32>, %init: tensor<4x64xf32>)
    -> tensor<4x64xf32> {
  // expected-remark @below {{it reduces, and only element-wise ops are folded}}
  %0 = linalg.generic {indexing_maps = [#cube, #outer],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x64x2xf32>) outs(%init : tensor<4x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.addf %a, %out : f32
    linalg.yield %1 : f32
  } -> tensor<4x64xf32>
  %y = rms.norm x(%0 : tensor<4x64xf32>) epsilon(1.0e-06)
      -> y(tensor<4x64xf32>)
  return %y : tensor<4x64xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @reads_its_output(
// CHECK: linalg.generic
func.func @reads_its_output(%x: tensor<4x64xf32>, %init: tensor<4x64xf32>)
    -> tensor<4x64xf32> {
  // expected-remark @below {{its body reads what the output held before}}
  %0 = linalg.generic {indexing_maps = [#rows, #rows],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x64xf32>) outs(%init : tensor<4x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.addf %a, %out : f32
    linalg.yield %1 : f32
  } -> tensor<4x64xf32>
  %y = rms.norm x(%0 : tensor<4x64xf32>) epsilon(1.0e-06)
      -> y(tensor<4x64xf32>)
  return %y : tensor<4x64xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @reads_a_scalar(
// CHECK: linalg.generic
func.func @reads_a_scalar(%x: tensor<4x64xf32>, %c: f32) -> tensor<4x64xf32> {
  %empty = tensor.empty() : tensor<4x64xf32>
  // expected-remark @below {{its body reads a scalar, and only ops on tensors are folded}}
  %0 = linalg.generic {indexing_maps = [#rows, #rows],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x64xf32>) outs(%empty : tensor<4x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<4x64xf32>
  %y = rms.norm x(%0 : tensor<4x64xf32>) epsilon(1.0e-06)
      -> y(tensor<4x64xf32>)
  return %y : tensor<4x64xf32>
}

// -----

// CHECK-LABEL: func.func @mixed_sizes(
// CHECK: linalg.add
func.func @mixed_sizes(%x: tensor<4x64xf32>, %r: tensor<?x64xf32>)
    -> tensor<4x64xf32> {
  %empty = tensor.empty() : tensor<4x64xf32>
  // expected-remark @below {{its operands do not all have one shape}}
  %0 = linalg.add ins(%x, %r : tensor<4x64xf32>, tensor<?x64xf32>)
                  outs(%empty : tensor<4x64xf32>) -> tensor<4x64xf32>
  %y = rms.norm x(%0 : tensor<4x64xf32>) epsilon(1.0e-06)
      -> y(tensor<4x64xf32>)
  return %y : tensor<4x64xf32>
}
