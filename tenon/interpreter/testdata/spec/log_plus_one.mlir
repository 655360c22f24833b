// The worked examples of `log_plus_one` in the StableHLO specification.

// The document prints 0.0 for log_plus_one(-0.0); IEEE 754 keeps the sign of zero.
func.func @log_plus_one_line_3124() -> (tensor<6xf32>) {
  %operand = stablehlo.constant dense<[-2.0, -0.0, -0.999, 7.0, 6.38905621, 15.0]> : tensor<6xf32>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<6xf32>) -> tensor<6xf32>
  return %result : tensor<6xf32>
}
// EXPECT-NEAR(1e-6): dense<[0x7FC00000, -0.0, -6.90776825, 2.07944155, 2.0, 2.77258873]> : tensor<6xf32>
