// A size, an array of that size, and another size.
func.func @main() -> (tensor<i64>, tensor<3x4xf32>, tensor<i64>) {
  %three = stablehlo.constant dense<3> : tensor<i64>
  %x = stablehlo.iota dim = 1 : tensor<3x4xf32>
  %other = stablehlo.constant dense<-1> : tensor<i64>
  return %three, %x, %other : tensor<i64>, tensor<3x4xf32>, tensor<i64>
}
