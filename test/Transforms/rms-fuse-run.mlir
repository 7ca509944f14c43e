// Fusion changes no bit: each program prints the same, fused and not. The inputs
// are such that every rounding counts.
//
// RUN: %run_decomposed | grep -v Memref > %t.plain
// RUN: rms-opt %s --rms-fuse-residual-add --rms-decompose | %lower_decomposed \
// RUN:   | grep -v Memref > %t.fused
// RUN: diff %t.plain %t.fused
//
// The roundings do differ among the programs, and fusion does take place.
//
// RUN: FileCheck %s < %t.plain
// RUN: rms-opt %s --rms-fuse-residual-add | FileCheck %s --check-prefix=FUSED
// FUSED-COUNT-5: residual(

func.func private @printMemrefF32(tensor<*xf32>)

func.func @print(%t: tensor<2x4xf32>) {
  // Differences in the last bits are to be seen: what is left of multiples of
  // 2^-7 is printed too.
  %scale = arith.constant dense<128.0> : tensor<2x4xf32>
  %0 = arith.mulf %t, %scale : tensor<2x4xf32>
  %1 = math.floor %0 : tensor<2x4xf32>
  %2 = arith.subf %0, %1 : tensor<2x4xf32>
  %3 = tensor.cast %t : tensor<2x4xf32> to tensor<*xf32>
  call @printMemrefF32(%3) : (tensor<*xf32>) -> ()
  %4 = tensor.cast %2 : tensor<2x4xf32> to tensor<*xf32>
  call @printMemrefF32(%4) : (tensor<*xf32>) -> ()
  return
}

// CHECK-LABEL: sum in f32
// CHECK: {{\[\[}}[[F32_SUM:.*]],
func.func @sum_in_f32(%x: tensor<2x4xbf16>, %r: tensor<2x4xbf16>) {
  vector.print str "sum in f32\n"
  %0 = arith.extf %x : tensor<2x4xbf16> to tensor<2x4xf32>
  %1 = arith.extf %r : tensor<2x4xbf16> to tensor<2x4xf32>
  %2 = arith.addf %0, %1 : tensor<2x4xf32>
  %y = rms.norm x(%2 : tensor<2x4xf32>) epsilon(1.0e-06)
      -> y(tensor<2x4xf32>)
  call @print(%y) : (tensor<2x4xf32>) -> ()
  return
}

// CHECK-LABEL: sum in bf16
// CHECK-NOT: {{\[\[}}[[F32_SUM]],
// CHECK: {{\[\[}}[[BF16_SUM:.*]],
func.func @sum_in_bf16(%x: tensor<2x4xbf16>, %r: tensor<2x4xbf16>) {
  vector.print str "sum in bf16\n"
  %0 = arith.addf %x, %r : tensor<2x4xbf16>
  %y = rms.norm x(%0 : tensor<2x4xbf16>) epsilon(1.0e-06)
      -> y(tensor<2x4xf32>)
  call @print(%y) : (tensor<2x4xf32>) -> ()
  return
}

// CHECK-LABEL: truncated sum
// CHECK: {{\[\[}}[[BF16_SUM]],
func.func @truncated_sum(%x: tensor<2x4xbf16>, %r: tensor<2x4xbf16>) {
  vector.print str "truncated sum\n"
  %0 = arith.extf %x : tensor<2x4xbf16> to tensor<2x4xf32>
  %1 = arith.extf %r : tensor<2x4xbf16> to tensor<2x4xf32>
  %2 = arith.addf %0, %1 : tensor<2x4xf32>
  %3 = arith.truncf %2 : tensor<2x4xf32> to tensor<2x4xbf16>
  %y = rms.norm x(%3 : tensor<2x4xbf16>) epsilon(1.0e-06)
      -> y(tensor<2x4xf32>)
  call @print(%y) : (tensor<2x4xf32>) -> ()
  %4 = arith.extf %3 : tensor<2x4xbf16> to tensor<2x4xf32>
  call @print(%4) : (tensor<2x4xf32>) -> ()
  return
}

// CHECK-LABEL: both roundings
func.func @both_roundings(%x: tensor<2x4xbf16>, %r: tensor<2x4xbf16>,
                          %w: tensor<4xbf16>) {
  vector.print str "both roundings\n"
  %0 = arith.addf %x, %r : tensor<2x4xbf16>
  %1 = arith.extf %w : tensor<4xbf16> to tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %2 = arith.addf %1, %one : tensor<4xf32>
  %y = rms.norm x(%0 : tensor<2x4xbf16>) weight(%2 : tensor<4xf32>)
      epsilon(1.0e-06) norm_rounding(storage) -> y(tensor<2x4xf32>)
  %3 = arith.truncf %y : tensor<2x4xf32> to tensor<2x4xbf16>
  %4 = arith.extf %3 : tensor<2x4xbf16> to tensor<2x4xf32>
  call @print(%4) : (tensor<2x4xf32>) -> ()
  return
}

// norm_rounding to f32 is none, whatever type x gets.
//
// CHECK-LABEL: rounding to f32
func.func @rounding_to_f32(%x: tensor<2x4xbf16>, %r: tensor<2x4xbf16>,
                           %w: tensor<4xbf16>) {
  vector.print str "rounding to f32\n"
  %0 = arith.extf %x : tensor<2x4xbf16> to tensor<2x4xf32>
  %1 = arith.extf %r : tensor<2x4xbf16> to tensor<2x4xf32>
  %y, %sum = rms.norm x(%0 : tensor<2x4xf32>) residual(%1 : tensor<2x4xf32>)
      weight(%w : tensor<4xbf16>) epsilon(1.0e-06) residual_rounding(storage)
      norm_rounding(storage) -> y(tensor<2x4xf32>) sum(tensor<2x4xf32>)
  call @print(%y) : (tensor<2x4xf32>) -> ()
  call @print(%sum) : (tensor<2x4xf32>) -> ()
  return
}

// CHECK-LABEL: gradient
func.func @gradient(%g: tensor<2x4xbf16>, %n: tensor<2x4xbf16>,
                    %rstd: tensor<2xf32>, %w: tensor<4xbf16>) {
  vector.print str "gradient\n"
  %0 = arith.extf %g : tensor<2x4xbf16> to tensor<2x4xf32>
  %dx = rms.norm_backward grad_output(%0 : tensor<2x4xf32>)
      normalized(%n : tensor<2x4xbf16>) rstd(%rstd : tensor<2xf32>)
      weight(%w : tensor<4xbf16>) -> dx(tensor<2x4xf32>)
  %1 = arith.extf %n : tensor<2x4xbf16> to tensor<2x4xf32>
  %2 = arith.addf %1, %dx : tensor<2x4xf32>
  %3 = arith.truncf %2 : tensor<2x4xf32> to tensor<2x4xbf16>
  %4 = arith.extf %3 : tensor<2x4xbf16> to tensor<2x4xf32>
  call @print(%4) : (tensor<2x4xf32>) -> ()
  return
}

func.func @main() {
  %x = arith.constant dense<[[1.0, -1.5078125, 0.7734375, 2.015625],
                             [0.3359375, 3.015625, -0.00390625, 1.0078125]]>
      : tensor<2x4xbf16>
  %r = arith.constant dense<[[0.00390625, 0.01171875, 0.001953125, 0.0078125],
                             [0.0009765625, -0.0078125, 1.0, 0.01171875]]>
      : tensor<2x4xbf16>
  %w = arith.constant dense<[0.0078125, -2.515625, 3.265625, 0.001953125]>
      : tensor<4xbf16>
  %rstd = arith.constant dense<[0.3, 1.7]> : tensor<2xf32>
  call @sum_in_f32(%x, %r) : (tensor<2x4xbf16>, tensor<2x4xbf16>) -> ()
  call @sum_in_bf16(%x, %r) : (tensor<2x4xbf16>, tensor<2x4xbf16>) -> ()
  call @truncated_sum(%x, %r) : (tensor<2x4xbf16>, tensor<2x4xbf16>) -> ()
  call @both_roundings(%x, %r, %w)
      : (tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<4xbf16>) -> ()
  call @rounding_to_f32(%x, %r, %w)
      : (tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<4xbf16>) -> ()
  call @gradient(%x, %r, %rstd, %w)
      : (tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2xf32>, tensor<4xbf16>)
      -> ()
  return
}
