// The worked examples of `partition_id` in the StableHLO specification.

func.func @partition_id_line_3629() -> (tensor<ui32>) {
  %result = "stablehlo.partition_id"() : () -> tensor<ui32>
  return %result : tensor<ui32>
}
