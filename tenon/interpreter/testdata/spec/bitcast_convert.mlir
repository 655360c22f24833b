// The worked examples of `bitcast_convert` in the StableHLO specification.

func.func @bitcast_convert_line_1242() -> (tensor<2x4xi8>) {
  %operand = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %result = "stablehlo.bitcast_convert"(%operand) : (tensor<2xf32>) -> tensor<2x4xi8>
  return %result : tensor<2x4xi8>
}
// EXPECT: dense<[[0, 0, 0, 0], [0, 0, -128, 63]]> : tensor<2x4xi8>
