module @jit_dot_bf16 attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<3x2xbf16> {jax.result_info = "", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<3x4xbf16>, tensor<4x2xbf16>)
    %1 = call @expected() : () -> tensor<3x2xbf16>
    %2 = call @program(%0#0, %0#1) : (tensor<3x4xbf16>, tensor<4x2xbf16>) -> tensor<3x2xbf16>
    stablehlo.custom_call @check.expect_close(%2, %1) {has_side_effect = true, max_ulp_difference = 1 : i64, min_ulp_difference = 0 : i64} : (tensor<3x2xbf16>, tensor<3x2xbf16>) -> ()
    return %2 : tensor<3x2xbf16>
  }
  func.func private @inputs() -> (tensor<3x4xbf16> {mhlo.layout_mode = "default"}, tensor<4x2xbf16> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[5.9765625e-1, 3.9794922e-2, -2.9296875e-1, -7.8125e-1], [-2.578125e-1, 8.117676e-3, -2.7539062e-1, 1.296875], [1.0078125, -2.71875, -1.890625, -1.7480469e-1]]> : tensor<3x4xbf16>
    %cst_0 = stablehlo.constant dense<[[-4.21875e-1, 2.1386719e-1], [2.1777344e-1, 2.125], [-1.109375, -3.7695312e-1], [2.046875, 6.484375e-1]]> : tensor<4x2xbf16>
    return %cst, %cst_0 : tensor<3x4xbf16>, tensor<4x2xbf16>
  }
  func.func private @expected() -> (tensor<3x2xbf16> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[-1.515625, -1.8359375e-1], [3.078125, 9.0625e-1], [7.2265625e-1, -4.96875]]> : tensor<3x2xbf16>
    return %cst : tensor<3x2xbf16>
  }
  func.func private @program(%arg0: tensor<3x4xbf16>, %arg1: tensor<4x2xbf16>) -> (tensor<3x2xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xbf16>, tensor<4x2xbf16>) -> tensor<3x2xbf16>
    return %0 : tensor<3x2xbf16>
  }
}
