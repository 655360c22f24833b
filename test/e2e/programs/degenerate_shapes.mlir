// Written by make_programs.py.
module @jit_degenerate_shapes attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<0x4xf32>, %arg1: tensor<1x1xf32>, %arg2: tensor<f32>) -> (tensor<0x4xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}, tensor<0x2xf32> {jax.result_info = "result[2]"}, tensor<3x5xf32> {jax.result_info = "result[3]"}, tensor<1x1xf32> {jax.result_info = "result[4]"}, tensor<1x1x1xf32> {jax.result_info = "result[5]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<0x4xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<0x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<0x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %4 = stablehlo.dot_general %arg0, %3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<0x4xf32>, tensor<4x2xf32>) -> tensor<0x2xf32>
    %5 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<3x5xf32>
    %6 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<3x5xf32>
    %8 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %10 = stablehlo.add %8, %9 : tensor<1x1xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.multiply %arg2, %cst_2 : tensor<f32>
    %12 = stablehlo.reshape %11 : (tensor<f32>) -> tensor<1x1x1xf32>
    return %1, %2, %4, %7, %10, %12 : tensor<0x4xf32>, tensor<4xf32>, tensor<0x2xf32>, tensor<3x5xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>
  }
}
