// Residual add and RMSNorm as Qwen3-30B-A3B has it, written as the definition
// is: the sum stays in f32, and only the output is rounded.
//
//   rms-opt --rms-fuse-residual-add examples/fused_add_rmsnorm_h2048.mlir

func.func @fused_add_rmsnorm_h2048(
    %hidden_states: tensor<?x2048xbf16> {rms.name = "hidden_states"},
    %residual: tensor<?x2048xbf16> {rms.name = "residual"},
    %weight: tensor<2048xbf16> {rms.name = "weight"})
    -> (tensor<?x2048xbf16> {rms.name = "output"}) {
  %0 = arith.extf %hidden_states : tensor<?x2048xbf16> to tensor<?x2048xf32>
  %1 = arith.extf %residual : tensor<?x2048xbf16> to tensor<?x2048xf32>
  %2 = arith.addf %0, %1 : tensor<?x2048xf32>
  %3 = rms.norm x(%2 : tensor<?x2048xf32>)
      weight(%weight : tensor<2048xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x2048xf32>)
  %4 = arith.truncf %3 : tensor<?x2048xf32> to tensor<?x2048xbf16>
  return %4 : tensor<?x2048xbf16>
}
