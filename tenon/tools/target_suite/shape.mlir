// broadcasts
func.func @main(%x: tensor<3xf32>, %s: tensor<i32>, %y: tensor<1x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x2xi32>, tensor<3x4xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3x4xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
  %2 = stablehlo.broadcast_in_dim %y, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>
  return %0, %1, %2 : tensor<2x3x4xf32>, tensor<2x2xi32>, tensor<3x4xf32>
}
// -----
// reshape and transpose
func.func @main(%x: tensor<2x3x4xf32>) -> (tensor<6x4xf32>, tensor<4x2x3xf32>, tensor<24xf32>) {
  %0 = stablehlo.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %2 = stablehlo.reshape %1 : (tensor<4x2x3xf32>) -> tensor<24xf32>
  return %0, %1, %2 : tensor<6x4xf32>, tensor<4x2x3xf32>, tensor<24xf32>
}
// -----
// slices and reversal
func.func @main(%x: tensor<5x8xi64>) -> (tensor<2x3xi64>, tensor<5x8xi64>) {
  %0 = stablehlo.slice %x [1:5:2, 2:8:2] : (tensor<5x8xi64>) -> tensor<2x3xi64>
  %1 = stablehlo.reverse %x, dims = [0, 1] : tensor<5x8xi64>
  return %0, %1 : tensor<2x3xi64>, tensor<5x8xi64>
}
// -----
// concatenation
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>, %z: tensor<2x3xf32>) -> (tensor<2x7xf32>, tensor<4x3xf32>) {
  %0 = stablehlo.concatenate %x, %y, %z, dim = 1 : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x7xf32>
  %1 = stablehlo.concatenate %z, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<2x7xf32>, tensor<4x3xf32>
}
// -----
// padding: edges, between elements, and less than nothing
func.func @main(%x: tensor<3x4xf32>, %v: tensor<f32>) -> (tensor<6x11xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.pad %x, %v, low = [1, 2], high = [2, 2], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<6x11xf32>
  %1 = stablehlo.pad %x, %v, low = [-1, 1], high = [0, -2], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<6x11xf32>, tensor<2x3xf32>
}
// -----
// counting along a dimension
func.func @main(%x: tensor<3x4xf32>) -> (tensor<3x4xi32>, tensor<3x4xf32>) {
  %0 = stablehlo.iota dim = 1 : tensor<3x4xi32>
  %1 = stablehlo.iota dim = 0 : tensor<3x4xf32>
  %2 = stablehlo.multiply %1, %x : tensor<3x4xf32>
  return %0, %2 : tensor<3x4xi32>, tensor<3x4xf32>
}
// -----
// bits as another type
func.func @main(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
