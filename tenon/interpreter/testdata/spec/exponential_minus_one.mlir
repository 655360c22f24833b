// The worked examples of `exponential_minus_one` in the StableHLO specification.

func.func @exponential_minus_one_line_2505() -> (tensor<2xf32>) {
  %operand = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %result = "stablehlo.exponential_minus_one"(%operand) : (tensor<2xf32>) -> tensor<2xf32>
  return %result : tensor<2xf32>
}
// EXPECT: dense<[0.0, 1.71828187]> : tensor<2xf32>
