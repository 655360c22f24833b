// No artifacts: JAX cannot write quantized types.
func.func @quantized(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 3.400000e+01:-16>>
  %1 = stablehlo.add %0, %0 : tensor<2x3x!quant.uniform<i8:f32, 3.400000e+01:-16>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x3x!quant.uniform<i8:f32, 3.400000e+01:-16>>) -> tensor<2x3xf32>
  %3 = stablehlo.uniform_quantize %2 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8<-127:127>:f32:1, {1.000000e-01:-3,2.000000e-01,3.000000e-01:5}>>
  return %2 : tensor<2x3xf32>
}
