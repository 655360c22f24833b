// Results of open shape whose sizes nothing but the operands say.
// RUN: %opt %s --tenon-inline --tenon-refine-shapes | %check %s

// CHECK: stablehlo.einsum {{.*}} : (tensor<4x3xf32>, tensor<5x1xf32>) -> tensor<1x5xf32>
// CHECK: stablehlo.unary_einsum {{.*}} : (tensor<4x3xf32>) -> tensor<3x4xf32>
// CHECK: stablehlo.torch_index_select{{.*}} : (tensor<4x3xf32>, tensor<7xi32>) -> tensor<7x3xf32>
func.func @main(%x: tensor<?x3xf32> {tenon.shape = array<i64: 4, 3>}, %y: tensor<5x1xf32>, %i: tensor<7xi32>)
    -> (tensor<1x?xf32>, tensor<?x?xf32>, tensor<?x3xf32>) {
  %0 = stablehlo.einsum %x, %y, config = "ab,rs->sr" : (tensor<?x3xf32>, tensor<5x1xf32>) -> tensor<1x?xf32>
  %1 = stablehlo.unary_einsum %x, config = "ab->ba" : (tensor<?x3xf32>) -> tensor<?x?xf32>
  %2 = "stablehlo.torch_index_select"(%x, %i) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<?x3xf32>, tensor<7xi32>) -> tensor<?x3xf32>
  return %0, %1, %2 : tensor<1x?xf32>, tensor<?x?xf32>, tensor<?x3xf32>
}
