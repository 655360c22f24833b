// What is simple to compute of arrays that a kernel reads anyway is computed again (passes/fuse/results.cpp).
// RUN: %opt %s --tenon-fuse | %check %s

// Half of the tanh and one, for a derivative: the sum over columns reads the tanh, too.
// CHECK-LABEL: func.func @half
// CHECK: %[[KEPT:.*]]:2 = tenon.fusion dot(%{{.*}} = %arg0, %{{.*}} = %arg1)
// CHECK: tenon.yield
// CHECK: tenon.fusion reduce(%{{.*}} = %{{.*}}, %[[T:.*]] = %[[KEPT]]#1) : (tensor<512x512xf32>, tensor<512x512xf32>)
// CHECK: stablehlo.add %[[T]]
// CHECK-NOT: stablehlo.tanh
// CHECK: return
func.func @half(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> (tensor<512xf32>, tensor<512x512xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<512x512xf32>
  %point5 = stablehlo.constant dense<0.5> : tensor<512x512xf32>
  %a = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %t = stablehlo.tanh %a : tensor<512x512xf32>
  %sum = stablehlo.add %t, %one : tensor<512x512xf32>
  %half = stablehlo.multiply %sum, %point5 : tensor<512x512xf32>
  %h = stablehlo.multiply %a, %half : tensor<512x512xf32>
  %o = stablehlo.dot_general %h, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %g = stablehlo.dot_general %o, %o, contracting_dims = [1] x [1] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %b = stablehlo.multiply %half, %g : tensor<512x512xf32>
  %c = stablehlo.multiply %b, %t : tensor<512x512xf32>
  %r = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
  return %r, %c : tensor<512xf32>, tensor<512x512xf32>
}

// The reader may be what is made of a product.
// CHECK-LABEL: func.func @epilogue
// CHECK: %[[KEPT:.*]]:2 = tenon.fusion dot(%{{.*}} = %arg0, %{{.*}} = %arg1)
// CHECK: tenon.fusion dot(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[T:.*]] = %[[KEPT]]#1)
// CHECK: stablehlo.add %[[T]]
// CHECK-NOT: stablehlo.tanh
// CHECK: return
func.func @epilogue(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<512x512xf32>
  %point5 = stablehlo.constant dense<0.5> : tensor<512x512xf32>
  %a = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %t = stablehlo.tanh %a : tensor<512x512xf32>
  %sum = stablehlo.add %t, %one : tensor<512x512xf32>
  %half = stablehlo.multiply %sum, %point5 : tensor<512x512xf32>
  %h = stablehlo.multiply %a, %half : tensor<512x512xf32>
  %o = stablehlo.dot_general %h, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %g = stablehlo.dot_general %o, %o, contracting_dims = [1] x [1] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %b = stablehlo.multiply %half, %g : tensor<512x512xf32>
  %c = stablehlo.multiply %b, %t : tensor<512x512xf32>
  return %c : tensor<512x512xf32>
}

// An exponential is not simple.
// CHECK-LABEL: func.func @kept
// CHECK: tenon.fusion dot(%{{.*}} = %arg0, %{{.*}} = %arg1) : {{.*}} -> (tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>)
// CHECK: tenon.fusion reduce(
// CHECK-NOT: stablehlo.exponential
// CHECK: return
func.func @kept(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> (tensor<512xf32>, tensor<512x512xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %t = stablehlo.tanh %a : tensor<512x512xf32>
  %e = stablehlo.exponential %t : tensor<512x512xf32>
  %h = stablehlo.multiply %a, %e : tensor<512x512xf32>
  %o = stablehlo.dot_general %h, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %g = stablehlo.dot_general %o, %o, contracting_dims = [1] x [1] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %b = stablehlo.multiply %e, %g : tensor<512x512xf32>
  %c = stablehlo.multiply %b, %t : tensor<512x512xf32>
  %r = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
  return %r, %c : tensor<512xf32>, tensor<512x512xf32>
}
