// The worked examples of `batch_norm_grad` in the StableHLO specification.

func.func @batch_norm_grad_line_1005() -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %operand = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : tensor<2x2x2xf32>
  %scale = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %mean = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %variance = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %grad_output = stablehlo.constant dense<[[[0.1, 0.1], [0.1, 0.1]], [[0.1, 0.1], [0.1, 0.1]]]> : tensor<2x2x2xf32>
  %grad_operand, %grad_scale, %grad_offset =
  "stablehlo.batch_norm_grad"(%operand, %scale, %mean, %variance, %grad_output) {
    epsilon = 0.0 : f32,
    feature_index = 2 : i64
  } : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
       tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %grad_operand, %grad_scale, %grad_offset : tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>
}
// EXPECT: dense<[[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]> : tensor<2x2x2xf32>
// EXPECT: dense<[0.0, 0.0]> : tensor<2xf32>
// EXPECT-NEAR(1e-6): dense<[0.4, 0.4]> : tensor<2xf32>
