module @jit_polymorphic attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<?x2xf32> {jax.result_info = "[0]", mhlo.layout_mode = "default"}, tensor<4xf32> {jax.result_info = "[1]", mhlo.layout_mode = "default"}, tensor<?xf32> {jax.result_info = "[2]", mhlo.layout_mode = "default"}, tensor<?xi64> {jax.result_info = "[3]", mhlo.layout_mode = "default"}) {
    %0:2 = call @inputs() : () -> (tensor<3x4xf32>, tensor<4x2xf32>)
    %1:4 = call @expected() : () -> (tensor<3x2xf32>, tensor<4xf32>, tensor<12xf32>, tensor<3xi64>)
    %in0 = stablehlo.convert %0#0 : (tensor<3x4xf32>) -> tensor<?x4xf32>
    %2:4 = call @program(%in0, %0#1) : (tensor<?x4xf32>, tensor<4x2xf32>) -> (tensor<?x2xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xi64>)
    stablehlo.custom_call @check.expect_almost_eq(%2#0, %1#0) {has_side_effect = true} : (tensor<?x2xf32>, tensor<3x2xf32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%2#1, %1#1) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%2#2, %1#2) {has_side_effect = true} : (tensor<?xf32>, tensor<12xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#3, %1#3) {has_side_effect = true} : (tensor<?xi64>, tensor<3xi64>) -> ()
    return %2#0, %2#1, %2#2, %2#3 : tensor<?x2xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xi64>
  }
  func.func private @inputs() -> (tensor<3x4xf32> {mhlo.layout_mode = "default"}, tensor<4x2xf32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[6.6588944e-1, 1.5239375, -1.524686, -2.4662292], [6.1687875e-1, 2.5478978, -1.0009248, -1.2506957], [5.8896893e-1, -8.407216e-1, -5.060255e-1, -3.4811747e-1]]> : tensor<3x4xf32>
    %cst_0 = stablehlo.constant dense<[[5.320021e-1, -4.0530238e-1], [2.7788284e-1, -1.7653325e-1], [-8.4467113e-1, -3.1982625e-1], [-9.5039964e-1, 6.514986e-3]]> : tensor<4x2xf32>
    return %cst, %cst_0 : tensor<3x4xf32>, tensor<4x2xf32>
  }
  func.func private @expected() -> (tensor<3x2xf32> {mhlo.layout_mode = "default"}, tensor<4xf32> {mhlo.layout_mode = "default"}, tensor<12xf32> {mhlo.layout_mode = "default"}, tensor<3xi64> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[2.2675028, -1.1206755e-1], [2.0165622, -1.5870185e-1], [8.032621e-1, 5.3796254e-2]]> : tensor<3x2xf32>
    %cst_0 = stablehlo.constant dense<[2.5376265, 4.755051, -4.556322, -6.5312715]> : tensor<4xf32>
    %cst_1 = stablehlo.constant dense<[6.6588944e-1, 1.5239375, -1.524686, -2.4662292, 6.1687875e-1, 2.5478978, -1.0009248, -1.2506957, 5.8896893e-1, -8.407216e-1, -5.060255e-1, -3.4811747e-1]> : tensor<12xf32>
    %cst_2 = stablehlo.constant dense<[0, 2, 4]> : tensor<3xi64>
    return %cst, %cst_0, %cst_1, %cst_2 : tensor<3x2xf32>, tensor<4xf32>, tensor<12xf32>, tensor<3xi64>
  }
  func.func private @program(%arg0: tensor<?x4xf32>, %arg1: tensor<4x2xf32>) -> (tensor<?x2xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}, tensor<?xf32> {jax.result_info = "result[2]"}, tensor<?xi64> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %1 = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
    %2 = stablehlo.compare GE, %1, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%2, %1) {api_version = 2 : i32, error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'. Using the following polymorphic shapes specifications: args[0].shape = (b, 4). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details.", has_side_effect = true} : (tensor<i1>, tensor<i64>) -> ()
    %3:4 = call @_wrapped_jax_export_main(%1, %arg0, %arg1) : (tensor<i64>, tensor<?x4xf32>, tensor<4x2xf32>) -> (tensor<?x2xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xi64>)
    return %3#0, %3#1, %3#2, %3#3 : tensor<?x2xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xi64>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i64> {jax.global_constant = "b"}, %arg1: tensor<?x4xf32>, %arg2: tensor<4x2xf32>) -> (tensor<?x2xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}, tensor<?xf32> {jax.result_info = "result[2]"}, tensor<?xi64> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<2> : tensor<i64>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %c_1 = stablehlo.constant dense<4> : tensor<i64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.tanh %arg1 : tensor<?x4xf32>
    %1 = stablehlo.dot_general %0, %arg2, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
    %2 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<1xi64>
    %3 = "stablehlo.gather"(%arg1, %2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0]>, indices_are_sorted = true, slice_sizes = array<i64: 1, 4>}> : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
    %4 = stablehlo.concatenate %arg1, %3, dim = 0 : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<?x4xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.convert %arg0 : tensor<i64>
    %7 = stablehlo.multiply %6, %c_1 : tensor<i64>
    %8 = stablehlo.convert %7 : (tensor<i64>) -> tensor<i32>
    %9 = stablehlo.reshape %8 : (tensor<i32>) -> tensor<1xi32>
    %10 = stablehlo.dynamic_reshape %arg1, %9 : (tensor<?x4xf32>, tensor<1xi32>) -> tensor<?xf32>
    %11 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %12 = stablehlo.reshape %11 : (tensor<i32>) -> tensor<1xi32>
    %13 = stablehlo.dynamic_iota %12, dim = 0 : (tensor<1xi32>) -> tensor<?xi64>
    %14 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %15 = stablehlo.reshape %14 : (tensor<i32>) -> tensor<1xi32>
    %16 = stablehlo.dynamic_broadcast_in_dim %c_0, %15, dims = [] : (tensor<i64>, tensor<1xi32>) -> tensor<?xi64>
    %17 = stablehlo.multiply %16, %13 : tensor<?xi64>
    %18 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %19 = stablehlo.reshape %18 : (tensor<i32>) -> tensor<1xi32>
    %20 = stablehlo.dynamic_broadcast_in_dim %c_2, %19, dims = [] : (tensor<i64>, tensor<1xi32>) -> tensor<?xi64>
    %21 = stablehlo.add %20, %17 : tensor<?xi64>
    %22 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %23 = stablehlo.reshape %22 : (tensor<i32>) -> tensor<1xi32>
    %24 = stablehlo.dynamic_broadcast_in_dim %c, %23, dims = [] : (tensor<i64>, tensor<1xi32>) -> tensor<?xi64>
    %25 = stablehlo.multiply %21, %24 : tensor<?xi64>
    return %1, %5, %10, %25 : tensor<?x2xf32>, tensor<4xf32>, tensor<?xf32>, tensor<?xi64>
  }
}
