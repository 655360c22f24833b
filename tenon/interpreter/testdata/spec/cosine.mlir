// The worked examples of `cosine` in the StableHLO specification.

func.func @cosine_line_2070() -> (tensor<2x2xf32>) {
  %operand = stablehlo.constant dense<[[0.0, 1.57079632], [3.14159265, 4.71238898]]> : tensor<2x2xf32>
  %result = "stablehlo.cosine"(%operand) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %result : tensor<2x2xf32>
}
// EXPECT-NEAR(1e-6): dense<[[1.0, 0.0], [-1.0, 0.0]]> : tensor<2x2xf32>
