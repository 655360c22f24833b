// The worked examples of `is_finite` in the StableHLO specification.

func.func @is_finite_line_3053() -> (tensor<7xi1>) {
  %x = stablehlo.constant dense<[0xFF800000, 0x7F800000, 0x7FFFFFFF, -10.0, -0.0, 0.0, 10.0]> : tensor<7xf32>
  %y = "stablehlo.is_finite"(%x) : (tensor<7xf32>) -> tensor<7xi1>
  return %y : tensor<7xi1>
}
// EXPECT: dense<[false, false, false, true, true, true, true]> : tensor<7xi1>
