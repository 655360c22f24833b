// One step of gradient descent with momentum: the first program of docs/fusion.md.
func.func @main(%weights: tensor<4096xf32>, %moment: tensor<4096xf32>, %gradient: tensor<4096xf32>)
    -> (tensor<4096xf32>, tensor<4096xf32>) {
  %decay = stablehlo.constant dense<0.9> : tensor<4096xf32>
  %rate = stablehlo.constant dense<0.01> : tensor<4096xf32>
  %kept = stablehlo.multiply %moment, %decay : tensor<4096xf32>
  %new_moment = stablehlo.add %kept, %gradient : tensor<4096xf32>
  %step = stablehlo.multiply %new_moment, %rate : tensor<4096xf32>
  %new_weights = stablehlo.subtract %weights, %step : tensor<4096xf32>
  return %new_weights, %new_moment : tensor<4096xf32>, tensor<4096xf32>
}
