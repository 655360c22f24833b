// A list of quantized values of unknown length: what it is stored in are integers that decide no size.
func.func @main(%a: tensor<?x!quant.uniform<i8:f32, 2.0:0>>, %b: tensor<?x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<?x!quant.uniform<i8:f32, 0.5:0>> {
  %0 = stablehlo.add %a, %b : (tensor<?x!quant.uniform<i8:f32, 2.0:0>>, tensor<?x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<?x!quant.uniform<i8:f32, 0.5:0>>
  return %0 : tensor<?x!quant.uniform<i8:f32, 0.5:0>>
}
