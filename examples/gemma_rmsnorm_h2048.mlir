// Gemma stores weight - 1. The program adds 1 in f32; fusion makes it the op's
// weight_offset.

func.func @gemma_rmsnorm_h2048(
    %x: tensor<?x2048xbf16> {rms.name = "x"},
    %weight: tensor<2048xbf16> {rms.name = "weight"})
    -> (tensor<?x2048xbf16> {rms.name = "y"}) {
  %one = arith.constant dense<1.0> : tensor<2048xf32>
  %0 = arith.extf %weight : tensor<2048xbf16> to tensor<2048xf32>
  %1 = arith.addf %0, %one : tensor<2048xf32>
  %y = rms.norm x(%x : tensor<?x2048xbf16>)
      weight(%1 : tensor<2048xf32>) epsilon(1.0e-06)
      -> y(tensor<?x2048xbf16>)
  return %y : tensor<?x2048xbf16>
}
