// The worked examples of `round_nearest_afz` in the StableHLO specification.

func.func @round_nearest_afz_line_4399() -> (tensor<5xf32>) {
  %operand = stablehlo.constant dense<[-2.5, 0.4, 0.5, 0.6, 2.5]> : tensor<5xf32>
  %result = "stablehlo.round_nearest_afz"(%operand) : (tensor<5xf32>) -> tensor<5xf32>
  return %result : tensor<5xf32>
}
// EXPECT: dense<[-3.0, 0.0, 1.0, 1.0, 3.0]> : tensor<5xf32>
