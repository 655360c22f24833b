// Qr and ProductOfElementaryHouseholderReflectors: custom calls of XLA's.

// A 2 x 2 matrix that one reflector makes triangular: (3, 4) becomes (-5, 0).
func.func @factors() -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>) {
  %a = stablehlo.constant dense<[[3.0, 5.0], [4.0, 10.0]]> : tensor<2x2xf64>
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>)
  %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1) : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  return %0#0, %0#1, %1 : tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>
}
// EXPECT-NEAR(1e-12): dense<[[-5.0, -11.0], [0.5, 2.0]]> : tensor<2x2xf64>
// EXPECT-NEAR(1e-12): dense<[1.6, 0.0]> : tensor<2xf64>
// EXPECT-NEAR(1e-12): dense<[[-0.6, -0.8], [-0.8, 0.6]]> : tensor<2x2xf64>

// Wide matrices have as many reflectors as rows; their product has zeros beyond the square. A batch of none, and
// matrices of no columns.
func.func @wide_and_empty() -> (tensor<2x3xf32>, tensor<0x3x2xcomplex<f64>>, tensor<0x2xcomplex<f64>>, tensor<3x0xf32>, tensor<0xf32>) {
  %a = stablehlo.constant dense<[[3.0, 5.0, 7.0], [4.0, 10.0, 8.0]]> : tensor<2x3xf32>
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  %b = stablehlo.constant dense<> : tensor<0x3x2xcomplex<f64>>
  %2:2 = stablehlo.custom_call @Qr(%b) : (tensor<0x3x2xcomplex<f64>>) -> (tensor<0x3x2xcomplex<f64>>, tensor<0x2xcomplex<f64>>)
  %c = stablehlo.constant dense<> : tensor<3x0xf32>
  %3:2 = stablehlo.custom_call @Qr(%c) : (tensor<3x0xf32>) -> (tensor<3x0xf32>, tensor<0xf32>)
  return %1, %2#0, %2#1, %3#0, %3#1 : tensor<2x3xf32>, tensor<0x3x2xcomplex<f64>>, tensor<0x2xcomplex<f64>>, tensor<3x0xf32>, tensor<0xf32>
}
// EXPECT-NEAR(1e-6): dense<[[-0.6, -0.8, 0.0], [-0.8, 0.6, 0.0]]> : tensor<2x3xf32>
// EXPECT: dense<> : tensor<0x3x2xcomplex<f64>>
// EXPECT: dense<> : tensor<0x2xcomplex<f64>>
// EXPECT: dense<> : tensor<3x0xf32>
// EXPECT: dense<> : tensor<0xf32>
