// The worked examples of `tanh` in the StableHLO specification.

func.func @tanh_line_5263() -> (tensor<3xf32>) {
  %operand = stablehlo.constant dense<[-1.0, 0.0, 1.0]> : tensor<3xf32>
  %result = "stablehlo.tanh"(%operand) : (tensor<3xf32>) -> tensor<3xf32>
  return %result : tensor<3xf32>
}
// EXPECT-NEAR(1e-7): dense<[-0.76159416, 0.0, 0.76159416]> : tensor<3xf32>
