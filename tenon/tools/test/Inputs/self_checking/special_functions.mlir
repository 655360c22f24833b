module @jit_special_functions attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<5xf64> {jax.result_info = "[0]", mhlo.layout_mode = "default"}, tensor<5xf64> {jax.result_info = "[1]", mhlo.layout_mode = "default"}, tensor<5xf64> {jax.result_info = "[2]", mhlo.layout_mode = "default"}) {
    %0 = call @inputs() : () -> tensor<5xf64>
    %1:3 = call @expected() : () -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>)
    %2:3 = call @program(%0) : (tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>)
    stablehlo.custom_call @check.expect_almost_eq(%2#0, %1#0) {has_side_effect = true, tolerance = 1.0e-13 : f64} : (tensor<5xf64>, tensor<5xf64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%2#1, %1#1) {has_side_effect = true, tolerance = 1.0e-13 : f64} : (tensor<5xf64>, tensor<5xf64>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%2#2, %1#2) {has_side_effect = true, tolerance = 1.0e-13 : f64} : (tensor<5xf64>, tensor<5xf64>) -> ()
    return %2#0, %2#1, %2#2 : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
  }
  func.func private @inputs() -> (tensor<5xf64> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[0.5, 1.25, 2.0, 3.75, -0.3]> : tensor<5xf64>
    return %cst : tensor<5xf64>
  }
  func.func private @expected() -> (tensor<5xf64> {mhlo.layout_mode = "default"}, tensor<5xf64> {mhlo.layout_mode = "default"}, tensor<5xf64> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[0.5204998778130465, 0.9229001282564582, 0.9953222650189527, 0.9999998862727434, -0.3286267594591274]> : tensor<5xf64>
    %cst_0 = stablehlo.constant dense<[0.5723649429247004, -0.09827183642181314, 0.0, 1.4868155785934167, 1.4648400508576027]> : tensor<5xf64>
    %cst_1 = stablehlo.constant dense<[0.05544594877278202, 0.13937009907016715, 0.22531205501217808, 0.44271885732435423, -0.033245754268484626]> : tensor<5xf64>
    return %cst, %cst_0, %cst_1 : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
  }
  func.func private @program(%arg0: tensor<5xf64>) -> (tensor<5xf64> {jax.result_info = "result[0]"}, tensor<5xf64> {jax.result_info = "result[1]"}, tensor<5xf64> {jax.result_info = "result[2]"}) {
    %0 = chlo.erf %arg0 : tensor<5xf64> -> tensor<5xf64>
    %1 = chlo.lgamma %arg0 : tensor<5xf64> -> tensor<5xf64>
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %3 = stablehlo.divide %arg0, %2 : tensor<5xf64>
    %4 = chlo.erf_inv %3 : tensor<5xf64> -> tensor<5xf64>
    return %0, %1, %4 : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
  }
}
