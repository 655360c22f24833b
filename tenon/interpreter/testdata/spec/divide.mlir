// The worked examples of `divide` in the StableHLO specification.

// The document prints 5.66666651, which is 17.0 / 3.0; the definition gives 5.70000029.
func.func @divide_line_2185() -> (tensor<4xf32>) {
  %lhs = stablehlo.constant dense<[17.1, -17.1, 17.1, -17.1]> : tensor<4xf32>
  %rhs = stablehlo.constant dense<[3.0, 3.0, -3.0, -3.0]> : tensor<4xf32>
  %result = "stablehlo.divide"(%lhs, %rhs) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %result : tensor<4xf32>
}
// EXPECT: dense<[5.70000029, -5.70000029, -5.70000029, 5.70000029]> : tensor<4xf32>
