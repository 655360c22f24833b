// The worked examples of `power` in the StableHLO specification.

// The document prints the f32 results 0.333333343 and inf; the operands are f64.
func.func @power_line_3694() -> (tensor<6xf64>) {
  %lhs = stablehlo.constant dense<[-2.0, -0.0, -36.0, 5.0, 3.0, 10000.0]> : tensor<6xf64>
  %rhs = stablehlo.constant dense<[2.0, 2.0, 1.1, 2.0, -1.0, 10.0]> : tensor<6xf64>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
  return %result : tensor<6xf64>
}
// EXPECT: dense<[4.0, 0.0, 0x7FF8000000000000, 25.0, 0.33333333333333331, 1.0e40]> : tensor<6xf64>
