// artifact versions: 1.0.0 1.17.0
func.func @retired(%x: tensor<4xf32>, %m: tensor<3x4xf32>, %i: tensor<2xi32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.broadcast"(%x) <{broadcast_sizes = array<i64: 2, 3>}> : (tensor<4xf32>) -> tensor<2x3x4xf32>
  %1 = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.einsum"(%m, %m) <{einsum_config = "ab,cb->ac"}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %3 = "stablehlo.unary_einsum"(%m) <{einsum_config = "ab->a"}> : (tensor<3x4xf32>) -> tensor<3xf32>
  %4 = "stablehlo.torch_index_select"(%m, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}
