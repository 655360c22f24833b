// The worked examples of `log` in the StableHLO specification.

func.func @log_line_3088() -> (tensor<2x2xf64>) {
  %operand = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %result = "stablehlo.log"(%operand) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %result : tensor<2x2xf64>
}
// EXPECT: dense<[[0.0, 0.69314718055994529], [1.0986122886681098, 1.3862943611198906]]> : tensor<2x2xf64>
