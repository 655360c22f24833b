// The worked examples of `replica_id` in the StableHLO specification.

func.func @replica_id_line_4173() -> (tensor<ui32>) {
  %result = "stablehlo.replica_id"() : () -> tensor<ui32>
  return %result : tensor<ui32>
}
