func.func @norm(%x: tensor<?x4xbf16> {rms.name = "x"},
                %weight: tensor<4xf32> {rms.name = "weight"})
    -> (tensor<?x4xf32> {rms.name = "y"}, tensor<?xf32> {rms.name = "rstd"}) {
  %y, %rstd = rms.norm x(%x : tensor<?x4xbf16>) weight(%weight : tensor<4xf32>)
      epsilon(1.0e-12) -> y(tensor<?x4xf32>) rstd(tensor<?xf32>)
  return %y, %rstd : tensor<?x4xf32>, tensor<?xf32>
}
