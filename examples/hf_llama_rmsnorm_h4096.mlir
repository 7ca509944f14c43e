// RMSNorm with the rounding of Hugging Face's Llama modules: the residual stream
// is stored in bf16 before it is normalized, and the normalized row is rounded
// to bf16 before the weight multiplies it. The sum is computed by linalg ops, as
// a front end may give them.

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

func.func @hf_llama_rmsnorm_h4096(
    %hidden_states: tensor<?x?x4096xbf16> {rms.name = "hidden_states"},
    %residual: tensor<?x?x4096xbf16> {rms.name = "residual"},
    %weight: tensor<4096xbf16> {rms.name = "weight"})
    -> (tensor<?x?x4096xbf16> {rms.name = "output"},
        tensor<?x?x4096xbf16> {rms.name = "residual_out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %hidden_states, %c0 : tensor<?x?x4096xbf16>
  %seq = tensor.dim %hidden_states, %c1 : tensor<?x?x4096xbf16>
  %empty = tensor.empty(%batch, %seq) : tensor<?x?x4096xbf16>
  %sum = linalg.generic {
      indexing_maps = [#rows, #rows, #rows],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%hidden_states, %residual
          : tensor<?x?x4096xbf16>, tensor<?x?x4096xbf16>)
      outs(%empty : tensor<?x?x4096xbf16>) {
  ^bb0(%h: bf16, %r: bf16, %out: bf16):
    %0 = arith.extf %h : bf16 to f32
    %1 = arith.extf %r : bf16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<?x?x4096xbf16>
  %y = rms.norm x(%sum : tensor<?x?x4096xbf16>)
      weight(%weight : tensor<4096xbf16>) epsilon(1.0e-05)
      norm_rounding(storage) -> y(tensor<?x?x4096xbf16>)
  return %y, %sum : tensor<?x?x4096xbf16>, tensor<?x?x4096xbf16>
}
