// The worked examples of `convert` in the StableHLO specification.

func.func @convert_line_1853() -> (tensor<3xcomplex<f32>>) {
  %operand = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %result = "stablehlo.convert"(%operand) : (tensor<3xi32>) -> tensor<3xcomplex<f32>>
  return %result : tensor<3xcomplex<f32>>
}
// EXPECT: dense<[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]> : tensor<3xcomplex<f32>>
