// The worked examples of `logistic` in the StableHLO specification.

func.func @logistic_line_3158() -> (tensor<2x2xf64>) {
  %operand = stablehlo.constant dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf64>
  %result = "stablehlo.logistic"(%operand) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %result : tensor<2x2xf64>
}
// EXPECT-NEAR(1e-8): dense<[[0.5, 0.73105858], [0.88079708, 0.95257413]]> : tensor<2x2xf64>
