// Edge values of arithmetic, logic and comparison.

func.func @add_wraps() -> (tensor<2xi8>, tensor<2xui8>, tensor<2xi4>, tensor<1xui64>) {
  %a = stablehlo.constant dense<[127, -128]> : tensor<2xi8>
  %b = stablehlo.constant dense<[1, -1]> : tensor<2xi8>
  %0 = stablehlo.add %a, %b : tensor<2xi8>
  %c = stablehlo.constant dense<[255, 128]> : tensor<2xui8>
  %1 = stablehlo.add %c, %c : tensor<2xui8>
  %d = stablehlo.constant dense<[7, -8]> : tensor<2xi4>
  %2 = stablehlo.add %d, %d : tensor<2xi4>
  %e = stablehlo.constant dense<[18446744073709551615]> : tensor<1xui64>
  %3 = stablehlo.multiply %e, %e : tensor<1xui64>
  return %0, %1, %2, %3 : tensor<2xi8>, tensor<2xui8>, tensor<2xi4>, tensor<1xui64>
}
// EXPECT: dense<[-128, 127]> : tensor<2xi8>
// EXPECT: dense<[254, 0]> : tensor<2xui8>
// EXPECT: dense<[-2, 0]> : tensor<2xi4>
// EXPECT: dense<[1]> : tensor<1xui64>

func.func @booleans() -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %a = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %b = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %0 = stablehlo.add %a, %b : tensor<4xi1>
  %1 = stablehlo.multiply %a, %b : tensor<4xi1>
  %2 = stablehlo.maximum %a, %b : tensor<4xi1>
  %3 = stablehlo.minimum %a, %b : tensor<4xi1>
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
// EXPECT: dense<[false, true, true, true]> : tensor<4xi1>
// EXPECT: dense<[false, false, false, true]> : tensor<4xi1>
// EXPECT: dense<[false, true, true, true]> : tensor<4xi1>
// EXPECT: dense<[false, false, false, true]> : tensor<4xi1>

func.func @division_by_zero() -> (tensor<4xi32>, tensor<4xi32>, tensor<2xui16>, tensor<2xui16>, tensor<1xi64>) {
  %a = stablehlo.constant dense<[5, -2147483648, -7, 0]> : tensor<4xi32>
  %b = stablehlo.constant dense<[0, -1, 2, 0]> : tensor<4xi32>
  %0 = stablehlo.divide %a, %b : tensor<4xi32>
  %1 = stablehlo.remainder %a, %b : tensor<4xi32>
  %c = stablehlo.constant dense<[9, 65535]> : tensor<2xui16>
  %d = stablehlo.constant dense<[0, 2]> : tensor<2xui16>
  %2 = stablehlo.divide %c, %d : tensor<2xui16>
  %3 = stablehlo.remainder %c, %d : tensor<2xui16>
  %e = stablehlo.constant dense<[-9223372036854775808]> : tensor<1xi64>
  %f = stablehlo.constant dense<[-1]> : tensor<1xi64>
  %4 = stablehlo.divide %e, %f : tensor<1xi64>
  return %0, %1, %2, %3, %4 : tensor<4xi32>, tensor<4xi32>, tensor<2xui16>, tensor<2xui16>, tensor<1xi64>
}
// EXPECT: dense<[-1, -2147483648, -3, -1]> : tensor<4xi32>
// EXPECT: dense<[5, 0, -1, 0]> : tensor<4xi32>
// EXPECT: dense<[65535, 32767]> : tensor<2xui16>
// EXPECT: dense<[9, 1]> : tensor<2xui16>
// EXPECT: dense<[-9223372036854775808]> : tensor<1xi64>

func.func @float_remainder() -> tensor<8xf32> {
  %a = stablehlo.constant dense<[5.5, -5.5, 1.0, 0x7F800000, -0.0, 1.0e30, 3.0, 0x7FC00000]> : tensor<8xf32>
  %b = stablehlo.constant dense<[2.0, 2.0, 0x7F800000, 2.0, 3.0, 3.0, 0.0, 1.0]> : tensor<8xf32>
  %0 = stablehlo.remainder %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// EXPECT: dense<[1.5, -1.5, 1.0, 0x7FC00000, -0.0, 0.0, 0x7FC00000, 0x7FC00000]> : tensor<8xf32>

func.func @integer_power() -> (tensor<10xi32>, tensor<2xui8>) {
  %a = stablehlo.constant dense<[2, -3, 0, 0, 1, -1, -1, 2, 0, 7]> : tensor<10xi32>
  %b = stablehlo.constant dense<[10, 3, 0, 5, -4, -3, -4, -1, -2, 40]> : tensor<10xi32>
  %0 = stablehlo.power %a, %b : tensor<10xi32>
  %c = stablehlo.constant dense<[3, 2]> : tensor<2xui8>
  %d = stablehlo.constant dense<[5, 8]> : tensor<2xui8>
  %1 = stablehlo.power %c, %d : tensor<2xui8>
  return %0, %1 : tensor<10xi32>, tensor<2xui8>
}
// 7^40 is -142118463 modulo 2^32, the float 1e30 a multiple of 3.
// EXPECT: dense<[1024, -27, 1, 0, 1, -1, 1, 0, -1, -142118463]> : tensor<10xi32>
// EXPECT: dense<[243, 0]> : tensor<2xui8>

func.func @shifts() -> (tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<3xui8>, tensor<2xi64>, tensor<2xi4>) {
  %a = stablehlo.constant dense<[-1, -128, 64, 1, -2, 7]> : tensor<6xi8>
  %b = stablehlo.constant dense<[8, 9, -1, 7, 100, 0]> : tensor<6xi8>
  %0 = stablehlo.shift_left %a, %b : tensor<6xi8>
  %1 = stablehlo.shift_right_arithmetic %a, %b : tensor<6xi8>
  %2 = stablehlo.shift_right_logical %a, %b : tensor<6xi8>
  %c = stablehlo.constant dense<[128, 255, 64]> : tensor<3xui8>
  %d = stablehlo.constant dense<[1, 200, 2]> : tensor<3xui8>
  %3 = stablehlo.shift_right_arithmetic %c, %d : tensor<3xui8>
  %e = stablehlo.constant dense<[-1, 1]> : tensor<2xi64>
  %f = stablehlo.constant dense<[64, 63]> : tensor<2xi64>
  %4 = stablehlo.shift_right_logical %e, %f : tensor<2xi64>
  %g = stablehlo.constant dense<[-8, -1]> : tensor<2xi4>
  %h = stablehlo.constant dense<[1, 3]> : tensor<2xi4>
  %5 = stablehlo.shift_right_logical %g, %h : tensor<2xi4>
  return %0, %1, %2, %3, %4, %5 :
    tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<3xui8>, tensor<2xi64>, tensor<2xi4>
}
// EXPECT: dense<[0, 0, 0, -128, 0, 7]> : tensor<6xi8>
// EXPECT: dense<[-1, -1, 0, 0, -1, 7]> : tensor<6xi8>
// EXPECT: dense<[0, 0, 0, 0, 0, 7]> : tensor<6xi8>
// EXPECT: dense<[192, 255, 16]> : tensor<3xui8>
// EXPECT: dense<[0, 0]> : tensor<2xi64>
// EXPECT: dense<[4, 1]> : tensor<2xi4>

func.func @bits() -> (tensor<3xi4>, tensor<3xi4>, tensor<2xui64>, tensor<2xi32>, tensor<2xui16>) {
  %a = stablehlo.constant dense<[0, 1, -1]> : tensor<3xi4>
  %0 = stablehlo.count_leading_zeros %a : tensor<3xi4>
  %1 = stablehlo.popcnt %a : tensor<3xi4>
  %b = stablehlo.constant dense<[0, 18446744073709551615]> : tensor<2xui64>
  %2 = stablehlo.popcnt %b : tensor<2xui64>
  %c = stablehlo.constant dense<[-2147483648, 2147483647]> : tensor<2xi32>
  %d = stablehlo.constant dense<[2, -2]> : tensor<2xi32>
  %3 = chlo.mulhi %c, %d : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  %e = stablehlo.constant dense<[65535, 256]> : tensor<2xui16>
  %4 = chlo.mulhi %e, %e : tensor<2xui16>, tensor<2xui16> -> tensor<2xui16>
  return %0, %1, %2, %3, %4 : tensor<3xi4>, tensor<3xi4>, tensor<2xui64>, tensor<2xi32>, tensor<2xui16>
}
// EXPECT: dense<[4, 3, 0]> : tensor<3xi4>
// EXPECT: dense<[0, 1, 4]> : tensor<3xi4>
// EXPECT: dense<[0, 64]> : tensor<2xui64>
// EXPECT: dense<[-1, -1]> : tensor<2xi32>
// EXPECT: dense<[65534, 1]> : tensor<2xui16>

func.func @abs_negate_sign() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xui8>, tensor<3xi16>, tensor<4xf32>) {
  %a = stablehlo.constant dense<[-128, -1]> : tensor<2xi8>
  %0 = stablehlo.abs %a : tensor<2xi8>
  %1 = stablehlo.negate %a : tensor<2xi8>
  %b = stablehlo.constant dense<[1, 0]> : tensor<2xui8>
  %2 = stablehlo.negate %b : tensor<2xui8>
  %c = stablehlo.constant dense<[-300, 0, 300]> : tensor<3xi16>
  %3 = stablehlo.sign %c : tensor<3xi16>
  %d = stablehlo.constant dense<[-0.0, 0.0, 0xFF800000, -1.0e-45]> : tensor<4xf32>
  %4 = stablehlo.abs %d : tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<2xi8>, tensor<2xi8>, tensor<2xui8>, tensor<3xi16>, tensor<4xf32>
}
// EXPECT: dense<[-128, 1]> : tensor<2xi8>
// EXPECT: dense<[-128, 1]> : tensor<2xi8>
// EXPECT: dense<[255, 0]> : tensor<2xui8>
// EXPECT: dense<[-1, 0, 1]> : tensor<3xi16>
// EXPECT: dense<[0.0, 0.0, 0x7F800000, 1.0e-45]> : tensor<4xf32>

func.func @extrema_of_floats() -> (tensor<6xf32>, tensor<6xf32>) {
  %a = stablehlo.constant dense<[0x7FC00000, 1.0, -0.0, 0.0, 0xFF800000, 2.0]> : tensor<6xf32>
  %b = stablehlo.constant dense<[1.0, 0x7FC00000, 0.0, -0.0, 3.0, -2.0]> : tensor<6xf32>
  %0 = stablehlo.maximum %a, %b : tensor<6xf32>
  %1 = stablehlo.minimum %a, %b : tensor<6xf32>
  return %0, %1 : tensor<6xf32>, tensor<6xf32>
}
// EXPECT: dense<[0x7FC00000, 0x7FC00000, 0.0, 0.0, 3.0, 2.0]> : tensor<6xf32>
// EXPECT: dense<[0x7FC00000, 0x7FC00000, -0.0, -0.0, 0xFF800000, -2.0]> : tensor<6xf32>

func.func @extrema_of_complex() -> (tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>) {
  %a = stablehlo.constant dense<[(1.0, 2.0), (1.0, 5.0), (-1.0, 9.0)]> : tensor<3xcomplex<f32>>
  %b = stablehlo.constant dense<[(1.0, 3.0), (0.0, 9.0), (0.0, 0.0)]> : tensor<3xcomplex<f32>>
  %0 = stablehlo.maximum %a, %b : tensor<3xcomplex<f32>>
  %1 = stablehlo.minimum %a, %b : tensor<3xcomplex<f32>>
  return %0, %1 : tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>
}
// EXPECT: dense<[(1.0, 3.0), (1.0, 5.0), (0.0, 0.0)]> : tensor<3xcomplex<f32>>
// EXPECT: dense<[(1.0, 2.0), (0.0, 9.0), (-1.0, 9.0)]> : tensor<3xcomplex<f32>>

func.func @compare_floats() -> (tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>) {
  %a = stablehlo.constant dense<[0x7FC00000, -0.0, 0xFFC00000, 1.0, 0x7FC00000]> : tensor<5xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0.0, 0xFF800000, 2.0, 0x7F800000]> : tensor<5xf32>
  %0 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %1 = stablehlo.compare NE, %a, %b, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %2 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %3 = stablehlo.compare EQ, %a, %b, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %4 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %5 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  return %0, %1, %2, %3, %4, %5 :
    tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>
}
// EXPECT: dense<[false, true, false, false, false]> : tensor<5xi1>
// EXPECT: dense<[true, false, true, true, true]> : tensor<5xi1>
// EXPECT: dense<[false, true, false, false, false]> : tensor<5xi1>
// EXPECT: dense<[true, false, false, false, false]> : tensor<5xi1>
// EXPECT: dense<[false, true, true, true, false]> : tensor<5xi1>
// EXPECT: dense<[false, false, false, false, true]> : tensor<5xi1>

// As FLOAT.
func.func @compare_floats_as_integers() -> (tensor<5xi1>, tensor<5xi1>) {
  %a = stablehlo.constant dense<[0x7FC00000, -0.0, -2.0, 1.0, 0xFFC00000]> : tensor<5xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0.0, -1.0, 2.0, 0x7F800000]> : tensor<5xf32>
  %0 = stablehlo.compare GE, %a, %b, SIGNED : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %1 = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  return %0, %1 : tensor<5xi1>, tensor<5xi1>
}
// EXPECT: dense<[false, true, false, false, false]> : tensor<5xi1>
// EXPECT: dense<[false, false, true, true, false]> : tensor<5xi1>

func.func @compare_integers() -> (tensor<2xi1>, tensor<2xi1>, tensor<4xi1>, tensor<3xi1>) {
  %a = stablehlo.constant dense<[-1, 0]> : tensor<2xi8>
  %b = stablehlo.constant dense<[0, -1]> : tensor<2xi8>
  %0 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
  %c = stablehlo.constant dense<[255, 0]> : tensor<2xui8>
  %d = stablehlo.constant dense<[0, 255]> : tensor<2xui8>
  %1 = stablehlo.compare LT, %c, %d, UNSIGNED : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  %e = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %f = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.compare LT, %e, %f : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %g = stablehlo.constant dense<[(1.0, 2.0), (1.0, 2.0), (0x7FC00000, 0.0)]> : tensor<3xcomplex<f32>>
  %h = stablehlo.constant dense<[(1.0, 3.0), (1.0, 2.0), (1.0, 0.0)]> : tensor<3xcomplex<f32>>
  %3 = stablehlo.compare LE, %g, %h : (tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<3xi1>
  return %0, %1, %2, %3 : tensor<2xi1>, tensor<2xi1>, tensor<4xi1>, tensor<3xi1>
}
// EXPECT: dense<[true, false]> : tensor<2xi1>
// EXPECT: dense<[false, true]> : tensor<2xi1>
// EXPECT: dense<[false, true, false, false]> : tensor<4xi1>
// EXPECT: dense<[true, true, false]> : tensor<3xi1>

func.func @clamp_and_select() -> (tensor<4xf32>, tensor<2xi32>, tensor<2xi32>) {
  %x = stablehlo.constant dense<[-5.0, 0x7FC00000, 5.0, 0.5]> : tensor<4xf32>
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %high = stablehlo.constant dense<[1.0, 1.0, 1.0, -1.0]> : tensor<4xf32>
  %0 = stablehlo.clamp %low, %x, %high : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %p = stablehlo.constant dense<false> : tensor<i1>
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %1 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<2xi32>
  %q = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %2 = stablehlo.select %q, %a, %b : tensor<2xi1>, tensor<2xi32>
  return %0, %1, %2 : tensor<4xf32>, tensor<2xi32>, tensor<2xi32>
}
// EXPECT: dense<[0.0, 0x7FC00000, 1.0, -1.0]> : tensor<4xf32>
// EXPECT: dense<[3, 4]> : tensor<2xi32>
// EXPECT: dense<[1, 4]> : tensor<2xi32>

func.func @subnormals_stay() -> (tensor<2xf32>, tensor<2xbf16>, tensor<1xf16>) {
  %a = stablehlo.constant dense<[1.0e-45, 2.0e-38]> : tensor<2xf32>
  %half = stablehlo.constant dense<[1.0, 0.25]> : tensor<2xf32>
  %0 = stablehlo.multiply %a, %half : tensor<2xf32>
  %b = stablehlo.constant dense<[0x0001, 0x0080]> : tensor<2xbf16>
  %two = stablehlo.constant dense<[1.0, 0.5]> : tensor<2xbf16>
  %1 = stablehlo.multiply %b, %two : tensor<2xbf16>
  %c = stablehlo.constant dense<[0x0001]> : tensor<1xf16>
  %2 = stablehlo.add %c, %c : tensor<1xf16>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xbf16>, tensor<1xf16>
}
// EXPECT: dense<[1.0e-45, 5.0e-39]> : tensor<2xf32>
// EXPECT: dense<[0x0001, 0x0040]> : tensor<2xbf16>
// EXPECT: dense<[0x0002]> : tensor<1xf16>

func.func @no_elements() -> (tensor<0x3xf32>, tensor<0xi1>) {
  %a = stablehlo.constant dense<> : tensor<0x3xf32>
  %0 = stablehlo.add %a, %a : tensor<0x3xf32>
  %b = stablehlo.constant dense<> : tensor<0xi32>
  %1 = stablehlo.compare LT, %b, %b : (tensor<0xi32>, tensor<0xi32>) -> tensor<0xi1>
  return %0, %1 : tensor<0x3xf32>, tensor<0xi1>
}
// EXPECT: dense<> : tensor<0x3xf32>
// EXPECT: dense<> : tensor<0xi1>

func.func @undefined_for_type() -> tensor<1xcomplex<f32>> {
  %a = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
  %0 = stablehlo.remainder %a, %a : tensor<1xcomplex<f32>>
  return %0 : tensor<1xcomplex<f32>>
}
// EXPECT-ERROR: 'stablehlo.remainder': is not defined for this element type

// The default results of IEEE 754's exceptions: division by zero, invalid operation, overflow, underflow, inexact; and
// comparisons that are quiet about NaN. No trap, and the run goes on.
func.func @floating_point_exceptions() -> (tensor<4xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3xi1>, tensor<3xi1>) {
  %x = stablehlo.constant dense<[1.0, -1.0, 0.0, 0x7F800000]> : tensor<4xf32>
  %y = stablehlo.constant dense<[0.0, 0.0, 0.0, 0x7F800000]> : tensor<4xf32>
  %quotient = stablehlo.divide %x, %y : tensor<4xf32>
  %negative = stablehlo.constant dense<[-1.0, -4.0, 0xFF800000]> : tensor<3xf32>
  %root = stablehlo.sqrt %negative : tensor<3xf32>
  %edge = stablehlo.constant dense<[3.40282347e+38, 1.17549435e-38]> : tensor<2xf32>
  %factor = stablehlo.constant dense<[2.0, 5.96046448e-08]> : tensor<2xf32>
  %product = stablehlo.multiply %edge, %factor : tensor<2xf32>
  %zero = stablehlo.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %logarithm = stablehlo.log %zero : tensor<2xf32>
  %a = stablehlo.constant dense<[0x7FC00000, 1.0, 0x7FC00000]> : tensor<3xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0x7FC00000, 1.0]> : tensor<3xf32>
  %less = stablehlo.compare LT, %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %differs = stablehlo.compare NE, %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %quotient, %root, %product, %logarithm, %less, %differs : tensor<4xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3xi1>, tensor<3xi1>
}
// EXPECT: dense<[0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>
// EXPECT: dense<0x7FC00000> : tensor<3xf32>
// EXPECT: dense<[0x7F800000, 0x00000000]> : tensor<2xf32>
// EXPECT: dense<0xFF800000> : tensor<2xf32>
// EXPECT: dense<false> : tensor<3xi1>
// EXPECT: dense<true> : tensor<3xi1>

// Every precision is the full one: 1 + 2^-12 has more bits than bf16 and tf32.
func.func @precision() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %x = stablehlo.constant dense<[1.00024414, 1.0]> : tensor<2xf32>
  %y = stablehlo.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %default = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %high = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [HIGH, HIGH] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %highest = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [HIGHEST, DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return %default, %high, %highest : tensor<f32>, tensor<f32>, tensor<f32>
}
// EXPECT: dense<2.44140625E-4> : tensor<f32>
// EXPECT: dense<2.44140625E-4> : tensor<f32>
// EXPECT: dense<2.44140625E-4> : tensor<f32>

// As ml_dtypes has it: zero for the NaN that a type lacks, NaN for what is too small for a type without zero.
func.func @narrow_floats() -> (tensor<4xf4E2M1FN>, tensor<4xui8>) {
  %a = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0]> : tensor<4xf4E2M1FN>
  %b = stablehlo.constant dense<0.0> : tensor<4xf4E2M1FN>
  %0 = stablehlo.divide %a, %b : tensor<4xf4E2M1FN>
  %c = stablehlo.constant dense<[0, 1, 63, 254]> : tensor<4xui8>
  %d = stablehlo.constant dense<[126, 1, 64, 128]> : tensor<4xui8>
  %1 = stablehlo.bitcast_convert %c : (tensor<4xui8>) -> tensor<4xf8E8M0FNU>
  %2 = stablehlo.bitcast_convert %d : (tensor<4xui8>) -> tensor<4xf8E8M0FNU>
  %3 = stablehlo.multiply %1, %2 : tensor<4xf8E8M0FNU>
  %4 = stablehlo.bitcast_convert %3 : (tensor<4xf8E8M0FNU>) -> tensor<4xui8>
  return %0, %4 : tensor<4xf4E2M1FN>, tensor<4xui8>
}
// EXPECT: dense<[0.0, 0.0, 6.0, -6.0]> : tensor<4xf4E2M1FN>
// EXPECT: dense<[0, 255, 0, 255]> : tensor<4xui8>
