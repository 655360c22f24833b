// Conversions between element types, bitcasts and reduced precision.

func.func @to_bool() -> (tensor<4xi1>, tensor<2xi1>, tensor<3xi1>) {
  %a = stablehlo.constant dense<[0.5, 0x7FC00000, -0.0, 1.0e-45]> : tensor<4xf32>
  %0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi1>
  %b = stablehlo.constant dense<[2, 0]> : tensor<2xi8>
  %1 = stablehlo.convert %b : (tensor<2xi8>) -> tensor<2xi1>
  %c = stablehlo.constant dense<[(0.0, 1.0), (0.0, -0.0), (2.0, 0.0)]> : tensor<3xcomplex<f32>>
  %2 = stablehlo.convert %c : (tensor<3xcomplex<f32>>) -> tensor<3xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<2xi1>, tensor<3xi1>
}
// EXPECT: dense<[true, true, false, true]> : tensor<4xi1>
// EXPECT: dense<[true, false]> : tensor<2xi1>
// EXPECT: dense<[false, false, true]> : tensor<3xi1>

// Of a complex number the real part alone counts, also where the other is infinite or NaN.
func.func @complex_to_others() -> (tensor<4xi1>, tensor<4xi8>, tensor<4xui8>, tensor<4xbf16>, tensor<4xf64>, tensor<2xcomplex<f32>>) {
  %c = stablehlo.constant dense<[(0.0, 1.0), (1.0, 0.0), (0x7FF8000000000000, 0.0), (-0.0, 0x7FF0000000000000)]> : tensor<4xcomplex<f64>>
  %0 = stablehlo.convert %c : (tensor<4xcomplex<f64>>) -> tensor<4xi1>
  %d = stablehlo.constant dense<[(-1.9, 7.0), (300.0, -1.0), (0x7FC00000, 2.0), (0.0, 0x7FC00000)]> : tensor<4xcomplex<f32>>
  %1 = stablehlo.convert %d : (tensor<4xcomplex<f32>>) -> tensor<4xi8>
  %2 = stablehlo.convert %d : (tensor<4xcomplex<f32>>) -> tensor<4xui8>
  %3 = stablehlo.convert %c : (tensor<4xcomplex<f64>>) -> tensor<4xbf16>
  %e = stablehlo.constant dense<[(1.5, 9.0), (0x7F800000, 0.0), (-0.0, 1.0), (1.0e-45, 0x7FC00000)]> : tensor<4xcomplex<f32>>
  %4 = stablehlo.convert %e : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  %f = stablehlo.constant dense<[(1.0e300, -1.0e-320), (-0.0, 16777217.0)]> : tensor<2xcomplex<f64>>
  %5 = stablehlo.convert %f : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f32>>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi1>, tensor<4xi8>, tensor<4xui8>, tensor<4xbf16>, tensor<4xf64>, tensor<2xcomplex<f32>>
}
// EXPECT: dense<[false, true, true, false]> : tensor<4xi1>
// EXPECT: dense<[-1, 127, 0, 0]> : tensor<4xi8>
// EXPECT: dense<[0, 255, 0, 0]> : tensor<4xui8>
// EXPECT: dense<[0.0, 1.0, 0x7FC0, -0.0]> : tensor<4xbf16>
// EXPECT: dense<[1.5, 0x7FF0000000000000, -0.0, 1.4012984643248171E-45]> : tensor<4xf64>
// EXPECT: dense<[(0x7F800000, -0.0), (-0.0, 16777216.0)]> : tensor<2xcomplex<f32>>

func.func @float_to_integer() -> (tensor<7xi8>, tensor<7xui8>, tensor<4xi64>, tensor<3xui64>, tensor<3xi4>) {
  %a = stablehlo.constant dense<[-1.9, 1.9, 300.0, -300.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<7xf32>
  %0 = stablehlo.convert %a : (tensor<7xf32>) -> tensor<7xi8>
  %1 = stablehlo.convert %a : (tensor<7xf32>) -> tensor<7xui8>
  %b = stablehlo.constant dense<[9.3e18, -9.3e18, 9007199254740993.0, -0.9]> : tensor<4xf64>
  %2 = stablehlo.convert %b : (tensor<4xf64>) -> tensor<4xi64>
  %c = stablehlo.constant dense<[1.9e19, -0.5, 1.0e19]> : tensor<3xf64>
  %3 = stablehlo.convert %c : (tensor<3xf64>) -> tensor<3xui64>
  %d = stablehlo.constant dense<[7.9, 8.0, -9.0]> : tensor<3xbf16>
  %4 = stablehlo.convert %d : (tensor<3xbf16>) -> tensor<3xi4>
  return %0, %1, %2, %3, %4 : tensor<7xi8>, tensor<7xui8>, tensor<4xi64>, tensor<3xui64>, tensor<3xi4>
}
// EXPECT: dense<[-1, 1, 127, -128, 0, 127, -128]> : tensor<7xi8>
// EXPECT: dense<[0, 1, 255, 0, 0, 255, 0]> : tensor<7xui8>
// EXPECT: dense<[9223372036854775807, -9223372036854775808, 9007199254740992, 0]> : tensor<4xi64>
// EXPECT: dense<[18446744073709551615, 0, 10000000000000000000]> : tensor<3xui64>
// EXPECT: dense<[7, 7, -8]> : tensor<3xi4>

func.func @integer_to_integer() -> (tensor<3xi8>, tensor<2xui16>, tensor<2xi4>, tensor<2xi64>, tensor<2xi64>) {
  %a = stablehlo.constant dense<[300, -129, 255]> : tensor<3xi32>
  %0 = stablehlo.convert %a : (tensor<3xi32>) -> tensor<3xi8>
  %b = stablehlo.constant dense<[-1, 1]> : tensor<2xi8>
  %1 = stablehlo.convert %b : (tensor<2xi8>) -> tensor<2xui16>
  %c = stablehlo.constant dense<[24, 7]> : tensor<2xi8>
  %2 = stablehlo.convert %c : (tensor<2xi8>) -> tensor<2xi4>
  %d = stablehlo.constant dense<[18446744073709551615, 1]> : tensor<2xui64>
  %3 = stablehlo.convert %d : (tensor<2xui64>) -> tensor<2xi64>
  %e = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %4 = stablehlo.convert %e : (tensor<2xi1>) -> tensor<2xi64>
  return %0, %1, %2, %3, %4 : tensor<3xi8>, tensor<2xui16>, tensor<2xi4>, tensor<2xi64>, tensor<2xi64>
}
// EXPECT: dense<[44, 127, -1]> : tensor<3xi8>
// EXPECT: dense<[65535, 1]> : tensor<2xui16>
// EXPECT: dense<[-8, 7]> : tensor<2xi4>
// EXPECT: dense<[-1, 1]> : tensor<2xi64>
// EXPECT: dense<[1, 0]> : tensor<2xi64>

// Each of these would round differently through an intermediate f32 or f64.
func.func @rounds_once() -> (tensor<2xf32>, tensor<2xbf16>, tensor<1xf16>, tensor<1xf32>, tensor<1xf8E4M3FN>) {
  // 2^24 + 1 is a tie; 2^60 + 2^36 + 1 is just above one.
  %a = stablehlo.constant dense<[16777217, 1152921573326323713]> : tensor<2xi64>
  %0 = stablehlo.convert %a : (tensor<2xi64>) -> tensor<2xf32>
  // Just above and just below the tie between 1 and 1 + 2^-7.
  %b = stablehlo.constant dense<[1.00390625000001, 1.00390624999999]> : tensor<2xf64>
  %1 = stablehlo.convert %b : (tensor<2xf64>) -> tensor<2xbf16>
  %c = stablehlo.constant dense<[65519.999]> : tensor<1xf64>
  %2 = stablehlo.convert %c : (tensor<1xf64>) -> tensor<1xf16>
  %d = stablehlo.constant dense<[18446744073709551615]> : tensor<1xui64>
  %3 = stablehlo.convert %d : (tensor<1xui64>) -> tensor<1xf32>
  %e = stablehlo.constant dense<[1.06250000001]> : tensor<1xf64>
  %4 = stablehlo.convert %e : (tensor<1xf64>) -> tensor<1xf8E4M3FN>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xbf16>, tensor<1xf16>, tensor<1xf32>, tensor<1xf8E4M3FN>
}
// EXPECT: dense<[16777216.0, 0x5D800001]> : tensor<2xf32>
// EXPECT: dense<[0x3F81, 0x3F80]> : tensor<2xbf16>
// EXPECT: dense<[65504.0]> : tensor<1xf16>
// EXPECT: dense<[0x5F800000]> : tensor<1xf32>
// EXPECT: dense<[1.125]> : tensor<1xf8E4M3FN>

func.func @overflow_of_small_floats()
    -> (tensor<4xf8E4M3FN>, tensor<4xf8E5M2>, tensor<4xf8E4M3FNUZ>, tensor<4xf4E2M1FN>, tensor<4xf16>, tensor<4xi8>) {
  %a = stablehlo.constant dense<[464.0, 465.0, -1.0e30, -0.0]> : tensor<4xf32>
  %0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  %1 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xf8E5M2>
  %2 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xf8E4M3FNUZ>
  %3 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xf4E2M1FN>
  %4 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xf16>
  %5 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
  %6 = stablehlo.bitcast_convert %5 : (tensor<4xf8E8M0FNU>) -> tensor<4xi8>
  return %0, %1, %2, %3, %4, %6 :
    tensor<4xf8E4M3FN>, tensor<4xf8E5M2>, tensor<4xf8E4M3FNUZ>, tensor<4xf4E2M1FN>, tensor<4xf16>, tensor<4xi8>
}
// EXPECT: dense<[448.0, 0x7F, 0xFF, -0.0]> : tensor<4xf8E4M3FN>
// EXPECT: dense<[448.0, 448.0, 0xFC, -0.0]> : tensor<4xf8E5M2>
// EXPECT: dense<[0x80, 0x80, 0x80, 0.0]> : tensor<4xf8E4M3FNUZ>
// EXPECT: dense<[6.0, 6.0, -6.0, -0.0]> : tensor<4xf4E2M1FN>
// EXPECT: dense<[464.0, 465.0, 0xFC00, -0.0]> : tensor<4xf16>
// EXPECT: dense<[-120, -120, -1, -1]> : tensor<4xi8>

func.func @complex_and_real() -> (tensor<2xf32>, tensor<2xcomplex<f64>>, tensor<2xi32>) {
  %a = stablehlo.constant dense<[(1.5, 2.0), (-3.5, 0x7FC00000)]> : tensor<2xcomplex<f32>>
  %0 = stablehlo.convert %a : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %1 = stablehlo.convert %0 : (tensor<2xf32>) -> tensor<2xcomplex<f64>>
  %2 = stablehlo.convert %a : (tensor<2xcomplex<f32>>) -> tensor<2xi32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xcomplex<f64>>, tensor<2xi32>
}
// EXPECT: dense<[1.5, -3.5]> : tensor<2xf32>
// EXPECT: dense<[(1.5, 0.0), (-3.5, 0.0)]> : tensor<2xcomplex<f64>>
// EXPECT: dense<[1, -3]> : tensor<2xi32>

func.func @bitcast() -> (tensor<1xi32>, tensor<2x2xi4>, tensor<1xui8>, tensor<2xui8>, tensor<1xcomplex<f64>>) {
  %a = stablehlo.constant dense<[[1, 2, 3, -1]]> : tensor<1x4xi8>
  %0 = stablehlo.bitcast_convert %a : (tensor<1x4xi8>) -> tensor<1xi32>
  %b = stablehlo.constant dense<[33, 143]> : tensor<2xui8>
  %1 = stablehlo.bitcast_convert %b : (tensor<2xui8>) -> tensor<2x2xi4>
  %c = stablehlo.constant dense<[[true, false, false, false, false, true, false, true]]> : tensor<1x8xi1>
  %2 = stablehlo.bitcast_convert %c : (tensor<1x8xi1>) -> tensor<1xui8>
  %3 = stablehlo.bitcast_convert %1 : (tensor<2x2xi4>) -> tensor<2xui8>
  %d = stablehlo.constant dense<[[(0.0, 1.875), (0.0, -2.0)]]> : tensor<1x2xcomplex<f32>>
  %4 = stablehlo.bitcast_convert %d : (tensor<1x2xcomplex<f32>>) -> tensor<1xcomplex<f64>>
  return %0, %1, %2, %3, %4 : tensor<1xi32>, tensor<2x2xi4>, tensor<1xui8>, tensor<2xui8>, tensor<1xcomplex<f64>>
}
// EXPECT: dense<[-16580095]> : tensor<1xi32>
// EXPECT: dense<[[1, 2], [-1, -8]]> : tensor<2x2xi4>
// EXPECT: dense<[161]> : tensor<1xui8>
// EXPECT: dense<[33, 143]> : tensor<2xui8>
// EXPECT: dense<[(1.0, -2.0)]> : tensor<1xcomplex<f64>>

// Rounds to nearest even (without a mantissa: to the even exponent field), overflows to infinity also by the carry, flushes what would be subnormal, keeps NaN.
func.func @reduce_precision() -> (tensor<6xf32>, tensor<6xf32>, tensor<2xbf16>, tensor<2xf64>) {
  %a = stablehlo.constant dense<[65520.0, 65519.996, 6.0e-8, -6.0e-8, 1.00048828125, 1.00146484375]> : tensor<6xf32>
  %0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<6xf32>
  %b = stablehlo.constant dense<[0x7FC00001, 0.75, 1.5, 3.0, -6.0, 3.0000002]> : tensor<6xf32>
  %1 = stablehlo.reduce_precision %b, format = e8m0 : tensor<6xf32>
  %c = stablehlo.constant dense<[3.0, -1.0e30]> : tensor<2xbf16>
  %2 = stablehlo.reduce_precision %c, format = e11m52 : tensor<2xbf16>
  %d = stablehlo.constant dense<[1.0000000001, 1.0e300]> : tensor<2xf64>
  %3 = stablehlo.reduce_precision %d, format = e8m23 : tensor<2xf64>
  return %0, %1, %2, %3 : tensor<6xf32>, tensor<6xf32>, tensor<2xbf16>, tensor<2xf64>
}
// EXPECT: dense<[0x7F800000, 65504.0, 0.0, -0.0, 1.0, 1.001953125]> : tensor<6xf32>
// EXPECT: dense<[0x7FC00000, 0.5, 2.0, 2.0, -8.0, 4.0]> : tensor<6xf32>
// EXPECT: dense<[3.0, -1.0e30]> : tensor<2xbf16>
// EXPECT: dense<[1.0, 0x7FF0000000000000]> : tensor<2xf64>

func.func @rounding() -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) {
  %a = stablehlo.constant dense<[0.49999997, -0.4, 2.5, -2.5, 0x7F800000, 0x7FC00000, 8388609.0]> : tensor<7xf32>
  %0 = stablehlo.round_nearest_afz %a : tensor<7xf32>
  %1 = stablehlo.round_nearest_even %a : tensor<7xf32>
  %2 = stablehlo.floor %a : tensor<7xf32>
  %3 = stablehlo.ceil %a : tensor<7xf32>
  return %0, %1, %2, %3 : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
}
// EXPECT: dense<[0.0, -0.0, 3.0, -3.0, 0x7F800000, 0x7FC00000, 8388609.0]> : tensor<7xf32>
// EXPECT: dense<[0.0, -0.0, 2.0, -2.0, 0x7F800000, 0x7FC00000, 8388609.0]> : tensor<7xf32>
// EXPECT: dense<[0.0, -1.0, 2.0, -3.0, 0x7F800000, 0x7FC00000, 8388609.0]> : tensor<7xf32>
// EXPECT: dense<[1.0, -0.0, 3.0, -2.0, 0x7F800000, 0x7FC00000, 8388609.0]> : tensor<7xf32>

func.func @next_after() -> (tensor<6xf32>, tensor<2xbf16>, tensor<1xf64>) {
  %a = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 3.40282347e+38, 0x7FC00000]> : tensor<6xf32>
  %b = stablehlo.constant dense<[1.0, -1.0, 2.0, 0.0, 0x7F800000, 1.0]> : tensor<6xf32>
  %0 = chlo.next_after %a, %b : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
  %c = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xbf16>
  %d = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xbf16>
  %1 = chlo.next_after %c, %d : tensor<2xbf16>, tensor<2xbf16> -> tensor<2xbf16>
  %e = stablehlo.constant dense<[0x0010000000000000]> : tensor<1xf64>
  %f = stablehlo.constant dense<[0.0]> : tensor<1xf64>
  %2 = chlo.next_after %e, %f : tensor<1xf64>, tensor<1xf64> -> tensor<1xf64>
  return %0, %1, %2 : tensor<6xf32>, tensor<2xbf16>, tensor<1xf64>
}
// EXPECT: dense<[1.0e-45, -1.0e-45, 1.00000012, -0.99999994, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
// EXPECT: dense<[0x3F7F, 0x3F80]> : tensor<2xbf16>
// EXPECT: dense<[0x000FFFFFFFFFFFFF]> : tensor<1xf64>
