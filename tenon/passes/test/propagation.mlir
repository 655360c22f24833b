// Shardings spread over all values, as Shardy's do (scripts/compare_with_shardy.py compares many programs).
// RUN: %opt %s --tenon-propagate-shardings | %check %s
// CHECK: func.func @main
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
// CHECK-SAME: -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
// CHECK-SAME: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
// CHECK-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
// Each use of a constant may be cut in its own way.
// CHECK: stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>}
// CHECK: stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>}
// A value that a loop carries has one sharding, inside and out.
// CHECK: stablehlo.while
// CHECK: stablehlo.add {{.*}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// CHECK-NOT: data_flow_edge
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %w: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %open: tensor<8xf32>)
    -> (tensor<8x6xf32>, tensor<2x4xf32>, tensor<8xf32>) {
  %ones = stablehlo.constant dense<1.0> : tensor<8x6xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.add %0, %ones : tensor<8x6xf32>
  %2 = sdy.sharding_constraint %ones <@mesh, [{"y"}, {"x"}]> : tensor<8x6xf32>
  // Two rows cannot be cut in four.
  %3 = stablehlo.slice %x [0:2, 0:4] : (tensor<8x4xf32>) -> tensor<2x4xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %4:2 = stablehlo.while(%i = %zero, %a = %open) : tensor<i32>, tensor<8xf32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %nil = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %nil) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
    %b = stablehlo.add %a, %sum : tensor<8xf32>
    stablehlo.return %i, %b : tensor<i32>, tensor<8xf32>
  }
  return %1, %3, %4#1 : tensor<8x6xf32>, tensor<2x4xf32>, tensor<8xf32>
}
