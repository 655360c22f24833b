// Whether a sum is zero: not after it wrapped (512 as ui8), not element by element (1 - 1).
module {
  func.func @main(%x: tensor<3x4xui8>) -> (tensor<i1>, tensor<3xi1>, tensor<i1>, tensor<i1>, tensor<3xi1>) {
    %c = stablehlo.constant dense<[0, 254, 4, 254]> : tensor<4xui8>
    %ones = stablehlo.constant dense<1> : tensor<4xui8>
    %none = stablehlo.constant dense<[1, -1]> : tensor<2xi8>
    %0 = stablehlo.unary_einsum %c, config = "a->" : (tensor<4xui8>) -> tensor<i1>
    %1 = stablehlo.unary_einsum %x, config = "ab->a" : (tensor<3x4xui8>) -> tensor<3xi1>
    %2 = stablehlo.einsum %c, %ones, config = "a,a->" : (tensor<4xui8>, tensor<4xui8>) -> tensor<i1>
    %3 = stablehlo.unary_einsum %none, config = "a->" : (tensor<2xi8>) -> tensor<i1>
    %4 = stablehlo.dot_general %x, %ones, contracting_dims = [1] x [0] : (tensor<3x4xui8>, tensor<4xui8>) -> tensor<3xi1>
    return %0, %1, %2, %3, %4 : tensor<i1>, tensor<3xi1>, tensor<i1>, tensor<i1>, tensor<3xi1>
  }
}
