// The programs in the running text of the StableHLO specification.

func.func private @main_line_31(%image: tensor<28x28xf32>, %weights: tensor<784x10xf32>, %bias: tensor<1x10xf32>)
    -> tensor<1x10xf32> {
  %0 = "stablehlo.reshape"(%image) : (tensor<28x28xf32>) -> tensor<1x784xf32>
  %1 = "stablehlo.dot"(%0, %weights) : (tensor<1x784xf32>, tensor<784x10xf32>) -> tensor<1x10xf32>
  %2 = "stablehlo.add"(%1, %bias) : (tensor<1x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
  %3 = "stablehlo.constant"() { value = dense<0.0> : tensor<1x10xf32> } : () -> tensor<1x10xf32>
  %4 = "stablehlo.maximum"(%2, %3) : (tensor<1x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
  func.return %4 : tensor<1x10xf32>
}
func.func @main_line_31_called() -> tensor<1x10xf32> {
  %image = stablehlo.constant dense<0.5> : tensor<28x28xf32>
  %weights = stablehlo.constant dense<0.25> : tensor<784x10xf32>
  %bias = stablehlo.constant
      dense<[[0.0, 1.0, -1.0, -98.0, -97.0, -99.0, 2.0, 3.0, -200.0, 4.0]]> : tensor<1x10xf32>
  %0 = func.call @main_line_31(%image, %weights, %bias)
      : (tensor<28x28xf32>, tensor<784x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
  return %0 : tensor<1x10xf32>
}
// EXPECT: dense<[[98.0, 99.0, 97.0, 0.0, 1.0, 0.0, 100.0, 101.0, 0.0, 102.0]]> : tensor<1x10xf32>

func.func @select_and_scatter_line_326() -> tensor<4x2xi32> {
  %operand = stablehlo.constant dense<[[1, 5], [2, 5], [3, 6], [4, 4]]> : tensor<4x2xi32>
  %source = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %init_value = stablehlo.constant dense<0> : tensor<i32>
  %result = "stablehlo.select_and_scatter"(%operand, %source, %init_value) ({
    ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
      %0 = "stablehlo.compare"(%arg0, %arg1) {
        comparison_direction = #stablehlo<comparison_direction GE>
      } : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%0) : (tensor<i1>) -> ()
  }, {
    ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
      %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%0) : (tensor<i32>) -> ()
  }) {
    window_dimensions = array<i64: 3, 1>,
    window_strides = array<i64: 2, 1>,
    padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>
  } : (tensor<4x2xi32>, tensor<2x2xi32>, tensor<i32>) -> tensor<4x2xi32>
  return %result : tensor<4x2xi32>
}
// EXPECT: dense<[[0, 0], [0, 0], [5, 14], [7, 0]]> : tensor<4x2xi32>
