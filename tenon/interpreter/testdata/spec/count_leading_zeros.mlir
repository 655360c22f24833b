// The worked examples of `count_leading_zeros` in the StableHLO specification.

func.func @count_leading_zeros_line_2106() -> (tensor<2x2xi8>) {
  %operand = stablehlo.constant dense<[[0, 1], [127, -1]]> : tensor<2x2xi8>
  %result = "stablehlo.count_leading_zeros"(%operand) : (tensor<2x2xi8>) -> tensor<2x2xi8>
  return %result : tensor<2x2xi8>
}
// EXPECT: dense<[[8, 7], [1, 0]]> : tensor<2x2xi8>
