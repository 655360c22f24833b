// What shardings add is the identity when there is one shard.

sdy.mesh @mesh = <["x"=1]>
sdy.mesh @two = <["x"=2]>

func.func @annotations() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = sdy.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<4xf32>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<4xf32>
  sdy.sharding_group %2 group_id = 3 : tensor<4xf32>
  %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"}
      (%arg0: tensor<4xf32>) {
    %4 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    sdy.return %4 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}
// EXPECT: dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
// EXPECT: dense<[2.0, 4.0, 6.0, 8.0]> : tensor<4xf32>

func.func @several_shards() -> tensor<4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@two, [{"x"}]>] out_shardings=[<@two, [{"x"}]>] manual_axes={"x"}
      (%arg0: tensor<2xf32>) {
    sdy.return %arg0 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// EXPECT-ERROR: is written for several shards
