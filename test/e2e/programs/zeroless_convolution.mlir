// A type without zero in a convolution with padding, by itself and beside another narrow type.
module {
  func.func @main(%x: tensor<1x4x3xf8E4M3FNUZ>, %k: tensor<2x3x2xf8E8M0FNU>) -> (tensor<1x5x2xf8E4M3FNUZ>, tensor<1x5x2xf32>) {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x3xf8E4M3FNUZ>, tensor<2x3x2xf8E8M0FNU>) -> tensor<1x5x2xf8E4M3FNUZ>
    %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x3xf8E4M3FNUZ>, tensor<2x3x2xf8E8M0FNU>) -> tensor<1x5x2xf32>
    return %0, %1 : tensor<1x5x2xf8E4M3FNUZ>, tensor<1x5x2xf32>
  }
}
