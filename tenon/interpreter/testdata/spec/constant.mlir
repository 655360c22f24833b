// The worked examples of `constant` in the StableHLO specification.

func.func @constant_line_1780() -> (tensor<2x2xf32>) {
  %output = "stablehlo.constant"() {
    value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>
  } : () -> tensor<2x2xf32>
  return %output : tensor<2x2xf32>
}
// EXPECT: dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>
