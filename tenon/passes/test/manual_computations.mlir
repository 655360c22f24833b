// What is written for one of several devices becomes a module of its own, and its arrays their parts.
// RUN: %opt %s --tenon-inline --tenon-outline-manual-computations | %check %s
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  // CHECK: func.func @main(%[[A:[a-z0-9]+]]: tensor<8x6xf32> {{{.*}}}, %[[B:[a-z0-9]+]]: tensor<3xf32> {{{.*}}})
  func.func @main(%a: tensor<8x6xf32>, %b: tensor<3xf32>) -> tensor<4x6xf32> {
    // CHECK: %[[R:.*]] = stablehlo.reshape %[[A]] : (tensor<8x6xf32>) -> tensor<4x2x2x3xf32>
    // CHECK: %[[T:.*]] = stablehlo.transpose %[[R]], dims = [2, 0, 1, 3]
    // CHECK: %[[P:.*]] = stablehlo.reshape {{.*}} -> tensor<8x2x3xf32>
    // CHECK: %[[C:.*]] = stablehlo.custom_call @tenon.manual_computation(%[[P]], %[[B]]) {{.*}}module = 0 : i64, shared = array<i64: 1>{{.*}} -> tensor<8x2x3xf32>
    // Of the devices along y, which have the same, the first counts.
    // CHECK: %[[M:.*]] = stablehlo.reshape %[[C]] : (tensor<8x2x3xf32>) -> tensor<2x4x2x3xf32>
    // CHECK: stablehlo.slice %[[M]] [0:2, 0:1, 0:2, 0:3]
    %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"y"}, {"x"}]>, <@mesh, [{}]>]
        out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x", "y"} (%p: tensor<2x3xf32>, %q: tensor<3xf32>) {
      %1 = stablehlo.broadcast_in_dim %q, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
      %2 = stablehlo.add %p, %1 : tensor<2x3xf32>
      sdy.return %2 : tensor<2x3xf32>
    } : (tensor<8x6xf32>, tensor<3xf32>) -> tensor<2x6xf32>
    %3 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
    // What neither communicates nor knows its place stands in place.
    // CHECK-NOT: manual_computation
    // CHECK: stablehlo.negate
    %4 = sdy.manual_computation(%3) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {}]>]
        manual_axes={"x", "y"} (%p: tensor<4x6xf32>) {
      %5 = stablehlo.negate %p : tensor<4x6xf32>
      sdy.return %5 : tensor<4x6xf32>
    } : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %4 : tensor<4x6xf32>
  }
  // CHECK: module @manual_computation_0 attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32, tenon.manual_computation = 0 : i64, tenon.mesh = #sdy.mesh<["x"=2, "y"=4]>}
  // CHECK: func.func @main(%{{.*}}: tensor<2x3xf32>, %{{.*}}: tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.add
}
