// The worked examples of `real` in the StableHLO specification.

func.func @real_line_3732() -> (tensor<2xf32>) {
  %operand = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
  %result = "stablehlo.real"(%operand) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %result : tensor<2xf32>
}
// EXPECT: dense<[1.0, 3.0]> : tensor<2xf32>
