module @jit_sort attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2x4xi16> {jax.result_info = "[0]", mhlo.layout_mode = "default"}, tensor<2x4xui8> {jax.result_info = "[1]", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<2x4xi16>, tensor<2x4xui8>)
    %1:2 = call @expected() : () -> (tensor<2x4xi16>, tensor<2x4xui8>)
    %2:2 = call @program(%0#0, %0#1) : (tensor<2x4xi16>, tensor<2x4xui8>) -> (tensor<2x4xi16>, tensor<2x4xui8>)
    stablehlo.custom_call @check.expect_eq(%2#0, %1#0) {has_side_effect = true} : (tensor<2x4xi16>, tensor<2x4xi16>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#1, %1#1) {has_side_effect = true} : (tensor<2x4xui8>, tensor<2x4xui8>) -> ()
    return %2#0, %2#1 : tensor<2x4xi16>, tensor<2x4xui8>
  }
  func.func private @inputs() -> (tensor<2x4xi16> {mhlo.layout_mode = "default"}, tensor<2x4xui8> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[3, -1, 3, 0], [9, 8, -7, 8]]> : tensor<2x4xi16>
    %cst_0 = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xui8>
    return %cst, %cst_0 : tensor<2x4xi16>, tensor<2x4xui8>
  }
  func.func private @expected() -> (tensor<2x4xi16> {mhlo.layout_mode = "default"}, tensor<2x4xui8> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[-1, 0, 3, 3], [-7, 8, 8, 9]]> : tensor<2x4xi16>
    %cst_0 = stablehlo.constant dense<[[1, 3, 0, 2], [6, 5, 7, 4]]> : tensor<2x4xui8>
    return %cst, %cst_0 : tensor<2x4xi16>, tensor<2x4xui8>
  }
  func.func private @program(%arg0: tensor<2x4xi16>, %arg1: tensor<2x4xui8>) -> (tensor<2x4xi16> {jax.result_info = "result[0]"}, tensor<2x4xui8> {jax.result_info = "result[1]"}) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i16>, %arg3: tensor<i16>, %arg4: tensor<ui8>, %arg5: tensor<ui8>):
      %1 = stablehlo.compare LT, %arg2, %arg3, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<2x4xi16>, tensor<2x4xui8>) -> (tensor<2x4xi16>, tensor<2x4xui8>)
    return %0#0, %0#1 : tensor<2x4xi16>, tensor<2x4xui8>
  }
}
