// RMSNorm of short rows, as the queries and keys of attention have them: any
// number of leading dimensions, here token and head.

func.func @rmsnorm_h128(
    %x: tensor<?x?x128xbf16> {rms.name = "x"},
    %weight: tensor<128xbf16> {rms.name = "weight"})
    -> (tensor<?x?x128xbf16> {rms.name = "y"}) {
  %y = rms.norm x(%x : tensor<?x?x128xbf16>)
      weight(%weight : tensor<128xbf16>) epsilon(1.0e-06)
      -> y(tensor<?x?x128xbf16>)
  return %y : tensor<?x?x128xbf16>
}
