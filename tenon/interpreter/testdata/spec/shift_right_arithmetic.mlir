// The worked examples of `shift_right_arithmetic` in the StableHLO specification.

func.func @shift_right_arithmetic_line_4882() -> (tensor<6xi8>) {
  %lhs = stablehlo.constant dense<[-1, -128, -36, 5, 3, 7]> : tensor<6xi8>
  %rhs = stablehlo.constant dense<[1, 2, 3, 2, 1, 3]> : tensor<6xi8>
  %result = "stablehlo.shift_right_arithmetic"(%lhs, %rhs): (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
  return %result : tensor<6xi8>
}
// EXPECT: dense<[-1, -32, -5, 1, 1, 0]> : tensor<6xi8>
