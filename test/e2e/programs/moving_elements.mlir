// Written by make_programs.py.
module @jit_moving_elements attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x10xf32>, %arg1: tensor<4x10xf32>) -> (tensor<9x17xf32> {jax.result_info = "result[0]"}, tensor<14x6xf32> {jax.result_info = "result[1]"}, tensor<6x7xf32> {jax.result_info = "result[2]"}, tensor<6x14xf32> {jax.result_info = "result[3]"}, tensor<12x20xf32> {jax.result_info = "result[4]"}, tensor<4x15xf32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.slice %arg0 [0:6, 3:10] : (tensor<6x10xf32>) -> tensor<6x7xf32>
    %1 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<4x10xf32>) -> tensor<10x4xf32>
    %2 = stablehlo.slice %1 [0:6, 0:4] : (tensor<10x4xf32>) -> tensor<6x4xf32>
    %3 = stablehlo.slice %arg0 [0:6, 0:10:4] : (tensor<6x10xf32>) -> tensor<6x3xf32>
    %4 = stablehlo.concatenate %0, %2, %3, dim = 1 : (tensor<6x7xf32>, tensor<6x4xf32>, tensor<6x3xf32>) -> tensor<6x14xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = call @_pad(%4, %c) : (tensor<6x14xf32>, tensor<i32>) -> tensor<9x17xf32>
    %6 = stablehlo.transpose %4, dims = [1, 0] : (tensor<6x14xf32>) -> tensor<14x6xf32>
    %7 = stablehlo.slice %4 [0:6, 1:14:2] : (tensor<6x14xf32>) -> tensor<6x7xf32>
    %8 = stablehlo.reverse %7, dims = [0] : tensor<6x7xf32>
    %9 = call @_roll_static(%4) : (tensor<6x14xf32>) -> tensor<6x14xf32>
    %10 = stablehlo.reshape %arg0 : (tensor<6x10xf32>) -> tensor<1x6x1x10xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<1x6x1x10xf32>) -> tensor<2x6x2x10xf32>
    %12 = stablehlo.reshape %11 : (tensor<2x6x2x10xf32>) -> tensor<12x20xf32>
    %13 = stablehlo.reshape %arg0 : (tensor<6x10xf32>) -> tensor<4x15xf32>
    return %5, %6, %8, %9, %12, %13 : tensor<9x17xf32>, tensor<14x6xf32>, tensor<6x7xf32>, tensor<6x14xf32>, tensor<12x20xf32>, tensor<4x15xf32>
  }
  func.func private @_pad(%arg0: tensor<6x14xf32>, %arg1: tensor<i32>) -> tensor<9x17xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 0], high = [2, 3], interior = [0, 0] : (tensor<6x14xf32>, tensor<f32>) -> tensor<9x17xf32>
    return %1 : tensor<9x17xf32>
  }
  func.func private @_roll_static(%arg0: tensor<6x14xf32>) -> tensor<6x14xf32> {
    %0 = stablehlo.slice %arg0 [0:6, 11:14] : (tensor<6x14xf32>) -> tensor<6x3xf32>
    %1 = stablehlo.slice %arg0 [0:6, 0:11] : (tensor<6x14xf32>) -> tensor<6x11xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<6x3xf32>, tensor<6x11xf32>) -> tensor<6x14xf32>
    return %2 : tensor<6x14xf32>
  }
}
