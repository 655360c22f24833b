// Sums over the same groups are one, in which devices meet once.
// RUN: %opt %s --tenon-partition --split-input-file 2>/dev/null | %check %s

// Gradients of two weights and a loss. What needs the loss follows.
// CHECK-LABEL: func.func @main(%arg0: tensor<4x16xf32>
// CHECK: %[[LOSS:.*]] = stablehlo.reduce(
// CHECK: %[[A:.*]] = stablehlo.dot_general %arg0, %arg0
// CHECK: %[[B:.*]] = stablehlo.dot_general %arg0, %arg1
// CHECK: %[[SUMS:.*]]:3 = "stablehlo.all_reduce"(%[[LOSS]], %[[A]], %[[B]]) <{{.*}}axes = [#stablehlo.axis_ref<name = "x">]
// CHECK: (tensor<f32>, tensor<16x16xf32>, tensor<16x8xf32>) -> (tensor<f32>, tensor<16x16xf32>, tensor<16x8xf32>)
// CHECK: %[[HALF:.*]] = stablehlo.multiply %[[SUMS]]#0, %[[SUMS]]#0
// CHECK: %[[SINE:.*]] = stablehlo.sine %[[HALF]]
// CHECK-NOT: all_reduce
// CHECK: return %[[SINE]], %[[SUMS]]#1, %[[SUMS]]#2
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %y: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<f32>, tensor<16x16xf32>, tensor<16x8xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.multiply %0, %0 : tensor<f32>
    %2 = stablehlo.sine %1 : tensor<f32>
    %3 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %4 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<16x16xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    return %2, %3, %4 : tensor<f32>, tensor<16x16xf32>, tensor<16x8xf32>
  }
}

// -----
// Of the second sum the operand needs the first.
// CHECK-LABEL: func.func @main
// CHECK: "stablehlo.all_reduce"(%{{[0-9]*}}) <
// CHECK: "stablehlo.all_reduce"(%{{[0-9]*}}) <
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16xf32>, tensor<16xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<16xf32>) -> tensor<16x16xf32>
    %2 = stablehlo.subtract %x, %1 : tensor<16x16xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
    return %0, %3 : tensor<16xf32>, tensor<16xf32>
  }
}

// -----
// Sums along other axes, of other types and of other kinds are apart: of six, two pairs are alike.
// CHECK-LABEL: func.func @main
// CHECK: "stablehlo.all_reduce"(%{{[0-9]*}}) <{{.*}}axes = [#stablehlo.axis_ref<name = "y">]
// CHECK: (tensor<8xf32>) -> tensor<8xf32>
// CHECK: (tensor<8xi32>) -> tensor<8xi32>
// CHECK: (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
// CHECK: "stablehlo.all_reduce"
// CHECK: stablehlo.maximum
// CHECK: (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
// CHECK-NOT: all_reduce
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
                  %i: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<8xf32>, tensor<8xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.reduce(%i init: %none) applies stablehlo.add across dimensions = [0] : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
    %4 = stablehlo.multiply %x, %x : tensor<8x8xf32>
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %6 = stablehlo.reduce(%4 init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    return %0, %1, %2, %3, %5, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<8xf32>, tensor<8xf32>
  }
}

// -----
// 24 MiB each: two are too much.
// CHECK-LABEL: func.func @main
// CHECK: (tensor<6291456xf32>) -> tensor<6291456xf32>
// CHECK: (tensor<6291456xf32>) -> tensor<6291456xf32>
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<4x6291456xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<6291456xf32>, tensor<6291456xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x6291456xf32>, tensor<f32>) -> tensor<6291456xf32>
    %1 = stablehlo.sine %x : tensor<4x6291456xf32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x6291456xf32>, tensor<f32>) -> tensor<6291456xf32>
    return %0, %2 : tensor<6291456xf32>, tensor<6291456xf32>
  }
}

// -----
// The sines, of 48 MiB, would be kept until after the second sum.
// CHECK-LABEL: func.func @main
// CHECK: (tensor<4xf32>) -> tensor<4xf32>
// CHECK: (tensor<4xf32>) -> tensor<4xf32>
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<12582912x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<12582912x4xf32>, tensor<4xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.sine %x : tensor<12582912x4xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12582912x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<4xf32>) -> tensor<12582912x4xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<12582912x4xf32>
    %4 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12582912x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %3, %4 : tensor<12582912x4xf32>, tensor<4xf32>
  }
}

// -----
// Sums along "x" and along "y" in turn: what needs one of each, and what needs that, follows both.
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]]:2 = "stablehlo.all_reduce"(%{{.*}}, %{{.*}}) <{{.*}}axes = [#stablehlo.axis_ref<name = "x">]
// CHECK: %[[Y:.*]]:2 = "stablehlo.all_reduce"(%{{.*}}, %{{.*}}) <{{.*}}axes = [#stablehlo.axis_ref<name = "y">]
// CHECK: %[[BOTH:.*]] = stablehlo.add %[[X]]#0, %[[Y]]#0
// CHECK-NEXT: %[[SINE:.*]] = stablehlo.sine %[[BOTH]]
// CHECK: return %[[SINE]], %[[X]]#1, %[[Y]]#1
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
      -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.add %0, %1 : tensor<8xf32>
    %3 = stablehlo.sine %2 : tensor<8xf32>
    %4 = stablehlo.multiply %x, %x : tensor<8x8xf32>
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %6 = stablehlo.multiply %y, %y : tensor<8x8xf32>
    %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    return %3, %5, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}

// -----
// Sums of the program, in the body of a loop: what channels they have does not keep them apart.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.while
// CHECK: "stablehlo.all_reduce"(%{{.*}}, %{{.*}}) <{{.*}}axes = [#stablehlo.axis_ref<name = "x">]
// CHECK: (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NOT: all_reduce
// CHECK: return
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = sdy.manual_computation(%x, %y) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<4xf32>, %b: tensor<4xf32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %three = stablehlo.constant dense<3> : tensor<i32>
      %1:3 = stablehlo.while(%i = %zero, %u = %a, %v = %b) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
        cond {
          %2 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %2 : tensor<i1>
        } do {
          %2 = stablehlo.add %i, %one : tensor<i32>
          %3 = "stablehlo.all_reduce"(%u) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
          ^bb0(%c: tensor<f32>, %d: tensor<f32>):
            %6 = stablehlo.add %c, %d : tensor<f32>
            stablehlo.return %6 : tensor<f32>
          }) : (tensor<4xf32>) -> tensor<4xf32>
          %4 = stablehlo.sine %v : tensor<4xf32>
          %5 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
          ^bb0(%c: tensor<f32>, %d: tensor<f32>):
            %6 = stablehlo.add %c, %d : tensor<f32>
            stablehlo.return %6 : tensor<f32>
          }) : (tensor<4xf32>) -> tensor<4xf32>
          stablehlo.return %2, %3, %5 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
        }
      sdy.return %1#1, %1#2 : tensor<4xf32>, tensor<4xf32>
    } : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
  }
}
// -----
// Small arrays are gathered together.
// CHECK-LABEL: func.func @main(%arg0: tensor<2x4xf32>
// CHECK: %[[ALL:.*]]:2 = "stablehlo.all_gather"(%arg0, %arg1) <{all_gather_dim = 0
// CHECK-NOT: all_gather
// CHECK: return %[[ALL]]#0, %[[ALL]]#1
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    return %a, %b : tensor<8x4xf32>, tensor<16xi8>
  }
}
// -----
// Of small sums the parts for each device follow each other.
// CHECK-LABEL: func.func @main(%arg0: tensor<16x4xf32>
// CHECK: %[[FIRST:.*]] = stablehlo.reshape {{.*}} -> tensor<4x6xf32>
// CHECK: %[[SECOND:.*]] = stablehlo.reshape {{.*}} -> tensor<4x4xf32>
// CHECK: %[[BOTH:.*]] = stablehlo.concatenate %[[FIRST]], %[[SECOND]], dim = 1
// CHECK: %[[PARTS:.*]] = "stablehlo.reduce_scatter"(%[[BOTH]])
// CHECK-SAME: scatter_dimension = 0
// CHECK: (tensor<4x10xf32>) -> tensor<1x10xf32>
// CHECK-NOT: reduce_scatter
// CHECK: stablehlo.slice %[[PARTS]] [0:1, 0:6]
// CHECK: stablehlo.slice %[[PARTS]] [0:1, 6:10]
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<64x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<64x4xf32>, tensor<64x6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<4x4xf32>
    return %0, %1 : tensor<4x6xf32>, tensor<4x4xf32>
  }
}

// -----
// So are exchanges, and gathers of what the program gives back, of any size.
// CHECK-LABEL: func.func @main
// CHECK: "stablehlo.all_to_all"(%arg0, %arg1)
// CHECK-NOT: "stablehlo.all_to_all"
// CHECK: "stablehlo.all_gather"(%{{[0-9]+}}, %{{[0-9]+}})
// CHECK-NOT: "stablehlo.all_gather"
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %y: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %v: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
          tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
          tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
          tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.sine %v : tensor<1024x1024xf32>
    %1 = stablehlo.cosine %v : tensor<1024x1024xf32>
    return %x, %y, %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
}

// -----
// Floats of 8 bits are summed in f32, and rounded once, as those of 16 are.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.dot_general {{.*}} : (tensor<4x2xf8E4M3FN>, tensor<2x4xf8E4M3FN>) -> tensor<4x4xf32>
// CHECK: stablehlo.reduce({{.*}} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK: "stablehlo.all_reduce"(
// CHECK: (tensor<4x4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
// CHECK: stablehlo.convert {{.*}} -> tensor<4x4xf8E4M3FN>
// CHECK: stablehlo.convert {{.*}} -> tensor<4xf8E5M2>
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<4x8xf8E4M3FN> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x4xf8E4M3FN> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %c: tensor<16x4xf8E5M2> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f8E5M2>
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf8E4M3FN>, tensor<8x4xf8E4M3FN>) -> tensor<4x4xf8E4M3FN>
    %1 = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16x4xf8E5M2>, tensor<f8E5M2>) -> tensor<4xf8E5M2>
    return %0, %1 : tensor<4x4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}
