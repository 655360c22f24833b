// The worked examples of `rsqrt` in the StableHLO specification.

// The document prints 0.33333343 for 1 / 3.
func.func @rsqrt_line_4466() -> (tensor<2x2xf32>) {
  %operand = stablehlo.constant dense<[[1.0, 4.0], [9.0, 25.0]]> : tensor<2x2xf32>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %result : tensor<2x2xf32>
}
// EXPECT-NEAR(1e-6): dense<[[1.0, 0.5], [0.33333343, 0.2]]> : tensor<2x2xf32>
