module @jit_complex128_functions attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2x3xcomplex<f64>> {jax.result_info = "[0]", mhlo.layout_mode = "default"}, tensor<2x3xcomplex<f64>> {jax.result_info = "[1]", mhlo.layout_mode = "default"}, tensor<2x3xcomplex<f64>> {jax.result_info = "[2]", mhlo.layout_mode = "default"}) {
    %0 = call @inputs() : () -> tensor<2x3xcomplex<f64>>
    %1:3 = call @expected() : () -> (tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>)
    %2:3 = call @program(%0) : (tensor<2x3xcomplex<f64>>) -> (tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>)
    stablehlo.custom_call @check.expect_close(%2#0, %1#0) {has_side_effect = true, max_ulp_difference = 4 : i64, min_ulp_difference = 0 : i64} : (tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>) -> ()
    stablehlo.custom_call @check.expect_close(%2#1, %1#1) {has_side_effect = true, max_ulp_difference = 4 : i64, min_ulp_difference = 0 : i64} : (tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>) -> ()
    stablehlo.custom_call @check.expect_close(%2#2, %1#2) {has_side_effect = true, max_ulp_difference = 4 : i64, min_ulp_difference = 0 : i64} : (tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>) -> ()
    return %2#0, %2#1, %2#2 : tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>
  }
  func.func private @inputs() -> (tensor<2x3xcomplex<f64>> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[(-0.3138994574546814, -0.4667496085166931), (0.054102279245853424, 0.235505610704422), (0.27279132604599, 0.7595195174217224)], [(-0.9821881055831909, -1.6487873792648315), (-1.1073729991912842, 0.25438812375068665), (0.19958452880382538, 1.2246469259262085)]]> : tensor<2x3xcomplex<f64>>
    return %cst : tensor<2x3xcomplex<f64>>
  }
  func.func private @expected() -> (tensor<2x3xcomplex<f64>> {mhlo.layout_mode = "default"}, tensor<2x3xcomplex<f64>> {mhlo.layout_mode = "default"}, tensor<2x3xcomplex<f64>> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[(-0.5753928802425227, -2.162841789145098), (-1.4203057525543656, 1.3449861014873208), (-0.2144039685083539, 1.2259818935016245)], [(0.6518900597985045, -2.1080505093639), (0.12770401557209282, 2.91578815678347), (0.21575939776184516, 1.409243510007603)]]> : tensor<2x3xcomplex<f64>>
    %cst_0 = stablehlo.constant dense<[[(0.35255097443446715, -0.6619604573004143), (0.3845402467635333, 0.3062171160061203), (0.7347835169670036, 0.5168321688521421)], [(0.6844620638752831, -1.2044402942726564), (0.12009090576611219, 1.059148160003599), (0.8486425430400034, 0.7215328385136597)]]> : tensor<2x3xcomplex<f64>>
    %cst_1 = stablehlo.constant dense<[[(-0.3724230977500208, -0.44683921966277157), (0.057152114698455776, 0.23921712016710095), (0.4758433033768915, 0.8292507875747824)], [(-1.3201579050146572, 0.0586782680233709), (-0.8216019414618445, 0.08844507293865665), (1.318067854421662, 2.0527639376800377)]]> : tensor<2x3xcomplex<f64>>
    return %cst, %cst_0, %cst_1 : tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>
  }
  func.func private @program(%arg0: tensor<2x3xcomplex<f64>>) -> (tensor<2x3xcomplex<f64>> {jax.result_info = "result[0]"}, tensor<2x3xcomplex<f64>> {jax.result_info = "result[1]"}, tensor<2x3xcomplex<f64>> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.log %arg0 : tensor<2x3xcomplex<f64>>
    %1 = stablehlo.sqrt %arg0 : tensor<2x3xcomplex<f64>>
    %2 = stablehlo.tanh %arg0 : tensor<2x3xcomplex<f64>>
    return %0, %1, %2 : tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>
  }
}
