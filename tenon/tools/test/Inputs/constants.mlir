// Writes arrays for other tests: tenon run constants.mlir --out DIR
func.func @main() -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<2x3xi32>, tensor<2xbf16>, tensor<4xi1>) {
  %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %1 = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %2 = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %3 = stablehlo.constant dense<1> : tensor<2x3xi32>
  %4 = stablehlo.constant dense<[1.0, -2.5]> : tensor<2xbf16>
  %5 = stablehlo.constant dense<[true, false, false, true]> : tensor<4xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<2x3xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<2x3xi32>, tensor<2xbf16>, tensor<4xi1>
}
