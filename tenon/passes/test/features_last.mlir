// Images between convolutions with constant kernels have their features last: on vectors of eight.
// RUN: %opt %s --tenon-place-features-last | %check %s

// All that is computed of them keeps that order, the bias is broadcast in it, and what is returned is transposed. Colours
// are read as they lie.
// CHECK-LABEL: func.func @chain
// CHECK: %[[Y:.*]] = stablehlo.convolution(%arg0, %{{.*}}) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, 0, 1, f]
// CHECK: %[[BIAS:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [3] : (tensor<8xf32>) -> tensor<1x32x32x8xf32>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[Y]], %[[BIAS]] : tensor<1x32x32x8xf32>
// CHECK: %[[POOLED:.*]] = "stablehlo.reduce_window"(%[[SUM]]
// CHECK-SAME: padding = dense<{{\[\[}}0, 0], [1, 0], [0, 1], [0, 0]]>
// CHECK-SAME: window_dimensions = array<i64: 1, 3, 5, 1>, window_strides = array<i64: 1, 2, 4, 1>
// CHECK: %[[PADDED:.*]] = stablehlo.pad %[[POOLED]], %{{.*}}, low = [0, 1, 2, 0], high = [0, 1, 2, 0], interior = [0, 0, 0, 0]
// CHECK: %[[Z:.*]] = stablehlo.convolution(%[[PADDED]], %{{.*}}) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f]
// CHECK: %[[MEAN:.*]] = stablehlo.reduce(%[[Z]] init: %{{.*}}) applies stablehlo.add across dimensions = [1, 2]
// CHECK-SAME: -> tensor<1x8xf32>
// CHECK: %[[CORNER:.*]] = stablehlo.slice %[[Z]] [0:1, 0:2, 1:7:2, 0:8]
// CHECK: %[[BACK:.*]] = stablehlo.transpose %[[CORNER]], dims = [0, 3, 1, 2]
// CHECK: return %[[BACK]], %[[MEAN]]
func.func @chain(%x: tensor<1x3x32x32xf32>, %bias: tensor<8xf32>) -> (tensor<1x8x2x3xf32>, tensor<1x8xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %w = stablehlo.constant dense<"0x000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F"> : tensor<8x3x2x2xf32>
  %v = stablehlo.constant dense<"0x000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0"> : tensor<8x8x1x1xf32>
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 0], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x32x32xf32>, tensor<8x3x2x2xf32>) -> tensor<1x8x32x32xf32>
  %b = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<8xf32>) -> tensor<1x8x32x32xf32>
  %sum = stablehlo.add %y, %b : tensor<1x8x32x32xf32>
  %pooled = "stablehlo.reduce_window"(%sum, %low) ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>):
    %m = stablehlo.maximum %a, %c : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1, 3, 5>, window_strides = array<i64: 1, 1, 2, 4>, padding = dense<[[0, 0], [0, 0], [1, 0], [0, 1]]> : tensor<4x2xi64>} : (tensor<1x8x32x32xf32>, tensor<f32>) -> tensor<1x8x16x8xf32>
  %padded = stablehlo.pad %pooled, %zero, low = [0, 0, 1, 2], high = [0, 0, 1, 2], interior = [0, 0, 0, 0] : (tensor<1x8x16x8xf32>, tensor<f32>) -> tensor<1x8x18x12xf32>
  %z = stablehlo.convolution(%padded, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x18x12xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x18x12xf32>
  %mean = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<1x8x18x12xf32>, tensor<f32>) -> tensor<1x8xf32>
  %corner = stablehlo.slice %z [0:1, 0:8, 0:2, 1:7:2] : (tensor<1x8x18x12xf32>) -> tensor<1x8x2x3xf32>
  return %corner, %mean : tensor<1x8x2x3xf32>, tensor<1x8xf32>
}

// Arrays that are joined, and a transpose, which vanishes. Groups of features get a kernel whose features lie side by side.
// CHECK-LABEL: func.func @movement
// CHECK: tenon.fusion loop({{.*}}) attributes {tenon.folded} : (tensor<8x1x1x2xf32>) -> tensor<1x1x2x1x8xf32>
// CHECK: %[[Y:.*]] = stablehlo.convolution(%arg0, %{{.*}}) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, 0, 1, f]
// CHECK: %[[GROUPS:.*]] = stablehlo.convolution(%[[Y]], %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
// CHECK: %[[BOTH:.*]] = stablehlo.concatenate %[[Y]], %[[GROUPS]], dim = 3
// CHECK-NOT: stablehlo.transpose
// CHECK: return %[[BOTH]]
func.func @movement(%x: tensor<1x3x32x32xf32>) -> tensor<1x32x32x16xf32> {
  %w = stablehlo.constant dense<"0x000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF"> : tensor<8x3x1x1xf32>
  %d = stablehlo.constant dense<"0x000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0"> : tensor<8x1x1x2xf32>
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x32x32xf32>, tensor<8x3x1x1xf32>) -> tensor<1x8x32x32xf32>
  %g = stablehlo.convolution(%y, %d) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[0, 0], [1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<1x8x32x32xf32>, tensor<8x1x1x2xf32>) -> tensor<1x8x32x32xf32>
  %both = stablehlo.concatenate %y, %g, dim = 1 : (tensor<1x8x32x32xf32>, tensor<1x8x32x32xf32>) -> tensor<1x16x32x32xf32>
  %t = stablehlo.transpose %both, dims = [0, 2, 3, 1] : (tensor<1x16x32x32xf32>) -> tensor<1x32x32x16xf32>
  return %t : tensor<1x32x32x16xf32>
}

// Kernels that are arguments, features that fill no vector, and few products beside the elements that would be transposed.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-3: dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]
// CHECK-NOT: stablehlo.transpose
func.func @stays(%x: tensor<1x3x32x32xf32>, %v: tensor<8x3x1x1xf32>) -> (tensor<1x8xf32>, tensor<1x12xf32>, tensor<1x8x32x32xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %odd = stablehlo.constant dense<"0x000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0"> : tensor<12x3x1x1xf32>
  %few = stablehlo.constant dense<"0x000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF"> : tensor<8x3x1x1xf32>
  %0 = stablehlo.convolution(%x, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x32x32xf32>, tensor<8x3x1x1xf32>) -> tensor<1x8x32x32xf32>
  %1 = stablehlo.convolution(%x, %odd) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x32x32xf32>, tensor<12x3x1x1xf32>) -> tensor<1x12x32x32xf32>
  %2 = stablehlo.convolution(%x, %few) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x32x32xf32>, tensor<8x3x1x1xf32>) -> tensor<1x8x32x32xf32>
  %3 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<1x8x32x32xf32>, tensor<f32>) -> tensor<1x8xf32>
  %4 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<1x12x32x32xf32>, tensor<f32>) -> tensor<1x12xf32>
  return %3, %4, %2 : tensor<1x8xf32>, tensor<1x12xf32>, tensor<1x8x32x32xf32>
}
