// The worked examples of `remainder` in the StableHLO specification.

func.func @remainder_line_4150() -> (tensor<4xi64>) {
  %lhs = stablehlo.constant dense<[17, -17, 17, -17]> : tensor<4xi64>
  %rhs = stablehlo.constant dense<[3, 3, -3, -3]> : tensor<4xi64>
  %result = "stablehlo.remainder"(%lhs, %rhs) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %result : tensor<4xi64>
}
// EXPECT: dense<[2, -2, 2, -2]> : tensor<4xi64>
