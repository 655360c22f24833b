// Found by fuzzing: one element, of which only the run knows that it is there, is stretched to more than its bound.
func.func @main(%x: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %size = stablehlo.optimization_barrier %one : tensor<i32>
  %0 = stablehlo.set_dimension_size %x, %size, dim = 0 : (tensor<1x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<1, ?>>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<?x3xf32, #stablehlo.bounds<1, ?>>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
