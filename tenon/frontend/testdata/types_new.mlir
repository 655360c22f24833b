// artifact versions: 1.8.0 1.17.0
func.func @constants() -> tensor<2xi2> {
  %0 = stablehlo.constant dense<[-2, 1]> : tensor<2xi2>
  %1 = stablehlo.constant dense<[0, 3]> : tensor<2xui2>
  %2 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3FNUZ>
  %3 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E5M2FNUZ>
  %4 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3B11FNUZ>
  %5 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3>
  %6 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E3M4>
  %7 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf4E2M1FN>
  %8 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf6E2M3FN>
  %9 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf6E3M2FN>
  %10 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E8M0FNU>
  return %0 : tensor<2xi2>
}
