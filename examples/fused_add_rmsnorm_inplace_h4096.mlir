// Residual add and RMSNorm as inference engines call it, in place: the output
// may be written over the hidden states, and the new residual over the old one.

func.func @fused_add_rmsnorm_inplace_h4096(
    %hidden_states: tensor<?x4096xbf16> {rms.name = "hidden_states",
                                         rms.may_alias = 0 : index},
    %residual: tensor<?x4096xbf16> {rms.name = "residual",
                                    rms.may_alias = 1 : index},
    %weight: tensor<4096xbf16> {rms.name = "weight"})
    -> (tensor<?x4096xbf16> {rms.name = "output"},
        tensor<?x4096xbf16> {rms.name = "residual_out"}) {
  %0 = arith.addf %hidden_states, %residual : tensor<?x4096xbf16>
  %y = rms.norm x(%0 : tensor<?x4096xbf16>)
      weight(%weight : tensor<4096xbf16>) epsilon(1.0e-05)
      -> y(tensor<?x4096xbf16>)
  return %y, %0 : tensor<?x4096xbf16>, tensor<?x4096xbf16>
}
