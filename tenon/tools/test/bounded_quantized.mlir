// Quantized values of sizes that only a run knows: what does not count is zero, which is not the storage's zero.
// RUN: %compare %tenon %s 0 1 2 3 4 5 6 | %check %s
// CHECK: 7 seeds, {{[4-7]}} shapes
!q = !quant.uniform<i8:f32, 0.5:3>
!r = !quant.uniform<i8:f32, 0.25:0>
!c = !quant.uniform<i8:f32:1, {0.5, 0.25, 0.125, 1.0}>
func.func @main(%x: tensor<6x9xf32>, %y: tensor<9x4xf32>, %s: tensor<i32>)
    -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x?xf32>, tensor<6xf32>, tensor<6x?xf32>, tensor<6x?x1xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.add %s, %one : tensor<i32>
  %b = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<6x9xf32>, tensor<i32>) -> tensor<6x?xf32, #stablehlo.bounds<?, 9>>
  %a = stablehlo.set_dimension_size %y, %n, dim = 0 : (tensor<9x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<9, ?>>
  %qb = stablehlo.uniform_quantize %b : (tensor<6x?xf32, #stablehlo.bounds<?, 9>>) -> tensor<6x?x!q, #stablehlo.bounds<?, 9>>
  %qa = stablehlo.uniform_quantize %a : (tensor<?x4xf32, #stablehlo.bounds<9, ?>>) -> tensor<?x4x!r, #stablehlo.bounds<9, ?>>
  %ca = stablehlo.uniform_quantize %a : (tensor<?x4xf32, #stablehlo.bounds<9, ?>>) -> tensor<?x4x!c, #stablehlo.bounds<9, ?>>
  %qdot = stablehlo.dot_general %qb, %qa, contracting_dims = [1] x [0] : (tensor<6x?x!q, #stablehlo.bounds<?, 9>>, tensor<?x4x!r, #stablehlo.bounds<9, ?>>) -> tensor<6x4x!quant.uniform<i32:f32, 0.125:0>>
  %cdot = stablehlo.dot_general %qb, %ca, contracting_dims = [1] x [0] : (tensor<6x?x!q, #stablehlo.bounds<?, 9>>, tensor<?x4x!c, #stablehlo.bounds<9, ?>>) -> tensor<6x4x!quant.uniform<i32:f32, 0.125:0>>
  %sum = stablehlo.add %qb, %qb : tensor<6x?x!q, #stablehlo.bounds<?, 9>>
  %joined = stablehlo.concatenate %qb, %sum, dim = 1 : (tensor<6x?x!q, #stablehlo.bounds<?, 9>>, tensor<6x?x!q, #stablehlo.bounds<?, 9>>) -> tensor<6x?x!q>
  %least = stablehlo.constant dense<-1.0e9> : tensor<f32>
  %qleast = stablehlo.uniform_quantize %least : (tensor<f32>) -> tensor<!q>
  %most = stablehlo.reduce(%sum init: %qleast) applies stablehlo.maximum across dimensions = [1] : (tensor<6x?x!q, #stablehlo.bounds<?, 9>>, tensor<!q>) -> tensor<6x!q>
  %padded = stablehlo.pad %qb, %qleast, low = [0, 1], high = [0, 2], interior = [0, 1] : (tensor<6x?x!q, #stablehlo.bounds<?, 9>>, tensor<!q>) -> tensor<6x?x!q>
  %column = stablehlo.reshape %qb : (tensor<6x?x!q, #stablehlo.bounds<?, 9>>) -> tensor<6x?x1x!q, #stablehlo.bounds<?, 9, ?>>
  %0 = stablehlo.uniform_dequantize %qdot : (tensor<6x4x!quant.uniform<i32:f32, 0.125:0>>) -> tensor<6x4xf32>
  %1 = stablehlo.uniform_dequantize %cdot : (tensor<6x4x!quant.uniform<i32:f32, 0.125:0>>) -> tensor<6x4xf32>
  %2 = stablehlo.uniform_dequantize %joined : (tensor<6x?x!q>) -> tensor<6x?xf32>
  %3 = stablehlo.uniform_dequantize %most : (tensor<6x!q>) -> tensor<6xf32>
  %4 = stablehlo.uniform_dequantize %padded : (tensor<6x?x!q>) -> tensor<6x?xf32>
  %5 = stablehlo.uniform_dequantize %column : (tensor<6x?x1x!q, #stablehlo.bounds<?, 9, ?>>) -> tensor<6x?x1xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x?xf32>, tensor<6xf32>, tensor<6x?xf32>, tensor<6x?x1xf32>
}
