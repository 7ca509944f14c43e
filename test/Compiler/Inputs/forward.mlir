// The computation of the forward suite, as a program that is not fused.
func.func @fused_add_rmsnorm_h2048(
    %hidden_states: tensor<?x2048xbf16> {rms.name = "hidden_states"},
    %residual: tensor<?x2048xbf16> {rms.name = "residual"},
    %weight: tensor<2048xbf16> {rms.name = "weight"})
    -> (tensor<?x2048xbf16> {rms.name = "output"}) {
  %x = arith.extf %hidden_states : tensor<?x2048xbf16> to tensor<?x2048xf32>
  %r = arith.extf %residual : tensor<?x2048xbf16> to tensor<?x2048xf32>
  %s = arith.addf %x, %r : tensor<?x2048xf32>
  %y = rms.norm x(%s : tensor<?x2048xf32>) weight(%weight : tensor<2048xbf16>)
      epsilon(1.0e-06) -> y(tensor<?x2048xf32>)
  %output = arith.truncf %y : tensor<?x2048xf32> to tensor<?x2048xbf16>
  return %output : tensor<?x2048xbf16>
}
