// The worked examples of `reshape` in the StableHLO specification.

func.func @reshape_line_4208() -> (tensor<3x2xi32>) {
  %operand = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %result = "stablehlo.reshape"(%operand) : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %result : tensor<3x2xi32>
}
// EXPECT: dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
