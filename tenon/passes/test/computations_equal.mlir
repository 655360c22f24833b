// Equal ops with equal computations are one, in a function and in a computation; others are not.
// RUN: %opt %s --tenon-simplify | %check %s

// CHECK-LABEL: func.func @main
// CHECK: %[[SUM:.*]] = stablehlo.reduce({{.*}}) applies stablehlo.add
// CHECK-NEXT: %[[MOST:.*]] = stablehlo.reduce({{.*}}) applies stablehlo.maximum
// CHECK-NEXT: return %[[SUM]], %[[SUM]], %[[MOST]]
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @inside
// CHECK: "stablehlo.map"
// CHECK: %[[OWN:.*]] = stablehlo.reduce({{.*}}) applies stablehlo.add
// CHECK-NOT: stablehlo.reduce
// CHECK: stablehlo.multiply %[[OWN]], %[[OWN]]
func.func @inside(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>):
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %numbers = stablehlo.iota dim = 0 : tensor<3xi32>
    %spread = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %terms = stablehlo.add %numbers, %spread : tensor<3xi32>
    %1 = stablehlo.reduce(%terms init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.reduce(%terms init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.multiply %1, %2 : tensor<i32>
    stablehlo.return %3 : tensor<i32>
  }) : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
