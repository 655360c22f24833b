// Windows whose size is known when the program runs.
func.func @main(%operand: tensor<1x4xi32>, %updates: tensor<?xi32>) -> tensor<1x4xi32> {
  %none = stablehlo.constant dense<> : tensor<0xi32>
  %0 = "stablehlo.scatter"(%operand, %none, %updates) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0]>, unique_indices = false}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %1 = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<1x4xi32>, tensor<0xi32>, tensor<?xi32>) -> tensor<1x4xi32>
  return %0 : tensor<1x4xi32>
}
