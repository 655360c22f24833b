// RUN: %opt %s --split-input-file --tenon-inline --tenon-decompose | %check %s

// A scan that may be computed in any order, from what changes nothing, is a reduce_window.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<2x5xf32>)
// CHECK: %[[SUMS:.*]] = "stablehlo.reduce_window"(%[[X]]
// CHECK-SAME: padding = dense<{{\[\[}}0, 0], [4, 0]]>
// CHECK-SAME: window_dimensions = array<i64: 1, 5>
// CHECK: stablehlo.add
// CHECK: %[[LAST:.*]] = stablehlo.slice %[[SUMS]] [0:2, 4:5]
// CHECK-NOT: stablehlo.while
func.func @main(%x: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %0:2 = chlo.scan(%x) inits(%c) dimension=1 attributes {is_associative = true} {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %1 = stablehlo.add %a, %b : tensor<2xf32>
    stablehlo.return %1, %1 : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x5xf32>, tensor<2xf32>) -> (tensor<2x5xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2x5xf32>, tensor<2xf32>
}

// -----

// From something else it is a tree, to which that is added.
// CHECK-LABEL: func.func @main
// CHECK-NOT: reduce_window
// CHECK-NOT: stablehlo.while
// CHECK: stablehlo.add %{{.*}} : tensor<2xf32>
// CHECK: stablehlo.add %{{.*}} : tensor<5xf32>
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0:2 = chlo.scan(%x) inits(%c) dimension=0 attributes {is_associative = true} {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1, %1 : tensor<f32>, tensor<f32>
  } : (tensor<5xf32>, tensor<f32>) -> (tensor<5xf32>, tensor<f32>)
  return %0#0 : tensor<5xf32>
}

// -----

// So is one of more than one operation, backwards.
// CHECK-LABEL: func.func @main
// CHECK-NOT: reduce_window
// CHECK-NOT: stablehlo.while
// CHECK: stablehlo.reverse %{{.*}}, dims = [1]
// CHECK: stablehlo.log_plus_one %{{.*}} : tensor<2x3xf32>
// CHECK: stablehlo.log_plus_one %{{.*}} : tensor<2x6xf32>
func.func @main(%x: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<2xf32>
  %0:2 = chlo.scan(%x) inits(%low) dimension=1 attributes {is_associative = true, is_reverse = true} {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %most = stablehlo.maximum %a, %b : tensor<2xf32>
    %d = stablehlo.subtract %a, %b : tensor<2xf32>
    %c = stablehlo.compare NE, %d, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %s = stablehlo.add %a, %b : tensor<2xf32>
    %n = stablehlo.abs %d : tensor<2xf32>
    %m = stablehlo.negate %n : tensor<2xf32>
    %e = stablehlo.exponential %m : tensor<2xf32>
    %l = stablehlo.log_plus_one %e : tensor<2xf32>
    %y = stablehlo.add %most, %l : tensor<2xf32>
    %r = stablehlo.select %c, %s, %y : tensor<2xi1>, tensor<2xf32>
    stablehlo.return %r, %r : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x6xf32>, tensor<2xf32>) -> (tensor<2x6xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2x6xf32>, tensor<2xf32>
}

// -----

// What has to be computed in its order is a loop, and what is computed of several elements.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.while
func.func @main(%x: tensor<5xf32>, %c: tensor<f32>) -> tensor<5xf32> {
  %0:2 = chlo.scan(%x) inits(%c) dimension=0 attributes {is_associative = false} {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %1, %1 : tensor<f32>, tensor<f32>
  } : (tensor<5xf32>, tensor<f32>) -> (tensor<5xf32>, tensor<f32>)
  return %0#0 : tensor<5xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.while
func.func @main(%x: tensor<5x2x2xf32>, %c: tensor<2x2xf32>) -> tensor<5x2x2xf32> {
  %0:2 = chlo.scan(%x) inits(%c) dimension=0 attributes {is_associative = true} {
  ^bb0(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>):
    %1 = stablehlo.dot_general %b, %a, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    stablehlo.return %1, %1 : tensor<2x2xf32>, tensor<2x2xf32>
  } : (tensor<5x2x2xf32>, tensor<2x2xf32>) -> (tensor<5x2x2xf32>, tensor<2x2xf32>)
  return %0#0 : tensor<5x2x2xf32>
}

// -----

// JAX hands it over as a composite, whose decomposition is a loop.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.reduce_window
// CHECK-NOT: stablehlo.while
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.composite "chlo.scan" %x, %c ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1, %1 : tensor<f32>, tensor<f32>
  }) {composite_attributes = {dimension = 0 : i64, is_associative = true, is_reverse = false, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}, decomposition = @loop, version = 1 : i32} : (tensor<5xf32>, tensor<f32>) -> (tensor<5xf32>, tensor<f32>)
  return %0#0 : tensor<5xf32>
}
func.func private @loop(%x: tensor<5xf32>, %c: tensor<f32>) -> (tensor<5xf32>, tensor<f32>) {
  %i = stablehlo.constant dense<0> : tensor<i64>
  %n = stablehlo.constant dense<5> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %0:3 = stablehlo.while(%k = %i, %s = %c, %y = %x) : tensor<i64>, tensor<f32>, tensor<5xf32>
  cond {
    %1 = stablehlo.compare LT, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %k, %one : tensor<i64>
    stablehlo.return %1, %s, %y : tensor<i64>, tensor<f32>, tensor<5xf32>
  }
  return %0#2, %0#1 : tensor<5xf32>, tensor<f32>
}
