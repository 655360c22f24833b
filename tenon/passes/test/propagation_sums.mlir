// What devices have of an array that is not put together yet, and how it will be, stays as the program says.
// RUN: %opt %s --tenon-propagate-shardings | %check %s
// CHECK: func.func @main
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced=min{"x"}>})
// CHECK-SAME: -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"x", "y"}>},
// CHECK-SAME: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
// CHECK: stablehlo.negate {{.*}}<@mesh, [{}, {}], unreduced=max{"x", "y"}>
// CHECK: sdy.sharding_constraint {{.*}} <@mesh, [{"y"}, {}], unreduced={"x"}>
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced=min{"x"}>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"x", "y"}>}, tensor<8x4xf32>) {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}], unreduced=max{"x", "y"}> : tensor<8x4xf32>
  %2 = sdy.sharding_constraint %x <@mesh, [{?}, {?}], unreduced=sum{"x"}> : tensor<8x4xf32>
  return %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>
}
