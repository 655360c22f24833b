// The body of a computation for single devices is inlined. Along the axes that are not manual it is cut as all else.
// RUN: %opt %s --tenon-partition 2>/dev/null | %check %s
// CHECK: func.func @main(%[[X:.*]]: tensor<4x4xf32> {{.*}}, %[[W:.*]]: tensor<8x4xf32> {{.*}}) -> (tensor<4x8xf32> {{.*}})
// CHECK-NOT: manual_computation
// The columns of what the operand is asked for are whole: "y" is free, and gathered for the product.
// CHECK: stablehlo.dot_general %{{.*}}, %[[W]]
// CHECK-SAME: -> tensor<4x4xf32>
// What the program itself says of groups stays.
// CHECK: "stablehlo.all_reduce"
// CHECK-SAME: axes = [#stablehlo.axis_ref<name = "x">]
// CHECK: return %{{.*}} : tensor<4x8xf32>
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                  %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
      -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.manual_computation(%x, %w) in_shardings=[<@mesh, [{"x", ?}, {?}]>, <@mesh, [{?}, {?}]>]
        out_shardings=[<@mesh, [{?}, {?}]>] manual_axes={"x"} (%a: tensor<4x8xf32>, %b: tensor<8x8xf32>) {
      %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%c: tensor<f32>, %d: tensor<f32>):
        %3 = stablehlo.add %c, %d : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      sdy.return %2 : tensor<4x8xf32>
    } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
