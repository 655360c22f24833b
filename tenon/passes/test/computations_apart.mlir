// A computation keeps what it computes itself, also where there is an equal value around it: kernels take none from there.
// RUN: %opt %s --tenon-simplify | %check %s

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.iota
// CHECK: "stablehlo.map"
// CHECK-NEXT: ^bb0
// CHECK-NEXT: %[[OWN:.*]] = stablehlo.iota
// CHECK-NOT: stablehlo.iota
// CHECK: return
func.func @main(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<3xi32>) {
  %around = stablehlo.iota dim = 0 : tensor<3xi32>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>):
    %own = stablehlo.iota dim = 0 : tensor<3xi32>
    %again = stablehlo.iota dim = 0 : tensor<3xi32>
    %spread = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %start = stablehlo.add %own, %spread : tensor<3xi32>
    %both = stablehlo.multiply %start, %again : tensor<3xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %sum = stablehlo.reduce(%both init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<4xi32>) -> tensor<4xi32>
  return %0, %around : tensor<4xi32>, tensor<3xi32>
}
