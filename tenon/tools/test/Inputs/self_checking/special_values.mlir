module @jit_special_values attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<6xf32> {jax.result_info = "[0]", mhlo.layout_mode = "default"}, tensor<6xf32> {jax.result_info = "[1]", mhlo.layout_mode = "default"}, tensor<6xf32> {jax.result_info = "[2]", mhlo.layout_mode = "default"}, tensor<6xi1> {jax.result_info = "[3]", mhlo.layout_mode = "default"}, tensor<6xi1> {jax.result_info = "[4]", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<6xf32>, tensor<6xf32>)
    %1:5 = call @expected() : () -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xi1>, tensor<6xi1>)
    %2:5 = call @program(%0#0, %0#1) : (tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xi1>, tensor<6xi1>)
    stablehlo.custom_call @check.expect_close(%2#0, %1#0) {has_side_effect = true} : (tensor<6xf32>, tensor<6xf32>) -> ()
    stablehlo.custom_call @check.expect_close(%2#1, %1#1) {has_side_effect = true} : (tensor<6xf32>, tensor<6xf32>) -> ()
    stablehlo.custom_call @check.expect_close(%2#2, %1#2) {has_side_effect = true} : (tensor<6xf32>, tensor<6xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#3, %1#3) {has_side_effect = true} : (tensor<6xi1>, tensor<6xi1>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#4, %1#4) {has_side_effect = true} : (tensor<6xi1>, tensor<6xi1>) -> ()
    return %2#0, %2#1, %2#2, %2#3, %2#4 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xi1>, tensor<6xi1>
  }
  func.func private @inputs() -> (tensor<6xf32> {mhlo.layout_mode = "default"}, tensor<6xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7F800000, 0x7FC00000, -0.0]> : tensor<6xf32>
    %cst_0 = stablehlo.constant dense<[0.0, 0.0, 0.0, 0x7F800000, 1.0, 0.0]> : tensor<6xf32>
    return %cst, %cst_0 : tensor<6xf32>, tensor<6xf32>
  }
  func.func private @expected() -> (tensor<6xf32> {mhlo.layout_mode = "default"}, tensor<6xf32> {mhlo.layout_mode = "default"}, tensor<6xf32> {mhlo.layout_mode = "default"}, tensor<6xi1> {mhlo.layout_mode = "default"}, tensor<6xi1> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0xFFC00000, 0xFFC00000, 0x7FC00000, 0xFFC00000]> : tensor<6xf32>
    %cst_0 = stablehlo.constant dense<[1.0, 0.0, 0.0, 0x7F800000, 0x7FC00000, 0.0]> : tensor<6xf32>
    %cst_1 = stablehlo.constant dense<[1.0, -1.0, 0.0, 1.0, 0x7FC00000, -0.0]> : tensor<6xf32>
    %cst_2 = stablehlo.constant dense<[false, false, true, true, false, true]> : tensor<6xi1>
    %cst_3 = stablehlo.constant dense<[true, true, true, false, false, true]> : tensor<6xi1>
    return %cst, %cst_0, %cst_1, %cst_2, %cst_3 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xi1>, tensor<6xi1>
  }
  func.func private @program(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}, tensor<6xf32> {jax.result_info = "result[2]"}, tensor<6xi1> {jax.result_info = "result[3]"}, tensor<6xi1> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<6xf32>
    %1 = stablehlo.maximum %arg0, %arg1 : tensor<6xf32>
    %2 = stablehlo.sign %arg0 : tensor<6xf32>
    %3 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %4 = stablehlo.is_finite %arg0 : (tensor<6xf32>) -> tensor<6xi1>
    return %0, %1, %2, %3, %4 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xi1>, tensor<6xi1>
  }
}
