// Programs that are to run on whole arrays are cut where devices may have what is no whole array.
// RUN: %opt %s --split-input-file --tenon-partition 2>/dev/null | %check %s
// Devices along "y" have the same, those along "x" are brought together.
// CHECK: module attributes {{{.*}}tenon.unpartitioned
// CHECK-LABEL: func.func @main
module attributes {mhlo.num_partitions = 8 : i32, tenon.partition_if_needed} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<8x4xf32>) -> tensor<4x4xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>]
        manual_axes={"x", "y"} (%p: tensor<4x4xf32>) {
      %r = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%c: tensor<f32>, %d: tensor<f32>):
        %s = stablehlo.add %c, %d : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      sdy.return %r : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

// Only some of those along "y" are.
// CHECK: module attributes {{{.*}}tenon.partitioned
// CHECK-LABEL: func.func @main
module attributes {mhlo.num_partitions = 8 : i32, tenon.partition_if_needed} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x1xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {}]>]
        manual_axes={"x", "y"} (%p: tensor<8x1xf32>) {
      %r = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%c: tensor<f32>, %d: tensor<f32>):
        %s = stablehlo.add %c, %d : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<8x1xf32>) -> tensor<8x1xf32>
      sdy.return %r : tensor<8x1xf32>
    } : (tensor<8x4xf32>) -> tensor<8x1xf32>
    return %0 : tensor<8x1xf32>
  }
}

// -----

// A place along "x" where the result is cut by it.
// CHECK: module attributes {{{.*}}tenon.unpartitioned
// CHECK-LABEL: func.func @main
module attributes {mhlo.num_partitions = 8 : i32, tenon.partition_if_needed} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>]
        manual_axes={"x", "y"} (%p: tensor<4x4xf32>) {
      %id = stablehlo.partition_id : tensor<ui32>
      %four = stablehlo.constant dense<4> : tensor<ui32>
      %i = stablehlo.divide %id, %four : tensor<ui32>
      %f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>
      %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %s = stablehlo.add %p, %b : tensor<4x4xf32>
      sdy.return %s : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}

// -----

// One along "y".
// CHECK: module attributes {{{.*}}tenon.partitioned
// CHECK-LABEL: func.func @main
module attributes {mhlo.num_partitions = 8 : i32, tenon.partition_if_needed} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>]
        manual_axes={"x", "y"} (%p: tensor<4x4xf32>) {
      %id = stablehlo.partition_id : tensor<ui32>
      %four = stablehlo.constant dense<4> : tensor<ui32>
      %i = stablehlo.remainder %id, %four : tensor<ui32>
      %f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>
      %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %s = stablehlo.add %p, %b : tensor<4x4xf32>
      sdy.return %s : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}

// -----

// What goes around along "x" is the same along "y".
// CHECK: module attributes {{{.*}}tenon.unpartitioned
// CHECK-LABEL: func.func @main
module attributes {mhlo.num_partitions = 8 : i32, tenon.partition_if_needed} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>]
        manual_axes={"x", "y"} (%p: tensor<4x4xf32>) {
      %r = "stablehlo.collective_permute"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 4], [1, 5], [2, 6], [3, 7], [4, 0], [5, 1], [6, 2], [7, 3]]> : tensor<8x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      sdy.return %r : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}

// -----

// Unless some get nothing.
// CHECK: module attributes {{{.*}}tenon.partitioned
// CHECK-LABEL: func.func @main
module attributes {mhlo.num_partitions = 8 : i32, tenon.partition_if_needed} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>]
        manual_axes={"x", "y"} (%p: tensor<4x4xf32>) {
      %r = "stablehlo.collective_permute"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 4], [1, 5], [2, 6], [3, 7], [4, 0], [5, 1], [6, 2]]> : tensor<7x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      sdy.return %r : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}

// -----

// In a loop, after two turns.
// CHECK: module attributes {{{.*}}tenon.partitioned
// CHECK-LABEL: func.func @main
module attributes {mhlo.num_partitions = 8 : i32, tenon.partition_if_needed} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<8x4xf32>) -> tensor<f32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, []>]
        manual_axes={"x", "y"} (%p: tensor<8x4xf32>) {
      %v0 = stablehlo.constant dense<0.0> : tensor<f32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %w:3 = stablehlo.while(%i = %zero, %v = %v0, %u = %zero) : tensor<i32>, tensor<f32>, tensor<i32>
      cond {
        %lt = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %lt : tensor<i1>
      } do {
        %n = stablehlo.add %i, %one : tensor<i32>
        %c = stablehlo.convert %u : (tensor<i32>) -> tensor<f32>
        %id = stablehlo.partition_id : tensor<ui32>
        %k = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
        stablehlo.return %n, %c, %k : tensor<i32>, tensor<f32>, tensor<i32>
      }
      sdy.return %w#1 : tensor<f32>
    } : (tensor<8x4xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

// Summands.
// CHECK: module attributes {{{.*}}tenon.partitioned
// CHECK-LABEL: func.func @main
module attributes {mhlo.num_partitions = 8 : i32, tenon.partition_if_needed} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    return %x : tensor<8x4xf32>
  }
}
