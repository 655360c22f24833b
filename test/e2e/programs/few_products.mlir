// Products of which one operand has no dimensions of its own, and sums of a few terms.
func.func @main(%points: tensor<1003x3xf32>, %vector: tensor<3xf32>, %vectors: tensor<2x3x40xbf16>, %others: tensor<3x17x40x2xbf16>, %a: tensor<900x4xi8>, %b: tensor<900x4xi8>, %wide: tensor<5x600xf64>, %five: tensor<5xf64>)
    -> (tensor<1003xf32>, tensor<40x17xbf16>, tensor<900xi32>, tensor<600xf64>, tensor<1003xf32>) {
  %0 = stablehlo.dot_general %points, %vector, contracting_dims = [1] x [0] : (tensor<1003x3xf32>, tensor<3xf32>) -> tensor<1003xf32>
  %1 = stablehlo.dot_general %vectors, %others, batching_dims = [2] x [2], contracting_dims = [0, 1] x [3, 0] : (tensor<2x3x40xbf16>, tensor<3x17x40x2xbf16>) -> tensor<40x17xbf16>
  %2 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<900x4xi8>, tensor<900x4xi8>) -> tensor<900xi32>
  %3 = stablehlo.dot_general %five, %wide, contracting_dims = [0] x [0] : (tensor<5xf64>, tensor<5x600xf64>) -> tensor<600xf64>
  // Infinity times zero, and what follows from it.
  %inf = stablehlo.constant dense<[0x7F800000, 0.0, -1.0]> : tensor<3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<1003x3xf32>
  %clipped = stablehlo.maximum %points, %zero : tensor<1003x3xf32>
  %4 = stablehlo.dot_general %clipped, %inf, contracting_dims = [1] x [0] : (tensor<1003x3xf32>, tensor<3xf32>) -> tensor<1003xf32>
  return %0, %1, %2, %3, %4 : tensor<1003xf32>, tensor<40x17xbf16>, tensor<900xi32>, tensor<600xf64>, tensor<1003xf32>
}
