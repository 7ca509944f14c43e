// One error for each numbered constraint of rms.norm.
//
// RUN: rms-opt %s --split-input-file --verify-diagnostics

// (C1)
func.func @c1_dynamic_hidden_size(%x: tensor<?x?xbf16>) {
  // expected-error @below {{'rms.norm' op hidden size, the last dimension of x, must be static, but x is 'tensor<?x?xbf16>'; write it as a number and compile a kernel for each hidden size in use}}
  %y = rms.norm x(%x : tensor<?x?xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x?xbf16>)
  return
}

// -----

// (C1)
func.func @c1_hidden_size_0(%x: tensor<4x0xf32>) {
  // expected-error @below {{hidden size, the last dimension of x, must be at least 1, but x is 'tensor<4x0xf32>'; a row without elements has no mean}}
  %y = rms.norm x(%x : tensor<4x0xf32>) epsilon(1.0e-06)
      -> y(tensor<4x0xf32>)
  return
}

// -----

// (C1)
func.func @c1_no_dimension(%x: tensor<f32>) {
  // expected-error @below {{x must have a last dimension, the hidden size, but is 'tensor<f32>'; a single row of H elements is a tensor of shape [H]}}
  %y = rms.norm x(%x : tensor<f32>) epsilon(1.0e-06) -> y(tensor<f32>)
  return
}

// -----

// (C2)
func.func @c2_integers(%x: tensor<?x8xi32>) {
  // expected-error @below {{x must hold bf16, f16 or f32, but holds 'i32'; convert it before the op, with arith.sitofp for example}}
  %y = rms.norm x(%x : tensor<?x8xi32>) epsilon(1.0e-06)
      -> y(tensor<?x8xf32>)
  return
}

// -----

// (C2)
func.func @c2_residual_of_doubles(%x: tensor<?x8xf32>, %r: tensor<?x8xf64>) {
  // expected-error @below {{residual must hold bf16, f16 or f32, but holds 'f64'; convert it before the op, with arith.truncf or arith.extf}}
  %y = rms.norm x(%x : tensor<?x8xf32>) residual(%r : tensor<?x8xf64>)
      epsilon(1.0e-06) -> y(tensor<?x8xf32>)
  return
}

// -----

// (C2)
func.func @c2_weight_of_bytes(%x: tensor<?x8xf32>, %w: tensor<8xf8E4M3FN>) {
  // expected-error @below {{weight must hold bf16, f16 or f32, but holds 'f8E4M3FN'}}
  %y = rms.norm x(%x : tensor<?x8xf32>) weight(%w : tensor<8xf8E4M3FN>)
      epsilon(1.0e-06) -> y(tensor<?x8xf32>)
  return
}

// -----

// (C2)
func.func @c2_result_of_integers(%x: tensor<?x8xf32>) {
  // expected-error @below {{y must hold bf16, f16 or f32, but holds 'i8'}}
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(1.0e-06) -> y(tensor<?x8xi8>)
  return
}

// -----

// (C2)
func.func @c2_encoding(%x: tensor<?x8xf32, "blocked">) {
  // expected-error @below {{x must be a dense tensor without encoding, but is 'tensor<?x8xf32, "blocked">'}}
  %y = rms.norm x(%x : tensor<?x8xf32, "blocked">) epsilon(1.0e-06)
      -> y(tensor<?x8xf32>)
  return
}

// -----

// (C3)
func.func @c3_residual_of_another_shape(%x: tensor<?x8xf32>,
                                        %r: tensor<?x16xf32>) {
  // expected-error @below {{residual must have the shape of x, [?, 8], but has the shape [?, 16]; broadcast or reshape it before the op}}
  %y = rms.norm x(%x : tensor<?x8xf32>) residual(%r : tensor<?x16xf32>)
      epsilon(1.0e-06) -> y(tensor<?x8xf32>)
  return
}

// -----

// (C3)
func.func @c3_residual_of_another_rank(%x: tensor<?x8xf32>,
                                       %r: tensor<8xf32>) {
  // expected-error @below {{residual must have the shape of x, [?, 8], but has the shape [8]}}
  %y = rms.norm x(%x : tensor<?x8xf32>) residual(%r : tensor<8xf32>)
      epsilon(1.0e-06) -> y(tensor<?x8xf32>)
  return
}

// -----

// (C3)
func.func @c3_y_of_other_rows(%x: tensor<4x8xf32>) {
  // expected-error @below {{y must have the shape of x, [4, 8], but has the shape [3, 8]}}
  %y = rms.norm x(%x : tensor<4x8xf32>) epsilon(1.0e-06) -> y(tensor<3x8xf32>)
  return
}

// -----

// (C3)
func.func @c3_sum_of_another_shape(%x: tensor<4x8xf32>) {
  // expected-error @below {{sum must have the shape of x, [4, 8], but has the shape [32]}}
  %y, %sum = rms.norm x(%x : tensor<4x8xf32>) residual(%x : tensor<4x8xf32>)
      epsilon(1.0e-06) -> y(tensor<4x8xf32>) sum(tensor<32xf32>)
  return
}

// -----

// (C3)
func.func @c3_normalized_of_another_shape(%x: tensor<4x8xf32>) {
  // expected-error @below {{normalized must have the shape of x, [4, 8], but has the shape [4, 1]}}
  %y, %n = rms.norm x(%x : tensor<4x8xf32>) epsilon(1.0e-06)
      -> y(tensor<4x8xf32>) normalized(tensor<4x1xf32>)
  return
}

// -----

// (C4)
func.func @c4_weight_of_another_size(%x: tensor<?x8xf32>, %w: tensor<7xf32>) {
  // expected-error @below {{weight must have one element a column, shape [8], but has the shape [7]}}
  %y = rms.norm x(%x : tensor<?x8xf32>) weight(%w : tensor<7xf32>)
      epsilon(1.0e-06) -> y(tensor<?x8xf32>)
  return
}

// -----

// (C4)
func.func @c4_weight_of_dynamic_size(%x: tensor<?x8xf32>, %w: tensor<?xf32>) {
  // expected-error @below {{weight must have one element a column, shape [8], but has the shape [?]}}
  %y = rms.norm x(%x : tensor<?x8xf32>) weight(%w : tensor<?xf32>)
      epsilon(1.0e-06) -> y(tensor<?x8xf32>)
  return
}

// -----

// (C5)
func.func @c5_rstd_of_another_shape(%x: tensor<?x4x8xf32>) {
  // expected-error @below {{rstd must have one element a row, shape [?, 4] or [?, 4, 1], but has the shape [?, 8]}}
  %y, %rstd = rms.norm x(%x : tensor<?x4x8xf32>) epsilon(1.0e-06)
      -> y(tensor<?x4x8xf32>) rstd(tensor<?x8xf32>)
  return
}

// -----

// (C6)
func.func @c6_rstd_of_bf16(%x: tensor<?x8xf32>) {
  // expected-error @below {{rstd must hold f32, but holds 'bf16'; a reciprocal root of fewer bits would spoil its whole row}}
  %y, %rstd = rms.norm x(%x : tensor<?x8xf32>) epsilon(1.0e-06)
      -> y(tensor<?x8xf32>) rstd(tensor<?xbf16>)
  return
}

// -----

// (C7)
func.func @c7_negative_epsilon(%x: tensor<?x8xf32>) {
  // expected-error @below {{epsilon must be a finite number of at least 0; it is added to the mean of squares under the root}}
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(-1.0e-06) -> y(tensor<?x8xf32>)
  return
}

// -----

// (C7)
func.func @c7_infinite_epsilon(%x: tensor<?x8xf32>) {
  // expected-error @below {{epsilon must be a finite number of at least 0}}
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(0x7F800000)
      -> y(tensor<?x8xf32>)
  return
}

// -----

// (C7)
func.func @c7_nan_epsilon(%x: tensor<?x8xf32>) {
  // expected-error @below {{epsilon must be a finite number of at least 0}}
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(0x7FC00000)
      -> y(tensor<?x8xf32>)
  return
}

// -----

// (C8)
func.func @c8_infinite_offset(%x: tensor<?x8xf32>, %w: tensor<8xf32>) {
  // expected-error @below {{weight_offset must be a finite number}}
  %y = rms.norm x(%x : tensor<?x8xf32>) weight(%w : tensor<8xf32>)
      epsilon(1.0e-06) weight_offset(0x7F800000) -> y(tensor<?x8xf32>)
  return
}

// -----

// (C9)
func.func @c9_offset_without_weight(%x: tensor<?x8xf32>) {
  // expected-error @below {{weight_offset needs a weight to be added to; give a weight or leave weight_offset out}}
  %y = rms.norm x(%x : tensor<?x8xf32>) epsilon(1.0e-06) weight_offset(1.0)
      -> y(tensor<?x8xf32>)
  return
}

// -----

// (C10)
func.func @c10_sum_without_residual(%x: tensor<?x8xf32>) {
  // expected-error @below {{the result sum needs a residual; without one the sum is x itself}}
  %y, %sum = rms.norm x(%x : tensor<?x8xf32>) epsilon(1.0e-06)
      -> y(tensor<?x8xf32>) sum(tensor<?x8xf32>)
  return
}

// -----

// (C11)
func.func @c11_rounding_without_residual(%x: tensor<?x8xbf16>) {
  // expected-error @below {{residual_rounding(storage) needs a residual, whose element type is what the sum is rounded to}}
  %y = rms.norm x(%x : tensor<?x8xbf16>) epsilon(1.0e-06)
      residual_rounding(storage) -> y(tensor<?x8xbf16>)
  return
}

// -----

// An operand that is no ranked tensor does not reach the constraints.
func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor [..., H] of bf16, f16 or f32, but got 'tensor<*xf32>'}}
  %y = "rms.norm"(%x) <{epsilon = 1.0e-06 : f32, operandSegmentSizes = array<i32: 1, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0>}>
      : (tensor<*xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @unknown_rounding(%x: tensor<?x8xbf16>) {
  // expected-error @below {{expected a rounding, 'none' or 'storage', but found 'away'}}
  %y = rms.norm x(%x : tensor<?x8xbf16>) epsilon(1.0e-06) norm_rounding(away)
      -> y(tensor<?x8xbf16>)
  return
}

// -----

// Epsilon has no default.
func.func @no_epsilon(%x: tensor<?x8xbf16>) {
  // expected-error @below {{'rms.norm' op requires attribute 'epsilon'}}
  %y = "rms.norm"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0>}>
      : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  return
}
