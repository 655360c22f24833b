// The number of rows is an argument, as in programs that JAX exports with symbolic sizes.
func.func @main(%n: tensor<i64>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %four = stablehlo.constant dense<4> : tensor<i64>
  %rows = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %columns = stablehlo.reshape %four : (tensor<i64>) -> tensor<1xi64>
  %shape = stablehlo.concatenate %rows, %columns, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %numbers = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi64>) -> tensor<?x4xf32>
  %y = stablehlo.add %x, %numbers : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
