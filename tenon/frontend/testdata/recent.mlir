// artifact versions: 1.12.0 1.17.0
func.func @recent(%x: tensor<4xf32>, %t: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
  %0 = stablehlo.tan %x : tensor<4xf32>
  %1 = stablehlo.exponential %0 {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %2 = stablehlo.tanh %1 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %3 = stablehlo.composite "my.op" %2 {composite_attributes = {n = 1 : i32, flag = true}, decomposition = @body, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = stablehlo.composite "my.plain" %3 {decomposition = @body} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = stablehlo.dot_general %4, %4, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %6 = stablehlo.custom_call @typed(%4) {api_version = 4 : i32, backend_config = {bar = 42 : i32, list = dense<[1, 2]> : tensor<2xi64>}} : (tensor<4xf32>) -> tensor<4xf32>
  %7 = "stablehlo.send"(%6, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %6, %7 : tensor<4xf32>, !stablehlo.token
}
func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
