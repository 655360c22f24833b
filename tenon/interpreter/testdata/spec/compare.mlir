// The worked examples of `compare` in the StableHLO specification.

func.func @compare_line_1658() -> (tensor<2xi1>) {
  %lhs = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %rhs = stablehlo.constant dense<[1.1, 2.9]> : tensor<2xf32>
  %result = "stablehlo.compare"(%lhs, %rhs) {
    comparison_direction = #stablehlo<comparison_direction LT>,
    compare_type = #stablehlo<comparison_type FLOAT>
  } : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %result : tensor<2xi1>
}
// EXPECT: dense<[true, false]> : tensor<2xi1>
