// A program on whole arrays becomes one on the parts of a device: axes are named, places computed.
// RUN: %opt %s --tenon-partition 2>/dev/null | %check %s
// RUN: %opt %s --tenon-partition 2>&1 >/dev/null | %check %s --check-prefix=REMARK
// CHECK: tenon.fallbacks = ["stablehlo.sort at {{.*}}: a dimension of size 16 is cut along which it needs all; 8192 elements or more, of a number that 2 divides, are sorted in parts by a comparator that orders all of them (floats by TOTALORDER) (64 bytes)"]
// CHECK: func.func @main(%[[X:.*]]: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %[[W:.*]]: tensor<4x12xf32> {{.*}}, %{{.*}}: tensor<8xf32> {{.*}}) -> (tensor<4x12xf32> {{.*}}, tensor<12xf32>
// The contracted dimension is cut along "y": of x the device takes its part, and the products are summed.
// CHECK: %[[PART:.*]] = stablehlo.dynamic_slice %[[X]]
// CHECK-SAME: sizes = [4, 4]
// CHECK: %[[DOT:.*]] = stablehlo.dot_general %[[PART]], %[[W]]
// CHECK-SAME: -> tensor<4x12xf32>
// CHECK: "stablehlo.all_reduce"(%[[DOT]])
// CHECK-SAME: axes = [#stablehlo.axis_ref<name = "y">]
// CHECK: stablehlo.tanh {{.*}} : tensor<4x12xf32>
// CHECK: stablehlo.reduce
// CHECK: stablehlo.all_reduce
// CHECK-SAME: axes = [#stablehlo.axis_ref<name = "x">]
// CHECK: stablehlo.iota dim = 0 : tensor<4x12xi32>
// For the time of a sort along a cut dimension another one is cut, if there is one.
// CHECK: %[[ROWS:.*]] = "stablehlo.all_to_all"
// CHECK: %[[SORTED:.*]] = "stablehlo.sort"(%[[ROWS]])
// CHECK: (tensor<8x6xf32>) -> tensor<8x6xf32>
// CHECK: "stablehlo.all_to_all"(%[[SORTED]])
// What no form cuts is computed whole, and said.
// CHECK: %[[WHOLE:.*]] = "stablehlo.all_gather"
// CHECK: "stablehlo.sort"(%[[WHOLE]])
// REMARK: remark: computed on gathered operands: a dimension of size 16 is cut along which it needs all
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %w: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
                  %v: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<8x12xf32>, tensor<12xf32>, tensor<16xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.tanh %0 : tensor<8x12xf32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %numbers = stablehlo.iota dim = 0 : tensor<8x12xf32>
    %3 = stablehlo.add %1, %numbers : tensor<8x12xf32>
    %4 = "stablehlo.sort"(%3) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<8x12xf32>) -> tensor<8x12xf32>
    %5 = "stablehlo.sort"(%v) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<16xf32>) -> tensor<16xf32>
    return %4, %2, %5 : tensor<8x12xf32>, tensor<12xf32>, tensor<16xf32>
  }
}
