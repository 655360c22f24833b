// The worked examples of `sign` in the StableHLO specification.

func.func @sign_line_4969() -> (tensor<7xf32>) {
  %operand = stablehlo.constant dense<[0xFF800000, 0x7F800000, 0x7FFFFFFF, -10.0, -0.0, 0.0, 10.0]> : tensor<7xf32>
  %result = "stablehlo.sign"(%operand) : (tensor<7xf32>) -> tensor<7xf32>
  return %result : tensor<7xf32>
}
// EXPECT: dense<[-1.0, 1.0, 0x7FFFFFFF, -1.0, -0.0, 0.0, 1.0]> : tensor<7xf32>
