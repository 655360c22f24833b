// The worked examples of `reduce_precision` in the StableHLO specification.

func.func @reduce_precision_line_3909() -> (tensor<6xf32>) {
  %operand = stablehlo.constant dense<[0xFF800000, 0x7F800000, 0x7FFFFFFF, 0.0, 1000.0, 1000000.0]> : tensor<6xf32>
  %output = "stablehlo.reduce_precision"(%operand) {
    exponent_bits = 5 : i32,
    mantissa_bits = 2 : i32
  } : (tensor<6xf32>) -> tensor<6xf32>
  return %output : tensor<6xf32>
}
// EXPECT: dense<[0xFF800000, 0x7F800000, 0x7FFFFFFF, 0.0, 1024.0, 0x7F800000]> : tensor<6xf32>
