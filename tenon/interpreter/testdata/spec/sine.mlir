// The worked examples of `sine` in the StableHLO specification.

func.func @sine_line_5004() -> (tensor<2x2xf32>) {
  %operand = stablehlo.constant dense<[[0.0, 1.57079632], [3.14159265, 4.71238898]]> : tensor<2x2xf32>
  %result = "stablehlo.sine"(%operand) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %result : tensor<2x2xf32>
}
// EXPECT-NEAR(1e-6): dense<[[0.0, 1.0], [0.0, -1.0]]> : tensor<2x2xf32>
