// CHLO's ops as custom calls, the way older exporters write them.
func.func @main(%x: tensor<3x8xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>, tensor<3x8xf32>, tensor<3x8xf32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<3x8xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %1 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %2 = stablehlo.custom_call @mhlo.tan(%1) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  return %0#0, %0#1, %1, %2 : tensor<3x2xf32>, tensor<3x2xi32>, tensor<3x8xf32>, tensor<3x8xf32>
}
