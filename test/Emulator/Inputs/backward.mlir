func.func @backward(%grad_output: tensor<?x1000xf32> {rms.name = "grad_output"},
                    %normalized: tensor<?x1000xf32> {rms.name = "normalized"},
                    %rstd: tensor<?xf32> {rms.name = "rstd"})
    -> (tensor<?x1000xf32> {rms.name = "dx"}, tensor<1000xf32> {rms.name = "dw"}) {
  %dx, %dw = rms.norm_backward grad_output(%grad_output : tensor<?x1000xf32>)
      normalized(%normalized : tensor<?x1000xf32>) rstd(%rstd : tensor<?xf32>)
      -> dx(tensor<?x1000xf32>) dw(tensor<1000xf32>)
  return %dx, %dw : tensor<?x1000xf32>, tensor<1000xf32>
}
