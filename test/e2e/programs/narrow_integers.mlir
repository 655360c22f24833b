// Arithmetic of bytes in i32 and i64, as programs on images have it: sums that saturate, weights, means, floors.
func.func @main(%x: tensor<3x101xui8>, %y: tensor<3x101xui8>, %s: tensor<3x101xi8>, %w: tensor<3x101xi32>)
    -> (tensor<3x101xui8>, tensor<3x101xui8>, tensor<3x101xui8>, tensor<3x101xi8>, tensor<3x101xi1>, tensor<3x101xui8>,
        tensor<3x101xi16>, tensor<101x3xui8>, tensor<3x101xi32>, tensor<3x101xi32>, tensor<3x101xi16>, tensor<3x101xui8>,
        tensor<3x101xi32>, tensor<3x101xi32>, tensor<3x101xi32>) {
  %c0 = stablehlo.constant dense<0> : tensor<3x101xi32>
  %c1 = stablehlo.constant dense<1> : tensor<3x101xi32>
  %c3 = stablehlo.constant dense<3> : tensor<3x101xi32>
  %c8 = stablehlo.constant dense<8> : tensor<3x101xi32>
  %c9 = stablehlo.constant dense<9> : tensor<3x101xi32>
  %c29 = stablehlo.constant dense<29> : tensor<3x101xi32>
  %c150 = stablehlo.constant dense<150> : tensor<3x101xi32>
  %c255 = stablehlo.constant dense<255> : tensor<3x101xi32>
  %xw = stablehlo.convert %x : (tensor<3x101xui8>) -> tensor<3x101xi32>
  %yw = stablehlo.convert %y : (tensor<3x101xui8>) -> tensor<3x101xi32>
  %sw = stablehlo.convert %s : (tensor<3x101xi8>) -> tensor<3x101xi32>
  // Sums and differences that saturate.
  %sum = stablehlo.add %xw, %yw : tensor<3x101xi32>
  %least = stablehlo.maximum %sum, %c0 : tensor<3x101xi32>
  %most = stablehlo.minimum %least, %c255 : tensor<3x101xi32>
  %0 = stablehlo.convert %most : (tensor<3x101xi32>) -> tensor<3x101xui8>
  %difference = stablehlo.subtract %xw, %yw : tensor<3x101xi32>
  %clamped = stablehlo.clamp %c0, %difference, %c255 : tensor<3x101xi32>
  %1 = stablehlo.convert %clamped : (tensor<3x101xi32>) -> tensor<3x101xui8>
  // Weights, up to the largest number of 16 bits.
  %weighted = stablehlo.multiply %xw, %c150 : tensor<3x101xi32>
  %weighted29 = stablehlo.multiply %yw, %c29 : tensor<3x101xi32>
  %weights = stablehlo.add %weighted, %weighted29 : tensor<3x101xi32>
  %shifted = stablehlo.shift_right_arithmetic %weights, %c8 : tensor<3x101xi32>
  %2 = stablehlo.convert %shifted : (tensor<3x101xi32>) -> tensor<3x101xui8>
  // Of numbers with a sign.
  %negated = stablehlo.negate %sw : tensor<3x101xi32>
  %magnitude = stablehlo.abs %negated : tensor<3x101xi32>
  %odd = stablehlo.xor %magnitude, %c3 : tensor<3x101xi32>
  %quotient = stablehlo.divide %sw, %c3 : tensor<3x101xi32>
  %remainder = stablehlo.remainder %sw, %c3 : tensor<3x101xi32>
  %mixed = stablehlo.add %quotient, %remainder : tensor<3x101xi32>
  %signed = stablehlo.subtract %mixed, %odd : tensor<3x101xi32>
  %3 = stablehlo.convert %signed : (tensor<3x101xi32>) -> tensor<3x101xi8>
  %4 = stablehlo.compare LT, %sw, %yw, SIGNED : (tensor<3x101xi32>, tensor<3x101xi32>) -> tensor<3x101xi1>
  // A floored mean, whose numbers are not negative.
  %third = stablehlo.divide %sum, %c9 : tensor<3x101xi32>
  %sign = stablehlo.sign %sum : tensor<3x101xi32>
  %otherSign = stablehlo.compare NE, %sign, %c1, SIGNED : (tensor<3x101xi32>, tensor<3x101xi32>) -> tensor<3x101xi1>
  %rest = stablehlo.remainder %sum, %c9 : tensor<3x101xi32>
  %hasRest = stablehlo.compare NE, %rest, %c0, SIGNED : (tensor<3x101xi32>, tensor<3x101xi32>) -> tensor<3x101xi1>
  %corrected = stablehlo.and %otherSign, %hasRest : tensor<3x101xi1>
  %lower = stablehlo.subtract %third, %c1 : tensor<3x101xi32>
  %floor = stablehlo.select %corrected, %lower, %third : tensor<3x101xi1>, tensor<3x101xi32>
  %5 = stablehlo.convert %floor : (tensor<3x101xi32>) -> tensor<3x101xui8>
  // In 64 bits, unsigned ones, and moved elements.
  %xl = stablehlo.convert %x : (tensor<3x101xui8>) -> tensor<3x101xi64>
  %sl = stablehlo.convert %s : (tensor<3x101xi8>) -> tensor<3x101xi64>
  %product = stablehlo.multiply %xl, %sl : tensor<3x101xi64>
  %6 = stablehlo.convert %product : (tensor<3x101xi64>) -> tensor<3x101xi16>
  %xu = stablehlo.convert %x : (tensor<3x101xui8>) -> tensor<3x101xui32>
  %yu = stablehlo.convert %y : (tensor<3x101xui8>) -> tensor<3x101xui32>
  %moved = stablehlo.transpose %xu, dims = [1, 0] : (tensor<3x101xui32>) -> tensor<101x3xui32>
  %also = stablehlo.transpose %yu, dims = [1, 0] : (tensor<3x101xui32>) -> tensor<101x3xui32>
  %larger = stablehlo.maximum %moved, %also : tensor<101x3xui32>
  %wrapping = stablehlo.subtract %moved, %also : tensor<101x3xui32>
  %chosen = stablehlo.minimum %wrapping, %larger : tensor<101x3xui32>
  %7 = stablehlo.convert %chosen : (tensor<101x3xui32>) -> tensor<101x3xui8>
  // Floors of any numbers by 2^k and others, and what a wide result needs.
  %8 = stablehlo.add %sum, %w : tensor<3x101xi32>
  %wide = stablehlo.multiply %weights, %c255 : tensor<3x101xi32>
  %c16 = stablehlo.constant dense<16> : tensor<3x101xi32>
  %9 = stablehlo.subtract %wide, %c16 : tensor<3x101xi32>
  %left = stablehlo.shift_left %sw, %c8 : tensor<3x101xi32>
  %10 = stablehlo.convert %left : (tensor<3x101xi32>) -> tensor<3x101xi16>
  %few = stablehlo.select %4, %c255, %c3 : tensor<3x101xi1>, tensor<3x101xi32>
  %11 = stablehlo.convert %few : (tensor<3x101xi32>) -> tensor<3x101xui8>
  %q16 = stablehlo.divide %w, %c16 : tensor<3x101xi32>
  %wsign = stablehlo.sign %w : tensor<3x101xi32>
  %wother = stablehlo.compare NE, %wsign, %c1, SIGNED : (tensor<3x101xi32>, tensor<3x101xi32>) -> tensor<3x101xi1>
  %r16 = stablehlo.remainder %w, %c16 : tensor<3x101xi32>
  %has16 = stablehlo.compare NE, %r16, %c0, SIGNED : (tensor<3x101xi32>, tensor<3x101xi32>) -> tensor<3x101xi1>
  %correct16 = stablehlo.and %wother, %has16 : tensor<3x101xi1>
  %lower16 = stablehlo.subtract %q16, %c1 : tensor<3x101xi32>
  %12 = stablehlo.select %correct16, %lower16, %q16 : tensor<3x101xi1>, tensor<3x101xi32>
  %isNegative = stablehlo.compare LT, %r16, %c0, SIGNED : (tensor<3x101xi32>, tensor<3x101xi32>) -> tensor<3x101xi1>
  %isBoth = stablehlo.and %isNegative, %has16 : tensor<3x101xi1>
  %upper16 = stablehlo.add %r16, %c16 : tensor<3x101xi32>
  %13 = stablehlo.select %isBoth, %upper16, %r16 : tensor<3x101xi1>, tensor<3x101xi32>
  %q9 = stablehlo.divide %w, %c9 : tensor<3x101xi32>
  %r9 = stablehlo.remainder %w, %c9 : tensor<3x101xi32>
  %has9 = stablehlo.compare NE, %r9, %c0, SIGNED : (tensor<3x101xi32>, tensor<3x101xi32>) -> tensor<3x101xi1>
  %correct9 = stablehlo.and %wother, %has9 : tensor<3x101xi1>
  %lower9 = stablehlo.subtract %q9, %c1 : tensor<3x101xi32>
  %14 = stablehlo.select %correct9, %lower9, %q9 : tensor<3x101xi1>, tensor<3x101xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 : tensor<3x101xui8>, tensor<3x101xui8>, tensor<3x101xui8>, tensor<3x101xi8>, tensor<3x101xi1>, tensor<3x101xui8>, tensor<3x101xi16>, tensor<101x3xui8>, tensor<3x101xi32>, tensor<3x101xi32>, tensor<3x101xi16>, tensor<3x101xui8>, tensor<3x101xi32>, tensor<3x101xi32>, tensor<3x101xi32>
}
