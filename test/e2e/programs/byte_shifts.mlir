// Arithmetic shifts of bytes by constants, some of which are zero and some out of range.
module {
  func.func @main(%x: tensor<1xui2>, %y: tensor<16xi8>) -> (tensor<5x3xui2>, tensor<16xi8>) {
    %c = stablehlo.constant dense<[[0, 3, 0], [0, 0, 3], [3, 0, 3], [3, 3, 0], [3, 3, 3]]> : tensor<5x3xui2>
    %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<1xui2>) -> tensor<5x3xui2>
    %1 = stablehlo.shift_right_arithmetic %0, %c : tensor<5x3xui2>
    %2 = stablehlo.shift_left %1, %c : tensor<5x3xui2>
    %d = stablehlo.constant dense<[0, 9, 0, 0, 0, 9, 9, 0, 9, 9, 9, 0, 9, 9, 9, 0]> : tensor<16xi8>
    %3 = stablehlo.shift_right_arithmetic %y, %d : tensor<16xi8>
    %4 = stablehlo.shift_left %3, %d : tensor<16xi8>
    return %2, %4 : tensor<5x3xui2>, tensor<16xi8>
  }
}
