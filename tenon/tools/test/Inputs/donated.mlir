// Donated arrays that a branch passes on or updates: each is stored where it is.
func.func @main(%p: tensor<i1>, %x: tensor<4096xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<4096xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %end = stablehlo.constant dense<9> : tensor<i32>
  %row = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0:2 = "stablehlo.if"(%p) ({
    %u = stablehlo.dynamic_update_slice %x, %row, %end : (tensor<4096xf32>, tensor<8xf32>, tensor<i32>) -> tensor<4096xf32>
    stablehlo.return %u, %y : tensor<4096xf32>, tensor<4096xf32>
  }, {
    %v = stablehlo.add %y, %y : tensor<4096xf32>
    stablehlo.return %x, %v : tensor<4096xf32>, tensor<4096xf32>
  }) : (tensor<i1>) -> (tensor<4096xf32>, tensor<4096xf32>)
  return %0#0, %0#1 : tensor<4096xf32>, tensor<4096xf32>
}
