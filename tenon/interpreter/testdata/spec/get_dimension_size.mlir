// The worked examples of `get_dimension_size` in the StableHLO specification.

func.func @get_dimension_size_line_2812() -> (tensor<i32>) {
  %operand = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %result = "stablehlo.get_dimension_size"(%operand) {
    dimension = 1 : i64
  } : (tensor<2x3xf32>) -> tensor<i32>
  return %result : tensor<i32>
}
// EXPECT: dense<3> : tensor<i32>
