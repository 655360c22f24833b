// The worked examples of `shift_left` in the StableHLO specification.

func.func @shift_left_line_4849() -> (tensor<6xi8>) {
  %lhs = stablehlo.constant dense<[-1, -2, 3, 4, 7, 7]> : tensor<6xi8>
  %rhs = stablehlo.constant dense<[1, 2, 3, 6, 7, 8]> : tensor<6xi8>
  %result = "stablehlo.shift_left"(%lhs, %rhs): (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
  return %result : tensor<6xi8>
}
// EXPECT: dense<[-2, -8, 24, 0, -128, 0]> : tensor<6xi8>
