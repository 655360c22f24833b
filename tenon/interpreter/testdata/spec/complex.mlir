// The worked examples of `complex` in the StableHLO specification.

func.func @complex_line_1698() -> (tensor<2xcomplex<f32>>) {
  %lhs = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %rhs = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %result = "stablehlo.complex"(%lhs, %rhs) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  return %result : tensor<2xcomplex<f32>>
}
// EXPECT: dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
