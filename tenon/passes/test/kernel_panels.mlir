// Constant kernels of convolutions in panels of 16 features.
// RUN: %opt %s --tenon-fuse --tenon-pack-constant-kernels | %check %s

// In a fusion, whose result is computed as before.
// CHECK-LABEL: func.func @fused
// CHECK: %[[W:.*]] = stablehlo.constant dense<"0x{{.*}}"> : tensor<32x2x1x3xf32>
// CHECK: %[[PANELS:.*]] = tenon.fusion loop({{.*}} = %[[W]]) attributes {tenon.folded} : (tensor<32x2x1x3xf32>) -> tensor<2x1x3x2x16xf32>
// CHECK: stablehlo.reshape %{{.*}} -> tensor<2x16x2x1x3xf32>
// CHECK: stablehlo.transpose %{{.*}}, dims = [0, 3, 4, 2, 1]
// CHECK: tenon.fusion convolution({{.*}} = %arg0, {{.*}} = %[[PANELS]])
// CHECK: %[[PARTS:.*]] = stablehlo.transpose %{{.*}}, dims = [0, 4, 3, 1, 2] : (tensor<2x1x3x2x16xf32>) -> tensor<2x16x2x1x3xf32>
// CHECK: %[[WHOLE:.*]] = stablehlo.reshape %[[PARTS]] : (tensor<2x16x2x1x3xf32>) -> tensor<32x2x1x3xf32>
// CHECK: stablehlo.convolution(%{{.*}}, %[[WHOLE]])
// CHECK: stablehlo.maximum
func.func @fused(%x: tensor<1x8x8x2xf32>) -> tensor<1x8x8x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<1x8x8x32xf32>
  %w = stablehlo.constant dense<"0x000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF"> : tensor<32x2x1x3xf32>
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {pad = [[0, 0], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<32x2x1x3xf32>) -> tensor<1x8x8x32xf32>
  %z = stablehlo.maximum %y, %zero : tensor<1x8x8x32xf32>
  return %z : tensor<1x8x8x32xf32>
}

// One that stands alone gets a fusion. Two that read one constant read the same panels.
// CHECK-LABEL: func.func @alone
// CHECK: %[[PANELS:.*]] = tenon.fusion loop
// CHECK-COUNT-2: tenon.fusion convolution({{.*}} = %arg{{.}}, {{.*}} = %[[PANELS]])
func.func @alone(%x: tensor<1x8x8x2xf32>, %y: tensor<1x8x9x2xf32>) -> (tensor<1x8x8x16xf32>, tensor<1x8x9x16xf32>) {
  %w = stablehlo.constant dense<"0x000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF00000000"> : tensor<1x1x2x16xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<1x1x2x16xf32>) -> tensor<1x8x8x16xf32>
  %1 = stablehlo.convolution(%y, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x9x2xf32>, tensor<1x1x2x16xf32>) -> tensor<1x8x9x16xf32>
  return %0, %1 : tensor<1x8x8x16xf32>, tensor<1x8x9x16xf32>
}

// A kernel that others read, too, and one of one number stay.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: tenon.folded
// CHECK: return
func.func @stays(%x: tensor<1x8x8x2xf32>) -> (tensor<1x8x8x16xf32>, tensor<1x1x2x16xf32>, tensor<1x8x8x16xf32>) {
  %w = stablehlo.constant dense<"0x000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF00000000"> : tensor<1x1x2x16xf32>
  %s = stablehlo.constant dense<2.0> : tensor<1x1x2x16xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<1x1x2x16xf32>) -> tensor<1x8x8x16xf32>
  %1 = stablehlo.convolution(%x, %s) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<1x1x2x16xf32>) -> tensor<1x8x8x16xf32>
  return %0, %w, %1 : tensor<1x8x8x16xf32>, tensor<1x1x2x16xf32>, tensor<1x8x8x16xf32>
}
