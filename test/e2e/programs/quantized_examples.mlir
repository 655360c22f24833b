// Written by make_programs.py.
// Quantized values. The first two are the worked examples of the specification's newer text.

func.func @dequantize_per_axis() -> tensor<2xf32> {
  %0 = stablehlo.constant() {value = dense<10> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
// EXPECT: dense<[4.0, 15.0]> : tensor<2xf32>

func.func @quantize_and_requantize() -> (tensor<2xi8>, tensor<2xi8>) {
  %0 = stablehlo.constant dense<[4.0, 15.0]> : tensor<2xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>
  %2 = stablehlo.uniform_quantize %1 : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>)
      -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}>>
  %3 = stablehlo.bitcast_convert %1 : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2xi8>
  %4 = stablehlo.bitcast_convert %2 : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}>>) -> tensor<2xi8>
  return %3, %4 : tensor<2xi8>, tensor<2xi8>
}
// EXPECT: dense<[10, 10]> : tensor<2xi8>
// EXPECT: dense<[20, 45]> : tensor<2xi8>

// Rounds ties to even and saturates at the storage range, here narrowed to [-100, 100]. NaN becomes 0.
func.func @quantize_edges() -> (tensor<7xi8>, tensor<2xui8>) {
  %0 = stablehlo.constant dense<[0.5, 1.5, -0.5, 1000.0, -1000.0, 0x7F800000, 0x7FC00000]> : tensor<7xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<7xf32>) -> tensor<7x!quant.uniform<i8<-100:100>:f32, 1.0>>
  %2 = stablehlo.bitcast_convert %1 : (tensor<7x!quant.uniform<i8<-100:100>:f32, 1.0>>) -> tensor<7xi8>
  %3 = stablehlo.constant dense<[-3.0, 300.0]> : tensor<2xf32>
  %4 = stablehlo.uniform_quantize %3 : (tensor<2xf32>) -> tensor<2x!quant.uniform<u8:f32, 1.0:2>>
  %5 = stablehlo.bitcast_convert %4 : (tensor<2x!quant.uniform<u8:f32, 1.0:2>>) -> tensor<2xui8>
  return %2, %5 : tensor<7xi8>, tensor<2xui8>
}
// EXPECT: dense<[0, 2, 0, 100, -100, 100, 0]> : tensor<7xi8>
// EXPECT: dense<[0, 255]> : tensor<2xui8>

func.func @elementwise() -> (tensor<2xi8>, tensor<2xi1>) {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %2 = stablehlo.constant dense<[10.0, 1.0]> : tensor<2xf32>
  %3 = stablehlo.uniform_quantize %2 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.25>>
  %4 = "stablehlo.add"(%1, %3) : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.25>>)
      -> tensor<2x!quant.uniform<i8:f32, 1.0:-1>>
  %5 = stablehlo.bitcast_convert %4 : (tensor<2x!quant.uniform<i8:f32, 1.0:-1>>) -> tensor<2xi8>
  %6 = stablehlo.compare LT, %1, %1 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xi1>
  return %5, %6 : tensor<2xi8>, tensor<2xi1>
}
// EXPECT: dense<[10, 2]> : tensor<2xi8>
// EXPECT: dense<[false, false]> : tensor<2xi1>

// Hybrid: a float operand times quantized weights gives floats.
func.func @dot() -> (tensor<1x2xf32>, tensor<1x2xi8>) {
  %w = stablehlo.constant() {value = dense<[[2, 4], [6, 8]]> : tensor<2x2xi8>} : () -> tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  %x = stablehlo.constant dense<[[1.0, 10.0]]> : tensor<1x2xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<1x2xf32>) -> tensor<1x2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.dot_general %q, %w, contracting_dims = [1] x [0]
      : (tensor<1x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x!quant.uniform<i8:f32, 1.0>>
  %2 = stablehlo.bitcast_convert %1 : (tensor<1x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x2xi8>
  return %0, %2 : tensor<1x2xf32>, tensor<1x2xi8>
}
// EXPECT: dense<[[31.0, 42.0]]> : tensor<1x2xf32>
// EXPECT: dense<[[31, 42]]> : tensor<1x2xi8>

func.func @moving_and_reducing() -> (tensor<2x1xi8>, tensor<i8>) {
  %0 = stablehlo.constant() {value = dense<[[1, 2]]> : tensor<1x2xi8>} : () -> tensor<1x2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<1x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x1x!quant.uniform<i8:f32, 0.5>>
  %2 = stablehlo.bitcast_convert %1 : (tensor<2x1x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x1xi8>
  %z = stablehlo.constant() {value = dense<0> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 0.5>>
  %3 = "stablehlo.reduce"(%0, %z) ({
    ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
      %9 = stablehlo.add %a, %b : tensor<!quant.uniform<i8:f32, 0.5>>
      stablehlo.return %9 : tensor<!quant.uniform<i8:f32, 0.5>>
  }) {dimensions = array<i64: 0, 1>} : (tensor<1x2x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  %4 = stablehlo.bitcast_convert %3 : (tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<i8>
  return %2, %4 : tensor<2x1xi8>, tensor<i8>
}
// EXPECT: dense<[[1], [2]]> : tensor<2x1xi8>
// EXPECT: dense<3> : tensor<i8>

// iota quantizes the indices.
func.func @iota() -> tensor<4xi8> {
  %0 = stablehlo.iota dim = 0 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}
// EXPECT: dense<[3, 5, 7, 9]> : tensor<4xi8>

// The zero of NaN is clipped, too. f16 has no number for the bounds of i32, so that conversion saturates.
func.func @quantize_out_of_range() -> (tensor<2xi8>, tensor<3xi32>) {
  %0 = stablehlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8<2:90>:f32, 1.0:5>>
  %2 = stablehlo.bitcast_convert %1 : (tensor<2x!quant.uniform<i8<2:90>:f32, 1.0:5>>) -> tensor<2xi8>
  %3 = stablehlo.constant dense<[0x7C00, 0xFC00, 0x7E00]> : tensor<3xf16>
  %4 = stablehlo.uniform_quantize %3 : (tensor<3xf16>) -> tensor<3x!quant.uniform<i32:f16, 1.0>>
  %5 = stablehlo.bitcast_convert %4 : (tensor<3x!quant.uniform<i32:f16, 1.0>>) -> tensor<3xi32>
  return %2, %5 : tensor<2xi8>, tensor<3xi32>
}
// EXPECT: dense<[2, 6]> : tensor<2xi8>
// EXPECT: dense<[2147483647, -2147483648, 0]> : tensor<3xi32>

// 255 * 300 is infinite in f16, yet quantized values are finite.
func.func @is_finite() -> tensor<1xi1> {
  %0 = stablehlo.constant() {value = dense<127> : tensor<1xi8>} : () -> tensor<1x!quant.uniform<i8:f16, 300.0:-128>>
  %1 = stablehlo.is_finite %0 : (tensor<1x!quant.uniform<i8:f16, 300.0:-128>>) -> tensor<1xi1>
  return %1 : tensor<1xi1>
}
// EXPECT: dense<true> : tensor<1xi1>

func.func @main() -> (tensor<2xf32>, tensor<2xi8>, tensor<2xi8>, tensor<7xi8>, tensor<2xui8>, tensor<2xi8>, tensor<2xi1>, tensor<1x2xf32>, tensor<1x2xi8>, tensor<2x1xi8>, tensor<i8>, tensor<4xi8>, tensor<2xi8>, tensor<3xi32>, tensor<1xi1>) {
  %e0:1 = func.call @dequantize_per_axis() : () -> (tensor<2xf32>)
  %e1:2 = func.call @quantize_and_requantize() : () -> (tensor<2xi8>, tensor<2xi8>)
  %e2:2 = func.call @quantize_edges() : () -> (tensor<7xi8>, tensor<2xui8>)
  %e3:2 = func.call @elementwise() : () -> (tensor<2xi8>, tensor<2xi1>)
  %e4:2 = func.call @dot() : () -> (tensor<1x2xf32>, tensor<1x2xi8>)
  %e5:2 = func.call @moving_and_reducing() : () -> (tensor<2x1xi8>, tensor<i8>)
  %e6:1 = func.call @iota() : () -> (tensor<4xi8>)
  %e7:2 = func.call @quantize_out_of_range() : () -> (tensor<2xi8>, tensor<3xi32>)
  %e8:1 = func.call @is_finite() : () -> (tensor<1xi1>)
  func.return %e0#0, %e1#0, %e1#1, %e2#0, %e2#1, %e3#0, %e3#1, %e4#0, %e4#1, %e5#0, %e5#1, %e6#0, %e7#0, %e7#1, %e8#0 : tensor<2xf32>, tensor<2xi8>, tensor<2xi8>, tensor<7xi8>, tensor<2xui8>, tensor<2xi8>, tensor<2xi1>, tensor<1x2xf32>, tensor<1x2xi8>, tensor<2x1xi8>, tensor<i8>, tensor<4xi8>, tensor<2xi8>, tensor<3xi32>, tensor<1xi1>
}
