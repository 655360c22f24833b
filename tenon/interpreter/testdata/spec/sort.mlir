// The worked examples of `sort` in the StableHLO specification.

func.func @sort_line_5123_0() -> (tensor<2x3xi32>, tensor<2x3xi32>) {
  %input0 = stablehlo.constant dense<[[1, 2, 3], [3, 2, 1]]> : tensor<2x3xi32>
  %input1 = stablehlo.constant dense<[[3, 2, 1], [1, 2, 3]]> : tensor<2x3xi32>
  %result0, %result1 = "stablehlo.sort"(%input0, %input1) ({
    ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>):
      %predicate = "stablehlo.compare"(%arg0, %arg1) {
        comparison_direction = #stablehlo<comparison_direction GT>
      } : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%predicate) : (tensor<i1>) -> ()
  }) {
    dimension = 0 : i64,
    is_stable = true
  } : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>)
  return %result0, %result1 : tensor<2x3xi32>, tensor<2x3xi32>
}
// EXPECT: dense<[[3, 2, 3], [1, 2, 1]]> : tensor<2x3xi32>
// EXPECT: dense<[[1, 2, 1], [3, 2, 3]]> : tensor<2x3xi32>

func.func @sort_line_5123_1() -> (tensor<2x3xi32>, tensor<2x3xi32>) {
  %input0 = stablehlo.constant dense<[[1, 2, 3], [3, 2, 1]]> : tensor<2x3xi32>
  %input1 = stablehlo.constant dense<[[3, 2, 1], [1, 2, 3]]> : tensor<2x3xi32>
  %result0, %result1 = "stablehlo.sort"(%input0, %input1) ({
    ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>):
      %predicate = "stablehlo.compare"(%arg0, %arg1) {
        comparison_direction = #stablehlo<comparison_direction GT>
      } : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%predicate) : (tensor<i1>) -> ()
  }) {
    dimension = 1 : i64,
    is_stable = true
  } : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>)
  return %result0, %result1 : tensor<2x3xi32>, tensor<2x3xi32>
}
// EXPECT: dense<[[3, 2, 1], [3, 2, 1]]> : tensor<2x3xi32>
// EXPECT: dense<[[1, 2, 3], [1, 2, 3]]> : tensor<2x3xi32>
