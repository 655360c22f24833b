module {
  func.func @main(%x: tensor<2x?xf32>, %y: tensor<?x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.einsum %x, %y, config = "ab,bc->ac" : (tensor<2x?xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
