// sums along each dimension, and of everything
func.func @main(%x: tensor<3x4x5xf32>) -> (tensor<4x5xf32>, tensor<3x5xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<4x5xf32>, tensor<3x5xf32>, tensor<f32>
}
// -----
// softmax
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<4x6xf32>
  %3 = stablehlo.exponential %2 : tensor<4x6xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %6 = stablehlo.divide %3, %5 : tensor<4x6xf32>
  return %6 : tensor<4x6xf32>
}
// -----
// the largest element and its place: two arrays reduced together
func.func @main(%x: tensor<3x7xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %places = stablehlo.iota dim = 1 : tensor<3x7xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %low), (%places init: %none) across dimensions = [1] : (tensor<3x7xf32>, tensor<3x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.select %1, %a, %b : tensor<i1>, tensor<f32>
      %3 = stablehlo.select %1, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
    }
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
}
// -----
// all and any
func.func @main(%x: tensor<4x3xi1>) -> (tensor<4xi1>, tensor<i1>) {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.reduce(%x init: %true) applies stablehlo.and across dimensions = [1] : (tensor<4x3xi1>, tensor<i1>) -> tensor<4xi1>
  %1 = stablehlo.reduce(%x init: %false) applies stablehlo.or across dimensions = [0, 1] : (tensor<4x3xi1>, tensor<i1>) -> tensor<i1>
  return %0, %1 : tensor<4xi1>, tensor<i1>
}
// -----
// reductions without elements give the initial value
func.func @main(%x: tensor<0x3xi32>, %i: tensor<i32>) -> tensor<3xi32> {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<0x3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// -----
// a matrix product
func.func @main(%x: tensor<5x7xf32>, %y: tensor<7x3xf32>) -> tensor<5x3xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
// -----
// products in batches, and over two dimensions
func.func @main(%x: tensor<4x2x3xf32>, %y: tensor<3x2x5xf32>, %z: tensor<2x3x4xf32>) -> (tensor<2x4x5xf32>, tensor<4x5xf32>, tensor<f32>) {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [1] x [1], contracting_dims = [2] x [0] : (tensor<4x2x3xf32>, tensor<3x2x5xf32>) -> tensor<2x4x5xf32>
  %1 = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [1, 0] : (tensor<4x2x3xf32>, tensor<3x2x5xf32>) -> tensor<4x5xf32>
  %2 = stablehlo.dot_general %z, %z, contracting_dims = [0, 1, 2] x [0, 1, 2] : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<2x4x5xf32>, tensor<4x5xf32>, tensor<f32>
}
// -----
// products of integers, and of f64
func.func @main(%x: tensor<3x4xi32>, %y: tensor<4xi32>, %u: tensor<6xf64>, %v: tensor<6xf64>) -> (tensor<3xi32>, tensor<f64>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3xi32>
  %1 = stablehlo.dot_general %u, %v, contracting_dims = [0] x [0] : (tensor<6xf64>, tensor<6xf64>) -> tensor<f64>
  return %0, %1 : tensor<3xi32>, tensor<f64>
}
// -----
// two layers of a network, and the gradient of the first
func.func @main(%x: tensor<8x5xf32>, %w: tensor<5x16xf32>, %b: tensor<16xf32>, %v: tensor<16x3xf32>) -> (tensor<8x3xf32>, tensor<5x16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<8x16xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x5xf32>, tensor<5x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x16xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<8x16xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x3xf32>) -> tensor<8x3xf32>
  %5 = stablehlo.dot_general %4, %v, contracting_dims = [1] x [1] : (tensor<8x3xf32>, tensor<16x3xf32>) -> tensor<8x16xf32>
  %6 = stablehlo.compare GT, %2, %zero : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xi1>
  %7 = stablehlo.select %6, %5, %zero : tensor<8x16xi1>, tensor<8x16xf32>
  %8 = stablehlo.dot_general %x, %7, contracting_dims = [0] x [0] : (tensor<8x5xf32>, tensor<8x16xf32>) -> tensor<5x16xf32>
  return %4, %8 : tensor<8x3xf32>, tensor<5x16xf32>
}
