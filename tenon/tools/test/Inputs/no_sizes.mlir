// Lists of sizes that are arguments, and empty.
func.func @main(%x: tensor<i32>, %y: tensor<3x2xi32>, %z: tensor<2x4xi32>, %sizes: tensor<0xi32>, %padding: tensor<0x2xi64>) -> (tensor<i32>, tensor<3x4xi32>, tensor<i32>, tensor<i32>) {
  %0 = "stablehlo.dynamic_gather"(%x, %sizes, %sizes) <{dimension_numbers = #stablehlo.gather<>}> : (tensor<i32>, tensor<0xi32>, tensor<0xi32>) -> tensor<i32>
  %1 = "stablehlo.dynamic_conv"(%y, %z, %padding) {dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x2xi32>, tensor<2x4xi32>, tensor<0x2xi64>) -> tensor<3x4xi32>
  %2 = stablehlo.dynamic_reshape %x, %sizes : (tensor<i32>, tensor<0xi32>) -> tensor<i32>
  %3 = "stablehlo.dynamic_pad"(%x, %x, %sizes, %sizes, %sizes) : (tensor<i32>, tensor<i32>, tensor<0xi32>, tensor<0xi32>, tensor<0xi32>) -> tensor<i32>
  return %0, %1, %2, %3 : tensor<i32>, tensor<3x4xi32>, tensor<i32>, tensor<i32>
}
