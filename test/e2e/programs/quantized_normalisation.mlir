// Found by fuzzing: gradients of a normalisation of quantized values, of which the number of variances is what the run
// computes; the compiler ended.
func.func @main(%x: tensor<4x3xf32>) -> tensor<3xf32> {
  %three = stablehlo.constant dense<3> : tensor<i32>
  %size = stablehlo.optimization_barrier %three : tensor<i32>
  %ones = stablehlo.constant dense<1.0> : tensor<3xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<4x3xf32>) -> tensor<4x3x!quant.uniform<i8:f32, 0.5>>
  %v = stablehlo.uniform_quantize %ones : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5>>
  %b = stablehlo.set_dimension_size %v, %size, dim = 0 : (tensor<3x!quant.uniform<i8:f32, 0.5>>, tensor<i32>) -> tensor<?x!quant.uniform<i8:f32, 0.5>, #stablehlo.bounds<3>>
  %0:3 = "stablehlo.batch_norm_grad"(%q, %v, %v, %b, %q) {epsilon = 0.125 : f32, feature_index = 1 : i64}
      : (tensor<4x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x!quant.uniform<i8:f32, 0.5>>, tensor<3x!quant.uniform<i8:f32, 0.5>>, tensor<?x!quant.uniform<i8:f32, 0.5>, #stablehlo.bounds<3>>, tensor<4x3x!quant.uniform<i8:f32, 0.5>>)
      -> (tensor<4x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x!quant.uniform<i8:f32, 0.5>>, tensor<3x!quant.uniform<i8:f32, 0.5>>)
  %1 = stablehlo.uniform_dequantize %0#2 : (tensor<3x!quant.uniform<i8:f32, 0.5>>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
