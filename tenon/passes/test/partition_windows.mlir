// Neighbours give each other what windows need, and the op is then without padding along the cut dimension.
// RUN: %opt %s --tenon-partition --split-input-file 2>%t | %check %s
// RUN: %check %s --check-prefix=REMARK --input-file=%t
// CHECK-LABEL: func.func @main(%arg0: tensor<1x8x1xf32>
// One element from the left, one from the right, zeros outside.
// CHECK: %[[LEFT:.*]] = stablehlo.slice %arg0 [0:1, 7:8, 0:1]
// CHECK: %[[FROM_LEFT:.*]] = stablehlo.custom_call @tenon.permute(%[[LEFT]])
// CHECK-SAME: axes = array<i64: 4, 1>, map = array<i64: 1, -1, 0>
// CHECK: %[[RIGHT:.*]] = stablehlo.slice %arg0 [0:1, 0:1, 0:1]
// CHECK: %[[FROM_RIGHT:.*]] = stablehlo.custom_call @tenon.permute(%[[RIGHT]])
// CHECK-SAME: axes = array<i64: 4, 1>, map = array<i64: 1, 1, 0>
// CHECK: %[[AROUND:.*]] = stablehlo.concatenate %[[FROM_LEFT]], %arg0, %[[FROM_RIGHT]], dim = 1
// CHECK: %[[FILLED:.*]] = stablehlo.select %{{.*}}, %[[AROUND]]
// CHECK: stablehlo.convolution(%[[FILLED]], %arg1)
// CHECK-SAME: tensor<1x10x1xf32>
// CHECK-NOT: all_gather
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<1x32x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %w: tensor<3x1x1xf32>) -> tensor<1x32x1xf32> {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x32x1xf32>, tensor<3x1x1xf32>) -> tensor<1x32x1xf32>
    return %0 : tensor<1x32x1xf32>
  }
}
// -----
// A rotation by one moves one element of each device.
// CHECK-LABEL: func.func @main(%arg0: tensor<8xf32>
// CHECK: %[[LAST:.*]] = stablehlo.slice %arg0 [7:8]
// CHECK: %[[BEFORE:.*]] = stablehlo.custom_call @tenon.permute(%[[LAST]])
// CHECK-SAME: axes = array<i64: 4, 1>, map = array<i64: 1, 3, 1>
// CHECK: %[[OTHERS:.*]] = stablehlo.slice %arg0 [0:7]
// CHECK: %[[ROLLED:.*]] = stablehlo.concatenate %[[BEFORE]], %[[OTHERS]], dim = 0
// CHECK: return %[[ROLLED]]
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<32xf32> {
    %0 = stablehlo.slice %x [31:32] : (tensor<32xf32>) -> tensor<1xf32>
    %1 = stablehlo.slice %x [0:31] : (tensor<32xf32>) -> tensor<31xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<31xf32>) -> tensor<32xf32>
    return %2 : tensor<32xf32>
  }
}
// -----
// One by more than a part is of two devices.
// CHECK-LABEL: func.func @main(%arg0: tensor<8xf32>
// CHECK: %[[END:.*]] = stablehlo.slice %arg0 [5:8]
// CHECK: %[[FAR:.*]] = stablehlo.custom_call @tenon.permute(%[[END]])
// CHECK-SAME: map = array<i64: 1, 2, 1>
// CHECK: %[[BEGINNING:.*]] = stablehlo.slice %arg0 [0:5]
// CHECK: %[[NEAR:.*]] = stablehlo.custom_call @tenon.permute(%[[BEGINNING]])
// CHECK-SAME: map = array<i64: 1, 3, 1>
// CHECK: stablehlo.concatenate %[[FAR]], %[[NEAR]], dim = 0
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<32xf32> {
    %0 = stablehlo.slice %x [21:32] : (tensor<32xf32>) -> tensor<11xf32>
    %1 = stablehlo.slice %x [0:21] : (tensor<32xf32>) -> tensor<21xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<11xf32>, tensor<21xf32>) -> tensor<32xf32>
    return %2 : tensor<32xf32>
  }
}
// -----
// CHECK-LABEL: func.func @main(%arg0: tensor<8x5xf32>
// CHECK: %[[MIRRORED:.*]] = stablehlo.custom_call @tenon.permute(%arg0)
// CHECK-SAME: map = array<i64: -1, 3, 0>
// CHECK: stablehlo.reverse %[[MIRRORED]], dims = [0]
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<32x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<32x5xf32> {
    %0 = stablehlo.reverse %x, dims = [0] : tensor<32x5xf32>
    return %0 : tensor<32x5xf32>
  }
}
// -----
// A window that is as large as the array takes all of it: what neighbours have is no less than what all have.
// CHECK-LABEL: func.func @main(%arg0: tensor<2xf32>
// CHECK: "stablehlo.all_gather"(%arg0)
// CHECK-NOT: tenon.permute
// REMARK: remark: computed on gathered operands
// REMARK-NOT: remark: computed on gathered operands
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 13>, padding = dense<[[6, 6]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// -----
// A cumulative sum gathers one element of each device.
// CHECK-LABEL: func.func @main(%arg0: tensor<2xf32>
// CHECK: %[[OWN:.*]] = "stablehlo.reduce_window"(%arg0
// CHECK: (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
// CHECK: %[[TOTAL:.*]] = stablehlo.slice %[[OWN]] [1:2]
// CHECK: "stablehlo.all_gather"(%[[TOTAL]])
// CHECK: stablehlo.add %{{.*}}, %[[OWN]]
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 8>, padding = dense<[[7, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
