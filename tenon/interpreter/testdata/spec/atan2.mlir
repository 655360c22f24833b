// The worked examples of `atan2` in the StableHLO specification.

func.func @atan2_line_905() -> (tensor<3xf32>) {
  %lhs = stablehlo.constant dense<[0.0, 1.0, -1.0]> : tensor<3xf32>
  %rhs = stablehlo.constant dense<[0.0, 0.0, 0.0]> : tensor<3xf32>
  %result = "stablehlo.atan2"(%lhs, %rhs) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %result : tensor<3xf32>
}
// EXPECT: dense<[0.0, 1.57079637, -1.57079637]> : tensor<3xf32>
