// Batches of products that are an operand's last dimension (passes/fuse/batch_order.cpp, passes/simplify/dot.cpp).
// RUN: %opt %s --tenon-simplify --tenon-fuse | %check %s

// The inner product has what belongs to a batch side by side, and no operand is copied.
// CHECK-LABEL: func.func @exchanged
// CHECK: %[[INNER:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
// CHECK-SAME: -> tensor<64x16x32xf32>
// CHECK: stablehlo.dot_general %arg2, %[[INNER]], batching_dims = [0] x [0], contracting_dims = [1] x [1]
// CHECK-NOT: transpose
// CHECK: return
func.func @exchanged(%a: tensor<64x24xf32>, %w: tensor<24x16x32xf32>, %b: tensor<64x16xf32>) -> tensor<64x32xf32> {
  %inner = stablehlo.dot_general %w, %a, contracting_dims = [0] x [1] : (tensor<24x16x32xf32>, tensor<64x24xf32>) -> tensor<16x32x64xf32>
  %product = stablehlo.dot_general %b, %inner, batching_dims = [0] x [2], contracting_dims = [1] x [0] : (tensor<64x16xf32>, tensor<16x32x64xf32>) -> tensor<64x32xf32>
  return %product : tensor<64x32xf32>
}

// Operands and result are copied in kernels of their own.
// CHECK-LABEL: func.func @copied
// CHECK: stablehlo.transpose %in, dims = [2, 0, 1]
// CHECK: stablehlo.transpose %in, dims = [2, 0, 1]
// CHECK: %[[PRODUCT:.*]] = stablehlo.dot_general {{.*}} batching_dims = [0] x [0], contracting_dims = [2] x [1]
// CHECK: tenon.fusion loop({{.*}} = %[[PRODUCT]])
// CHECK-NEXT: stablehlo.transpose {{.*}}, dims = [1, 2, 0]
func.func @copied(%a: tensor<8x8x64xf32>, %b: tensor<8x8x64xf32>) -> tensor<8x8x64xf32> {
  %product = stablehlo.dot_general %a, %b, batching_dims = [2] x [2], contracting_dims = [1] x [0] : (tensor<8x8x64xf32>, tensor<8x8x64xf32>) -> tensor<64x8x8xf32>
  %last = stablehlo.transpose %product, dims = [1, 2, 0] : (tensor<64x8x8xf32>) -> tensor<8x8x64xf32>
  return %last : tensor<8x8x64xf32>
}

// What takes less time than a copy, or shares cache lines with its neighbours, is read as it lies.
// CHECK-LABEL: func.func @read_as_they_lie
// CHECK-NOT: transpose
// CHECK: return
func.func @read_as_they_lie(%a: tensor<4x4x16xf32>, %b: tensor<4x4x16xf32>, %c: tensor<64x64x8xf32>, %d: tensor<64x64x8xf32>)
    -> (tensor<16x4x4xf32>, tensor<8x64x64xf32>) {
  %few = stablehlo.dot_general %a, %b, batching_dims = [2] x [2], contracting_dims = [1] x [0] : (tensor<4x4x16xf32>, tensor<4x4x16xf32>) -> tensor<16x4x4xf32>
  %near = stablehlo.dot_general %c, %d, batching_dims = [2] x [2], contracting_dims = [1] x [0] : (tensor<64x64x8xf32>, tensor<64x64x8xf32>) -> tensor<8x64x64xf32>
  return %few, %near : tensor<16x4x4xf32>, tensor<8x64x64xf32>
}
