// Open dimensions are cut further as they follow, by axes that cut no other dimension; closed ones are as they say.
// RUN: %opt %s --tenon-inline | %check %s
// CHECK: func.func @main
// CHECK-SAME: -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
// CHECK-SAME: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
// CHECK-SAME: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
// CHECK-SAME: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
// CHECK-SAME: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
// CHECK-SAME: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>,
        tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>},
        tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {?}]> : tensor<8x4xf32>
  %1 = sdy.sharding_constraint %x <@mesh, [{"x", ?}, {}]> : tensor<8x4xf32>
  %2 = sdy.sharding_constraint %x <@mesh, [{"y", ?}, {?}]> : tensor<8x4xf32>
  %3 = sdy.sharding_constraint %x <@mesh, [{?}, {?}], replicated={"y"}> : tensor<8x4xf32>
  return %0, %1, %2, %3, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
