module @jit_no_elements attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<0x3xf32> {jax.result_info = "[0]", mhlo.layout_mode = "default"}, tensor<2x3xf32> {jax.result_info = "[1]", mhlo.layout_mode = "default"}, tensor<f32> {jax.result_info = "[2]", mhlo.layout_mode = "default"}, tensor<f32> {jax.result_info = "[3]", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<0x3xf32>, tensor<2x3xf32>)
    %1:4 = call @expected() : () -> (tensor<0x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>)
    %2:4 = call @program(%0#0, %0#1) : (tensor<0x3xf32>, tensor<2x3xf32>) -> (tensor<0x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>)
    stablehlo.custom_call @check.expect_close(%2#0, %1#0) {has_side_effect = true} : (tensor<0x3xf32>, tensor<0x3xf32>) -> ()
    stablehlo.custom_call @check.expect_close(%2#1, %1#1) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    stablehlo.custom_call @check.expect_close(%2#2, %1#2) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    stablehlo.custom_call @check.expect_close(%2#3, %1#3) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
    return %2#0, %2#1, %2#2, %2#3 : tensor<0x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>
  }
  func.func private @inputs() -> (tensor<0x3xf32> {mhlo.layout_mode = "default"}, tensor<2x3xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<> : tensor<0x3xf32>
    %cst_0 = stablehlo.constant dense<[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]> : tensor<2x3xf32>
    return %cst, %cst_0 : tensor<0x3xf32>, tensor<2x3xf32>
  }
  func.func private @expected() -> (tensor<0x3xf32> {mhlo.layout_mode = "default"}, tensor<2x3xf32> {mhlo.layout_mode = "default"}, tensor<f32> {mhlo.layout_mode = "default"}, tensor<f32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<> : tensor<0x3xf32>
    %cst_0 = stablehlo.constant dense<[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]> : tensor<2x3xf32>
    %cst_1 = stablehlo.constant dense<6.0> : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.0> : tensor<f32>
    return %cst, %cst_0, %cst_1, %cst_2 : tensor<0x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>
  }
  func.func private @program(%arg0: tensor<0x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<0x3xf32> {jax.result_info = "result[0]"}, tensor<2x3xf32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]"}, tensor<f32> {jax.result_info = "result[3]"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<0x3xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<0x3xf32>
    %2 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<0x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%arg1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%arg0 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<0x3xf32>, tensor<f32>) -> tensor<f32>
    return %1, %2, %3, %4 : tensor<0x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>
  }
}
