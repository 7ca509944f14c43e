// What would change a value is refused, with the reason, and stays as it is.
//
// RUN: rms-opt %s --rms-fuse-residual-add=remarks --split-input-file \
// RUN:   --verify-diagnostics | FileCheck %s

// The rounding is to a type in which neither addend is stored.
//
// CHECK-LABEL: func.func @rounding_to_a_third_type(
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUM]]
// CHECK: rms.norm x(%[[ROUNDED]] : tensor<?x64xf16>) epsilon
func.func @rounding_to_a_third_type(%x: tensor<?x64xbf16>, %r: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.addf %0, %r : tensor<?x64xf32>
  // expected-remark @below {{not folded into 'rms.norm': it rounds the sum to f16, but neither addend is extended from that type, and residual_rounding can round to the residual's type only}}
  %2 = arith.truncf %1 : tensor<?x64xf32> to tensor<?x64xf16>
  %y = rms.norm x(%2 : tensor<?x64xf16>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @norm_rounding_would_change(
// CHECK: arith.addf
// CHECK: norm_rounding(storage)
func.func @norm_rounding_would_change(%x: tensor<?x64xf32>,
                                      %r: tensor<?x64xbf16>,
                                      %w: tensor<64xf32>) -> tensor<?x64xf32> {
  %0 = arith.extf %r : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.addf %x, %0 : tensor<?x64xf32>
  // expected-remark @below {{not folded into 'rms.norm': norm_rounding rounds to x's type, which would change from bf16 to f32}}
  %2 = arith.truncf %1 : tensor<?x64xf32> to tensor<?x64xbf16>
  %y = rms.norm x(%2 : tensor<?x64xbf16>) weight(%w : tensor<64xf32>)
      epsilon(1.0e-06) norm_rounding(storage) -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// -----

// The norm uses the rounded sum, another op the unrounded one.
//
// CHECK-LABEL: func.func @both_sums(
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: rms.norm
// CHECK-NOT: sum(
// CHECK: return %{{.*}}, %[[SUM]]
func.func @both_sums(%x: tensor<?x64xbf16>, %r: tensor<?x64xbf16>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.extf %r : tensor<?x64xbf16> to tensor<?x64xf32>
  // expected-remark @below {{not folded into 'rms.norm': the norm uses the sum rounded to bf16, but 'func.return' uses it unrounded, and the op has one sum only}}
  %2 = arith.addf %0, %1 : tensor<?x64xf32>
  %3 = arith.truncf %2 : tensor<?x64xf32> to tensor<?x64xbf16>
  %y = rms.norm x(%3 : tensor<?x64xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %y, %2 : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @sum_of_three(
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: rms.norm x(%[[SUM]] : tensor<?x64xf32>) residual(
func.func @sum_of_three(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>,
                        %b: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark @below {{not folded into 'rms.norm': the op has a residual already, and adds two terms only}}
  %0 = arith.addf %x, %b : tensor<?x64xf32>
  %1 = arith.addf %0, %r : tensor<?x64xf32>
  %y = rms.norm x(%1 : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @sum_in_f64(
// CHECK: arith.addf {{.*}} : tensor<?x64xf64>
// CHECK: rms.norm
func.func @sum_in_f64(%x: tensor<?x64xbf16>, %r: tensor<?x64xbf16>)
    -> tensor<?x64xf32> {
  %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf64>
  %1 = arith.extf %r : tensor<?x64xbf16> to tensor<?x64xf64>
  // expected-remark @below {{not folded into 'rms.norm': the sum is computed in f64, and the op computes it in f32}}
  %2 = arith.addf %0, %1 : tensor<?x64xf64>
  %3 = arith.truncf %2 : tensor<?x64xf64> to tensor<?x64xbf16>
  %y = rms.norm x(%3 : tensor<?x64xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @sum_rounded_up(
// CHECK: arith.truncf {{.*}} upward
// CHECK: rms.norm
func.func @sum_rounded_up(%x: tensor<?x64xbf16>, %r: tensor<?x64xbf16>)
    -> tensor<?x64xf32> {
  %0 = arith.extf %x : tensor<?x64xbf16> to tensor<?x64xf32>
  %1 = arith.extf %r : tensor<?x64xbf16> to tensor<?x64xf32>
  %2 = arith.addf %0, %1 : tensor<?x64xf32>
  // expected-remark @below {{not folded into 'rms.norm': it does not round to nearest even, as the op does}}
  %3 = arith.truncf %2 upward : tensor<?x64xf32> to tensor<?x64xbf16>
  %y = rms.norm x(%3 : tensor<?x64xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// -----

// The op would have to come before its own weight.
//
// CHECK-LABEL: func.func @sum_used_before_weight(
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: arith.negf %[[SUM]]
// CHECK: rms.norm x(%[[SUM]] : tensor<?x64xf32>) weight
func.func @sum_used_before_weight(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>,
                                  %w: tensor<64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  // expected-remark @below {{not folded into 'rms.norm': 'arith.negf' uses the sum before the norm's weight is computed}}
  %0 = arith.addf %x, %r : tensor<?x64xf32>
  %1 = arith.negf %0 : tensor<?x64xf32>
  %2 = math.absf %w : tensor<64xf32>
  %y = rms.norm x(%0 : tensor<?x64xf32>) weight(%2 : tensor<64xf32>)
      epsilon(1.0e-06) -> y(tensor<?x64xf32>)
  return %y, %1 : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @sum_is_weight(
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: rms.norm x(%[[SUM]] : tensor<64xf32>) weight(%[[SUM]] : tensor<64xf32>)
func.func @sum_is_weight(%x: tensor<64xf32>, %r: tensor<64xf32>)
    -> tensor<64xf32> {
  // expected-remark @below {{not folded into 'rms.norm': the op uses the sum as its weight too}}
  // expected-remark @below {{not folded into 'rms.norm': what it adds to the weight is not one constant}}
  %0 = arith.addf %x, %r : tensor<64xf32>
  %y = rms.norm x(%0 : tensor<64xf32>) weight(%0 : tensor<64xf32>)
      epsilon(1.0e-06) -> y(tensor<64xf32>)
  return %y : tensor<64xf32>
}

// -----

// A rounding of x alone has no attribute.
//
// CHECK-LABEL: func.func @rounded_operand(
// CHECK: %[[X:.*]] = arith.truncf
// CHECK: rms.norm x(%[[X]] : tensor<?x64xbf16>)
func.func @rounded_operand(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-remark @below {{not folded into 'rms.norm': x is rounded before the op, and the op has no attribute that says so}}
  %0 = arith.truncf %x : tensor<?x64xf32> to tensor<?x64xbf16>
  %y = rms.norm x(%0 : tensor<?x64xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @rounded_weight(
// CHECK: %[[W:.*]] = arith.truncf
// CHECK: weight(%[[W]] : tensor<64xbf16>)
func.func @rounded_weight(%x: tensor<?x64xf32>, %w: tensor<64xf32>)
    -> tensor<?x64xf32> {
  // expected-remark @below {{not folded into 'rms.norm': weight is rounded before the op}}
  %0 = arith.truncf %w : tensor<64xf32> to tensor<64xbf16>
  %y = rms.norm x(%x : tensor<?x64xf32>) weight(%0 : tensor<64xbf16>)
      epsilon(1.0e-06) -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @narrow_operand(
// CHECK: %[[X:.*]] = arith.extf
// CHECK: rms.norm x(%[[X]] : tensor<?x64xf32>)
func.func @narrow_operand(%x: tensor<?x64xf8E4M3FN>) -> tensor<?x64xf32> {
  // expected-remark @below {{not folded into 'rms.norm': it extends f8E4M3FN, and x has to be bf16, f16 or f32}}
  %0 = arith.extf %x : tensor<?x64xf8E4M3FN> to tensor<?x64xf32>
  %y = rms.norm x(%0 : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// -----

// An offset that is added in 16 bits is rounded there.
//
// CHECK-LABEL: func.func @offset_in_bf16(
// CHECK: arith.addf {{.*}} : tensor<64xbf16>
// CHECK: epsilon(1.0e-06) -> y
func.func @offset_in_bf16(%x: tensor<?x64xf32>, %w: tensor<64xbf16>)
    -> tensor<?x64xf32> {
  %one = arith.constant dense<1.0> : tensor<64xbf16>
  // expected-remark @below {{not folded into 'rms.norm': it adds to the weight in bf16, and the op adds weight_offset in f32}}
  %0 = arith.addf %w, %one : tensor<64xbf16>
  %y = rms.norm x(%x : tensor<?x64xf32>) weight(%0 : tensor<64xbf16>)
      epsilon(1.0e-06) -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @two_offsets(
// CHECK: arith.addf
// CHECK: weight_offset(1.0)
func.func @two_offsets(%x: tensor<?x64xf32>, %w: tensor<64xf32>)
    -> tensor<?x64xf32> {
  %tenth = arith.constant dense<0.1> : tensor<64xf32>
  // expected-remark @below {{not folded into 'rms.norm': the op has a weight_offset already, and adds one only}}
  %0 = arith.addf %w, %tenth : tensor<64xf32>
  %y = rms.norm x(%x : tensor<?x64xf32>) weight(%0 : tensor<64xf32>)
      epsilon(1.0e-06) weight_offset(1.0) -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @infinite_offset(
// CHECK: arith.addf
// CHECK: epsilon(1.0e-06) -> y
func.func @infinite_offset(%x: tensor<?x64xf32>, %w: tensor<64xf32>)
    -> tensor<?x64xf32> {
  %infinity = arith.constant dense<0x7F800000> : tensor<64xf32>
  // expected-remark @below {{not folded into 'rms.norm': weight_offset has to be finite}}
  %0 = arith.addf %w, %infinity : tensor<64xf32>
  %y = rms.norm x(%x : tensor<?x64xf32>) weight(%0 : tensor<64xf32>)
      epsilon(1.0e-06) -> y(tensor<?x64xf32>)
  return %y : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @offset_per_column(
// CHECK: arith.addf
// CHECK: epsilon(1.0e-06) -> y
func.func @offset_per_column(%x: tensor<?x2xf32>, %w: tensor<2xf32>)
    -> tensor<?x2xf32> {
  %offsets = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // expected-remark @below {{not folded into 'rms.norm': what it adds to the weight is not one constant}}
  %0 = arith.addf %w, %offsets : tensor<2xf32>
  %y = rms.norm x(%x : tensor<?x2xf32>) weight(%0 : tensor<2xf32>)
      epsilon(1.0e-06) -> y(tensor<?x2xf32>)
  return %y : tensor<?x2xf32>
}

// -----

// y is used in f32 too.
//
// CHECK-LABEL: func.func @y_in_two_types(
// CHECK: -> y(tensor<?x64xf32>)
// CHECK: arith.truncf
func.func @y_in_two_types(%x: tensor<?x64xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xbf16>) {
  %y = rms.norm x(%x : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  // expected-remark @below {{not folded into 'rms.norm': 'func.return' uses y with another rounding or none, and the op gives it once}}
  %0 = arith.truncf %y : tensor<?x64xf32> to tensor<?x64xbf16>
  return %y, %0 : tensor<?x64xf32>, tensor<?x64xbf16>
}

// -----

// CHECK-LABEL: func.func @y_in_bytes(
// CHECK: -> y(tensor<?x64xf32>)
// CHECK: arith.truncf
func.func @y_in_bytes(%x: tensor<?x64xf32>) -> tensor<?x64xf8E4M3FN> {
  %y = rms.norm x(%x : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  // expected-remark @below {{not folded into 'rms.norm': it gives f8E4M3FN, and y has to be bf16, f16 or f32}}
  %0 = arith.truncf %y : tensor<?x64xf32> to tensor<?x64xf8E4M3FN>
  return %0 : tensor<?x64xf8E4M3FN>
}

// -----

// CHECK-LABEL: func.func @y_rounded_twice(
// CHECK: -> y(tensor<?x64xbf16>)
// CHECK: arith.truncf
func.func @y_rounded_twice(%x: tensor<?x64xf32>) -> tensor<?x64xf8E4M3FN> {
  %y = rms.norm x(%x : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xbf16>)
  // expected-remark @below {{not folded into 'rms.norm': y is rounded to bf16 first, and the op would round it once}}
  %0 = arith.truncf %y : tensor<?x64xbf16> to tensor<?x64xf8E4M3FN>
  return %0 : tensor<?x64xf8E4M3FN>
}

// -----

// CHECK-LABEL: func.func @y_rounded_down(
// CHECK: -> y(tensor<?x64xf32>)
// CHECK: arith.truncf {{.*}} downward
func.func @y_rounded_down(%x: tensor<?x64xf32>) -> tensor<?x64xbf16> {
  %y = rms.norm x(%x : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  // expected-remark @below {{not folded into 'rms.norm': it does not round to nearest even, as the op does}}
  %0 = arith.truncf %y downward : tensor<?x64xf32> to tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}

// -----

// CHECK-LABEL: func.func @y_extended(
// CHECK: -> y(tensor<?x64xbf16>)
// CHECK: arith.extf
func.func @y_extended(%x: tensor<?x64xbf16>) -> tensor<?x64xf32> {
  %y = rms.norm x(%x : tensor<?x64xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x64xbf16>)
  // expected-remark @below {{not folded into 'rms.norm': y is rounded to bf16 before it is extended, and the op would not round it there}}
  %0 = arith.extf %y : tensor<?x64xbf16> to tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @y_plus_residual(
// CHECK: rms.norm
// CHECK: arith.addf
func.func @y_plus_residual(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %y = rms.norm x(%x : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>)
  // expected-remark @below {{not folded into 'rms.norm': the op adds nothing to y}}
  %0 = arith.addf %y, %r : tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @rstd_in_bf16(
// CHECK: rstd(tensor<?xf32>)
// CHECK: arith.truncf
func.func @rstd_in_bf16(%x: tensor<?x64xf32>)
    -> (tensor<?x64xf32>, tensor<?xbf16>) {
  %y, %rstd = rms.norm x(%x : tensor<?x64xf32>) epsilon(1.0e-06)
      -> y(tensor<?x64xf32>) rstd(tensor<?xf32>)
  // expected-remark @below {{not folded into 'rms.norm': rstd has to be f32}}
  %0 = arith.truncf %rstd : tensor<?xf32> to tensor<?xbf16>
  return %y, %0 : tensor<?x64xf32>, tensor<?xbf16>
}

// -----

// CHECK-LABEL: func.func @saved_rstd_in_bf16(
// CHECK: %[[RSTD:.*]] = arith.extf
// CHECK: rstd(%[[RSTD]] : tensor<?xf32>)
func.func @saved_rstd_in_bf16(%g: tensor<?x64xf32>, %n: tensor<?x64xf32>,
                              %rstd: tensor<?xbf16>) -> tensor<?x64xf32> {
  // expected-remark @below {{not folded into 'rms.norm_backward': rstd has to be f32}}
  %0 = arith.extf %rstd : tensor<?xbf16> to tensor<?xf32>
  %dx = rms.norm_backward grad_output(%g : tensor<?x64xf32>)
      normalized(%n : tensor<?x64xf32>) rstd(%0 : tensor<?xf32>)
      -> dx(tensor<?x64xf32>)
  return %dx : tensor<?x64xf32>
}

// -----

// dx is rounded before the direct gradient is added.
//
// CHECK-LABEL: func.func @gradient_added_in_bf16(
// CHECK: -> dx(tensor<?x64xbf16>)
// CHECK: arith.addf {{.*}} : tensor<?x64xbf16>
func.func @gradient_added_in_bf16(%g: tensor<?x64xf32>, %n: tensor<?x64xf32>,
                                  %rstd: tensor<?xf32>,
                                  %direct: tensor<?x64xbf16>)
    -> tensor<?x64xbf16> {
  %dx = rms.norm_backward grad_output(%g : tensor<?x64xf32>)
      normalized(%n : tensor<?x64xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x64xf32>)
  %0 = arith.truncf %dx : tensor<?x64xf32> to tensor<?x64xbf16>
  // expected-remark @below {{not folded into 'rms.norm_backward': dx is rounded to bf16 before the addition, and the op rounds it after it}}
  %1 = arith.addf %0, %direct : tensor<?x64xbf16>
  return %1 : tensor<?x64xbf16>
}

// -----

// CHECK-LABEL: func.func @gradient_with_and_without(
// CHECK: rms.norm_backward
// CHECK-NOT: grad_sum
// CHECK: arith.addf
func.func @gradient_with_and_without(%g: tensor<?x64xf32>,
                                     %n: tensor<?x64xf32>,
                                     %rstd: tensor<?xf32>)
    -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %dx = rms.norm_backward grad_output(%g : tensor<?x64xf32>)
      normalized(%n : tensor<?x64xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x64xf32>)
  // expected-remark @below {{not folded into 'rms.norm_backward': dx is used without the addition too}}
  %0 = arith.addf %dx, %g : tensor<?x64xf32>
  return %dx, %0 : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @two_direct_gradients(
// CHECK: grad_sum
// CHECK: arith.addf
func.func @two_direct_gradients(%g: tensor<?x64xf32>, %n: tensor<?x64xf32>,
                                %rstd: tensor<?xf32>) -> tensor<?x64xf32> {
  %dx = rms.norm_backward grad_output(%g : tensor<?x64xf32>)
      normalized(%n : tensor<?x64xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x64xf32>)
  %0 = arith.addf %dx, %g : tensor<?x64xf32>
  // expected-remark @below {{not folded into 'rms.norm_backward': the op has a grad_sum already, and adds one only}}
  %1 = arith.addf %0, %n : tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @addend_needs_dw(
// CHECK: rms.norm_backward
// CHECK-NOT: grad_sum
// CHECK: arith.addf
func.func @addend_needs_dw(%g: tensor<64xf32>, %n: tensor<64xf32>,
                           %rstd: tensor<f32>) -> tensor<64xf32> {
  %dx, %dw = rms.norm_backward grad_output(%g : tensor<64xf32>)
      normalized(%n : tensor<64xf32>) rstd(%rstd : tensor<f32>)
      -> dx(tensor<64xf32>) dw(tensor<64xf32>)
  %0 = arith.negf %dw : tensor<64xf32>
  // expected-remark @below {{not folded into 'rms.norm_backward': 'arith.negf' uses dw before the addend is computed}}
  %1 = arith.addf %dx, %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----

// CHECK-LABEL: func.func @sum_of_saved_values(
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: sum(%[[SUM]] : tensor<?x64xf32>)
func.func @sum_of_saved_values(%g: tensor<?x64xf32>, %x: tensor<?x64xf32>,
                               %r: tensor<?x64xf32>, %rstd: tensor<?xf32>)
    -> tensor<?x64xf32> {
  // expected-remark @below {{not folded into 'rms.norm_backward': the op adds nothing to sum}}
  %0 = arith.addf %x, %r : tensor<?x64xf32>
  %dx = rms.norm_backward grad_output(%g : tensor<?x64xf32>)
      sum(%0 : tensor<?x64xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x64xf32>)
  return %dx : tensor<?x64xf32>
}
