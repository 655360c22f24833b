// Ops that move elements.

func.func @transpose_is_not_its_inverse() -> tensor<3x4x2xi32> {
  %0 = stablehlo.iota dim = 0 : tensor<24xi32>
  %1 = stablehlo.reshape %0 : (tensor<24xi32>) -> tensor<2x3x4xi32>
  %2 = stablehlo.transpose %1, dims = [1, 2, 0] : (tensor<2x3x4xi32>) -> tensor<3x4x2xi32>
  return %2 : tensor<3x4x2xi32>
}
// EXPECT: dense<[[[0, 12], [1, 13], [2, 14], [3, 15]], [[4, 16], [5, 17], [6, 18], [7, 19]], [[8, 20], [9, 21], [10, 22], [11, 23]]]> : tensor<3x4x2xi32>

func.func @iota_of_types() -> (tensor<3xcomplex<f32>>, tensor<10xi4>, tensor<2x2xbf16>, tensor<2x0xi8>, tensor<3xf8E4M3FN>) {
  %0 = stablehlo.iota dim = 0 : tensor<3xcomplex<f32>>
  %1 = stablehlo.iota dim = 0 : tensor<10xi4>
  %2 = stablehlo.iota dim = 1 : tensor<2x2xbf16>
  %3 = stablehlo.iota dim = 1 : tensor<2x0xi8>
  %4 = stablehlo.iota dim = 0 : tensor<3xf8E4M3FN>
  return %0, %1, %2, %3, %4 :
    tensor<3xcomplex<f32>>, tensor<10xi4>, tensor<2x2xbf16>, tensor<2x0xi8>, tensor<3xf8E4M3FN>
}
// EXPECT: dense<[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]> : tensor<3xcomplex<f32>>
// EXPECT: dense<[0, 1, 2, 3, 4, 5, 6, 7, -8, -7]> : tensor<10xi4>
// EXPECT: dense<[[0.0, 1.0], [0.0, 1.0]]> : tensor<2x2xbf16>
// EXPECT: dense<> : tensor<2x0xi8>
// EXPECT: dense<[0.0, 1.0, 2.0]> : tensor<3xf8E4M3FN>

func.func @scalars_and_broadcast() -> (tensor<f32>, tensor<1x1xf32>, tensor<2x2xf32>, tensor<0x2xf32>) {
  %0 = stablehlo.constant dense<3.0> : tensor<1x1x1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x1x1xf32>) -> tensor<f32>
  %2 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1x1xf32>
  %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
  %4 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<0x2xf32>
  return %1, %2, %3, %4 : tensor<f32>, tensor<1x1xf32>, tensor<2x2xf32>, tensor<0x2xf32>
}
// EXPECT: dense<3.0> : tensor<f32>
// EXPECT: dense<3.0> : tensor<1x1xf32>
// EXPECT: dense<3.0> : tensor<2x2xf32>
// EXPECT: dense<> : tensor<0x2xf32>

func.func @broadcast_deprecated() -> tensor<2x1x2xi32> {
  %0 = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
  %1 = stablehlo.broadcast %0, sizes = [2, 1] : (tensor<2xi32>) -> tensor<2x1x2xi32>
  return %1 : tensor<2x1x2xi32>
}
// EXPECT: dense<[[[5, 6]], [[5, 6]]]> : tensor<2x1x2xi32>

func.func @concatenate() -> (tensor<2x4xi32>, tensor<2x1xi32>) {
  %0 = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %1 = stablehlo.constant dense<> : tensor<2x0xi32>
  %2 = stablehlo.constant dense<[[3, 4, 5], [6, 7, 8]]> : tensor<2x3xi32>
  %3 = stablehlo.concatenate %0, %1, %2, dim = 1 : (tensor<2x1xi32>, tensor<2x0xi32>, tensor<2x3xi32>) -> tensor<2x4xi32>
  %4 = stablehlo.concatenate %0, dim = 0 : (tensor<2x1xi32>) -> tensor<2x1xi32>
  return %3, %4 : tensor<2x4xi32>, tensor<2x1xi32>
}
// EXPECT: dense<[[1, 3, 4, 5], [2, 6, 7, 8]]> : tensor<2x4xi32>
// EXPECT: dense<[[1], [2]]> : tensor<2x1xi32>

func.func @reverse() -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<0x2xi32>) {
  %0 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %1 = stablehlo.reverse %0, dims = [0, 1] : tensor<2x3xi32>
  %2 = stablehlo.reverse %0, dims = [] : tensor<2x3xi32>
  %3 = stablehlo.constant dense<> : tensor<0x2xi32>
  %4 = stablehlo.reverse %3, dims = [0] : tensor<0x2xi32>
  return %1, %2, %4 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<0x2xi32>
}
// EXPECT: dense<[[6, 5, 4], [3, 2, 1]]> : tensor<2x3xi32>
// EXPECT: dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
// EXPECT: dense<> : tensor<0x2xi32>

func.func @slice() -> (tensor<2x2xi32>, tensor<0x3xi32>) {
  %0 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi32>
  %1 = stablehlo.slice %0 [0:3:2, 0:3:2] : (tensor<3x3xi32>) -> tensor<2x2xi32>
  %2 = stablehlo.slice %0 [1:1, 0:3] : (tensor<3x3xi32>) -> tensor<0x3xi32>
  return %1, %2 : tensor<2x2xi32>, tensor<0x3xi32>
}
// EXPECT: dense<[[1, 3], [7, 9]]> : tensor<2x2xi32>
// EXPECT: dense<> : tensor<0x3xi32>

func.func @pad() -> (tensor<2xi32>, tensor<5xi32>, tensor<3xi32>) {
  %0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %v = stablehlo.constant dense<9> : tensor<i32>
  // Interior padding first, then the edges are cut: 1 9 2 9 3 9 4.
  %1 = stablehlo.pad %0, %v, low = [-3], high = [-2], interior = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  %2 = stablehlo.pad %0, %v, low = [-1], high = [2], interior = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<5xi32>
  %3 = stablehlo.constant dense<> : tensor<0xi32>
  %4 = stablehlo.pad %3, %v, low = [1], high = [2], interior = [5] : (tensor<0xi32>, tensor<i32>) -> tensor<3xi32>
  return %1, %2, %4 : tensor<2xi32>, tensor<5xi32>, tensor<3xi32>
}
// EXPECT: dense<[9, 3]> : tensor<2xi32>
// EXPECT: dense<[2, 3, 4, 9, 9]> : tensor<5xi32>
// EXPECT: dense<[9, 9, 9]> : tensor<3xi32>

func.func @dynamic_slices_clamp() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<5xi32>, tensor<5xi32>) {
  %0 = stablehlo.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %a = stablehlo.constant dense<4> : tensor<i32>
  %b = stablehlo.constant dense<-1> : tensor<i32>
  %c = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %1 = stablehlo.dynamic_slice %0, %a, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
  %2 = stablehlo.dynamic_slice %0, %b, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
  %3 = stablehlo.dynamic_slice %0, %c, sizes = [2] : (tensor<5xi32>, tensor<ui64>) -> tensor<2xi32>
  %u = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  %4 = stablehlo.dynamic_update_slice %0, %u, %a : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
  %e = stablehlo.constant dense<> : tensor<0xi32>
  %5 = stablehlo.dynamic_update_slice %0, %e, %a : (tensor<5xi32>, tensor<0xi32>, tensor<i32>) -> tensor<5xi32>
  return %1, %2, %3, %4, %5 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<5xi32>, tensor<5xi32>
}
// EXPECT: dense<[3, 4]> : tensor<2xi32>
// EXPECT: dense<[0, 1]> : tensor<2xi32>
// EXPECT: dense<[3, 4]> : tensor<2xi32>
// EXPECT: dense<[0, 1, 2, 7, 8]> : tensor<5xi32>
// EXPECT: dense<[0, 1, 2, 3, 4]> : tensor<5xi32>

// The operand stays what it was for its other users, also where the update could happen in place.
func.func @updates_do_not_alias() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %u = stablehlo.constant dense<[9]> : tensor<1xi32>
  %1 = stablehlo.dynamic_update_slice %0, %u, %i : (tensor<3xi32>, tensor<1xi32>, tensor<i32>) -> tensor<3xi32>
  %j = stablehlo.constant dense<2> : tensor<i32>
  %2 = stablehlo.reshape %1 : (tensor<3xi32>) -> tensor<3xi32>
  %3 = stablehlo.dynamic_update_slice %1, %u, %j : (tensor<3xi32>, tensor<1xi32>, tensor<i32>) -> tensor<3xi32>
  return %0, %2, %3 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}
// EXPECT: dense<[1, 2, 3]> : tensor<3xi32>
// EXPECT: dense<[9, 2, 3]> : tensor<3xi32>
// EXPECT: dense<[9, 2, 9]> : tensor<3xi32>

// Out of bounds: a gather clamps the start, a scatter leaves the window out.
func.func @gather_clamps() -> (tensor<4x2xi32>, tensor<3xi32>, tensor<2x0xi32>) {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = stablehlo.constant dense<[[-5], [0], [2], [99]]> : tensor<4x1xi64>
  %1 = "stablehlo.gather"(%0, %i) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
                                          index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>
  } : (tensor<3x2xi32>, tensor<4x1xi64>) -> tensor<4x2xi32>
  // One scalar index each: index_vector_dim is the rank of the indices.
  %v = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %j = stablehlo.constant dense<[2, 0, 200]> : tensor<3xui8>
  %2 = "stablehlo.gather"(%v, %j) {
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1>
  } : (tensor<3xi32>, tensor<3xui8>) -> tensor<3xi32>
  %k = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %3 = "stablehlo.gather"(%v, %k) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 0>
  } : (tensor<3xi32>, tensor<2xi32>) -> tensor<2x0xi32>
  return %1, %2, %3 : tensor<4x2xi32>, tensor<3xi32>, tensor<2x0xi32>
}
// EXPECT: dense<[[1, 2], [1, 2], [5, 6], [5, 6]]> : tensor<4x2xi32>
// EXPECT: dense<[30, 10, 30]> : tensor<3xi32>
// EXPECT: dense<> : tensor<2x0xi32>

func.func @gather_with_batching() -> tensor<2x2xi32> {
  %0 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
  %1 = "stablehlo.gather"(%0, %i) {
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0],
                                          start_indices_batching_dims = [0], start_index_map = [1],
                                          index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1>
  } : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %1 : tensor<2x2xi32>
}
// EXPECT: dense<[[3, 1], [5, 5]]> : tensor<2x2xi32>

// Nothing to clamp to: zeros.
func.func @gather_from_nothing() -> tensor<2x3xi32> {
  %0 = stablehlo.constant dense<> : tensor<0x3xi32>
  %i = stablehlo.constant dense<[4, -1]> : tensor<2xi32>
  %1 = "stablehlo.gather"(%0, %i) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
      index_vector_dim = 1>, slice_sizes = array<i64: 0, 3>, indices_are_sorted = false
  } : (tensor<0x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  return %1 : tensor<2x3xi32>
}
// EXPECT: dense<0> : tensor<2x3xi32>

// Windows in the order of their scatter indices: element 1 is last set by the second one.
func.func @scatter_order() -> tensor<4xi32> {
  %0 = stablehlo.constant dense<0> : tensor<4xi32>
  %i = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi32>
  %u = stablehlo.constant dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  %1 = "stablehlo.scatter"(%0, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false
  } : (tensor<4xi32>, tensor<1x2xi32>, tensor<3x2xi32>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}
// EXPECT: dense<[4, 5, 6, 3]> : tensor<4xi32>

func.func @scatter_skips_and_accumulates() -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %i = stablehlo.constant dense<[[3], [1], [3], [-1], [4]]> : tensor<5x1xi32>
  %u = stablehlo.constant dense<[10, 20, 30, 40, 50]> : tensor<5xi32>
  %1 = "stablehlo.scatter"(%0, %i, %u) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %2 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %2 : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
                                                   index_vector_dim = 1>
  } : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  // The last of several updates of one element stays; a window that reaches beyond the end is left out.
  %w = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %j = stablehlo.constant dense<[[2], [3]]> : tensor<2x1xi32>
  %3 = "stablehlo.scatter"(%0, %j, %w) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      stablehlo.return %b : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0],
                                                   index_vector_dim = 1>
  } : (tensor<4xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<4xi32>
  return %1, %3 : tensor<4xi32>, tensor<4xi32>
}
// EXPECT: dense<[1, 22, 3, 44]> : tensor<4xi32>
// EXPECT: dense<[1, 2, 5, 6]> : tensor<4xi32>

func.func @scatter_with_batching() -> tensor<2x3xi32> {
  %0 = stablehlo.constant dense<0> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
  %u = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %1 = "stablehlo.scatter"(%0, %i, %u) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %2 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %2 : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0],
                                                   scatter_indices_batching_dims = [0],
                                                   scatter_dims_to_operand_dims = [1], index_vector_dim = 2>
  } : (tensor<2x3xi32>, tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x3xi32>
  return %1 : tensor<2x3xi32>
}
// EXPECT: dense<[[2, 0, 1], [0, 7, 0]]> : tensor<2x3xi32>

func.func @dynamic_shapes() -> (tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<i32>) {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<?x?xi32>
  %n = stablehlo.constant dense<[6]> : tensor<1xi32>
  %1 = stablehlo.dynamic_reshape %0, %n : (tensor<?x?xi32>, tensor<1xi32>) -> tensor<?xi32>
  %low = stablehlo.constant dense<[1]> : tensor<1xi64>
  %high = stablehlo.constant dense<[5]> : tensor<1xi64>
  %step = stablehlo.constant dense<[2]> : tensor<1xi64>
  %2 = stablehlo.real_dynamic_slice %1, %low, %high, %step
      : (tensor<?xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  %t = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %3 = stablehlo.dynamic_broadcast_in_dim %2, %t, dims = [0] : (tensor<?xi32>, tensor<2xi64>) -> tensor<?x2xi32>
  %v = stablehlo.constant dense<-1> : tensor<i32>
  %4 = stablehlo.dynamic_pad %2, %v, %low, %low, %low
      : (tensor<?xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  %5 = stablehlo.get_dimension_size %0, dim = 1 : (tensor<?x?xi32>) -> tensor<i32>
  return %0, %1, %2, %3, %4, %5 :
    tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?x2xi32>, tensor<?xi32>, tensor<i32>
}
// EXPECT: dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
// EXPECT: dense<[0, 1, 2, 0, 1, 2]> : tensor<6xi32>
// EXPECT: dense<[1, 0]> : tensor<2xi32>
// EXPECT: dense<[[1, 1], [0, 0]]> : tensor<2x2xi32>
// EXPECT: dense<[-1, 1, -1, 0, -1]> : tensor<5xi32>
// EXPECT: dense<3> : tensor<i32>

func.func @torch_index_select() -> (tensor<2x2xi32>, tensor<2x1xi32>) {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %1 = "stablehlo.torch_index_select"(%0, %i) {dim = 0 : i64, batch_dims = 0 : i64}
      : (tensor<3x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  %2 = stablehlo.slice %0 [0:2, 0:2] : (tensor<3x2xi32>) -> tensor<2x2xi32>
  %j = stablehlo.constant dense<[[1], [0]]> : tensor<2x1xi32>
  %3 = "stablehlo.torch_index_select"(%2, %j) {dim = 1 : i64, batch_dims = 1 : i64}
      : (tensor<2x2xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
  return %1, %3 : tensor<2x2xi32>, tensor<2x1xi32>
}
// EXPECT: dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>
// EXPECT: dense<[[2], [3]]> : tensor<2x1xi32>

func.func @dynamic_gather_and_conv() -> (tensor<2x?xi32>, tensor<1x1x?xi32>) {
  %0 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[[1], [0]]> : tensor<2x1xi32>
  %s = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %1 = "stablehlo.dynamic_gather"(%0, %i, %s) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
                                          index_vector_dim = 1>
  } : (tensor<2x3xi32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x?xi32>
  %a = stablehlo.constant dense<[[[1, 2, 3]]]> : tensor<1x1x3xi32>
  %k = stablehlo.constant dense<[[[1, 10]]]> : tensor<1x1x2xi32>
  %p = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>
  %2 = "stablehlo.dynamic_conv"(%a, %k, %p) {
    dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x1x3xi32>, tensor<1x1x2xi32>, tensor<1x2xi64>) -> tensor<1x1x?xi32>
  return %1, %2 : tensor<2x?xi32>, tensor<1x1x?xi32>
}
// EXPECT: dense<[[4, 5], [1, 2]]> : tensor<2x2xi32>
// EXPECT: dense<[[[10, 21, 32]]]> : tensor<1x1x3xi32>

func.func @reshape_changes_count() -> tensor<?xi32> {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %n = stablehlo.constant dense<[4]> : tensor<1xi64>
  %1 = stablehlo.dynamic_reshape %0, %n : (tensor<3xi32>, tensor<1xi64>) -> tensor<?xi32>
  return %1 : tensor<?xi32>
}
// EXPECT-ERROR: 'stablehlo.dynamic_reshape': reshapes to another number of elements

func.func @slice_out_of_bounds() -> tensor<?xi32> {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %a = stablehlo.constant dense<[2]> : tensor<1xi64>
  %b = stablehlo.constant dense<[9]> : tensor<1xi64>
  %c = stablehlo.constant dense<[1]> : tensor<1xi64>
  %1 = stablehlo.real_dynamic_slice %0, %a, %b, %c
      : (tensor<3xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  return %1 : tensor<?xi32>
}
// EXPECT-ERROR: slices out of the bounds of dimension 0

func.func @negative_size() -> tensor<?xi32> {
  %n = stablehlo.constant dense<[-4]> : tensor<1xi64>
  %1 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  return %1 : tensor<?xi32>
}
// EXPECT-ERROR: negative size

func.func @set_dimension_size() -> tensor<?xi32, #stablehlo.bounds<3>> {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %1 = stablehlo.set_dimension_size %0, %n, dim = 0 : (tensor<3xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<3>>
  return %1 : tensor<?xi32, #stablehlo.bounds<3>>
}
// EXPECT: dense<[1, 2]> : tensor<2xi32>

func.func @inverse_transform_to_nothing() -> (tensor<2x0xf32>, tensor<2x0xf32>) {
  %one = stablehlo.constant dense<(1.0, 2.0)> : tensor<2x1xcomplex<f32>>
  %none = stablehlo.slice %one [0:2, 0:0] : (tensor<2x1xcomplex<f32>>) -> tensor<2x0xcomplex<f32>>
  %0 = stablehlo.fft %one, type = IRFFT, length = [0] : (tensor<2x1xcomplex<f32>>) -> tensor<2x0xf32>
  %1 = stablehlo.fft %none, type = IRFFT, length = [0] : (tensor<2x0xcomplex<f32>>) -> tensor<2x0xf32>
  return %0, %1 : tensor<2x0xf32>, tensor<2x0xf32>
}
// EXPECT: dense<> : tensor<2x0xf32>
// EXPECT: dense<> : tensor<2x0xf32>
