func.func @main(%a: tensor<2x3xbf16> {jax.arg_info = "x"} loc("params['conv-1']['kernel']"), %b: tensor<i1> loc("class"),
    %c: tensor<0x4xcomplex<f32>> loc("x"), %d: tensor<5xui4> loc("x"), %e: tensor<1x2xf8E4M3FN> loc("*/ evil \0A"))
    -> (tensor<2x3xbf16> {jax.result_info = "result['logits']"}, tensor<i1>, tensor<0x4xcomplex<f32>>, tensor<5xui4>, tensor<1x2xf8E4M3FN>) {
  return %a, %b, %c, %d, %e : tensor<2x3xbf16>, tensor<i1>, tensor<0x4xcomplex<f32>>, tensor<5xui4>, tensor<1x2xf8E4M3FN>
}
