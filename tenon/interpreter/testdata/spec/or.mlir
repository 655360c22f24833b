// The worked examples of `or` in the StableHLO specification.

func.func @or_line_3492_0() -> (tensor<2x2xi32>) {
  %lhs = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %rhs = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %result = "stablehlo.or"(%lhs, %rhs) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %result : tensor<2x2xi32>
}
// EXPECT: dense<[[5, 6], [7, 12]]> : tensor<2x2xi32>

func.func @or_line_3492_1() -> (tensor<2x2xi1>) {
  %lhs = stablehlo.constant dense<[[false, false], [true, true]]> : tensor<2x2xi1>
  %rhs = stablehlo.constant dense<[[false, true], [false, true]]> : tensor<2x2xi1>
  %result = "stablehlo.or"(%lhs, %rhs) : (tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x2xi1>
  return %result : tensor<2x2xi1>
}
// EXPECT: dense<[[false, true], [true, true]]> : tensor<2x2xi1>
