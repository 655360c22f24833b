// The worked examples of `reverse` in the StableHLO specification.

func.func @reverse_line_4247() -> (tensor<3x2xi32>) {
  %operand = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %result = "stablehlo.reverse"(%operand) {
    dimensions = array<i64: 1>
  } : (tensor<3x2xi32>) -> tensor<3x2xi32>
  return %result : tensor<3x2xi32>
}
// EXPECT: dense<[[2, 1], [4, 3], [6, 5]]> : tensor<3x2xi32>
