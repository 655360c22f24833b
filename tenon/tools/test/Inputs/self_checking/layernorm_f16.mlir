module @jit_layernorm_f16 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2x6xf16> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0:3 = call @inputs() : () -> (tensor<2x6xf16>, tensor<6xf16>, tensor<6xf16>)
    %1 = call @expected() : () -> tensor<2x6xf16>
    %2 = call @program(%0#0, %0#1, %0#2) : (tensor<2x6xf16>, tensor<6xf16>, tensor<6xf16>) -> tensor<2x6xf16>
    stablehlo.custom_call @check.expect_almost_eq(%2, %1) {has_side_effect = true, tolerance = 1.0e-2 : f64} : (tensor<2x6xf16>, tensor<2x6xf16>) -> ()
    return %2 : tensor<2x6xf16>
  }
  func.func private @inputs() -> (tensor<2x6xf16> {mhlo.layout_mode = "default"}, tensor<6xf16> {mhlo.layout_mode = "default"}, tensor<6xf16> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[6.6308594e-1, -5.1416016e-1, -1.6484375, 1.6748047e-1, 1.0900879e-1, -1.2275391], [-6.8310547e-1, -7.2021484e-2, -9.448242e-1, -9.82666e-2, 9.5458984e-2, 3.5583496e-2]]> : tensor<2x6xf16>
    %cst_0 = stablehlo.constant dense<[-5.0634766e-1, 5.9375e-1, 8.911133e-1, 3.2080078e-1, -8.183594e-1, 7.314453e-1]> : tensor<6xf16>
    %cst_1 = stablehlo.constant dense<[-5.0146484e-1, 8.7939453e-1, -1.0722656, 9.145508e-1, -2.0065308e-2, -1.2490234]> : tensor<6xf16>
    return %cst, %cst_0, %cst_1 : tensor<2x6xf16>, tensor<6xf16>, tensor<6xf16>
  }
  func.func private @expected() -> (tensor<2x6xf16> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[-1.1679688, 8.022461e-1, -2.4296875, 1.1416016, -5.4052734e-1, -1.9853516], [2.0492554e-2, 1.1904297, -2.5839844, 1.0615234, -7.973633e-1, -6.660156e-1]]> : tensor<2x6xf16>
    return %cst : tensor<2x6xf16>
  }
  func.func private @program(%arg0: tensor<2x6xf16>, %arg1: tensor<6xf16>, %arg2: tensor<6xf16>) -> (tensor<2x6xf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<2x6xf16>) -> tensor<2x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x6xf32>, tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<2x1xf32>
    %5 = stablehlo.convert %4 : (tensor<2x1xf32>) -> tensor<2x1xf16>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<2x1xf16>) -> tensor<2x6xf16>
    %7 = stablehlo.subtract %arg0, %6 : tensor<2x6xf16>
    %8 = stablehlo.multiply %7, %7 : tensor<2x6xf16>
    %9 = stablehlo.convert %8 : (tensor<2x6xf16>) -> tensor<2x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<2x6xf32>, tensor<f32>) -> tensor<2xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %cst_2 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<2x1xf32>
    %14 = stablehlo.convert %13 : (tensor<2x1xf32>) -> tensor<2x1xf16>
    %15 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<2x1xf16>) -> tensor<2x6xf16>
    %16 = stablehlo.subtract %arg0, %15 : tensor<2x6xf16>
    %cst_3 = stablehlo.constant dense<1.000400e-03> : tensor<f16>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f16>) -> tensor<2x1xf16>
    %18 = stablehlo.add %14, %17 : tensor<2x1xf16>
    %19 = stablehlo.rsqrt %18 : tensor<2x1xf16>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<2x1xf16>) -> tensor<2x6xf16>
    %21 = stablehlo.multiply %16, %20 : tensor<2x6xf16>
    %22 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<6xf16>) -> tensor<1x6xf16>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<1x6xf16>) -> tensor<2x6xf16>
    %24 = stablehlo.multiply %21, %23 : tensor<2x6xf16>
    %25 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<6xf16>) -> tensor<1x6xf16>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x6xf16>) -> tensor<2x6xf16>
    %27 = stablehlo.add %24, %26 : tensor<2x6xf16>
    return %27 : tensor<2x6xf16>
  }
}
