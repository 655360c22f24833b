func.func @main(%x: tensor<2x3xf32> {jax.arg_info = "x"}, %y: tensor<3xf32>) -> (tensor<2x3xf32> {jax.result_info = "sum"}) {
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.add %x, %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
