// RUN: %opt %s --tenon-simplify --tenon-simplify-loops --tenon-simplify | %check %s

// Three steps behind one another, each with its own number.
// CHECK-LABEL: func.func @few
// CHECK-NOT: stablehlo.while
// CHECK: stablehlo.multiply
// CHECK: stablehlo.multiply
// CHECK: stablehlo.multiply
// CHECK-NOT: stablehlo.multiply
// CHECK: return
func.func @few(%x: tensor<10000xui32>) -> (tensor<10000xui32>, tensor<10000xui32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %x) : tensor<i32>, tensor<10000xui32>, tensor<10000xui32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %i1 = stablehlo.add %i, %one : tensor<i32>
    %c = stablehlo.convert %i : (tensor<i32>) -> tensor<ui32>
    %w = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<10000xui32>
    %y = stablehlo.multiply %a, %b : tensor<10000xui32>
    %z = stablehlo.xor %y, %w : tensor<10000xui32>
    stablehlo.return %i1, %z, %a : tensor<i32>, tensor<10000xui32>, tensor<10000xui32>
  }
  return %0#1, %0#2 : tensor<10000xui32>, tensor<10000xui32>
}

// Too many steps, arrays that stay in cache, and steps that do more than arithmetic.
// CHECK-LABEL: func.func @stays
// CHECK: stablehlo.while
// CHECK: stablehlo.while
// CHECK: stablehlo.while
// CHECK: return
func.func @stays(%x: tensor<10000xui32>, %few: tensor<1000xui32>, %m: tensor<100x100xf32>)
    -> (tensor<10000xui32>, tensor<1000xui32>, tensor<100x100xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %many = stablehlo.constant dense<9> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<10000xui32>
  cond {
    %p = stablehlo.compare LT, %i, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %i1 = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.multiply %a, %x : tensor<10000xui32>
    stablehlo.return %i1, %y : tensor<i32>, tensor<10000xui32>
  }
  %1:2 = stablehlo.while(%i = %zero, %a = %few) : tensor<i32>, tensor<1000xui32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %i1 = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.multiply %a, %few : tensor<1000xui32>
    stablehlo.return %i1, %y : tensor<i32>, tensor<1000xui32>
  }
  %2:2 = stablehlo.while(%i = %zero, %a = %m) : tensor<i32>, tensor<100x100xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %i1 = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.transpose %a, dims = [1, 0] : (tensor<100x100xf32>) -> tensor<100x100xf32>
    stablehlo.return %i1, %y : tensor<i32>, tensor<100x100xf32>
  }
  return %0#1, %1#1, %2#1 : tensor<10000xui32>, tensor<1000xui32>, tensor<100x100xf32>
}
