// The worked examples of `slice` in the StableHLO specification.

func.func @slice_line_5057() -> (tensor<2x2xi64>) {
  %operand = stablehlo.constant dense<[[0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]> : tensor<3x4xi64>
  %result = "stablehlo.slice"(%operand) {
    start_indices = array<i64: 1, 2>,
    limit_indices = array<i64: 3, 4>,
    strides = array<i64: 1, 1>
  } : (tensor<3x4xi64>) -> tensor<2x2xi64>
  return %result : tensor<2x2xi64>
}
// EXPECT: dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>
