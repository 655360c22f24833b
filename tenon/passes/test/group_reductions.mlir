// RUN: %opt %s --split-input-file --tenon-decompose --tenon-expand-group-reductions | %check %s

// The tree of what three processes have, of which each element is read once.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<5xf32>)
// CHECK: %[[STACK:.*]] = stablehlo.custom_call @tenon.gather_group(%[[X]])
// CHECK-SAME: -> tensor<3x5xf32>
// CHECK-COUNT-3: stablehlo.slice %[[STACK]]
// CHECK-NOT: stablehlo.slice
// CHECK-COUNT-2: stablehlo.maximum %{{.*}} : tensor<5xf32>
// CHECK-NOT: stablehlo.maximum
module attributes {mhlo.num_replicas = 3 : i32} {
  func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<5xf32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}

// -----

// Of a large array each process reduces a part, and the others gather it.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.custom_call @tenon.exchange_group
// CHECK-SAME: -> tensor<4x25001xf32>
// CHECK-COUNT-3: stablehlo.add %{{.*}} : tensor<25001xf32>
// CHECK: stablehlo.custom_call @tenon.gather_group
// CHECK-SAME: -> tensor<100004xf32>
// CHECK: stablehlo.slice %{{.*}} [0:100001]
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%x: tensor<100001xf32>) -> tensor<100001xf32> {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {replica_groups = dense<> : tensor<0x0xi64>} : (tensor<100001xf32>) -> tensor<100001xf32>
    return %0 : tensor<100001xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.custom_call @tenon.exchange_group
// CHECK-SAME: -> tensor<2x3x2xf32>
// CHECK: stablehlo.add %{{.*}} : tensor<3x2xf32>
// CHECK-NOT: gather_group
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
    %0 = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {scatter_dimension = 1 : i64, replica_groups = dense<> : tensor<0x0xi64>} : (tensor<3x4xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
