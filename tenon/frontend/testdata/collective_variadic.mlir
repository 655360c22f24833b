// artifact versions: 1.5.0 1.17.0
func.func @collectives(%x: tensor<2x4xf32>, %i: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<4x4xf32>) {
  %0:2 = "stablehlo.all_reduce"(%x, %i) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %8 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %8 : tensor<f32>
  }) : (tensor<2x4xf32>, tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<4x4xf32>)
  %1 = "stablehlo.collective_broadcast"(%0#0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1, %0#1 : tensor<2x4xf32>, tensor<4x4xf32>
}
