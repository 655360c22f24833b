// The worked examples of `negate` in the StableHLO specification.

func.func @negate_line_3373_0() -> (tensor<2xi32>) {
  %operand = stablehlo.constant dense<[0, -2]> : tensor<2xi32>
  %result = "stablehlo.negate"(%operand) : (tensor<2xi32>) -> tensor<2xi32>
  return %result : tensor<2xi32>
}
// EXPECT: dense<[0, 2]> : tensor<2xi32>

func.func @negate_line_3373_1() -> (tensor<1xcomplex<f32>>) {
  %operand = stablehlo.constant dense<[(2.5, 0.0)]> : tensor<1xcomplex<f32>>
  %result = "stablehlo.negate"(%operand) : (tensor<1xcomplex<f32>>) -> tensor<1xcomplex<f32>>
  return %result : tensor<1xcomplex<f32>>
}
// EXPECT: dense<[(-2.5, -0.0)]> : tensor<1xcomplex<f32>>
