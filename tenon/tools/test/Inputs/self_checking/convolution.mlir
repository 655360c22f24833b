module @jit_convolution attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<1x3x2x2xf32> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<1x3x4x2xf32>, tensor<2x3x2x2xf32>)
    %1 = call @expected() : () -> tensor<1x3x2x2xf32>
    %2 = call @program(%0#0, %0#1) : (tensor<1x3x4x2xf32>, tensor<2x3x2x2xf32>) -> tensor<1x3x2x2xf32>
    stablehlo.custom_call @check.expect_almost_eq(%2, %1) {has_side_effect = true} : (tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>) -> ()
    return %2 : tensor<1x3x2x2xf32>
  }
  func.func private @inputs() -> (tensor<1x3x4x2xf32> {mhlo.layout_mode = "default"}, tensor<2x3x2x2xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[[[-2.9752684e-1, -8.1081456e-1], [7.522438e-1, 2.5344652e-1], [8.958831e-1, -3.452157e-1], [-1.4818183, -1.10010765e-1]], [[-4.4582814e-1, 7.753238e-1], [1.9363284e-1, -1.6308492], [-1.1951631, 8.8378906e-1], [6.7976505e-1, -6.4024335e-1]], [[-1.0487966e-3, 4.4557357e-1], [4.6840432e-1, 8.762422e-1], [2.5648564e-1, -9.482834e-2], [-2.5884807e-1, 1.0557429]]]]> : tensor<1x3x4x2xf32>
    %cst_0 = stablehlo.constant dense<[[[[-2.2508543, -1.3865532e-1], [3.3000104e-2, -1.425349]], [[3.3281362e-1, -6.51281e-1], [8.624448e-1, -1.2559208e-1]], [[6.691532e-1, 1.2188436], [3.829296e-1, -8.7572116e-1]]], [[[-1.5143186, 1.7533841], [-1.1129219e-1, -6.8856496e-1]], [[1.4425708e-1, -1.9141133e-1], [8.521423e-1, 3.3928182e-2]], [[1.3749584e-2, -7.145797e-1], [4.695681e-1, -1.0338668]]]]> : tensor<2x3x2x2xf32>
    return %cst, %cst_0 : tensor<1x3x4x2xf32>, tensor<2x3x2x2xf32>
  }
  func.func private @expected() -> (tensor<1x3x2x2xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[[[1.2047848, 6.018036e-1], [-1.3519605, -1.5092328]], [[-4.9060922e-2, -3.6490614], [2.8778188, -8.559215e-1]], [[1.0639821, -6.544053e-1], [2.4393065e-1, 1.3559027e-1]]]]> : tensor<1x3x2x2xf32>
    return %cst : tensor<1x3x2x2xf32>
  }
  func.func private @program(%arg0: tensor<1x3x4x2xf32>, %arg1: tensor<2x3x2x2xf32>) -> (tensor<1x3x2x2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x3x4x2xf32>, tensor<2x3x2x2xf32>) -> tensor<1x3x2x2xf32>
    return %0 : tensor<1x3x2x2xf32>
  }
}
