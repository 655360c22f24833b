// RUN: %opt %s --tenon-simplify --tenon-fuse | %check %s

// Of a softmax that is computed in another order than the scores come in, all is computed in theirs: one kernel of rows.
// CHECK-LABEL: func.func @grouped
// CHECK: %[[S:.*]] = stablehlo.dot_general
// CHECK-NEXT: %[[P:.*]] = tenon.fusion rows({{.*}} = %[[S]]) : (tensor<2x3x20x4x36xf32>) -> tensor<2x3x20x4x36xf32>
// CHECK-NOT: stablehlo.transpose
// CHECK: stablehlo.broadcast_in_dim {{.*}}, dims = [2, 4] : (tensor<20x36xi1>) -> tensor<2x3x20x4x36xi1>
// CHECK-NOT: stablehlo.transpose
// CHECK: tenon.fusion dot({{.*}}%[[P]]
// CHECK: stablehlo.dot_general {{.*}} -> tensor<2x3x20x4x8xf32>
// CHECK-NEXT: stablehlo.transpose {{.*}}, dims = [0, 2, 1, 3, 4]
func.func @grouped(%q: tensor<2x20x3x4x8xf32>, %k: tensor<2x36x3x8xf32>, %v: tensor<2x36x3x8xf32>) -> tensor<2x20x3x4x8xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %masked = stablehlo.constant dense<-1.0e30> : tensor<4x2x3x20x36xf32>
  %row = stablehlo.iota dim = 0 : tensor<20x36xi32>
  %column = stablehlo.iota dim = 1 : tensor<20x36xi32>
  %sees = stablehlo.compare GE, %row, %column : (tensor<20x36xi32>, tensor<20x36xi32>) -> tensor<20x36xi1>
  %mask = stablehlo.broadcast_in_dim %sees, dims = [3, 4] : (tensor<20x36xi1>) -> tensor<4x2x3x20x36xi1>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<2x20x3x4x8xf32>, tensor<2x36x3x8xf32>) -> tensor<2x3x20x4x36xf32>
  %t = stablehlo.transpose %s, dims = [3, 0, 1, 2, 4] : (tensor<2x3x20x4x36xf32>) -> tensor<4x2x3x20x36xf32>
  %x = stablehlo.select %mask, %t, %masked : tensor<4x2x3x20x36xi1>, tensor<4x2x3x20x36xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [4] : (tensor<4x2x3x20x36xf32>, tensor<f32>) -> tensor<4x2x3x20xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0, 1, 2, 3] : (tensor<4x2x3x20xf32>) -> tensor<4x2x3x20x36xf32>
  %d = stablehlo.subtract %x, %maxes : tensor<4x2x3x20x36xf32>
  %e = stablehlo.exponential %d : tensor<4x2x3x20x36xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [4] : (tensor<4x2x3x20x36xf32>, tensor<f32>) -> tensor<4x2x3x20xf32>
  %column_of_sums = stablehlo.reshape %sum : (tensor<4x2x3x20xf32>) -> tensor<4x2x3x20x1xf32>
  %sums = stablehlo.broadcast_in_dim %column_of_sums, dims = [0, 1, 2, 3, 4] : (tensor<4x2x3x20x1xf32>) -> tensor<4x2x3x20x36xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x2x3x20x36xf32>
  %o = stablehlo.dot_general %v, %p, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4] : (tensor<2x36x3x8xf32>, tensor<4x2x3x20x36xf32>) -> tensor<2x3x8x4x20xf32>
  %r = stablehlo.transpose %o, dims = [0, 4, 1, 3, 2] : (tensor<2x3x8x4x20xf32>) -> tensor<2x20x3x4x8xf32>
  return %r : tensor<2x20x3x4x8xf32>
}

// A maximum before the transpose, which is transposed by itself, and the sum behind it.
// CHECK-LABEL: func.func @apart
// CHECK: tenon.fusion rows({{.*}}) : (tensor<2x3x20x4x36xf32>) -> tensor<2x3x20x4x36xf32>
// CHECK-NOT: stablehlo.transpose
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @apart(%q: tensor<2x20x3x4x8xf32>, %k: tensor<2x36x3x8xf32>) -> tensor<2x3x20x4x36xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<2x20x3x4x8xf32>, tensor<2x36x3x8xf32>) -> tensor<2x3x20x4x36xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [4] : (tensor<2x3x20x4x36xf32>, tensor<f32>) -> tensor<2x3x20x4xf32>
  %m = stablehlo.transpose %max, dims = [3, 0, 1, 2] : (tensor<2x3x20x4xf32>) -> tensor<4x2x3x20xf32>
  %t = stablehlo.transpose %s, dims = [3, 0, 1, 2, 4] : (tensor<2x3x20x4x36xf32>) -> tensor<4x2x3x20x36xf32>
  %maxes = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2, 3] : (tensor<4x2x3x20xf32>) -> tensor<4x2x3x20x36xf32>
  %d = stablehlo.subtract %t, %maxes : tensor<4x2x3x20x36xf32>
  %e = stablehlo.exponential %d : tensor<4x2x3x20x36xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [4] : (tensor<4x2x3x20x36xf32>, tensor<f32>) -> tensor<4x2x3x20xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2, 3] : (tensor<4x2x3x20xf32>) -> tensor<4x2x3x20x36xf32>
  %p = stablehlo.divide %e, %sums : tensor<4x2x3x20x36xf32>
  %r = stablehlo.transpose %p, dims = [1, 2, 3, 0, 4] : (tensor<4x2x3x20x36xf32>) -> tensor<2x3x20x4x36xf32>
  return %r : tensor<2x3x20x4x36xf32>
}

// Another operand that lies in the transposed order is transposed back where it is read.
// CHECK-LABEL: func.func @biased
// CHECK: stablehlo.dot_general
// CHECK-NEXT: tenon.fusion reduce
// CHECK-NEXT: stablehlo.transpose {{.*}}, dims = [1, 2, 3, 0, 4] : (tensor<4x2x3x20x36xf32>) -> tensor<2x3x20x4x36xf32>
// CHECK-NEXT: stablehlo.add
// CHECK-NOT: stablehlo.transpose
// CHECK: return
func.func @biased(%q: tensor<2x20x3x4x8xf32>, %k: tensor<2x36x3x8xf32>, %bias: tensor<4x2x3x20x36xf32>) -> tensor<2x3x20x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<2x20x3x4x8xf32>, tensor<2x36x3x8xf32>) -> tensor<2x3x20x4x36xf32>
  %t = stablehlo.transpose %s, dims = [3, 0, 1, 2, 4] : (tensor<2x3x20x4x36xf32>) -> tensor<4x2x3x20x36xf32>
  %x = stablehlo.add %t, %bias : tensor<4x2x3x20x36xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [4] : (tensor<4x2x3x20x36xf32>, tensor<f32>) -> tensor<4x2x3x20xf32>
  %r = stablehlo.transpose %sum, dims = [1, 2, 3, 0] : (tensor<4x2x3x20xf32>) -> tensor<2x3x20x4xf32>
  return %r : tensor<2x3x20x4xf32>
}

// What leaves in another order is transposed once, and a transpose that takes rows apart stays where it is.
// CHECK-LABEL: func.func @leaves
// CHECK: stablehlo.transpose {{.*}}, dims = [3, 0, 1, 2, 4]
// CHECK: stablehlo.transpose {{.*}}, dims = [0, 1, 4, 2, 3]
// CHECK-NOT: stablehlo.transpose
// CHECK: return
func.func @leaves(%q: tensor<2x20x3x4x8xf32>, %k: tensor<2x36x3x8xf32>) -> (tensor<4x2x3x20x36xf32>, tensor<2x3x36x20x4xf32>) {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<2x20x3x4x8xf32>, tensor<2x36x3x8xf32>) -> tensor<2x3x20x4x36xf32>
  %t = stablehlo.transpose %s, dims = [3, 0, 1, 2, 4] : (tensor<2x3x20x4x36xf32>) -> tensor<4x2x3x20x36xf32>
  %e = stablehlo.exponential %t : tensor<4x2x3x20x36xf32>
  %u = stablehlo.transpose %s, dims = [0, 1, 4, 2, 3] : (tensor<2x3x20x4x36xf32>) -> tensor<2x3x36x20x4xf32>
  return %e, %u : tensor<4x2x3x20x36xf32>, tensor<2x3x36x20x4xf32>
}

// A product of which transposes alone are read takes the transposes of its operands.
// CHECK-LABEL: func.func @of_products
// CHECK: %[[S:.*]] = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] {{.*}} -> tensor<2x3x20x4x36xf32>
// CHECK-NOT: stablehlo.transpose
// CHECK: return
func.func @of_products(%q: tensor<2x20x3x4x8xf32>, %k: tensor<2x36x3x8xf32>) -> tensor<2x3x20x4x36xf32> {
  %t = stablehlo.transpose %q, dims = [3, 0, 1, 2, 4] : (tensor<2x20x3x4x8xf32>) -> tensor<4x2x20x3x8xf32>
  %s = stablehlo.dot_general %t, %k, batching_dims = [1, 3] x [0, 2], contracting_dims = [4] x [3] : (tensor<4x2x20x3x8xf32>, tensor<2x36x3x8xf32>) -> tensor<2x3x4x20x36xf32>
  %u = stablehlo.transpose %s, dims = [0, 1, 3, 2, 4] : (tensor<2x3x4x20x36xf32>) -> tensor<2x3x20x4x36xf32>
  return %u : tensor<2x3x20x4x36xf32>
}

// So does one whose result is combined with what has been in another order.
// CHECK-LABEL: func.func @of_two_products
// CHECK: stablehlo.dot_general {{.*}} -> tensor<2x3x20x4x36xf32>
// CHECK: stablehlo.dot_general {{.*}} -> tensor<2x3x20x4x36xf32>
// CHECK-NOT: stablehlo.transpose
// CHECK: return
func.func @of_two_products(%q: tensor<2x20x3x4x8xf32>, %k: tensor<2x36x3x8xf32>) -> tensor<2x3x20x4x36xf32> {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<2x20x3x4x8xf32>, tensor<2x36x3x8xf32>) -> tensor<2x3x20x4x36xf32>
  %x = stablehlo.transpose %s, dims = [0, 1, 3, 2, 4] : (tensor<2x3x20x4x36xf32>) -> tensor<2x3x4x20x36xf32>
  %t = stablehlo.transpose %q, dims = [0, 2, 4, 3, 1] : (tensor<2x20x3x4x8xf32>) -> tensor<2x3x8x4x20xf32>
  %g = stablehlo.dot_general %t, %k, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3] : (tensor<2x3x8x4x20xf32>, tensor<2x36x3x8xf32>) -> tensor<2x3x4x20x36xf32>
  %p = stablehlo.multiply %x, %g : tensor<2x3x4x20x36xf32>
  %u = stablehlo.transpose %p, dims = [0, 1, 3, 2, 4] : (tensor<2x3x4x20x36xf32>) -> tensor<2x3x20x4x36xf32>
  return %u : tensor<2x3x20x4x36xf32>
}

// Of a transposed matrix without the means of its rows nothing but a product is read, which takes it as it was.
// CHECK-LABEL: func.func @covariance
// CHECK-NOT: stablehlo.transpose
// CHECK: stablehlo.dot_general {{.*}}, contracting_dims = [0] x [0] {{.*}} -> tensor<24x24xf32>
// CHECK-NOT: stablehlo.transpose
// CHECK: return
func.func @covariance(%x: tensor<100x24xf32>) -> tensor<24x24xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<100.0> : tensor<24xf32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<100x24xf32>) -> tensor<24x100xf32>
  %sum = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<24x100xf32>, tensor<f32>) -> tensor<24xf32>
  %mean = stablehlo.divide %sum, %count : tensor<24xf32>
  %means = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<24xf32>) -> tensor<24x100xf32>
  %d = stablehlo.subtract %t, %means : tensor<24x100xf32>
  %r = stablehlo.dot_general %d, %d, contracting_dims = [1] x [1] : (tensor<24x100xf32>, tensor<24x100xf32>) -> tensor<24x24xf32>
  return %r : tensor<24x24xf32>
}

// It stays where the transposed matrix is a result, too, or is combined with one that lies in that order.
// CHECK-LABEL: func.func @read_in_order
// CHECK-COUNT-2: stablehlo.transpose
// CHECK: return
func.func @read_in_order(%x: tensor<100x24xf32>, %z: tensor<100x24xf32>, %y: tensor<24x100xf32>) -> (tensor<24x24xf32>, tensor<24x100xf32>, tensor<24x24xf32>) {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<100x24xf32>) -> tensor<24x100xf32>
  %d = stablehlo.exponential %t : tensor<24x100xf32>
  %r = stablehlo.dot_general %d, %d, contracting_dims = [1] x [1] : (tensor<24x100xf32>, tensor<24x100xf32>) -> tensor<24x24xf32>
  %a = stablehlo.transpose %z, dims = [1, 0] : (tensor<100x24xf32>) -> tensor<24x100xf32>
  %b = stablehlo.add %a, %y : tensor<24x100xf32>
  %s = stablehlo.dot_general %b, %b, contracting_dims = [1] x [1] : (tensor<24x100xf32>, tensor<24x100xf32>) -> tensor<24x24xf32>
  return %r, %d, %s : tensor<24x24xf32>, tensor<24x100xf32>, tensor<24x24xf32>
}
