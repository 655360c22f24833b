// The worked examples of `cbrt` in the StableHLO specification.

func.func @cbrt_line_1384() -> (tensor<4xf32>) {
  %operand = stablehlo.constant dense<[0.0, 1.0, 8.0, 27.0]> : tensor<4xf32>
  %result = "stablehlo.cbrt"(%operand) : (tensor<4xf32>) -> tensor<4xf32>
  return %result : tensor<4xf32>
}
// EXPECT: dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
