// The worked examples of `not` in the StableHLO specification.

func.func @not_line_3415_0() -> (tensor<2x2xi32>) {
  %operand = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %result = "stablehlo.not"(%operand) : (tensor<2x2xi32>) -> tensor<2x2xi32>
  return %result : tensor<2x2xi32>
}
// EXPECT: dense<[[-2, -3], [-4, -5]]> : tensor<2x2xi32>

func.func @not_line_3415_1() -> (tensor<2xi1>) {
  %operand = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %result = "stablehlo.not"(%operand) : (tensor<2xi1>) -> tensor<2xi1>
  return %result : tensor<2xi1>
}
// EXPECT: dense<[false, true]> : tensor<2xi1>
