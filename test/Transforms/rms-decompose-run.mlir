// Values of the decomposition, worked out by hand, on the CPU.
//
// RUN: %run_decomposed | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>)

func.func @print_rows(%t: tensor<?x2xf32>) {
  %unranked = tensor.cast %t : tensor<?x2xf32> to tensor<*xf32>
  call @printMemrefF32(%unranked) : (tensor<*xf32>) -> ()
  return
}

func.func @print_columns(%t: tensor<2xf32>) {
  %unranked = tensor.cast %t : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%unranked) : (tensor<*xf32>) -> ()
  return
}

func.func @print_scalars(%t: tensor<?xf32>) {
  %unranked = tensor.cast %t : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%unranked) : (tensor<*xf32>) -> ()
  return
}

// Epsilon is added under the root: (1 + 49) / 2 + 39 = 64 and rstd = 1/8;
// 1 / 2 + 39 = 39.5. The weight counts with its offset, as 12.
//
// CHECK-LABEL: forward
// CHECK: [1.5, -10.5]
// CHECK-NEXT: [1.90934, 0]
// CHECK: [0.125, 0.159111]
// CHECK: [0.125, -0.875]
// CHECK-NEXT: [0.159111, 0]
func.func @forward(%x: tensor<?x2xf32>, %w: tensor<2xf32>) {
  vector.print str "forward\n"
  %y, %rstd, %n = rms.norm x(%x : tensor<?x2xf32>)
      weight(%w : tensor<2xf32>) epsilon(39.0) weight_offset(1.0)
      -> y(tensor<?x2xf32>) rstd(tensor<?xf32>) normalized(tensor<?x2xf32>)
  call @print_rows(%y) : (tensor<?x2xf32>) -> ()
  call @print_scalars(%rstd) : (tensor<?xf32>) -> ()
  call @print_rows(%n) : (tensor<?x2xf32>) -> ()
  return
}

// 1 + 2^-8 is halfway between two numbers of bf16, and goes to the even one, 1.
// rstd shows which of the two was squared.
//
// CHECK-LABEL: residual rounding
// CHECK: [1.00391, 2]
// CHECK: [0.631961]
// CHECK: [1, 2]
// CHECK: [0.632456]
func.func @residual_rounding(%x: tensor<?x2xbf16>, %r: tensor<?x2xbf16>) {
  vector.print str "residual rounding\n"
  %y0, %sum0, %rstd0 = rms.norm x(%x : tensor<?x2xbf16>)
      residual(%r : tensor<?x2xbf16>) epsilon(0.0)
      -> y(tensor<?x2xf32>) sum(tensor<?x2xf32>) rstd(tensor<?xf32>)
  call @print_rows(%sum0) : (tensor<?x2xf32>) -> ()
  call @print_scalars(%rstd0) : (tensor<?xf32>) -> ()
  %y1, %sum1, %rstd1 = rms.norm x(%x : tensor<?x2xbf16>)
      residual(%r : tensor<?x2xbf16>) epsilon(0.0)
      residual_rounding(storage)
      -> y(tensor<?x2xf32>) sum(tensor<?x2xf32>) rstd(tensor<?xf32>)
  call @print_rows(%sum1) : (tensor<?x2xf32>) -> ()
  call @print_scalars(%rstd1) : (tensor<?xf32>) -> ()
  return
}

// n = (1/sqrt(5), 3/sqrt(5)); in bf16 that is 229/512 and
// 344/256. `normalized` is n before the rounding.
//
// CHECK-LABEL: norm rounding
// CHECK: [4.47214, 134.164]
// CHECK: [4.47266, 134.375]
// CHECK: [0.447214, 1.34164]
func.func @norm_rounding(%x: tensor<?x2xbf16>, %w: tensor<2xf32>) {
  vector.print str "norm rounding\n"
  %y0 = rms.norm x(%x : tensor<?x2xbf16>) weight(%w : tensor<2xf32>)
      epsilon(0.0) -> y(tensor<?x2xf32>)
  call @print_rows(%y0) : (tensor<?x2xf32>) -> ()
  %y1, %n = rms.norm x(%x : tensor<?x2xbf16>) weight(%w : tensor<2xf32>)
      epsilon(0.0) norm_rounding(storage)
      -> y(tensor<?x2xf32>) normalized(tensor<?x2xf32>)
  call @print_rows(%y1) : (tensor<?x2xf32>) -> ()
  call @print_rows(%n) : (tensor<?x2xf32>) -> ()
  return
}

// Each result is rounded once, to its own type.
//
// CHECK-LABEL: result types
// CHECK: [0.447266, 1.34375]
// CHECK: [0.447266, 1.3418]
func.func @result_types(%x: tensor<?x2xbf16>) {
  vector.print str "result types\n"
  %y, %n = rms.norm x(%x : tensor<?x2xbf16>) epsilon(0.0)
      -> y(tensor<?x2xbf16>) normalized(tensor<?x2xf16>)
  %0 = arith.extf %y : tensor<?x2xbf16> to tensor<?x2xf32>
  call @print_rows(%0) : (tensor<?x2xf32>) -> ()
  %1 = arith.extf %n : tensor<?x2xf16> to tensor<?x2xf32>
  call @print_rows(%1) : (tensor<?x2xf32>) -> ()
  return
}

// A NaN stays in its row; a sum of squares beyond f32 gives rstd = 0; a row of
// zeros without epsilon is NaN.
//
// CHECK-LABEL: special values
// CHECK: [{{-?nan}}, {{-?nan}}]
// CHECK-NEXT: [0, -0]
// CHECK-NEXT: [{{-?nan}}, {{-?nan}}]
// CHECK-NEXT: [0.447214, 1.34164]
// CHECK: [{{-?nan}}, 0, inf, 0.447214]
func.func @special_values(%x: tensor<?x2xf32>) {
  vector.print str "special values\n"
  %y, %rstd = rms.norm x(%x : tensor<?x2xf32>) epsilon(0.0)
      -> y(tensor<?x2xf32>) rstd(tensor<?xf32>)
  call @print_rows(%y) : (tensor<?x2xf32>) -> ()
  call @print_scalars(%rstd) : (tensor<?xf32>) -> ()
  return
}

// Row 0: g = (3 * 3, 1 * 5), m = (9 * 1 + 5 * 2) / 2 = 9.5,
// dx = ((9 - 9.5) / 2, (5 - 19) / 2) + (1, 10).
//
// CHECK-LABEL: backward
// CHECK: [0.75, 3]
// CHECK-NEXT: [15, 0]
// CHECK: [3, 9]
// CHECK: [0.75, 3]
// CHECK-NEXT: [15, 0]
// CHECK: [3, 9]
func.func @backward(%g: tensor<?x2xf32>, %n: tensor<?x2xf32>,
                    %s: tensor<?x2xf32>, %rstd: tensor<?x1xf32>,
                    %w: tensor<2xf32>, %direct: tensor<?x2xf32>) {
  vector.print str "backward\n"
  %dx0, %dw0 = rms.norm_backward grad_output(%g : tensor<?x2xf32>)
      normalized(%n : tensor<?x2xf32>) rstd(%rstd : tensor<?x1xf32>)
      weight(%w : tensor<2xf32>) grad_sum(%direct : tensor<?x2xf32>)
      weight_offset(1.0) -> dx(tensor<?x2xf32>) dw(tensor<2xf32>)
  call @print_rows(%dx0) : (tensor<?x2xf32>) -> ()
  call @print_columns(%dw0) : (tensor<2xf32>) -> ()
  %dx1, %dw1 = rms.norm_backward grad_output(%g : tensor<?x2xf32>)
      sum(%s : tensor<?x2xf32>) rstd(%rstd : tensor<?x1xf32>)
      weight(%w : tensor<2xf32>) grad_sum(%direct : tensor<?x2xf32>)
      weight_offset(1.0) -> dx(tensor<?x2xf32>) dw(tensor<2xf32>)
  call @print_rows(%dx1) : (tensor<?x2xf32>) -> ()
  call @print_columns(%dw1) : (tensor<2xf32>) -> ()
  return
}

// Without rows the gradient of the weight is zero.
//
// CHECK-LABEL: no rows
// CHECK: [0, 0]
func.func @no_rows(%g: tensor<?x2xf32>, %rstd: tensor<?x1xf32>) {
  vector.print str "no rows\n"
  %dw = rms.norm_backward grad_output(%g : tensor<?x2xf32>)
      normalized(%g : tensor<?x2xf32>) rstd(%rstd : tensor<?x1xf32>)
      -> dw(tensor<2xf32>)
  call @print_columns(%dw) : (tensor<2xf32>) -> ()
  return
}

// One row without a leading dimension: rstd = 1/5 and n = x / 5. The gradient is
// given x as n: m = (1 * 3 + 2 * 4) / 2 = 5.5, dx = (1 - 16.5, 2 - 22) / 5.
//
// CHECK-LABEL: single row
// CHECK: [0.6, 0.8]
// CHECK: [-3.1, -4]
// CHECK: [3, 8]
func.func @single_row(%x: tensor<2xf32>, %g: tensor<2xf32>) {
  vector.print str "single row\n"
  %y, %rstd, %n = rms.norm x(%x : tensor<2xf32>) epsilon(12.5)
      -> y(tensor<2xf32>) rstd(tensor<1xf32>) normalized(tensor<2xf32>)
  call @print_columns(%n) : (tensor<2xf32>) -> ()
  %dx, %dw = rms.norm_backward grad_output(%g : tensor<2xf32>)
      normalized(%x : tensor<2xf32>) rstd(%rstd : tensor<1xf32>)
      -> dx(tensor<2xf32>) dw(tensor<2xf32>)
  call @print_columns(%dx) : (tensor<2xf32>) -> ()
  call @print_columns(%dw) : (tensor<2xf32>) -> ()
  return
}

func.func @main() {
  %x = arith.constant dense<[[1.0, -7.0], [1.0, 0.0]]> : tensor<2x2xf32>
  %x_rows = tensor.cast %x : tensor<2x2xf32> to tensor<?x2xf32>
  %w = arith.constant dense<[11.0, 11.0]> : tensor<2xf32>
  call @forward(%x_rows, %w) : (tensor<?x2xf32>, tensor<2xf32>) -> ()

  %a = arith.constant dense<[[1.0, 1.0]]> : tensor<1x2xbf16>
  %a_rows = tensor.cast %a : tensor<1x2xbf16> to tensor<?x2xbf16>
  %b = arith.constant dense<[[0.00390625, 1.0]]> : tensor<1x2xbf16>
  %b_rows = tensor.cast %b : tensor<1x2xbf16> to tensor<?x2xbf16>
  call @residual_rounding(%a_rows, %b_rows)
      : (tensor<?x2xbf16>, tensor<?x2xbf16>) -> ()

  %c = arith.constant dense<[[1.0, 3.0]]> : tensor<1x2xbf16>
  %c_rows = tensor.cast %c : tensor<1x2xbf16> to tensor<?x2xbf16>
  %c_weight = arith.constant dense<[10.0, 100.0]> : tensor<2xf32>
  call @norm_rounding(%c_rows, %c_weight)
      : (tensor<?x2xbf16>, tensor<2xf32>) -> ()
  call @result_types(%c_rows) : (tensor<?x2xbf16>) -> ()

  %s = arith.constant dense<[[0x7FC00000, 1.0], [1.0e+30, -1.0e+30],
                             [0.0, 0.0], [1.0, 3.0]]> : tensor<4x2xf32>
  %s_rows = tensor.cast %s : tensor<4x2xf32> to tensor<?x2xf32>
  call @special_values(%s_rows) : (tensor<?x2xf32>) -> ()

  %g = arith.constant dense<[[3.0, 1.0], [5.0, 7.0]]> : tensor<2x2xf32>
  %g_rows = tensor.cast %g : tensor<2x2xf32> to tensor<?x2xf32>
  %n = arith.constant dense<[[1.0, 2.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %n_rows = tensor.cast %n : tensor<2x2xf32> to tensor<?x2xf32>
  %saved = arith.constant dense<[[2.0, 4.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %saved_rows = tensor.cast %saved : tensor<2x2xf32> to tensor<?x2xf32>
  %rstd = arith.constant dense<[[0.5], [1.0]]> : tensor<2x1xf32>
  %rstd_rows = tensor.cast %rstd : tensor<2x1xf32> to tensor<?x1xf32>
  %weight = arith.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %direct = arith.constant dense<[[1.0, 10.0], [0.0, -17.5]]>
      : tensor<2x2xf32>
  %direct_rows = tensor.cast %direct : tensor<2x2xf32> to tensor<?x2xf32>
  call @backward(%g_rows, %n_rows, %saved_rows, %rstd_rows, %weight,
                 %direct_rows)
      : (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x1xf32>,
         tensor<2xf32>, tensor<?x2xf32>) -> ()

  %c0 = arith.constant 0 : index
  %none = tensor.empty(%c0) : tensor<?x2xf32>
  %none_rstd = tensor.empty(%c0) : tensor<?x1xf32>
  call @no_rows(%none, %none_rstd) : (tensor<?x2xf32>, tensor<?x1xf32>) -> ()

  %row = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %row_g = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  call @single_row(%row, %row_g) : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
