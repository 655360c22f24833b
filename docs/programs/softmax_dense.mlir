// Softmax over rows, as JAX writes it, then a dense layer with tanh: the program of docs/worked-example.md.
func.func @main(%x: tensor<64x128xf32>, %w: tensor<128x32xf32>, %b: tensor<32xf32>) -> tensor<64x32xf32> {
  %softmax = call @softmax(%x) : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %product = stablehlo.dot_general %softmax, %w, contracting_dims = [1] x [0]
      : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  %biases = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<32xf32>) -> tensor<64x32xf32>
  %biased = stablehlo.add %product, %biases : tensor<64x32xf32>
  %result = stablehlo.tanh %biased : tensor<64x32xf32>
  return %result : tensor<64x32xf32>
}

func.func private @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %reduced = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1]
      : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %floor = stablehlo.broadcast_in_dim %lowest, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %max = stablehlo.maximum %floor, %reduced : tensor<64xf32>
  %column = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
  %maxima = stablehlo.broadcast_in_dim %column, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x128xf32>
  %shifted = stablehlo.subtract %x, %maxima : tensor<64x128xf32>
  %exp = stablehlo.exponential %shifted : tensor<64x128xf32>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %total = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<64xf32>) -> tensor<64x1xf32>
  %sums = stablehlo.broadcast_in_dim %total, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x128xf32>
  %softmax = stablehlo.divide %exp, %sums : tensor<64x128xf32>
  return %softmax : tensor<64x128xf32>
}
