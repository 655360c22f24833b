// What is sent between devices in computations for single devices is sent by each device, in the program's order.
// RUN: %opt %s --tenon-partition 2>/dev/null | %check %s
// CHECK-NOT: tenon.unpartitioned
// CHECK-NOT: stablehlo.if
// CHECK: stablehlo.multiply
// CHECK: "stablehlo.send"
// CHECK-SAME: source_target_pairs = dense
// CHECK-SAME: (tensor<2xf32>, !stablehlo.token)
// CHECK: "stablehlo.recv"
// CHECK: "stablehlo.all_reduce"
// CHECK: "stablehlo.send"
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = stablehlo.multiply %x, %x : tensor<8xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%part: tensor<2xf32>) {
      %t = stablehlo.create_token : !stablehlo.token
      %u = "stablehlo.send"(%part, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
      %a:2 = "stablehlo.recv"(%u) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
      %s = "stablehlo.all_reduce"(%a#0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %sum = stablehlo.add %l, %r : tensor<f32>
        stablehlo.return %sum : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      %v = "stablehlo.send"(%s, %a#1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[3, 0]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
      sdy.return %s : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
