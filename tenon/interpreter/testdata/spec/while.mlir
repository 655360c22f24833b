// The worked examples of `while` in the StableHLO specification.

func.func @while_line_5468() -> (tensor<i32>, tensor<i32>) {
  %constant0 = stablehlo.constant dense<1> : tensor<i32>
  %operand0 = stablehlo.constant dense<0> : tensor<i32>
  %operand1 = stablehlo.constant dense<10> : tensor<i32>
  %results0, %results1 = "stablehlo.while"(%operand0, %operand1) ({
    ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
      %0 = "stablehlo.compare"(%arg0, %arg1) {
        comparison_direction = #stablehlo<comparison_direction LT>
      } : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%0) : (tensor<i1>) -> ()
  }, {
    ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
      %0 = "stablehlo.add"(%arg0, %constant0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%0, %arg1) : (tensor<i32>, tensor<i32>) -> ()
  }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  return %results0, %results1 : tensor<i32>, tensor<i32>
}
// EXPECT: dense<10> : tensor<i32>
// EXPECT: dense<10> : tensor<i32>
