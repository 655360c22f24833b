// The channels of a large image, which lie side by side, are written one behind the other: all of them of one part of the
// image before the next part, which would else be read from memory once for each.
// RUN: %tenon compile %s --entry large --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=LARGE
// LARGE: dims 3 262144v lanes 8 tasks 78 = dim 1 by 10240
// LARGE: all tasks of a chunk before those of the next
func.func @large(%x: tensor<512x512x3xf32>) -> tensor<3x512x512xf32> {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<512x512x3xf32>) -> tensor<3x512x512xf32>
  return %0 : tensor<3x512x512xf32>
}

// Bytes take longer to widen than to read, and rows that lie apart have no cache lines in common.
// RUN: %tenon compile %s --entry bytes --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=OTHERS
// RUN: %tenon compile %s --entry apart --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=OTHERS
// OTHERS: map
// OTHERS-NOT: all tasks of a chunk
func.func @bytes(%x: tensor<1024x512x3xui8>) -> tensor<3x1024x512xf32> {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<1024x512x3xui8>) -> tensor<3x1024x512xui8>
  %1 = stablehlo.convert %0 : (tensor<3x1024x512xui8>) -> tensor<3x1024x512xf32>
  return %1 : tensor<3x1024x512xf32>
}
func.func @apart(%x: tensor<3x524288xf32>) -> tensor<3x262144xf32> {
  %0 = stablehlo.slice %x [0:3, 0:524288:2] : (tensor<3x524288xf32>) -> tensor<3x262144xf32>
  return %0 : tensor<3x262144xf32>
}
