// A quotient of the position, the same in all lanes, lies outside of the array wherever another piece of the concatenation is
// meant: no such element may be read.
module {
  func.func @main(%starts: tensor<6x1xi32>, %table: tensor<12x1xui64>) -> tensor<48xui64> {
    %0 = "stablehlo.gather"(%table, %starts) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 2, 1>}> : (tensor<12x1xui64>, tensor<6x1xi32>) -> tensor<6x2xui64>
    %1 = stablehlo.reshape %0 : (tensor<6x2xui64>) -> tensor<12xui64>
    %2 = stablehlo.concatenate %1, %1, %1, %1, dim = 0 : (tensor<12xui64>, tensor<12xui64>, tensor<12xui64>, tensor<12xui64>) -> tensor<48xui64>
    return %2 : tensor<48xui64>
  }
}
