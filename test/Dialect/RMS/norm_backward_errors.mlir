// One error for each numbered constraint of rms.norm_backward.
//
// RUN: rms-opt %s --split-input-file --verify-diagnostics

// (C1)
func.func @c1_dynamic_hidden_size(%g: tensor<?x?xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{'rms.norm_backward' op hidden size, the last dimension of grad_output, must be static, but grad_output is 'tensor<?x?xf32>'}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x?xf32>)
      normalized(%g : tensor<?x?xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x?xf32>)
  return
}

// -----

// (C1)
func.func @c1_hidden_size_0(%g: tensor<4x0xf32>, %rstd: tensor<4xf32>) {
  // expected-error @below {{hidden size, the last dimension of grad_output, must be at least 1, but grad_output is 'tensor<4x0xf32>'}}
  %dx = rms.norm_backward grad_output(%g : tensor<4x0xf32>)
      normalized(%g : tensor<4x0xf32>) rstd(%rstd : tensor<4xf32>)
      -> dx(tensor<4x0xf32>)
  return
}

// -----

// (C2)
func.func @c2_integers(%g: tensor<?x8xi16>, %n: tensor<?x8xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{grad_output must hold bf16, f16 or f32, but holds 'i16'; convert it before the op, with arith.sitofp for example}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xi16>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x8xf32>)
  return
}

// -----

// (C2)
func.func @c2_dw_of_doubles(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{dw must hold bf16, f16 or f32, but holds 'f64'}}
  %dw = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      -> dw(tensor<8xf64>)
  return
}

// -----

// (C3)
func.func @c3_neither(%g: tensor<?x8xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{needs exactly one of normalized and sum, but has neither; give what the forward op has saved: its normalized rows, or its sum (x where there is no residual)}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x8xf32>)
  return
}

// -----

// (C3)
func.func @c3_both(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{needs exactly one of normalized and sum, but has both}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) sum(%n : tensor<?x8xf32>)
      rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x8xf32>)
  return
}

// -----

// (C4)
func.func @c4_normalized_of_another_shape(%g: tensor<?x8xf32>, %o: tensor<?x9xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{normalized must have the shape of grad_output, [?, 8], but has the shape [?, 9]}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%o : tensor<?x9xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x8xf32>)
  return
}

// -----

// (C4)
func.func @c4_sum_of_another_shape(%g: tensor<?x8xf32>, %o: tensor<8xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{sum must have the shape of grad_output, [?, 8], but has the shape [8]}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      sum(%o : tensor<8xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x8xf32>)
  return
}

// -----

// (C4)
func.func @c4_grad_sum_of_another_shape(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %o: tensor<?x1xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{grad_sum must have the shape of grad_output, [?, 8], but has the shape [?, 1]}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      grad_sum(%o : tensor<?x1xf32>)
      -> dx(tensor<?x8xf32>)
  return
}

// -----

// (C4)
func.func @c4_dx_of_another_shape(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{dx must have the shape of grad_output, [?, 8], but has the shape [?, ?, 8]}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x?x8xf32>)
  return
}

// -----

// (C5)
func.func @c5_weight_of_another_size(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %rstd: tensor<?xf32>, %w: tensor<1x8xf32>) {
  // expected-error @below {{weight must have one element a column, shape [8], but has the shape [1, 8]}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      weight(%w : tensor<1x8xf32>)
      -> dx(tensor<?x8xf32>)
  return
}

// -----

// (C5)
func.func @c5_dw_of_another_size(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{dw must have one element a column, shape [8], but has the shape [?, 8]}}
  %dw = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      -> dw(tensor<?x8xf32>)
  return
}

// -----

// (C6)
func.func @c6_rstd_of_another_shape(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %rstd: tensor<?x8xf32>) {
  // expected-error @below {{rstd must have one element a row, shape [?] or [?, 1], but has the shape [?, 8]}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?x8xf32>)
      -> dx(tensor<?x8xf32>)
  return
}

// -----

// (C7)
func.func @c7_rstd_of_bf16(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %rstd: tensor<?xbf16>) {
  // expected-error @below {{rstd must hold f32, but holds 'bf16'}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xbf16>)
      -> dx(tensor<?x8xf32>)
  return
}

// -----

// (C8)
func.func @c8_nan_offset(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %rstd: tensor<?xf32>, %w: tensor<8xf32>) {
  // expected-error @below {{weight_offset must be a finite number}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      weight(%w : tensor<8xf32>) weight_offset(0x7FC00000)
      -> dx(tensor<?x8xf32>)
  return
}

// -----

// (C9)
func.func @c9_offset_without_weight(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{weight_offset needs a weight to be added to; give a weight or leave weight_offset out}}
  %dx = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      weight_offset(1.0)
      -> dx(tensor<?x8xf32>)
  return
}

// -----

// (C10)
func.func @c10_no_result(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{must have at least one of the results dx and dw}}
  "rms.norm_backward"(%g, %n, %rstd) <{operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0>, resultSegmentSizes = array<i32: 0, 0>}>
      : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>) -> ()
  return
}

// -----

// (C11)
func.func @c11_grad_sum_without_dx(%g: tensor<?x8xf32>, %n: tensor<?x8xf32>, %rstd: tensor<?xf32>) {
  // expected-error @below {{grad_sum needs the result dx, which it is added to}}
  %dw = rms.norm_backward grad_output(%g : tensor<?x8xf32>)
      normalized(%n : tensor<?x8xf32>) rstd(%rstd : tensor<?xf32>)
      grad_sum(%g : tensor<?x8xf32>)
      -> dw(tensor<8xf32>)
  return
}
