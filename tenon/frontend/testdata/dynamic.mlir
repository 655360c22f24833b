// artifact versions: 1.0.0 1.17.0
func.func @dynamic(%x: tensor<?x4xf32>, %shape: tensor<2xi64>, %s: tensor<f32>, %bounded: tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<?x?xf32> {
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %0, %shape, dims = [0, 1] : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %2 = "stablehlo.dynamic_broadcast_in_dim"(%0, %shape) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>}> : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %3 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
  %4 = stablehlo.dynamic_pad %2, %s, %shape, %shape, %shape : (tensor<?x?xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %5 = stablehlo.real_dynamic_slice %4, %shape, %shape, %shape : (tensor<?x?xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %6 = stablehlo.abs %bounded : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  return %5 : tensor<?x?xf32>
}

func.func @gather(%x: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %sizes: tensor<3xi64>) -> tensor<2x3x2x2xf32> {
  %0 = "stablehlo.dynamic_gather"(%x, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>}> : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x2x2xf32>
  return %0 : tensor<2x3x2x2xf32>
}

func.func @convolution(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x4xf32>, %padding: tensor<2x2xi64>) -> tensor<1x?x?x4xf32> {
  %0 = "stablehlo.dynamic_conv"(%x, %k, %padding) <{window_strides = array<i64: 2, 2>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32>, tensor<2x2xi64>) -> tensor<1x?x?x4xf32>
  return %0 : tensor<1x?x?x4xf32>
}
