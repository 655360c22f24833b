// What the tests of the infeed feed.
func.func @main() -> (tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<2xbf16>) {
  %0 = stablehlo.constant dense<2> : tensor<i32>
  %1 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %2 = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %3 = stablehlo.constant dense<[0.5, 1.5]> : tensor<2xbf16>
  return %0, %1, %2, %3 : tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<2xbf16>
}
