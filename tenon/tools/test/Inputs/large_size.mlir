// 2^32 + 6, which must not count as 6.
func.func @main(%x: tensor<6xf32>) -> tensor<?xf32, #stablehlo.bounds<6>> {
  %n = stablehlo.constant dense<4294967302> : tensor<1xi64>
  %size = stablehlo.optimization_barrier %n : tensor<1xi64>
  %0 = stablehlo.dynamic_reshape %x, %size : (tensor<6xf32>, tensor<1xi64>) -> tensor<?xf32, #stablehlo.bounds<6>>
  return %0 : tensor<?xf32, #stablehlo.bounds<6>>
}
