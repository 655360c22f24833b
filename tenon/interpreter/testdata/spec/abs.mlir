// The worked examples of `abs` in the StableHLO specification.

func.func @abs_line_491() -> (tensor<3xi32>) {
  %operand = stablehlo.constant dense<[-2, 0, 2]> : tensor<3xi32>
  %result = "stablehlo.abs"(%operand) : (tensor<3xi32>) -> tensor<3xi32>
  return %result : tensor<3xi32>
}
// EXPECT: dense<[2, 0, 2]> : tensor<3xi32>
