// Results of open shape whose sizes nothing but the operands say.
// RUN: %opt %s --tenon-inline --tenon-refine-shapes | %check %s

// CHECK: stablehlo.einsum {{.*}} : (tensor<4x3xf32>, tensor<5x1xf32>) -> tensor<1x5xf32>
// CHECK: stablehlo.unary_einsum {{.*}} : (tensor<4x3xf32>) -> tensor<3x4xf32>
// CHECK: stablehlo.torch_index_select{{.*}} : (tensor<4x3xf32>, tensor<7xi32>) -> tensor<7x3xf32>
// CHECK: chlo.ragged_dot{{.*}} -> tensor<4x2xf32>
// CHECK: stablehlo.bitcast_convert {{.*}} : (tensor<4x3xf32>) -> tensor<4x3x4xi8>
func.func @main(%x: tensor<?x3xf32> {tenon.shape = array<i64: 4, 3>}, %y: tensor<5x1xf32>, %i: tensor<7xi32>, %w: tensor<1x3x2xf32>, %n: tensor<1xi32>)
    -> (tensor<1x?xf32>, tensor<?x?xf32>, tensor<?x3xf32>, tensor<?x?xf32>, tensor<?x?x?xi8>) {
  %0 = stablehlo.einsum %x, %y, config = "ab,rs->sr" : (tensor<?x3xf32>, tensor<5x1xf32>) -> tensor<1x?xf32>
  %1 = stablehlo.unary_einsum %x, config = "ab->ba" : (tensor<?x3xf32>) -> tensor<?x?xf32>
  %2 = "stablehlo.torch_index_select"(%x, %i) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<?x3xf32>, tensor<7xi32>) -> tensor<?x3xf32>
  %3 = "chlo.ragged_dot"(%x, %w, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<?x3xf32>, tensor<1x3x2xf32>, tensor<1xi32>) -> tensor<?x?xf32>
  %4 = stablehlo.bitcast_convert %x : (tensor<?x3xf32>) -> tensor<?x?x?xi8>
  return %0, %1, %2, %3, %4 : tensor<1x?xf32>, tensor<?x?xf32>, tensor<?x3xf32>, tensor<?x?xf32>, tensor<?x?x?xi8>
}
