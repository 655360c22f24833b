// The worked examples of `map` in the StableHLO specification.

func.func @map_line_3203() -> (tensor<2x2xi32>) {
  %input0 = stablehlo.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>
  %input1 = stablehlo.constant dense<[[4, 5], [6, 7]]> : tensor<2x2xi32>
  %result = "stablehlo.map"(%input0, %input1) ({
    ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
      %0 = stablehlo.multiply %arg0, %arg1 : tensor<i32>
      stablehlo.return %0 : tensor<i32>
  }) {
    dimensions = array<i64: 0, 1>
  } : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %result : tensor<2x2xi32>
}
// EXPECT: dense<[[0, 5], [12, 21]]> : tensor<2x2xi32>
