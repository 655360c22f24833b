// RUN: %opt %s --tenon-simplify | %check %s

// The platform of an export for several: an index that constants lead to, through a conversion and another case.
// CHECK-LABEL: func.func @platform
// CHECK-NOT: stablehlo.case
// CHECK-NOT: others
// CHECK: %[[RESULT:.*]] = stablehlo.custom_call @mine(%arg0)
// CHECK-NEXT: return %[[RESULT]]
func.func @platform(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %only = "stablehlo.case"(%one) ({
    stablehlo.return %one : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  %wide = stablehlo.convert %only : (tensor<i32>) -> tensor<i64>
  %narrow = stablehlo.convert %wide : (tensor<i64>) -> tensor<i32>
  %place = "stablehlo.case"(%narrow) ({
    stablehlo.return %one : tensor<i32>
  }, {
    stablehlo.return %zero : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  %result = "stablehlo.case"(%place) ({
    %0 = stablehlo.custom_call @mine(%x) {api_version = 4 : i32} : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %0 : tensor<3xf32>
  }, {
    %0 = stablehlo.custom_call @others(%x) {api_version = 4 : i32} : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %0 : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  return %result : tensor<3xf32>
}

// CHECK-LABEL: func.func @negative
// CHECK-NEXT: %[[RESULT:.*]] = stablehlo.sine %arg0
// CHECK-NEXT: return %[[RESULT]]
func.func @negative(%x: tensor<3xf32>) -> tensor<3xf32> {
  %index = stablehlo.constant dense<-1> : tensor<i32>
  %result = "stablehlo.case"(%index) ({
    stablehlo.return %x : tensor<3xf32>
  }, {
    %0 = stablehlo.sine %x : tensor<3xf32>
    stablehlo.return %0 : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  return %result : tensor<3xf32>
}

// CHECK-LABEL: func.func @if
// CHECK-NEXT: %[[RESULT:.*]] = stablehlo.cosine %arg0
// CHECK-NEXT: return %arg1, %[[RESULT]]
func.func @if(%x: tensor<3xf32>, %y: tensor<f32>) -> (tensor<f32>, tensor<3xf32>) {
  %false = stablehlo.constant dense<false> : tensor<i1>
  %result:2 = "stablehlo.if"(%false) ({
    %z = stablehlo.negate %y : tensor<f32>
    stablehlo.return %z, %x : tensor<f32>, tensor<3xf32>
  }, {
    %0 = stablehlo.cosine %x : tensor<3xf32>
    stablehlo.return %y, %0 : tensor<f32>, tensor<3xf32>
  }) : (tensor<i1>) -> (tensor<f32>, tensor<3xf32>)
  return %result#0, %result#1 : tensor<f32>, tensor<3xf32>
}
