// Operands without elements: what padding makes of them are zeros, also where a gradient asks, in every form that has
// code of its own.
module {
  func.func @main(%grouped: tensor<1x0x6xf32>, %grouped_kernel: tensor<3x3x2xf32>, %image: tensor<2x0x5x3xbf16>, %kernel: tensor<3x3x3x4xbf16>,
                  %pixels: tensor<2x4x0x4xi8>, %depthwise: tensor<2x2x1x4xi8>, %waves: tensor<0x2x1xcomplex<f32>>, %pulse: tensor<2x2x1xcomplex<f32>>,
                  %signal: tensor<2x6x0xf32>, %no_features: tensor<3x0x2xf32>)
      -> (tensor<1x1x2xf32>, tensor<2x1x5x4xbf16>, tensor<2x5x2x4xi32>, tensor<2x1x1xcomplex<f32>>, tensor<2x4x2xf32>) {
    %0 = stablehlo.convolution(%grouped, %grouped_kernel) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
        window = {stride = [1], pad = [[3, 0]], lhs_dilate = [3]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
        : (tensor<1x0x6xf32>, tensor<3x3x2xf32>) -> tensor<1x1x2xf32>
    %1 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
        window = {pad = [[1, 2], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<2x0x5x3xbf16>, tensor<3x3x3x4xbf16>) -> tensor<2x1x5x4xbf16>
    %2 = stablehlo.convolution(%pixels, %depthwise) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
        window = {pad = [[1, 1], [2, 1]]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64}
        : (tensor<2x4x0x4xi8>, tensor<2x2x1x4xi8>) -> tensor<2x5x2x4xi32>
    %3 = stablehlo.convolution(%waves, %pulse) dim_numbers = [0, f, b]x[0, i, o]->[b, 0, f],
        window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<0x2x1xcomplex<f32>>, tensor<2x2x1xcomplex<f32>>) -> tensor<1x1x1xcomplex<f32>>
    %twice = stablehlo.concatenate %3, %3, dim = 0 : (tensor<1x1x1xcomplex<f32>>, tensor<1x1x1xcomplex<f32>>) -> tensor<2x1x1xcomplex<f32>>
    %4 = stablehlo.convolution(%signal, %no_features) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
        window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<2x6x0xf32>, tensor<3x0x2xf32>) -> tensor<2x4x2xf32>
    return %0, %1, %2, %twice, %4 : tensor<1x1x2xf32>, tensor<2x1x5x4xbf16>, tensor<2x5x2x4xi32>, tensor<2x1x1xcomplex<f32>>, tensor<2x4x2xf32>
  }
}
