// The worked examples of `ceil` in the StableHLO specification.

func.func @ceil_line_1416() -> (tensor<5xf32>) {
  %operand = stablehlo.constant dense<[-0.8166, -0.2530, 0.2530, 0.8166, 2.0]> : tensor<5xf32>
  %result = "stablehlo.ceil"(%operand) : (tensor<5xf32>) -> tensor<5xf32>
  return %result : tensor<5xf32>
}
// EXPECT: dense<[-0.0, -0.0, 1.0, 1.0, 2.0]> : tensor<5xf32>
