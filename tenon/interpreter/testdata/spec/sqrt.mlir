// The worked examples of `sqrt` in the StableHLO specification.

func.func @sqrt_line_5188() -> (tensor<2x2xf32>) {
  %operand = stablehlo.constant dense<[[0.0, 1.0], [4.0, 9.0]]> : tensor<2x2xf32>
  %result = "stablehlo.sqrt"(%operand) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %result : tensor<2x2xf32>
}
// EXPECT: dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>
