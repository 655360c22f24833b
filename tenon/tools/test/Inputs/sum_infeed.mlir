// Sums as many items of the infeed as the argument says, and reports each sum.
func.func @main(%count: tensor<i32>) -> tensor<3xf32> {
  %t0 = stablehlo.create_token : !stablehlo.token
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %nothing = stablehlo.constant dense<0.0> : tensor<3xf32>
  %r:3 = stablehlo.while(%i = %zero, %sum = %nothing, %t = %t0) : tensor<i32>, tensor<3xf32>, !stablehlo.token cond {
    %p = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %a:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
    %next = stablehlo.add %sum, %a#0 : tensor<3xf32>
    %u = "stablehlo.outfeed"(%i, %next, %a#1) : (tensor<i32>, tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %u : tensor<i32>, tensor<3xf32>, !stablehlo.token
  }
  return %r#1 : tensor<3xf32>
}
