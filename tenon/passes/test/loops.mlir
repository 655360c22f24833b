// RUN: %opt %s --tenon-simplify --tenon-simplify-loops --tenon-simplify | %check %s

// The weights never change, the step is counted twice, and nobody reads %unread.
// CHECK-LABEL: func.func @scan
// CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %arg1) : tensor<i32>, tensor<40xf32>
// CHECK: stablehlo.multiply %{{.*}}, %arg0
// CHECK: return
func.func @scan(%weights: tensor<40xf32>, %x: tensor<40xf32>) -> tensor<40xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:5 = stablehlo.while(%i = %zero, %j = %zero, %w = %weights, %y = %x, %unread = %x) : tensor<i32>, tensor<i32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %i1 = stablehlo.add %i, %one : tensor<i32>
    %j1 = stablehlo.add %j, %one : tensor<i32>
    %y1 = stablehlo.multiply %y, %w : tensor<40xf32>
    %u1 = stablehlo.negate %unread : tensor<40xf32>
    stablehlo.return %i1, %j1, %w, %y1, %u1 : tensor<i32>, tensor<i32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
  }
  return %0#3 : tensor<40xf32>
}
