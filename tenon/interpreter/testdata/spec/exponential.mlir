// The worked examples of `exponential` in the StableHLO specification.

func.func @exponential_line_2469() -> (tensor<2x2xf64>) {
  %operand = stablehlo.constant dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf64>
  %result = "stablehlo.exponential"(%operand) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %result : tensor<2x2xf64>
}
// EXPECT: dense<[[1.0, 2.7182818284590451], [7.3890560989306504, 20.085536923187668]]> : tensor<2x2xf64>
