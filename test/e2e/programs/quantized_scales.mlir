// Quantized numbers expressed in f8E8M0FNU, which has no zero that a zero point of zero could be.
module {
  func.func @main(%x: tensor<9xf32>) -> (tensor<9xi8>, tensor<9xf32>) {
    %0 = stablehlo.abs %x : tensor<9xf32>
    %four = stablehlo.constant dense<4.0> : tensor<9xf32>
    %1 = stablehlo.add %0, %four : tensor<9xf32>
    %powers = stablehlo.convert %1 : (tensor<9xf32>) -> tensor<9xf8E8M0FNU>
    %2 = stablehlo.uniform_quantize %powers : (tensor<9xf8E8M0FNU>) -> tensor<9x!quant.uniform<i8:f8E8M0FNU, 2.000000e+00>>
    %3 = stablehlo.bitcast_convert %2 : (tensor<9x!quant.uniform<i8:f8E8M0FNU, 2.000000e+00>>) -> tensor<9xi8>
    %4 = stablehlo.uniform_quantize %2 : (tensor<9x!quant.uniform<i8:f8E8M0FNU, 2.000000e+00>>) -> tensor<9x!quant.uniform<i8<-127:127>:f8E8M0FNU, 5.000000e-01>>
    %5 = stablehlo.uniform_dequantize %4 : (tensor<9x!quant.uniform<i8<-127:127>:f8E8M0FNU, 5.000000e-01>>) -> tensor<9xf8E8M0FNU>
    %6 = stablehlo.convert %5 : (tensor<9xf8E8M0FNU>) -> tensor<9xf32>
    return %3, %6 : tensor<9xi8>, tensor<9xf32>
  }
}
