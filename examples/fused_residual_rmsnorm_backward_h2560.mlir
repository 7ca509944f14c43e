// Gradients of the residual add and RMSNorm of Qwen3-4B. `x` keeps its place in
// the kernel's parameters and is never read. Hidden states and residual have the
// same gradient; the kernel stores it in two buffers.

func.func @fused_residual_rmsnorm_backward_h2560(
    %grad_output: tensor<?x?x2560xbf16> {rms.name = "grad_output"},
    %x: tensor<?x?x2560xf32> {rms.name = "x"},
    %normalized: tensor<?x?x2560xf32> {rms.name = "normalized"},
    %rstd: tensor<?x?x1xf32> {rms.name = "rstd"},
    %weight: tensor<2560xf32> {rms.name = "weight"})
    -> (tensor<?x?x2560xbf16> {rms.name = "grad_hidden_states"},
        tensor<?x?x2560xbf16> {rms.name = "grad_residual"},
        tensor<2560xf32> {rms.name = "grad_weight"}) {
  %0 = arith.extf %grad_output
      : tensor<?x?x2560xbf16> to tensor<?x?x2560xf32>
  %dx, %dw = rms.norm_backward grad_output(%0 : tensor<?x?x2560xf32>)
      normalized(%normalized : tensor<?x?x2560xf32>)
      rstd(%rstd : tensor<?x?x1xf32>) weight(%weight : tensor<2560xf32>)
      -> dx(tensor<?x?x2560xf32>) dw(tensor<2560xf32>)
  %1 = arith.truncf %dx : tensor<?x?x2560xf32> to tensor<?x?x2560xbf16>
  return %1, %1, %dw
      : tensor<?x?x2560xbf16>, tensor<?x?x2560xbf16>, tensor<2560xf32>
}
