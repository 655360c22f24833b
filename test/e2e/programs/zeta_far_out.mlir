// Every term is zero: a sum that went on until one is small beside it would take minutes.
module {
  func.func @main(%x: tensor<4xf32>) -> (tensor<64x64xf32>, tensor<4xf32>) {
    %large = stablehlo.constant dense<4.7e32> : tensor<64x64xf32>
    %0 = chlo.zeta %large, %large : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %s = stablehlo.constant dense<[1.0e30, 3.0, 1.5, 2.0]> : tensor<4xf32>
    %q = stablehlo.constant dense<[0.5, 1.0e30, 3.0e38, 1.0]> : tensor<4xf32>
    %1 = chlo.zeta %s, %q : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %2 = stablehlo.add %1, %x : tensor<4xf32>
    return %0, %2 : tensor<64x64xf32>, tensor<4xf32>
  }
}
