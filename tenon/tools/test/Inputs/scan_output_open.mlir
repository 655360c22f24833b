module {
  func.func @main(%x: tensor<4x3xf32>, %init: tensor<3xf32>) -> tensor<4x?xf32> {
    %0:2 = chlo.scan(%x) inits (%init) dimension=0 {
    ^bb0(%input: tensor<3xf32>, %carry: tensor<3xf32>):
      %1 = stablehlo.add %input, %carry : tensor<3xf32>
      stablehlo.return %1, %1 : tensor<3xf32>, tensor<3xf32>
    } : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x?xf32>, tensor<3xf32>)
    return %0#0 : tensor<4x?xf32>
  }
}
