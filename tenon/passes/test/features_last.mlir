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

// Images that are enlarged: repeated rows, and columns at given places. A convolution of each feature by itself gains the
// most. Dimensions that become one do so where they lie side by side, as do those of a plane, and not those of all features.
// CHECK-LABEL: func.func @enlarged
// CHECK: %[[Y:.*]] = stablehlo.convolution(%{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
// CHECK-SAME: feature_group_count = 8
// CHECK: %[[ROWS:.*]] = stablehlo.broadcast_in_dim %[[Y]], dims = [0, 1, 3, 4] : (tensor<1x32x32x8xf32>) -> tensor<1x32x2x32x8xf32>
// CHECK: %[[HIGH:.*]] = stablehlo.reshape %[[ROWS]] : (tensor<1x32x2x32x8xf32>) -> tensor<1x64x32x8xf32>
// CHECK: %[[WIDE:.*]] = "stablehlo.gather"(%[[HIGH]], %arg1)
// CHECK-SAME: offset_dims = [0, 1, 3], collapsed_slice_dims = [2], start_index_map = [2], index_vector_dim = 1
// CHECK-SAME: slice_sizes = array<i64: 1, 64, 1, 8>
// CHECK-SAME: -> tensor<1x64x48x8xf32>
// CHECK: %[[PLANES:.*]] = stablehlo.reshape %[[WIDE]] : (tensor<1x64x48x8xf32>) -> tensor<1x3072x8xf32>
// CHECK: %[[MEANS:.*]] = stablehlo.reduce(%[[PLANES]] init: %{{.*}}) applies stablehlo.add across dimensions = [1]
// CHECK: %[[CORNER:.*]] = stablehlo.slice %[[WIDE]] [0:1, 0:8, 0:8, 0:8]
// CHECK: %[[BACK:.*]] = stablehlo.transpose %[[CORNER]], dims = [0, 3, 1, 2]
// CHECK: %[[FLAT:.*]] = stablehlo.reshape %[[BACK]] : (tensor<1x8x8x8xf32>) -> tensor<1x512xf32>
// CHECK: return %[[MEANS]], %[[FLAT]]
func.func @enlarged(%colours: tensor<1x3x32x32xf32>, %columns: tensor<48xi32>) -> (tensor<1x8xf32>, tensor<1x512xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %w = stablehlo.constant dense<"0x000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C000000000"> : tensor<8x1x3x3xf32>
  %v = stablehlo.constant dense<"0x000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F"> : tensor<8x3x2x2xf32>
  %x = stablehlo.convolution(%colours, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 0], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x32x32xf32>, tensor<8x3x2x2xf32>) -> tensor<1x8x32x32xf32>
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<1x8x32x32xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x32x32xf32>
  %rows = stablehlo.broadcast_in_dim %y, dims = [0, 1, 2, 4] : (tensor<1x8x32x32xf32>) -> tensor<1x8x32x2x32xf32>
  %high = stablehlo.reshape %rows : (tensor<1x8x32x2x32xf32>) -> tensor<1x8x64x32xf32>
  %wide = "stablehlo.gather"(%high, %columns) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 2], collapsed_slice_dims = [3], start_index_map = [3], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8, 64, 1>} : (tensor<1x8x64x32xf32>, tensor<48xi32>) -> tensor<1x8x64x48xf32>
  %planes = stablehlo.reshape %wide : (tensor<1x8x64x48xf32>) -> tensor<1x8x3072xf32>
  %means = stablehlo.reduce(%planes init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<1x8x3072xf32>, tensor<f32>) -> tensor<1x8xf32>
  %corner = stablehlo.slice %wide [0:1, 0:8, 0:8, 0:8] : (tensor<1x8x64x48xf32>) -> tensor<1x8x8x8xf32>
  %flat = stablehlo.reshape %corner : (tensor<1x8x8x8xf32>) -> tensor<1x512xf32>
  return %means, %flat : tensor<1x8xf32>, tensor<1x512xf32>
}

// Five features by themselves leave three of eight lanes idle.
// CHECK-LABEL: func.func @few_features
// CHECK: dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]
// CHECK-NOT: stablehlo.transpose
func.func @few_features(%x: tensor<1x5x32x32xf32>) -> tensor<1x5x32x32xf32> {
  %w = stablehlo.constant dense<"0x000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F000000C00000000000000040000080BF0000803F"> : tensor<5x1x3x3xf32>
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 5 : i64} : (tensor<1x5x32x32xf32>, tensor<5x1x3x3xf32>) -> tensor<1x5x32x32xf32>
  return %y : tensor<1x5x32x32xf32>
}

// Floats of 16 bits, too.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[Y:.*]] = stablehlo.convolution(%arg0, %{{.*}}) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, 0, 1, f]
// CHECK: stablehlo.reduce(%[[Y]] init: %{{.*}}) applies stablehlo.maximum across dimensions = [1, 2]
func.func @narrow(%x: tensor<1x3x32x32xf16>) -> tensor<1x8xf16> {
  %low = stablehlo.constant dense<0xFC00> : tensor<f16>
  %w = stablehlo.constant dense<"0x00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C00000004000BC003C00C0"> : tensor<8x3x3x3xf16>
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x32x32xf16>, tensor<8x3x3x3xf16>) -> tensor<1x8x32x32xf16>
  %most = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [2, 3] : (tensor<1x8x32x32xf16>, tensor<f16>) -> tensor<1x8xf16>
  return %most : tensor<1x8xf16>
}
