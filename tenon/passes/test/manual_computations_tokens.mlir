// Tokens do not pass the boundary of what runs for each device.
// RUN: %opt %s --tenon-inline --tenon-outline-manual-computations | %check %s
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  // CHECK: func.func @main(%{{[a-z0-9]+}}: !stablehlo.token, %[[X:[a-z0-9]+]]: tensor<4xi32> {{{.*}}}, %[[Y:[a-z0-9]+]]: tensor<2xi32>
  func.func @main(%t: !stablehlo.token, %x: tensor<4xi32>, %y: tensor<2xi32>) -> (!stablehlo.token, tensor<4xi32>) {
    // CHECK: %[[C:.*]] = stablehlo.custom_call @tenon.manual_computation(%{{.*}}, %[[Y]]) {{.*}}shared = array<i64: 1>{{.*}} : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
    // CHECK: %[[T:.*]] = stablehlo.create_token
    // CHECK: return %[[T]],
    %0:2 = sdy.manual_computation(%t, %x, %y) in_shardings=[<@mesh, []>, <@mesh, [{"x"}]>, <@mesh, [{}]>]
        out_shardings=[<@mesh, []>, <@mesh, [{"x"}]>] manual_axes={"x"} (%u: !stablehlo.token, %p: tensor<2xi32>, %q: tensor<2xi32>) {
      %1:2 = stablehlo.custom_call @effect(%u, %p, %q) {has_side_effect = true} : (!stablehlo.token, tensor<2xi32>, tensor<2xi32>) -> (!stablehlo.token, tensor<2xi32>)
      sdy.return %1#0, %1#1 : !stablehlo.token, tensor<2xi32>
    } : (!stablehlo.token, tensor<4xi32>, tensor<2xi32>) -> (!stablehlo.token, tensor<4xi32>)
    return %0#0, %0#1 : !stablehlo.token, tensor<4xi32>
  }
  // CHECK: module @manual_computation_0
  // CHECK: func.func @main(%[[A:.*]]: tensor<2xi32>, %[[B:.*]]: tensor<2xi32>) -> tensor<2xi32>
  // CHECK: %[[U:.*]] = stablehlo.create_token
  // CHECK: %[[E:.*]]:2 = stablehlo.custom_call @effect(%[[U]], %[[A]], %[[B]])
  // CHECK: return %[[E]]#1 : tensor<2xi32>
}
