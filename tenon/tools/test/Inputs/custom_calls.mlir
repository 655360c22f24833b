func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<i32>) {
  %0 = stablehlo.custom_call @my_function(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1:2 = stablehlo.custom_call @my_other(%0, %x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>)
  return %0, %1#0, %1#1 : tensor<2xf32>, tensor<2xf32>, tensor<i32>
}
