// RUN: %opt %s --tenon-simplify --tenon-simplify-loops --tenon-simplify | %check %s

// Products of the steps of a sequence with weights, the last step first: one product in front of the loop.
// CHECK-LABEL: func.func @all_steps
// CHECK: %[[ALL:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] {tenon.tf32_operands} : (tensor<9x4x32xf32>, tensor<32x8xf32>) -> tensor<9x4x8xf32>
// CHECK: stablehlo.while
// CHECK: %[[AT:.*]] = stablehlo.subtract
// CHECK: %[[ONE:.*]] = stablehlo.dynamic_slice %[[ALL]], %[[AT]], %{{.*}}, %{{.*}}, sizes = [1, 4, 8]
// CHECK: stablehlo.reshape %[[ONE]] : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
// CHECK-NOT: stablehlo.dot_general
// CHECK: return
func.func @all_steps(%xs: tensor<9x4x32xf32>, %w: tensor<32x8xf32>, %start: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %h = %start) : tensor<i32>, tensor<4x8xf32>
  cond {
    %n = stablehlo.constant dense<9> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %last = stablehlo.constant dense<8> : tensor<i32>
    %at = stablehlo.subtract %last, %i : tensor<i32>
    %row = stablehlo.dynamic_slice %xs, %at, %zero, %zero, sizes = [1, 4, 32] : (tensor<9x4x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x32xf32>
    %x = stablehlo.reshape %row : (tensor<1x4x32xf32>) -> tensor<4x32xf32>
    %g = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {tenon.tf32_operands} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
    %s = stablehlo.add %h, %g : tensor<4x8xf32>
    %t = stablehlo.tanh %s : tensor<4x8xf32>
    stablehlo.return %next, %t : tensor<i32>, tensor<4x8xf32>
  }
  return %0#1 : tensor<4x8xf32>
}

// The product of many rows is as fast in the loop.
// CHECK-LABEL: func.func @many_rows
// CHECK-NOT: stablehlo.dot_general
// CHECK: stablehlo.while
// CHECK: stablehlo.dot_general
func.func @many_rows(%xs: tensor<9x49x32xf32>, %w: tensor<32x8xf32>, %start: tensor<49x8xf32>) -> tensor<49x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %h = %start) : tensor<i32>, tensor<49x8xf32>
  cond {
    %n = stablehlo.constant dense<9> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %last = stablehlo.constant dense<8> : tensor<i32>
    %at = stablehlo.subtract %last, %i : tensor<i32>
    %row = stablehlo.dynamic_slice %xs, %at, %zero, %zero, sizes = [1, 49, 32] : (tensor<9x49x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x49x32xf32>
    %x = stablehlo.reshape %row : (tensor<1x49x32xf32>) -> tensor<49x32xf32>
    %g = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<49x32xf32>, tensor<32x8xf32>) -> tensor<49x8xf32>
    %s = stablehlo.add %h, %g : tensor<49x8xf32>
    %t = stablehlo.tanh %s : tensor<49x8xf32>
    stablehlo.return %next, %t : tensor<i32>, tensor<49x8xf32>
  }
  return %0#1 : tensor<49x8xf32>
}

// A loop may run less often than there are steps.
// CHECK-LABEL: func.func @unknown_trips
// CHECK-NOT: stablehlo.dot_general
// CHECK: stablehlo.while
// CHECK: stablehlo.dot_general
func.func @unknown_trips(%xs: tensor<9x4x32xf32>, %w: tensor<32x8xf32>, %start: tensor<4x8xf32>, %limit: tensor<i32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %h = %start) : tensor<i32>, tensor<4x8xf32>
  cond {
    
    %p = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %last = stablehlo.constant dense<8> : tensor<i32>
    %at = stablehlo.subtract %last, %i : tensor<i32>
    %row = stablehlo.dynamic_slice %xs, %at, %zero, %zero, sizes = [1, 4, 32] : (tensor<9x4x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x32xf32>
    %x = stablehlo.reshape %row : (tensor<1x4x32xf32>) -> tensor<4x32xf32>
    %g = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
    %s = stablehlo.add %h, %g : tensor<4x8xf32>
    %t = stablehlo.tanh %s : tensor<4x8xf32>
    stablehlo.return %next, %t : tensor<i32>, tensor<4x8xf32>
  }
  return %0#1 : tensor<4x8xf32>
}

// So may one whose limit is known.
// CHECK-LABEL: func.func @fewer_trips
// CHECK-NOT: stablehlo.dot_general
// CHECK: stablehlo.while
// CHECK: stablehlo.dot_general
func.func @fewer_trips(%xs: tensor<10x4x32xf32>, %w: tensor<32x8xf32>, %start: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %h = %start) : tensor<i32>, tensor<4x8xf32>
  cond {
    %n = stablehlo.constant dense<9> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %last = stablehlo.constant dense<9> : tensor<i32>
    %at = stablehlo.subtract %last, %i : tensor<i32>
    %row = stablehlo.dynamic_slice %xs, %at, %zero, %zero, sizes = [1, 4, 32] : (tensor<10x4x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x32xf32>
    %x = stablehlo.reshape %row : (tensor<1x4x32xf32>) -> tensor<4x32xf32>
    %g = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
    %s = stablehlo.add %h, %g : tensor<4x8xf32>
    %t = stablehlo.tanh %s : tensor<4x8xf32>
    stablehlo.return %next, %t : tensor<i32>, tensor<4x8xf32>
  }
  return %0#1 : tensor<4x8xf32>
}

// Or one that does not count from zero.
// CHECK-LABEL: func.func @starts_later
// CHECK-NOT: stablehlo.dot_general
// CHECK: stablehlo.while
// CHECK: stablehlo.dot_general
func.func @starts_later(%xs: tensor<9x4x32xf32>, %w: tensor<32x8xf32>, %start: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %h = %start) : tensor<i32>, tensor<4x8xf32>
  cond {
    %n = stablehlo.constant dense<9> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %last = stablehlo.constant dense<8> : tensor<i32>
    %at = stablehlo.subtract %last, %i : tensor<i32>
    %row = stablehlo.dynamic_slice %xs, %at, %zero, %zero, sizes = [1, 4, 32] : (tensor<9x4x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x32xf32>
    %x = stablehlo.reshape %row : (tensor<1x4x32xf32>) -> tensor<4x32xf32>
    %g = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
    %s = stablehlo.add %h, %g : tensor<4x8xf32>
    %t = stablehlo.tanh %s : tensor<4x8xf32>
    stablehlo.return %next, %t : tensor<i32>, tensor<4x8xf32>
  }
  return %0#1 : tensor<4x8xf32>
}

// Weights that the loop changes.
// CHECK-LABEL: func.func @changed_weights
// CHECK-NOT: stablehlo.dot_general
// CHECK: stablehlo.while
// CHECK: stablehlo.dot_general
func.func @changed_weights(%xs: tensor<9x4x32xf32>, %w: tensor<32x8xf32>, %start: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %h = %start, %v = %w) : tensor<i32>, tensor<4x8xf32>, tensor<32x8xf32>
  cond {
    %n = stablehlo.constant dense<9> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %last = stablehlo.constant dense<8> : tensor<i32>
    %at = stablehlo.subtract %last, %i : tensor<i32>
    %row = stablehlo.dynamic_slice %xs, %at, %zero, %zero, sizes = [1, 4, 32] : (tensor<9x4x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x32xf32>
    %x = stablehlo.reshape %row : (tensor<1x4x32xf32>) -> tensor<4x32xf32>
    %g = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
    %s = stablehlo.add %h, %g : tensor<4x8xf32>
    %t = stablehlo.tanh %s : tensor<4x8xf32>
    %v1 = stablehlo.negate %v : tensor<32x8xf32>
    stablehlo.return %next, %t, %v1 : tensor<i32>, tensor<4x8xf32>, tensor<32x8xf32>
  }
  return %0#1 : tensor<4x8xf32>
}
