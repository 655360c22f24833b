// artifact versions: 0.9.0 1.0.0 1.5.0 1.6.0 1.17.0
func.func @dot(%a: tensor<8x2x3xf32>, %b: tensor<8x3x5xf32>, %m: tensor<3x3xf32>) -> tensor<8x2x5xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<8x2x3xf32>, tensor<8x3x5xf32>) -> tensor<8x2x5xf32>
  %1 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %2 = stablehlo.dot %1, %m, precision = [HIGH, HIGH] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %3 = stablehlo.cholesky %2, lower = true : tensor<3x3xf32>
  %4 = "stablehlo.triangular_solve"(%3, %m) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<8x2x5xf32>
}

func.func @convolution(%x: tensor<1x8x8x4xf32>, %k: tensor<3x3x2x4xf32>) -> tensor<1x3x4x4xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [1, 1]], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGHEST>]} : (tensor<1x8x8x4xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

func.func @plain_convolution(%x: tensor<1x4x8x8xf32>, %k: tensor<4x4x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

func.func @fft(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IRFFT, length = [8] : (tensor<3x5xcomplex<f32>>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

func.func @norm(%x: tensor<2x4xf32>, %v: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1:3 = "stablehlo.batch_norm_training"(%0, %v, %v) <{epsilon = 0.1 : f32, feature_index = 1 : i64}> : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>)
  %2:3 = "stablehlo.batch_norm_grad"(%0, %v, %v, %v, %1#0) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %2#0 : tensor<2x4xf32>
}

func.func @random(%s: tensor<f32>, %shape: tensor<2xi64>, %state: tensor<2xui64>) -> tensor<3x3xf32> {
  %0 = stablehlo.rng %s, %s, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x3xf32>
  %1 = stablehlo.rng %s, %s, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x3xf32>
  %2, %3 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui64>)
  %4, %5 = stablehlo.rng_bit_generator %2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui32>)
  %6, %7 = stablehlo.rng_bit_generator %4, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui32>)
  return %1 : tensor<3x3xf32>
}
