// artifact versions: 0.9.0 1.4.0 1.5.0 1.17.0
func.func @collectives(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x8xf32>
  %1 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %8 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %8 : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = "stablehlo.all_to_all"(%1) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %3 = "stablehlo.collective_permute"(%1) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 0>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = "stablehlo.reduce_scatter"(%3) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %8 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %8 : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x2xf32>
  %5 = stablehlo.replica_id : tensor<ui32>
  %6 = stablehlo.partition_id : tensor<ui32>
  return %3 : tensor<2x4xf32>
}
