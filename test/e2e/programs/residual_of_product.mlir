// What a contraction reads is also part of what follows it. Where both cannot be one kernel (a product without a
// contracting dimension) and were taken apart, the contraction stood before its operand.
module {
  func.func @main(%arg0: tensor<8x8x3x8xi32>) -> tensor<8x8x3x8xi32> {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %c_0 = stablehlo.constant dense<[[3, 8, 0, 7, -2, 6, 4, -2], [0, -2, 8, 5, -3, 0, -2, 10], [5, -1, -4, -3, 7, 8, 8, 0]]> : tensor<3x8xi32>
    %0 = chlo.broadcast_multiply %arg0, %c_0 : (tensor<8x8x3x8xi32>, tensor<3x8xi32>) -> tensor<8x8x3x8xi32>
    %1 = stablehlo.dot_general %0, %c, contracting_dims = [] x [] : (tensor<8x8x3x8xi32>, tensor<i32>) -> tensor<8x8x3x8xi32>
    %2 = stablehlo.shift_left %1, %0 : tensor<8x8x3x8xi32>
    return %2 : tensor<8x8x3x8xi32>
  }
}
