// One update for each row of equal elements, some of them outside of the row; and elements that are gathered at
// computed places.
func.func @main(%x: tensor<5x7xf32>, %i: tensor<5xi32>, %u: tensor<5xf32>, %s: tensor<f32>, %j: tensor<4x3xi32>,
                %v: tensor<4x3xf32>)
    -> (tensor<5x7xf32>, tensor<7x5xf32>, tensor<3x6x4xf32>, tensor<5xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<5x7xf32>
  %sevens = stablehlo.constant dense<7> : tensor<5xi32>
  %places = stablehlo.and %i, %sevens : tensor<5xi32>
  %column = stablehlo.reshape %places : (tensor<5xi32>) -> tensor<5x1x1xi32>
  %one = stablehlo.reshape %u : (tensor<5xf32>) -> tensor<5x1xf32>
  %0 = "stablehlo.scatter"(%zeros, %column, %one) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<5x7xf32>, tensor<5x1x1xi32>, tensor<5x1xf32>) -> tensor<5x7xf32>
  %1 = stablehlo.add %0, %x : tensor<5x7xf32>

  %minus = stablehlo.constant dense<-1.0> : tensor<7x5xf32>
  %2 = "stablehlo.scatter"(%minus, %places, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<7x5xf32>, tensor<5xi32>, tensor<5xf32>) -> tensor<7x5xf32>

  %same = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<3x6x4xf32>
  %bits = stablehlo.constant dense<7> : tensor<4x3xi32>
  %inside = stablehlo.and %j, %bits : tensor<4x3xi32>
  %3 = "stablehlo.scatter"(%same, %inside, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0, 2], scatter_indices_batching_dims = [1, 0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %most = stablehlo.subtract %b, %a : tensor<f32>
    stablehlo.return %most : tensor<f32>
  }) : (tensor<3x6x4xf32>, tensor<4x3xi32>, tensor<4x3xf32>) -> tensor<3x6x4xf32>

  %negated = stablehlo.negate %places : tensor<5xi32>
  %first = stablehlo.reshape %places : (tensor<5xi32>) -> tensor<5x1xi32>
  %second = stablehlo.reshape %negated : (tensor<5xi32>) -> tensor<5x1xi32>
  %pairs = stablehlo.concatenate %first, %second, dim = 1 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x2xi32>
  %4 = "stablehlo.gather"(%x, %pairs) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x7xf32>, tensor<5x2xi32>) -> tensor<5xf32>

  %more = stablehlo.add %inside, %inside : tensor<4x3xi32>
  %5 = "stablehlo.gather"(%u, %more) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1>}> : (tensor<5xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  return %1, %2, %3, %4, %6 : tensor<5x7xf32>, tensor<7x5xf32>, tensor<3x6x4xf32>, tensor<5xf32>, tensor<4xf32>
}
