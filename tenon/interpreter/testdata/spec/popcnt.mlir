// The worked examples of `popcnt` in the StableHLO specification.

func.func @popcnt_line_3658() -> (tensor<4xi8>) {
  %operand = stablehlo.constant dense<[0, 1, 2, 127]> : tensor<4xi8>
  %result = "stablehlo.popcnt"(%operand) : (tensor<4xi8>) -> tensor<4xi8>
  return %result : tensor<4xi8>
}
// EXPECT: dense<[0, 1, 1, 7]> : tensor<4xi8>
