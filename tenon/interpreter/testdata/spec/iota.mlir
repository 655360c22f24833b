// The worked examples of `iota` in the StableHLO specification.

func.func @iota_line_3003_0() -> (tensor<4x5xi32>) {
  %output = "stablehlo.iota"() {
    iota_dimension = 0 : i64
  } : () -> tensor<4x5xi32>
  return %output : tensor<4x5xi32>
}
// EXPECT: dense<[[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2], [3, 3, 3, 3, 3]]> : tensor<4x5xi32>

func.func @iota_line_3003_1() -> (tensor<4x5xi32>) {
  %output = "stablehlo.iota"() {
    iota_dimension = 1 : i64
  } : () -> tensor<4x5xi32>
  return %output : tensor<4x5xi32>
}
// EXPECT: dense<[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]> : tensor<4x5xi32>
