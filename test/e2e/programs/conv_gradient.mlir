// Written by make_programs.py.
module @jit_conv_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x9x9x3xf32>, %arg1: tensor<3x3x3x8xf32>, %arg2: tensor<8xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3x3x3x8xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x9x9x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x5x5x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x5x5x8xf32>
    %3 = stablehlo.add %0, %2 : tensor<2x5x5x8xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<2x5x5x8xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<2x5x5x8xf32>
    %6 = stablehlo.multiply %3, %3 : tensor<2x5x5x8xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<2x5x5x8xf32>
    %cst_0 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %10 = stablehlo.multiply %9, %5 : tensor<2x5x5x8xf32>
    %11 = stablehlo.add %3, %10 : tensor<2x5x5x8xf32>
    %cst_1 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %13 = stablehlo.multiply %12, %11 : tensor<2x5x5x8xf32>
    %14 = stablehlo.tanh %13 : tensor<2x5x5x8xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %16 = stablehlo.subtract %15, %14 : tensor<2x5x5x8xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %18 = stablehlo.add %17, %14 : tensor<2x5x5x8xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<2x5x5x8xf32>
    %21 = stablehlo.multiply %3, %20 : tensor<2x5x5x8xf32>
    %22 = stablehlo.multiply %21, %21 : tensor<2x5x5x8xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %24 = stablehlo.multiply %23, %21 : tensor<2x5x5x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%22 init: %cst_6) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x5x5x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %27 = stablehlo.multiply %26, %24 : tensor<2x5x5x8xf32>
    %28 = stablehlo.multiply %3, %27 : tensor<2x5x5x8xf32>
    %29 = stablehlo.multiply %27, %20 : tensor<2x5x5x8xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %31 = stablehlo.multiply %30, %28 : tensor<2x5x5x8xf32>
    %32 = stablehlo.multiply %31, %16 : tensor<2x5x5x8xf32>
    %33 = stablehlo.multiply %32, %14 : tensor<2x5x5x8xf32>
    %34 = stablehlo.add %32, %33 : tensor<2x5x5x8xf32>
    %cst_9 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %36 = stablehlo.multiply %35, %34 : tensor<2x5x5x8xf32>
    %37 = stablehlo.add %29, %36 : tensor<2x5x5x8xf32>
    %cst_10 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %39 = stablehlo.multiply %38, %36 : tensor<2x5x5x8xf32>
    %40 = stablehlo.multiply %39, %8 : tensor<2x5x5x8xf32>
    %41 = stablehlo.add %37, %40 : tensor<2x5x5x8xf32>
    %42 = stablehlo.convolution(%arg0, %41) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x9x9x3xf32>, tensor<2x5x5x8xf32>) -> tensor<3x3x3x8xf32>
    return %25, %42 : tensor<f32>, tensor<3x3x3x8xf32>
  }
}
