// The worked examples of `broadcast_in_dim` in the StableHLO specification.

func.func @broadcast_in_dim_line_1287() -> (tensor<2x3x2xi32>) {
  %operand = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %result = "stablehlo.broadcast_in_dim"(%operand) {
    broadcast_dimensions = array<i64: 2, 1>
  } : (tensor<1x3xi32>) -> tensor<2x3x2xi32>
  return %result : tensor<2x3x2xi32>
}
// EXPECT: dense<[[[1, 1], [2, 2], [3, 3]], [[1, 1], [2, 2], [3, 3]]]> : tensor<2x3x2xi32>
