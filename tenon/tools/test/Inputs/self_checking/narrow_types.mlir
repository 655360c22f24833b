module @jit_narrow_types attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<5xf8E4M3FN> {jax.result_info = "[0]", mhlo.layout_mode = "default"}, tensor<5xf8E5M2> {jax.result_info = "[1]", mhlo.layout_mode = "default"}, tensor<5xi4> {jax.result_info = "[2]", mhlo.layout_mode = "default"}, tensor<5xf16> {jax.result_info = "[3]", mhlo.layout_mode = "default"}, tensor<5xf8E4M3B11FNUZ> {jax.result_info = "[4]", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<5xf32>, tensor<5xi4>)
    %1:5 = call @expected() : () -> (tensor<5xf8E4M3FN>, tensor<5xf8E5M2>, tensor<5xi4>, tensor<5xf16>, tensor<5xf8E4M3B11FNUZ>)
    %2:5 = call @program(%0#0, %0#1) : (tensor<5xf32>, tensor<5xi4>) -> (tensor<5xf8E4M3FN>, tensor<5xf8E5M2>, tensor<5xi4>, tensor<5xf16>, tensor<5xf8E4M3B11FNUZ>)
    stablehlo.custom_call @check.expect_eq(%2#0, %1#0) {has_side_effect = true} : (tensor<5xf8E4M3FN>, tensor<5xf8E4M3FN>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#1, %1#1) {has_side_effect = true} : (tensor<5xf8E5M2>, tensor<5xf8E5M2>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#2, %1#2) {has_side_effect = true} : (tensor<5xi4>, tensor<5xi4>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#3, %1#3) {has_side_effect = true} : (tensor<5xf16>, tensor<5xf16>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#4, %1#4) {has_side_effect = true} : (tensor<5xf8E4M3B11FNUZ>, tensor<5xf8E4M3B11FNUZ>) -> ()
    return %2#0, %2#1, %2#2, %2#3, %2#4 : tensor<5xf8E4M3FN>, tensor<5xf8E5M2>, tensor<5xi4>, tensor<5xf16>, tensor<5xf8E4M3B11FNUZ>
  }
  func.func private @inputs() -> (tensor<5xf32> {mhlo.layout_mode = "default"}, tensor<5xi4> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[1.0e-1, -4.48e2, 1.0e9, 0x7FC00000, -0.0]> : tensor<5xf32>
    %cst_0 = stablehlo.constant dense<[7, -8, 3, 0, -1]> : tensor<5xi4>
    return %cst, %cst_0 : tensor<5xf32>, tensor<5xi4>
  }
  func.func private @expected() -> (tensor<5xf8E4M3FN> {mhlo.layout_mode = "default"}, tensor<5xf8E5M2> {mhlo.layout_mode = "default"}, tensor<5xi4> {mhlo.layout_mode = "default"}, tensor<5xf16> {mhlo.layout_mode = "default"}, tensor<5xf8E4M3B11FNUZ> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[1.015625e-1, -4.48e2, 0x7F, 0x7F, -0.0]> : tensor<5xf8E4M3FN>
    %cst_0 = stablehlo.constant dense<[1.875e-1, -8.96e2, 0x7C, 0x7E, -0.0]> : tensor<5xf8E5M2>
    %cst_1 = stablehlo.constant dense<[-2, 0, 6, 0, -2]> : tensor<5xi4>
    %cst_2 = stablehlo.constant dense<[7.0, -8.0, 3.0, 0.0, -1.0]> : tensor<5xf16>
    %cst_3 = stablehlo.constant dense<[1.015625e-1, 0x80, 0x80, 0x80, 0.0]> : tensor<5xf8E4M3B11FNUZ>
    return %cst, %cst_0, %cst_1, %cst_2, %cst_3 : tensor<5xf8E4M3FN>, tensor<5xf8E5M2>, tensor<5xi4>, tensor<5xf16>, tensor<5xf8E4M3B11FNUZ>
  }
  func.func private @program(%arg0: tensor<5xf32>, %arg1: tensor<5xi4>) -> (tensor<5xf8E4M3FN> {jax.result_info = "result[0]"}, tensor<5xf8E5M2> {jax.result_info = "result[1]"}, tensor<5xi4> {jax.result_info = "result[2]"}, tensor<5xf16> {jax.result_info = "result[3]"}, tensor<5xf8E4M3B11FNUZ> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<5xf32>) -> tensor<5xf8E4M3FN>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<5xf32>
    %3 = stablehlo.convert %2 : (tensor<5xf32>) -> tensor<5xf8E5M2>
    %4 = stablehlo.add %arg1, %arg1 : tensor<5xi4>
    %5 = stablehlo.convert %arg1 : (tensor<5xi4>) -> tensor<5xf16>
    %6 = stablehlo.convert %arg0 : (tensor<5xf32>) -> tensor<5xf8E4M3B11FNUZ>
    return %0, %3, %4, %5, %6 : tensor<5xf8E4M3FN>, tensor<5xf8E5M2>, tensor<5xi4>, tensor<5xf16>, tensor<5xf8E4M3B11FNUZ>
  }
}
