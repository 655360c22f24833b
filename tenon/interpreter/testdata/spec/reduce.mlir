// The worked examples of `reduce` in the StableHLO specification.

func.func @reduce_line_3854() -> (tensor<1xi32>) {
  %input = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi32>
  %init_value = stablehlo.constant dense<0> : tensor<i32>
  %result = "stablehlo.reduce"(%input, %init_value) ({
    ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
      %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%0) : (tensor<i32>) -> ()
  }) {
    dimensions = array<i64: 1>
  } : (tensor<1x6xi32>, tensor<i32>) -> tensor<1xi32>
  return %result : tensor<1xi32>
}
// EXPECT: dense<[15]> : tensor<1xi32>
