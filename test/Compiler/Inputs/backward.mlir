// The computation of the backward suite. One gradient goes to two buffers, and
// %x is a part of the interface that the mathematics does not need.
func.func @backward(
    %grad_output: tensor<?x?x2560xbf16> {rms.name = "grad_output"},
    %x: tensor<?x?x2560xf32> {rms.name = "x"},
    %normalized: tensor<?x?x2560xf32> {rms.name = "normalized"},
    %rstd: tensor<?x?x1xf32> {rms.name = "rstd"},
    %weight: tensor<2560xf32> {rms.name = "weight"})
    -> (tensor<?x?x2560xbf16> {rms.name = "grad_hidden_states"},
        tensor<?x?x2560xbf16> {rms.name = "grad_residual"},
        tensor<2560xf32> {rms.name = "grad_weight"}) {
  %dx, %dw = rms.norm_backward grad_output(%grad_output : tensor<?x?x2560xbf16>)
      normalized(%normalized : tensor<?x?x2560xf32>)
      rstd(%rstd : tensor<?x?x1xf32>) weight(%weight : tensor<2560xf32>)
      -> dx(tensor<?x?x2560xbf16>) dw(tensor<2560xf32>)
  return %dx, %dx, %dw
      : tensor<?x?x2560xbf16>, tensor<?x?x2560xbf16>, tensor<2560xf32>
}
