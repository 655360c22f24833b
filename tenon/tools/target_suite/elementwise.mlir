// arithmetic of f32
func.func @main(%x: tensor<4x7xf32>, %y: tensor<4x7xf32>) -> (tensor<4x7xf32>, tensor<4x7xf32>, tensor<4x7xf32>) {
  %0 = stablehlo.add %x, %y : tensor<4x7xf32>
  %1 = stablehlo.subtract %0, %x : tensor<4x7xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<4x7xf32>
  %3 = stablehlo.negate %2 : tensor<4x7xf32>
  %4 = stablehlo.abs %y : tensor<4x7xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4x7xf32>
  %5 = stablehlo.add %4, %one : tensor<4x7xf32>
  %6 = stablehlo.divide %x, %5 : tensor<4x7xf32>
  %7 = stablehlo.maximum %x, %y : tensor<4x7xf32>
  %8 = stablehlo.minimum %7, %6 : tensor<4x7xf32>
  return %3, %6, %8 : tensor<4x7xf32>, tensor<4x7xf32>, tensor<4x7xf32>
}
// -----
// arithmetic of f64
func.func @main(%x: tensor<5xf64>, %y: tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>) {
  %0 = stablehlo.multiply %x, %y : tensor<5xf64>
  %1 = stablehlo.subtract %0, %x : tensor<5xf64>
  %2 = stablehlo.maximum %1, %y : tensor<5xf64>
  %3 = stablehlo.exponential %2 : tensor<5xf64>
  %4 = stablehlo.divide %1, %3 : tensor<5xf64>
  return %2, %4 : tensor<5xf64>, tensor<5xf64>
}
// -----
// elementary functions
func.func @main(%x: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) {
  %0 = stablehlo.exponential %x : tensor<9xf32>
  %1 = stablehlo.log %0 : tensor<9xf32>
  %2 = stablehlo.tanh %x : tensor<9xf32>
  %3 = stablehlo.sqrt %0 : tensor<9xf32>
  %4 = stablehlo.rsqrt %0 : tensor<9xf32>
  %5 = stablehlo.logistic %x : tensor<9xf32>
  %6 = stablehlo.sine %x : tensor<9xf32>
  %7 = stablehlo.cosine %x : tensor<9xf32>
  %8 = stablehlo.power %0, %x : tensor<9xf32>
  %9 = stablehlo.exponential_minus_one %x : tensor<9xf32>
  %10 = stablehlo.log_plus_one %0 : tensor<9xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
}
// -----
// rounding and signs
func.func @main(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xi1>) {
  %ten = stablehlo.constant dense<10.0> : tensor<16xf32>
  %0 = stablehlo.multiply %x, %ten : tensor<16xf32>
  %1 = stablehlo.floor %0 : tensor<16xf32>
  %2 = stablehlo.ceil %0 : tensor<16xf32>
  %3 = stablehlo.round_nearest_even %0 : tensor<16xf32>
  %4 = stablehlo.sign %0 : tensor<16xf32>
  %5 = stablehlo.is_finite %0 : (tensor<16xf32>) -> tensor<16xi1>
  return %1, %2, %3, %4, %5 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xi1>
}
// -----
// integers wrap, and divide toward zero
func.func @main(%x: tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>) {
  %five = stablehlo.constant dense<[5, -5, 3, -3, 7, -1]> : tensor<6xi32>
  %large = stablehlo.constant dense<[2147483647, -2147483648, 1000000007, -1000000007, 65537, -9]> : tensor<6xi32>
  %0 = stablehlo.add %x, %large : tensor<6xi32>
  %1 = stablehlo.multiply %0, %five : tensor<6xi32>
  %2 = stablehlo.maximum %1, %x : tensor<6xi32>
  %3 = stablehlo.divide %2, %five : tensor<6xi32>
  %4 = stablehlo.remainder %1, %five : tensor<6xi32>
  return %1, %2, %3, %4 : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>
}
// -----
// bits, and shifts of less than the width
func.func @main(%x: tensor<6xi32>, %y: tensor<6xui8>) -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xui8>) {
  %mask = stablehlo.constant dense<[255, -1, 61680, 1, -2147483648, 0]> : tensor<6xi32>
  %by = stablehlo.constant dense<[0, 1, 4, 7, 30, 31]> : tensor<6xi32>
  %0 = stablehlo.xor %x, %mask : tensor<6xi32>
  %1 = stablehlo.shift_left %0, %by : tensor<6xi32>
  %2 = stablehlo.shift_right_arithmetic %0, %by : tensor<6xi32>
  %3 = stablehlo.shift_right_logical %0, %by : tensor<6xi32>
  %4 = stablehlo.or %1, %3 : tensor<6xi32>
  %5 = stablehlo.and %4, %2 : tensor<6xi32>
  %6 = stablehlo.not %y : tensor<6xui8>
  return %1, %2, %3, %5, %6 : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xui8>
}
// -----
// 64-bit and unsigned integers
func.func @main(%x: tensor<4xi64>, %y: tensor<4xui32>) -> (tensor<4xi64>, tensor<4xui32>, tensor<4xi1>) {
  %large = stablehlo.constant dense<[9223372036854775807, -4611686018427387904, 3, -3]> : tensor<4xi64>
  %high = stablehlo.constant dense<[4294967295, 2147483648, 7, 1]> : tensor<4xui32>
  %0 = stablehlo.multiply %x, %large : tensor<4xi64>
  %1 = stablehlo.add %y, %high : tensor<4xui32>
  %2 = stablehlo.divide %high, %1 : tensor<4xui32>
  %3 = stablehlo.compare GT, %high, %1, UNSIGNED : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  %4 = stablehlo.maximum %1, %high : tensor<4xui32>
  return %0, %4, %3 : tensor<4xi64>, tensor<4xui32>, tensor<4xi1>
}
// -----
// comparisons, select and clamp
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>, %p: tensor<i1>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.compare LT, %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %1 = stablehlo.compare GE, %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %nan = stablehlo.constant dense<[0x7FC00000, 0.0, -0.0, 1.0, 0x7F800000, 2.0, 3.0, 4.0]> : tensor<8xf32>
  %2 = stablehlo.compare EQ, %nan, %nan : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %sum = stablehlo.add %nan, %x : tensor<8xf32>
  %3 = stablehlo.compare NE, %sum, %nan : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %4 = stablehlo.select %0, %x, %y : tensor<8xi1>, tensor<8xf32>
  %5 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<8xf32>
  %low = stablehlo.constant dense<-0.25> : tensor<f32>
  %high = stablehlo.constant dense<0.5> : tensor<f32>
  %6 = stablehlo.clamp %low, %x, %high : (tensor<f32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// -----
// conversions
func.func @main(%x: tensor<8xf32>, %n: tensor<8xi32>, %b: tensor<8xi1>) -> (tensor<8xi32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>, tensor<8xi64>, tensor<8xui8>, tensor<8xi1>) {
  %hundred = stablehlo.constant dense<100.0> : tensor<8xf32>
  %0 = stablehlo.multiply %x, %hundred : tensor<8xf32>
  %1 = stablehlo.convert %0 : (tensor<8xf32>) -> tensor<8xi32>
  %2 = stablehlo.convert %n : (tensor<8xi32>) -> tensor<8xf32>
  %3 = stablehlo.convert %b : (tensor<8xi1>) -> tensor<8xf32>
  %4 = stablehlo.convert %0 : (tensor<8xf32>) -> tensor<8xf64>
  %5 = stablehlo.convert %4 : (tensor<8xf64>) -> tensor<8xi64>
  %6 = stablehlo.convert %n : (tensor<8xi32>) -> tensor<8xui8>
  %7 = stablehlo.convert %n : (tensor<8xi32>) -> tensor<8xi1>
  return %1, %2, %3, %4, %5, %6, %7 : tensor<8xi32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>, tensor<8xi64>, tensor<8xui8>, tensor<8xi1>
}
// -----
// booleans
func.func @main(%x: tensor<8xi1>, %y: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = stablehlo.and %x, %y : tensor<8xi1>
  %1 = stablehlo.not %0 : tensor<8xi1>
  %2 = stablehlo.xor %1, %x : tensor<8xi1>
  %3 = stablehlo.or %0, %y : tensor<8xi1>
  return %2, %3 : tensor<8xi1>, tensor<8xi1>
}
// -----
// arrays without elements, and of one
func.func @main(%x: tensor<0x3xf32>, %y: tensor<f32>) -> (tensor<0x3xf32>, tensor<f32>) {
  %0 = stablehlo.add %x, %x : tensor<0x3xf32>
  %1 = stablehlo.multiply %y, %y : tensor<f32>
  return %0, %1 : tensor<0x3xf32>, tensor<f32>
}
// -----
// a result that is an argument, one that is a constant, and one twice
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xi32>, tensor<3xf32>) {
  %0 = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  return %x, %0, %x : tensor<3xf32>, tensor<2xi32>, tensor<3xf32>
}
