// Kernels of convolutions that lie as their images do.
// RUN: %opt %s --tenon-order-convolution-kernels | %check %s

// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<4x8x8x6xf32>, %[[W:.*]]: tensor<3x3x6x5xf32>
// CHECK: %[[ORDERED:.*]] = stablehlo.transpose %[[W]], dims = [3, 0, 1, 2] {{.*}} -> tensor<5x3x3x6xf32>
// CHECK: stablehlo.convolution(%[[X]], %[[ORDERED]]) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f]
// CHECK-NEXT: return
func.func @forward(%x: tensor<4x8x8x6xf32>, %w: tensor<3x3x6x5xf32>) -> tensor<4x6x6x5xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x5xf32>) -> tensor<4x6x6x5xf32>
  return %0 : tensor<4x6x6x5xf32>
}

// Features before the spatial dimensions, groups, three of them.
// CHECK-LABEL: func.func @features_first
// CHECK: %[[ORDERED:.*]] = stablehlo.transpose %arg1, dims = [4, 3, 0, 1, 2] {{.*}} -> tensor<8x3x2x2x2xf32>
// CHECK: stablehlo.convolution(%arg0, %[[ORDERED]]) dim_numbers = [b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2]
func.func @features_first(%x: tensor<4x6x5x5x5xf32>, %w: tensor<2x2x2x3x8xf32>) -> tensor<4x8x4x4x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1, 2]x[0, 1, 2, i, o]->[b, f, 0, 1, 2], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x6x5x5x5xf32>, tensor<2x2x2x3x8xf32>) -> tensor<4x8x4x4x4xf32>
  return %0 : tensor<4x8x4x4x4xf32>
}

// The gradient of an input: the outputs of the convolution that it is of are this one's inputs.
// CHECK-LABEL: func.func @input_gradient
// CHECK: %[[ORDERED:.*]] = stablehlo.transpose %arg1, dims = [3, 0, 1, 2] {{.*}} -> tensor<5x3x3x6xf32>
// CHECK: stablehlo.convolution(%arg0, %[[ORDERED]]) dim_numbers = [b, 0, 1, f]x[i, 0, 1, o]->[b, 0, 1, f]
func.func @input_gradient(%y: tensor<4x6x6x5xf32>, %w: tensor<3x3x6x5xf32>) -> tensor<4x8x8x6xf32> {
  %0 = stablehlo.convolution(%y, %w) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[2, 2], [2, 2]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x6x6x5xf32>, tensor<3x3x6x5xf32>) -> tensor<4x8x8x6xf32>
  return %0 : tensor<4x8x8x6xf32>
}

// The gradient of a kernel comes out in the other order.
// CHECK-LABEL: func.func @kernel_gradient
// CHECK: %[[ORDERED:.*]] = stablehlo.convolution(%arg0, %arg1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[f, 0, 1, b]
// CHECK-SAME: -> tensor<5x3x3x6xf32>
// CHECK: %[[BACK:.*]] = stablehlo.transpose %[[ORDERED]], dims = [1, 2, 3, 0] {{.*}} -> tensor<3x3x6x5xf32>
// CHECK: %[[TWICE:.*]] = stablehlo.add %[[BACK]], %[[BACK]]
// CHECK: return %[[TWICE]], %[[BACK]]
func.func @kernel_gradient(%x: tensor<4x8x8x6xf32>, %y: tensor<4x6x6x5xf32>) -> (tensor<3x3x6x5xf32>, tensor<3x3x6x5xf32>) {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<4x6x6x5xf32>) -> tensor<3x3x6x5xf32>
  %1 = stablehlo.add %0, %0 : tensor<3x3x6x5xf32>
  return %1, %0 : tensor<3x3x6x5xf32>, tensor<3x3x6x5xf32>
}

// Our kernels compute what becomes of the results.
// CHECK-LABEL: func.func @epilogue
// CHECK-NOT: stablehlo.transpose
// CHECK: return
func.func @epilogue(%x: tensor<4x8x8x6xf32>, %w: tensor<3x3x6x5xf32>) -> tensor<4x6x6x5xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x6xf32>, tensor<3x3x6x5xf32>) -> tensor<4x6x6x5xf32>
  %1 = stablehlo.tanh %0 : tensor<4x6x6x5xf32>
  return %1 : tensor<4x6x6x5xf32>
}

// Neither order of images, a gradient with groups, a kernel that lies right but for a dimension of one element, and one
// that is reversed, but lies as a forward convolution's.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT: stablehlo.transpose
// CHECK: return
func.func @left_alone(%x: tensor<6x8x8x4xf32>, %w: tensor<3x3x6x5xf32>, %y: tensor<4x6x6x6xf32>, %v: tensor<1x5x6xf32>, %z: tensor<4x8x6xf32>, %u: tensor<5x3x6xf32>) -> (tensor<4x6x6x5xf32>, tensor<4x8x8x6xf32>, tensor<4x8x5xf32>, tensor<4x6x5xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [f, 0, 1, b]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<6x8x8x4xf32>, tensor<3x3x6x5xf32>) -> tensor<4x6x6x5xf32>
  %k = stablehlo.slice %w [0:3, 0:3, 0:3, 0:4] : (tensor<3x3x6x5xf32>) -> tensor<3x3x3x4xf32>
  %g = stablehlo.concatenate %k, %k, dim = 3 : (tensor<3x3x3x4xf32>, tensor<3x3x3x4xf32>) -> tensor<3x3x3x8xf32>
  %h = stablehlo.slice %g [0:3, 0:3, 0:3, 0:6] : (tensor<3x3x3x8xf32>) -> tensor<3x3x3x6xf32>
  %1 = stablehlo.convolution(%y, %h) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 2], [2, 2]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x6x6x6xf32>, tensor<3x3x3x6xf32>) -> tensor<4x8x8x6xf32>
  %2 = stablehlo.convolution(%z, %v) dim_numbers = [b, 0, f]x[0, o, i]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x6xf32>, tensor<1x5x6xf32>) -> tensor<4x8x5xf32>
  %3 = stablehlo.convolution(%z, %u) dim_numbers = [b, 0, f]x[o, 0, i]->[b, 0, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x6xf32>, tensor<5x3x6xf32>) -> tensor<4x6x5xf32>
  return %0, %1, %2, %3 : tensor<4x6x6x5xf32>, tensor<4x8x8x6xf32>, tensor<4x8x5xf32>, tensor<4x6x5xf32>
}
