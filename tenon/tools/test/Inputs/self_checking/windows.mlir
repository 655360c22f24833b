module @jit_windows attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2x4xf32> {jax.result_info = "[0]", mhlo.layout_mode = "default"}, tensor<1x3xf32> {jax.result_info = "[1]", mhlo.layout_mode = "default"}, tensor<4xi64> {jax.result_info = "[2]", mhlo.layout_mode = "default"}) {
    %0 = call @inputs() : () -> tensor<2x4xf32>
    %1:3 = call @expected() : () -> (tensor<2x4xf32>, tensor<1x3xf32>, tensor<4xi64>)
    %2:3 = call @program(%0) : (tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<1x3xf32>, tensor<4xi64>)
    stablehlo.custom_call @check.expect_eq(%2#0, %1#0) {has_side_effect = true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#1, %1#1) {has_side_effect = true} : (tensor<1x3xf32>, tensor<1x3xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#2, %1#2) {has_side_effect = true} : (tensor<4xi64>, tensor<4xi64>) -> ()
    return %2#0, %2#1, %2#2 : tensor<2x4xf32>, tensor<1x3xf32>, tensor<4xi64>
  }
  func.func private @inputs() -> (tensor<2x4xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[1.0, 2.0, -3.0, 5.0e-1], [4.0, -8.0, 2.5e-1, 1.6e1]]> : tensor<2x4xf32>
    return %cst : tensor<2x4xf32>
  }
  func.func private @expected() -> (tensor<2x4xf32> {mhlo.layout_mode = "default"}, tensor<1x3xf32> {mhlo.layout_mode = "default"}, tensor<4xi64> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[1.0, 3.0, 0.0, 5.0e-1], [4.0, -4.0, -3.75, 1.225e1]]> : tensor<2x4xf32>
    %cst_0 = stablehlo.constant dense<[[4.0, 2.0, 1.6e1]]> : tensor<1x3xf32>
    %cst_1 = stablehlo.constant dense<[1, 0, 1, 1]> : tensor<4xi64>
    return %cst, %cst_0, %cst_1 : tensor<2x4xf32>, tensor<1x3xf32>, tensor<4xi64>
  }
  func.func private @program(%arg0: tensor<2x4xf32>) -> (tensor<2x4xf32> {jax.result_info = "result[0]"}, tensor<1x3xf32> {jax.result_info = "result[1]"}, tensor<4xi64> {jax.result_info = "result[2]"}) {
    %0 = call @cumsum(%arg0) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%arg0, %1) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %4 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<1x3xf32>
    %3 = call @argmax(%arg0) : (tensor<2x4xf32>) -> tensor<4xi64>
    return %0, %2, %3 : tensor<2x4xf32>, tensor<1x3xf32>, tensor<4xi64>
  }
  func.func private @cumsum(%arg0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [3, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 4>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
  func.func private @argmax(%arg0: tensor<2x4xf32>) -> tensor<4xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<2x4xi64>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<2x4xf32>, tensor<2x4xi64>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xi64>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i64>
    }
    return %1#1 : tensor<4xi64>
  }
}
