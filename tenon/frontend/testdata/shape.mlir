// artifact versions: 0.9.0 1.0.0 1.17.0
func.func @shape(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %i: tensor<i32>) -> tensor<6xf32> {
  %0 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.concatenate %0, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %3 = stablehlo.reverse %2, dims = [0, 1] : tensor<3x4xf32>
  %4 = stablehlo.slice %3 [0:3:2, 1:3] : (tensor<3x4xf32>) -> tensor<2x2xf32>
  %5 = stablehlo.pad %4, %s, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<3x4xf32>
  %6 = stablehlo.dynamic_slice %5, %i, %i, sizes = [2, 3] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %7 = stablehlo.dynamic_update_slice %6, %x, %i, %i : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %8 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %9 = stablehlo.reshape %7 : (tensor<2x3xf32>) -> tensor<6xf32>
  %10 = stablehlo.get_dimension_size %9, dim = 0 : (tensor<6xf32>) -> tensor<i32>
  %11 = stablehlo.set_dimension_size %9, %10, dim = 0 : (tensor<6xf32>, tensor<i32>) -> tensor<6xf32>
  return %11 : tensor<6xf32>
}

func.func @gather(%x: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %u: tensor<2x3x2x2xf32>) -> tensor<3x4x2xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 2, 2>, indices_are_sorted = true
  }> : (tensor<3x4x2xf32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2>,
    unique_indices = true
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<2x3x2x2xf32>) -> tensor<3x4x2xf32>
  return %1 : tensor<3x4x2xf32>
}
