// The worked examples of `batch_norm_training` in the StableHLO specification.

func.func @batch_norm_training_line_1172() -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %operand = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf32>
  %scale = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %offset = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%operand, %scale, %offset) {
    epsilon = 0.0 : f32,
    feature_index = 2 : i64
  } : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %output, %batch_mean, %batch_var : tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>
}
// EXPECT: dense<[[[0.0, 0.0], [2.0, 2.0]], [[2.0, 2.0], [0.0, 0.0]]]> : tensor<2x2x2xf32>
// EXPECT: dense<[2.0, 3.0]> : tensor<2xf32>
// EXPECT: dense<[1.0, 1.0]> : tensor<2xf32>
