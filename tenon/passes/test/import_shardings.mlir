// Annotations in XLA's notation become those of the sdy dialect, over meshes that are made for them.
// RUN: %opt %s --split-input-file --tenon-import-shardings | %check %s

// CHECK: sdy.mesh @mesh = <["axis_0"=2, "axis_1"=2, "axis_2"=2]>
// CHECK: func.func public @main
// CHECK-SAME: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0"}, {"axis_1", "axis_2"}]>}
// A list is as good as an iota.
// CHECK-SAME: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_1", "axis_2"}, {}]>}
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}
// CHECK-SAME: tensor<8xf32> {jax.buffer_donor = true})
// CHECK-SAME: -> (tensor<8x8xf32> {jax.result_info = "a", sdy.sharding = #sdy.sharding<@mesh, [{"axis_2", "axis_0"}, {}]>}
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(
      %x: tensor<8x16xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"},
      %y: tensor<16x8xf32> {mhlo.sharding = "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"},
      %z: tensor<8xf32> {mhlo.sharding = "{replicated}"},
      %u: tensor<8xf32> {jax.buffer_donor = true, mhlo.sharding = "{unknown}"})
      -> (tensor<8x8xf32> {jax.result_info = "a", mhlo.sharding = "{devices=[4,1,2]<=[2,2,2]T(2,0,1) last_tile_dim_replicate}"}) {
    // CHECK: %[[DOT:.*]] = stablehlo.dot_general
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    // CHECK-NEXT: %[[OPEN:.*]] = sdy.sharding_constraint %[[DOT]] <@mesh, [{"axis_1", "axis_2"}, {?}]>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK-NEXT: sdy.sharding_group %[[OPEN]] group_id=3
    %2 = stablehlo.custom_call @Sharding(%1) {has_side_effect = true, mhlo.sharding = "{unknown shard_as 3}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // As a message: {devices=[2,4]<=[8]}.
    // CHECK-NEXT: stablehlo.negate %[[OPEN]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"axis_0"}, {"axis_1", "axis_2"}]>]>}
    %3 = stablehlo.negate %2 {mhlo.sharding = "\08\03\1A\02\02\04J\01\08R\01\00"} : tensor<8x8xf32>
    // CHECK-NEXT: custom_call @of_one_device() {{.*}}sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[5]>, []>]>
    stablehlo.custom_call @of_one_device() {has_side_effect = true, mhlo.sharding = "{maximal device=5}"} : () -> ()
    // CHECK-NEXT: optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{"axis_0", "axis_1", "axis_2"}]>]>}
    %4:2 = stablehlo.optimization_barrier {mhlo.sharding = "{{replicated}, {devices=[8]<=[8]}}"} %3, %z : tensor<8x8xf32>, tensor<8xf32>
    return %4#0 : tensor<8x8xf32>
  }
}

// -----

// Devices in an order of their own: the first mesh's is that of most arrays. What no axes of it can tell has another.
// CHECK: sdy.mesh @mesh = <["axis_0"=2, "axis_1"=2], device_ids=[3, 1, 0, 2]>
// CHECK: sdy.mesh @mesh_0 = <["axis_0"=2, "axis_1"=2], device_ids=[2, 3, 1, 0]>
// CHECK: func.func @main
// CHECK-SAME: #sdy.sharding<@mesh, [{"axis_0"}, {"axis_1"}]>
// CHECK-SAME: #sdy.sharding<@mesh, [{"axis_1"}, {"axis_0"}]>
// CHECK-SAME: #sdy.sharding<@mesh_0, [{"axis_0", "axis_1"}, {}]>
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,2]3,1,0,2}"},
                  %y: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,2]3,0,1,2}"},
                  %z: tensor<4x4xf32> {mhlo.sharding = "{devices=[4,1]2,3,1,0}"}) -> tensor<4x4xf32> {
    return %x : tensor<4x4xf32>
  }
}

// -----

// A computation for single devices, and one inside of it that takes nothing; a constant is in both.
// CHECK: func.func @main
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<f32>) {
    // CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<2.0
    %c = stablehlo.constant dense<2.0> : tensor<4x16xf32>
    %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    // CHECK-NEXT: %[[ALL:.*]]:2 = sdy.manual_computation(%{{.*}}) in_shardings=[<@mesh, [{"axis_0"}, {?}]>]
    // CHECK-SAME: out_shardings=[<@mesh, [{"axis_0"}, {"axis_1", "axis_2"}]>, <@mesh, []>] manual_axes={"axis_0"} (%[[PART:.*]]: tensor<4x16xf32>)
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x16xf32>) -> tensor<4x16xf32>
    // CHECK-NEXT: %[[OWN:.*]] = stablehlo.constant dense<2.0
    // CHECK-NEXT: %[[MUL:.*]] = stablehlo.multiply %[[PART]], %[[OWN]]
    %2 = stablehlo.multiply %1, %c : tensor<4x16xf32>
    // CHECK-NEXT: %[[ID:.*]] = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>] manual_axes={"axis_1", "axis_2"}
    // CHECK-NEXT: %[[LOCAL:.*]] = stablehlo.partition_id
    // CHECK-NEXT: sdy.return %[[LOCAL]]
    %3 = stablehlo.partition_id : tensor<ui32>
    %4 = stablehlo.custom_call @Sharding(%3) {mhlo.sharding = "{manual}"} : (tensor<ui32>) -> tensor<ui32>
    %5 = stablehlo.custom_call @SPMDShardToFullShape(%4) {mhlo.sharding = "{devices=[2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<ui32>) -> tensor<ui32>
    // CHECK: %[[INT:.*]] = stablehlo.convert %[[ID]]
    %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<f32>
    // CHECK-NEXT: %[[WIDE:.*]] = stablehlo.broadcast_in_dim %[[INT]]
    %wide = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    // CHECK-NEXT: %[[ADD:.*]] = stablehlo.add %[[MUL]], %[[WIDE]]
    %sum = stablehlo.add %2, %wide : tensor<4x16xf32>
    // CHECK-NEXT: %[[WISH:.*]] = sdy.sharding_constraint %[[ADD]] <@mesh, [{}, {"axis_1", "axis_2"}]>
    %7 = stablehlo.custom_call @Sharding(%sum) {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}"} : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %8 = stablehlo.custom_call @SPMDShardToFullShape(%7) {mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<4x16xf32>) -> tensor<8x16xf32>
    // This needs one result before the other is there.
    %9 = stablehlo.add %8, %8 : tensor<8x16xf32>
    // CHECK-NEXT: %[[NEGATED:.*]] = stablehlo.negate %[[INT]]
    // CHECK-NEXT: sdy.return %[[WISH]], %[[NEGATED]]
    // CHECK: %[[SUM:.*]] = stablehlo.add %[[ALL]]#0, %[[ALL]]#0
    %negated = stablehlo.negate %6 {mhlo.sharding = "{devices=[2,4]<=[8] last_tile_dims={manual, replicated}}"} : tensor<f32>
    %10 = stablehlo.custom_call @SPMDShardToFullShape(%negated) {mhlo.sharding = "{replicated}"} : (tensor<f32>) -> tensor<f32>
    // CHECK-NEXT: stablehlo.broadcast_in_dim %[[C]]
    %11 = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16xf32>
    // CHECK-NEXT: return %[[SUM]], %[[ALL]]#1
    return %9, %10 : tensor<8x16xf32>, tensor<f32>
  }
}

// -----

// Two that share nothing; what they hand on passes through the whole array.
// CHECK: func.func @main
// CHECK: %[[A:.*]] = sdy.manual_computation(%{{.*}}) in_shardings=[<@mesh, [{"axis_0"}]>] out_shardings=[<@mesh, [{"axis_0"}]>] manual_axes={"axis_0"}
// CHECK: %[[B:.*]] = sdy.manual_computation(%[[A]]) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"axis_0"}
// CHECK: return %[[B]]
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<8xf32> {
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<8xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
    %4 = stablehlo.custom_call @SPMDFullToShardShape(%3) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<8xf32>
    %5 = stablehlo.negate %4 : tensor<8xf32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
    return %6 : tensor<8xf32>
  }
}

// -----

// On one device nothing is cut.
// CHECK: func.func @main(%{{.*}}mhlo.sharding = "{devices=[1]<=[1]}"
module attributes {mhlo.num_partitions = 1 : i32} {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[1]<=[1]}"}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
