// Ops that read and write where data says, and ops whose shape is data.
// RUN: %compare %tenon %s 0 1 2 3 4 5 6 | %check %s
// CHECK: 7 seeds, {{[4-7]}} shapes
func.func @main(%x: tensor<9x3xi32>, %k: tensor<4x1xi32>, %l: tensor<8x1xi32>, %r: tensor<i32>, %m: tensor<i32>)
    -> (tensor<1x3xi32>, tensor<?x3xi32, #stablehlo.bounds<9, ?>>, tensor<4x3xi32>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<9, ?>>, tensor<?x3xi32, #stablehlo.bounds<5, ?>>, tensor<?x2xi32, #stablehlo.bounds<27, ?>>, tensor<?x3xi32, #stablehlo.bounds<32, ?>>, tensor<?xi32, #stablehlo.bounds<9>>, tensor<2x?xi32, #stablehlo.bounds<?, 9>>, tensor<3x?xi32, #stablehlo.bounds<?, 9>>, tensor<4x3xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %n = stablehlo.add %r, %one : tensor<i32>
  %a = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<9x3xi32>, tensor<i32>) -> tensor<?x3xi32, #stablehlo.bounds<9, ?>>
  %slice = stablehlo.dynamic_slice %a, %m, %zero, sizes = [1, 3] : (tensor<?x3xi32, #stablehlo.bounds<9, ?>>, tensor<i32>, tensor<i32>) -> tensor<1x3xi32>
  %row = stablehlo.constant dense<[[70, 71, 72]]> : tensor<1x3xi32>
  %updated = stablehlo.dynamic_update_slice %a, %row, %m, %zero : (tensor<?x3xi32, #stablehlo.bounds<9, ?>>, tensor<1x3xi32>, tensor<i32>, tensor<i32>) -> tensor<?x3xi32, #stablehlo.bounds<9, ?>>
  %gathered = "stablehlo.gather"(%a, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<?x3xi32, #stablehlo.bounds<9, ?>>, tensor<4x1xi32>) -> tensor<4x3xi32>
  %some = stablehlo.set_dimension_size %l, %m, dim = 0 : (tensor<8x1xi32>, tensor<i32>) -> tensor<?x1xi32, #stablehlo.bounds<8, ?>>
  %taken = "stablehlo.gather"(%a, %some) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<?x3xi32, #stablehlo.bounds<9, ?>>, tensor<?x1xi32, #stablehlo.bounds<8, ?>>) -> tensor<?x3xi32, #stablehlo.bounds<8, ?>>
  %scattered = "stablehlo.scatter"(%a, %some, %taken) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<?x3xi32, #stablehlo.bounds<9, ?>>, tensor<?x1xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>) -> tensor<?x3xi32, #stablehlo.bounds<9, ?>>
  // Into a static operand.
  %base = stablehlo.constant dense<0> : tensor<4x3xi32>
  %counts = "stablehlo.scatter"(%base, %some, %taken) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4x3xi32>, tensor<?x1xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>) -> tensor<4x3xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %d0 = stablehlo.reshape %zero : (tensor<i32>) -> tensor<1xi32>
  %d1 = stablehlo.reshape %one : (tensor<i32>) -> tensor<1xi32>
  %d2 = stablehlo.reshape %two : (tensor<i32>) -> tensor<1xi32>
  %d3 = stablehlo.reshape %three : (tensor<i32>) -> tensor<1xi32>
  // Every second row.
  %starts = stablehlo.constant dense<0> : tensor<2xi32>
  %limits = stablehlo.concatenate %n1, %d3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %strides = stablehlo.concatenate %d2, %d1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %second = stablehlo.real_dynamic_slice %a, %starts, %limits, %strides : (tensor<?x3xi32, #stablehlo.bounds<9, ?>>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xi32, #stablehlo.bounds<5, ?>>
  // n by 3 elements as rows of two, where they are even; 2n by 3 always are.
  %twice = stablehlo.concatenate %a, %a, dim = 0 : (tensor<?x3xi32, #stablehlo.bounds<9, ?>>, tensor<?x3xi32, #stablehlo.bounds<9, ?>>) -> tensor<?x3xi32, #stablehlo.bounds<18, ?>>
  %rows = stablehlo.multiply %n, %three : tensor<i32>
  %rows1 = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %pairs = stablehlo.concatenate %rows1, %d2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %reshaped = stablehlo.dynamic_reshape %twice, %pairs : (tensor<?x3xi32, #stablehlo.bounds<18, ?>>, tensor<2xi32>) -> tensor<?x2xi32, #stablehlo.bounds<27, ?>>
  %wide = stablehlo.concatenate %m1, %d1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %high = stablehlo.concatenate %d1, %d0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %gaps = stablehlo.concatenate %d1, %d0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %low = stablehlo.concatenate %m1, %d0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %padded = stablehlo.dynamic_pad %a, %two, %low, %high, %gaps : (tensor<?x3xi32, #stablehlo.bounds<9, ?>>, tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xi32, #stablehlo.bounds<32, ?>>
  %iota = stablehlo.dynamic_iota %n1, dim = 0 : (tensor<1xi32>) -> tensor<?xi32, #stablehlo.bounds<9>>
  %shape = stablehlo.concatenate %d2, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %spread = stablehlo.dynamic_broadcast_in_dim %iota, %shape, dims = [1] : (tensor<?xi32, #stablehlo.bounds<9>>, tensor<2xi32>) -> tensor<2x?xi32, #stablehlo.bounds<?, 9>>
  %column = stablehlo.constant dense<[[1], [2], [3]]> : tensor<3x1xi32>
  %shape3 = stablehlo.concatenate %d3, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %expanded = stablehlo.dynamic_broadcast_in_dim %column, %shape3, dims = [0, 1] : (tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x?xi32, #stablehlo.bounds<?, 9>>
  return %slice, %updated, %gathered, %taken, %scattered, %second, %reshaped, %padded, %iota, %spread, %expanded, %counts : tensor<1x3xi32>, tensor<?x3xi32, #stablehlo.bounds<9, ?>>, tensor<4x3xi32>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<9, ?>>, tensor<?x3xi32, #stablehlo.bounds<5, ?>>, tensor<?x2xi32, #stablehlo.bounds<27, ?>>, tensor<?x3xi32, #stablehlo.bounds<32, ?>>, tensor<?xi32, #stablehlo.bounds<9>>, tensor<2x?xi32, #stablehlo.bounds<?, 9>>, tensor<3x?xi32, #stablehlo.bounds<?, 9>>, tensor<4x3xi32>
}
