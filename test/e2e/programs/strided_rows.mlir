// Short rows of narrow elements, reduced with vectors across them: LLVM took minutes over shuffles of several registers, and
// seconds over hundreds of gathers.
module {
  func.func @main(%bytes: tensor<7x355x8xui4>, %floats: tensor<3x130x7xf8E5M2>, %halves: tensor<2x300x3xbf16>, %nibbles: tensor<64x6x3x8xi4>) -> (tensor<355xui4>, tensor<130xf8E5M2>, tensor<300xbf16>, tensor<64xi4>) {
    %zero = stablehlo.constant dense<0> : tensor<ui4>
    %0 = stablehlo.reduce(%bytes init: %zero) applies stablehlo.maximum across dimensions = [0, 2] : (tensor<7x355x8xui4>, tensor<ui4>) -> tensor<355xui4>
    %least = stablehlo.constant dense<-4.0> : tensor<f8E5M2>
    %1 = stablehlo.reduce(%floats init: %least) applies stablehlo.maximum across dimensions = [0, 2] : (tensor<3x130x7xf8E5M2>, tensor<f8E5M2>) -> tensor<130xf8E5M2>
    %least16 = stablehlo.constant dense<-4.0> : tensor<bf16>
    %2 = stablehlo.reduce(%halves init: %least16) applies stablehlo.maximum across dimensions = [0, 2] : (tensor<2x300x3xbf16>, tensor<bf16>) -> tensor<300xbf16>
    %x = stablehlo.transpose %nibbles, dims = [1, 0, 3, 2] : (tensor<64x6x3x8xi4>) -> tensor<6x64x8x3xi4>
    %zero4 = stablehlo.constant dense<0> : tensor<i4>
    %3 = stablehlo.reduce(%x init: %zero4) applies stablehlo.maximum across dimensions = [0, 2, 3] : (tensor<6x64x8x3xi4>, tensor<i4>) -> tensor<64xi4>
    return %0, %1, %2, %3 : tensor<355xui4>, tensor<130xf8E5M2>, tensor<300xbf16>, tensor<64xi4>
  }
}
