// What goes to and comes from the host, does so on one device, whole; what comes is given to all.
// RUN: %opt %s --tenon-partition 2>/dev/null | %check %s
// CHECK-NOT: tenon.unpartitioned
// CHECK: stablehlo.partition_id
// CHECK: "stablehlo.if"
// CHECK: "stablehlo.infeed"
// CHECK-SAME: (tensor<8xf32>, !stablehlo.token)
// CHECK: "stablehlo.collective_broadcast"
// The program names the third device for this one.
// CHECK: "stablehlo.all_gather"
// CHECK: stablehlo.constant dense<2> : tensor<ui32>
// CHECK: "stablehlo.if"
// CHECK: "stablehlo.outfeed"
// CHECK-SAME: (tensor<8xf32>, !stablehlo.token)
// CHECK: "stablehlo.send"
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @maximal_mesh_2 = <[], device_ids=[2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %a:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
    %y = stablehlo.add %x, %a#0 : tensor<8xf32>
    %u = "stablehlo.outfeed"(%y, %a#1) {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_2, []>]>} : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
    %v = "stablehlo.send"(%y, %u) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
    return %y : tensor<8xf32>
  }
}
