func.func @main(%x: tensor<4x2xf32>, %n: tensor<i32>, %i: tensor<3xi32>) -> tensor<3x2xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.remainder %n, %one : tensor<i32>
  %rows = stablehlo.set_dimension_size %x, %zero, dim = 0 : (tensor<4x2xf32>, tensor<i32>) -> tensor<?x2xf32, #stablehlo.bounds<4, ?>>
  %0 = "stablehlo.torch_index_select"(%rows, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<3xi32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
