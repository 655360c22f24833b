// Dilations and strides that space nothing, since there is one element, are as large as their type allows.
module {
  func.func @main(%x: tensor<1x1x1x1xf32>, %kernel: tensor<1x1x1x2xf32>, %rows: tensor<1x5x1xf32>, %one: tensor<1x1x1xf32>) -> (tensor<1x1x2x1xf32>, tensor<1x5x1xf32>, tensor<1x1x1xf32>, tensor<2x1x2xf32>) {
    %0 = stablehlo.convolution(%x, %kernel) dim_numbers = [b, 0, 1, f]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[2, 1], [-1, 2]], lhs_dilate = [9223372036854775807, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x1x1xf32>, tensor<1x1x1x2xf32>) -> tensor<1x1x2x1xf32>
    %1 = stablehlo.convolution(%rows, %one) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {rhs_dilate = [9223372036854775807]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x1xf32>, tensor<1x1x1xf32>) -> tensor<1x5x1xf32>
    %2 = stablehlo.slice %rows [0:1, 2:5:9223372036854775807, 0:1] : (tensor<1x5x1xf32>) -> tensor<1x1x1xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.pad %one, %zero, low = [3, 0, -1], high = [-2, 0, 2], interior = [9223372036854775807, 9223372036854775807, 9223372036854775806] : (tensor<1x1x1xf32>, tensor<f32>) -> tensor<2x1x2xf32>
    return %0, %1, %2, %3 : tensor<1x1x2x1xf32>, tensor<1x5x1xf32>, tensor<1x1x1xf32>, tensor<2x1x2xf32>
  }
}
