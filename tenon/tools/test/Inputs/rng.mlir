func.func @main() -> tensor<2x3xi32> {
  %low = stablehlo.constant dense<-100> : tensor<i32>
  %high = stablehlo.constant dense<1000> : tensor<i32>
  %sizes = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.rng %low, %high, %sizes, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
