// Results whose layout is left open, of a program for several devices that runs on whole arrays: these stay row-major, and
// how the devices' parts are to lie is said. What the frontend lays down, or where nothing moves, is as it was.
// RUN: %opt %s --tenon-lower-open-layouts | %check %s

// CHECK: func.func @main(%[[X:.*]]: tensor<2x3xf32>)
// CHECK-SAME: -> (tensor<3x2xf32> {mhlo.layout_mode = "{0,1}"}, tensor<2x3xf32> {mhlo.layout_mode = "auto"},
// CHECK-SAME: tensor<3x2xf32> {mhlo.layout_mode = "{1,0}"})
// CHECK: %[[T:.*]] = stablehlo.transpose %[[X]], dims = [1, 0]
// CHECK: return %[[T]], %[[X]], %[[T]]
module attributes {tenon.unpartitioned} {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<3x2xf32> {mhlo.layout_mode = "auto"}, tensor<2x3xf32> {mhlo.layout_mode = "auto"}, tensor<3x2xf32> {mhlo.layout_mode = "{1,0}"}) {
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %0, %x, %0 : tensor<3x2xf32>, tensor<2x3xf32>, tensor<3x2xf32>
  }
}
