// Arrays as they lie in the caller's memory: arguments and results become that memory.
// RUN: %opt %s --split-input-file --tenon-lower-layouts | %check %s

// An argument whose memory is padded and turned around, one of a frontend's order, and one of no layout; a result that
// is padded with ones. What lends its memory to a result that lies otherwise keeps it.
// CHECK: func.func @main(%[[X:.*]]: tensor<3x4xf32> {tenon.stored = {dims = array<i64: 2, 3>, minor_to_major = array<i64: 0, 1>}},
// CHECK-SAME: %[[Y:.*]]: tensor<3x2xf32> {tenon.stored = {dims = array<i64: 2, 3>, minor_to_major = array<i64: 0, 1>}},
// CHECK-SAME: %[[Z:.*]]: tensor<2x3xf32>)
// CHECK-SAME: -> (tensor<2x5xf32> {tenon.stored = {dims = array<i64: 2, 3>, minor_to_major = array<i64: 1, 0>}}, tensor<2x3xf32>)
// CHECK-DAG: %[[TURNED:.*]] = stablehlo.transpose %[[X]], dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
// CHECK-DAG: %[[CUT:.*]] = stablehlo.slice %[[TURNED]] [0:2, 0:3]
// CHECK-DAG: %[[SECOND:.*]] = stablehlo.transpose %[[Y]], dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[CUT]], %[[SECOND]]
// CHECK: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00>
// CHECK: %[[PADDED:.*]] = stablehlo.pad %[[SUM]], %[[ONE]], low = [0, 0], high = [0, 2], interior = [0, 0]
// CHECK: %[[MEMORY:.*]] = stablehlo.transpose %[[PADDED]], dims = [0, 1]
// CHECK: return %[[MEMORY]], %[[Z]]
func.func @main(
    %x: tensor<2x3xf32> {tenon.layout = {minor_to_major = array<i64: 0, 1>, padded = array<i64: 4, 3>}, tf.aliasing_output = 0 : i32},
    %y: tensor<2x3xf32> {mhlo.layout_mode = "{0, 1}"},
    %z: tensor<2x3xf32> {mhlo.layout_mode = "{1,0}"})
    -> (tensor<2x3xf32> {tenon.layout = {minor_to_major = array<i64: 1, 0>, padded = array<i64: 2, 5>, padding = "\00\00\80?"}},
        tensor<2x3xf32> {mhlo.layout_mode = "auto"}) {
  %0 = stablehlo.add %x, %y : tensor<2x3xf32>
  return %0, %z : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// Results whose layout is left open lie as what they are made of: the first as %x, the second as %y + 1 before it is
// turned around twice over, the third as its operands that agree. Where they do not, and where elements move, row-major.
// CHECK: func.func @main(
// CHECK-SAME: -> (tensor<2x3xf32> {tenon.stored = {dims = array<i64: 3, 2>, minor_to_major = array<i64: 0, 1>}},
// CHECK-SAME: tensor<2x3x4xf32> {tenon.stored = {dims = array<i64: 4, 2, 3>, minor_to_major = array<i64: 0, 2, 1>}},
// CHECK-SAME: tensor<2x3xf32> {tenon.stored = {dims = array<i64: 3, 2>, minor_to_major = array<i64: 0, 1>}},
// CHECK-SAME: tensor<3x3xf32>, tensor<6xf32>, tensor<3x2xf32>)
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3x4xf32>, %s: tensor<3x3xf32>, %bias: tensor<2xf32>)
    -> (tensor<3x2xf32> {mhlo.layout_mode = "auto"}, tensor<4x2x3xf32> {mhlo.layout_mode = "auto"},
        tensor<3x2xf32> {mhlo.layout_mode = "auto"}, tensor<3x3xf32> {mhlo.layout_mode = "auto"},
        tensor<6xf32> {mhlo.layout_mode = "auto"}, tensor<3x2xf32> {mhlo.layout_mode = "default"}) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.add %y, %y : tensor<2x3x4xf32>
  %2 = stablehlo.transpose %1, dims = [2, 1, 0] : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %3 = stablehlo.transpose %2, dims = [0, 2, 1] : (tensor<4x3x2xf32>) -> tensor<4x2x3xf32>
  %4 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
  %5 = stablehlo.multiply %0, %4 : tensor<3x2xf32>
  %6 = stablehlo.negate %5 : tensor<3x2xf32>
  %7 = stablehlo.subtract %6, %0 : tensor<3x2xf32>
  %8 = stablehlo.transpose %s, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %9 = stablehlo.add %8, %s : tensor<3x3xf32>
  %10 = stablehlo.reshape %0 : (tensor<3x2xf32>) -> tensor<6xf32>
  return %0, %3, %7, %9, %10, %0 : tensor<3x2xf32>, tensor<4x2x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<6xf32>, tensor<3x2xf32>
}
