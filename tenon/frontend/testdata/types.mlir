// artifact versions: 0.9.0 1.0.0 1.17.0
func.func @constants() -> tensor<3xi1> {
  %0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %1 = stablehlo.constant dense<true> : tensor<3xi1>
  %2 = stablehlo.constant dense<false> : tensor<20xi1>
  %3 = stablehlo.constant dense<true> : tensor<i1>
  %4 = stablehlo.constant dense<[true, false, false, true, true, false, true, true, true, false]> : tensor<10xi1>
  %5 = stablehlo.constant dense<> : tensor<0xi1>
  %6 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
  %7 = stablehlo.constant dense<[-128, 127]> : tensor<2xi8>
  %8 = stablehlo.constant dense<[-32768, 32767]> : tensor<2xi16>
  %9 = stablehlo.constant dense<[-2147483648, 2147483647]> : tensor<2xi32>
  %10 = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>
  %11 = stablehlo.constant dense<[0, 15]> : tensor<2xui4>
  %12 = stablehlo.constant dense<[0, 255]> : tensor<2xui8>
  %13 = stablehlo.constant dense<[0, 65535]> : tensor<2xui16>
  %14 = stablehlo.constant dense<[0, 4294967295]> : tensor<2xui32>
  %15 = stablehlo.constant dense<[0, 18446744073709551615]> : tensor<2xui64>
  %16 = stablehlo.constant dense<[1.0, 0x7F]> : tensor<2xf8E4M3FN>
  %17 = stablehlo.constant dense<[1.0, -0.0]> : tensor<2xf8E5M2>
  %18 = stablehlo.constant dense<[1.0, 0x7FC0]> : tensor<2xbf16>
  %19 = stablehlo.constant dense<[1.0, 0x7C00]> : tensor<2xf16>
  %20 = stablehlo.constant dense<[[0x7F800000, 0xFF800000], [-0.0, 0x7FC00001]]> : tensor<2x2xf32>
  %21 = stablehlo.constant dense<[1.0e-310, 1.7976931348623157e308]> : tensor<2xf64>
  %22 = stablehlo.constant dense<[(1.0, 2.0), (-0.0, 0x7F800000)]> : tensor<2xcomplex<f32>>
  %23 = stablehlo.constant dense<(1.0, -1.0)> : tensor<4xcomplex<f64>>
  %24 = stablehlo.constant dense<3.0> : tensor<f32>
  %25 = stablehlo.constant dense<> : tensor<2x0x3xf32>
  %26 = stablehlo.constant dense<7> : tensor<100xi32>
  return %0 : tensor<3xi1>
}
