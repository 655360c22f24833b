// The worked examples of `imag` in the StableHLO specification.

func.func @imag_line_2929() -> (tensor<2xf32>) {
  %operand = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
  %result = "stablehlo.imag"(%operand) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %result : tensor<2xf32>
}
// EXPECT: dense<[2.0, 4.0]> : tensor<2xf32>
