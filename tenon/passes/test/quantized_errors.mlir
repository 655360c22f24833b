// RUN: %opt %s --tenon-lower-quantized --split-input-file --verify-diagnostics

func.func @scales(%x: tensor<3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<3xf32> {
  // expected-error@+1 {{computes on a type that does not have one scale for each index of its quantized dimension}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @shape(%x: tensor<?x!quant.uniform<i8:f32, 0.5>>) -> tensor<?xf32> {
  // expected-error@+1 {{computes on quantized values of a dynamic shape, which is not implemented}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<?x!quant.uniform<i8:f32, 0.5>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @blocks(%x: tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5}, {0.25}}>>) -> tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5}, {0.25}}>> {
  // expected-error@+1 {{computes on a quantized type that is neither per tensor nor per axis}}
  %0 = chlo.broadcast_add %x, %x : (tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5}, {0.25}}>>, tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5}, {0.25}}>>) -> tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5}, {0.25}}>>
  return %0 : tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5}, {0.25}}>>
}
