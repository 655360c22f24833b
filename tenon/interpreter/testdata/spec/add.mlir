// The worked examples of `add` in the StableHLO specification.

func.func @add_line_530() -> (tensor<2x2xi32>) {
  %lhs = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %rhs = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %result = "stablehlo.add"(%lhs, %rhs) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %result : tensor<2x2xi32>
}
// EXPECT: dense<[[6, 8], [10, 12]]> : tensor<2x2xi32>
