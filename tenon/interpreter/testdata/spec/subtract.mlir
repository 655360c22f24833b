// The worked examples of `subtract` in the StableHLO specification.

func.func @subtract_line_5226() -> (tensor<2x2xf32>) {
  %lhs = stablehlo.constant dense<[[6.0, 8.0], [10.0, 12.0]]> : tensor<2x2xf32>
  %rhs = stablehlo.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %result = "stablehlo.subtract"(%lhs, %rhs) : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>)
  return %result : tensor<2x2xf32>
}
// EXPECT: dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
