module @jit_complex_arithmetic attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2x3xcomplex<f32>> {jax.result_info = "[0]", mhlo.layout_mode = "default"}, tensor<2x3xcomplex<f32>> {jax.result_info = "[1]", mhlo.layout_mode = "default"}, tensor<2x3xcomplex<f32>> {jax.result_info = "[2]", mhlo.layout_mode = "default"}, tensor<2x3xf32> {jax.result_info = "[3]", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>)
    %1:4 = call @expected() : () -> (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<2x3xf32>)
    %2:4 = call @program(%0#0, %0#1) : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<2x3xf32>)
    stablehlo.custom_call @check.expect_almost_eq(%2#0, %1#0) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%2#1, %1#1) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%2#2, %1#2) {has_side_effect = true} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%2#3, %1#3) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    return %2#0, %2#1, %2#2, %2#3 : tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<2x3xf32>
  }
  func.func private @inputs() -> (tensor<2x3xcomplex<f32>> {mhlo.layout_mode = "default"}, tensor<2x3xcomplex<f32>> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[(-3.1389946e-1, -4.667496e-1), (5.410228e-2, 2.3550561e-1), (2.7279133e-1, 7.595195e-1)], [(-9.821881e-1, -1.6487874), (-1.107373, 2.5438812e-1), (1.9958453e-1, 1.2246469)]]> : tensor<2x3xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<[[(-9.643762e-1, -3.2975748), (-1.214746, 5.0877625e-1), (1.3991691, 2.4492939)], [(3.7220109e-1, -9.334992e-1), (1.1082046, 4.7101122e-1), (1.5455827, 1.519039)]]> : tensor<2x3xcomplex<f32>>
    return %cst, %cst_0 : tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>
  }
  func.func private @expected() -> (tensor<2x3xcomplex<f32>> {mhlo.layout_mode = "default"}, tensor<2x3xcomplex<f32>> {mhlo.layout_mode = "default"}, tensor<2x3xcomplex<f32>> {mhlo.layout_mode = "default"}, tensor<2x3xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[(-1.2364246, 1.4852291), (-1.8554018e-1, -2.5855353e-1), (-1.4786053, 1.7308424)], [(-1.9047132, 3.0319136e-1), (-1.3470155, -2.3967102e-1), (-1.551812, 2.1959698)]]> : tensor<2x3xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<[[(1.5603657e-1, -4.955809e-2), (3.1190746e-2, -1.8080857e-1), (2.8177053e-1, 4.9587063e-2)], [(1.1620032, -1.5154667), (-7.63724e-1, 5.541492e-1), (4.618015e-1, 3.3848232e-1)]]> : tensor<2x3xcomplex<f32>>
    %cst_1 = stablehlo.constant dense<[[(6.5244514e-1, -3.2875636e-1), (1.0264544, 2.4630634e-1), (9.525982e-1, 9.045276e-1)], [(-2.917733e-2, -3.733524e-1), (3.197919e-1, 8.315275e-2), (4.142231e-1, 1.1484793)]]> : tensor<2x3xcomplex<f32>>
    %cst_2 = stablehlo.constant dense<[[5.6248385e-1, 2.4164012e-1, 8.0702233e-1], [1.9191648, 1.1362166, 1.2408038]]> : tensor<2x3xf32>
    return %cst, %cst_0, %cst_1, %cst_2 : tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<2x3xf32>
  }
  func.func private @program(%arg0: tensor<2x3xcomplex<f32>>, %arg1: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<2x3xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<2x3xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<2x3xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<2x3xcomplex<f32>>
    %1 = stablehlo.divide %arg0, %arg1 : tensor<2x3xcomplex<f32>>
    %2 = stablehlo.exponential %arg0 : tensor<2x3xcomplex<f32>>
    %3 = stablehlo.abs %arg0 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    return %0, %1, %2, %3 : tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<2x3xf32>
  }
}
