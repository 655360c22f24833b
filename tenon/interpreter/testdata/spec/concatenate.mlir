// The worked examples of `concatenate` in the StableHLO specification.

func.func @concatenate_line_1745() -> (tensor<4x2xi64>) {
  %input0 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>
  %input1 = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi64>
  %result = "stablehlo.concatenate"(%input0, %input1) {
    dimension = 0 : i64
  } : (tensor<3x2xi64>, tensor<1x2xi64>) -> tensor<4x2xi64>
  return %result : tensor<4x2xi64>
}
// EXPECT: dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi64>
