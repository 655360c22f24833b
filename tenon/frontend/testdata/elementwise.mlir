// artifact versions: 0.9.0 1.0.0 1.9.5 1.13.7 1.17.0
func.func @unary(%x: tensor<4xf32>, %c: tensor<4xcomplex<f32>>, %i: tensor<4xi32>, %b: tensor<4xi1>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>
  %1 = stablehlo.cbrt %0 : tensor<4xf32>
  %2 = stablehlo.ceil %1 : tensor<4xf32>
  %3 = stablehlo.cosine %2 : tensor<4xf32>
  %4 = stablehlo.exponential %3 : tensor<4xf32>
  %5 = stablehlo.exponential_minus_one %4 : tensor<4xf32>
  %6 = stablehlo.floor %5 : tensor<4xf32>
  %7 = stablehlo.log %6 : tensor<4xf32>
  %8 = stablehlo.log_plus_one %7 : tensor<4xf32>
  %9 = stablehlo.logistic %8 : tensor<4xf32>
  %10 = stablehlo.negate %9 : tensor<4xf32>
  %11 = stablehlo.round_nearest_afz %10 : tensor<4xf32>
  %12 = stablehlo.round_nearest_even %11 : tensor<4xf32>
  %13 = stablehlo.rsqrt %12 : tensor<4xf32>
  %14 = stablehlo.sign %13 : tensor<4xf32>
  %15 = stablehlo.sine %14 : tensor<4xf32>
  %16 = stablehlo.sqrt %15 : tensor<4xf32>
  %17 = stablehlo.tanh %16 : tensor<4xf32>
  %18 = stablehlo.is_finite %17 : (tensor<4xf32>) -> tensor<4xi1>
  %19 = stablehlo.real %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %20 = stablehlo.imag %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %21 = stablehlo.complex %19, %20 : tensor<4xcomplex<f32>>
  %22 = stablehlo.not %b : tensor<4xi1>
  %23 = stablehlo.count_leading_zeros %i : tensor<4xi32>
  %24 = stablehlo.popcnt %23 : tensor<4xi32>
  %25 = stablehlo.convert %24 : (tensor<4xi32>) -> tensor<4xbf16>
  %26 = stablehlo.bitcast_convert %25 : (tensor<4xbf16>) -> tensor<4xi16>
  %27 = stablehlo.reduce_precision %17, format = e5m10 : tensor<4xf32>
  return %27 : tensor<4xf32>
}

func.func @binary(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xui32>) -> tensor<4xui32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  %1 = stablehlo.atan2 %0, %y : tensor<4xf32>
  %2 = stablehlo.divide %1, %y : tensor<4xf32>
  %3 = stablehlo.maximum %2, %y : tensor<4xf32>
  %4 = stablehlo.minimum %3, %y : tensor<4xf32>
  %5 = stablehlo.multiply %4, %y : tensor<4xf32>
  %6 = stablehlo.power %5, %y : tensor<4xf32>
  %7 = stablehlo.remainder %6, %y : tensor<4xf32>
  %8 = stablehlo.subtract %7, %y : tensor<4xf32>
  %9 = stablehlo.and %i, %i : tensor<4xui32>
  %10 = stablehlo.or %9, %i : tensor<4xui32>
  %11 = stablehlo.xor %10, %i : tensor<4xui32>
  %12 = stablehlo.shift_left %11, %i : tensor<4xui32>
  %13 = stablehlo.shift_right_arithmetic %12, %i : tensor<4xui32>
  %14 = stablehlo.shift_right_logical %13, %i : tensor<4xui32>
  return %14 : tensor<4xui32>
}

func.func @other(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare NE, %x, %y, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %3 = stablehlo.compare GE, %0, %1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %4 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<4xf32>
  %5 = stablehlo.clamp %s, %4, %s : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = "stablehlo.map"(%5, %4) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %7 = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %7 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %6 : tensor<4xf32>
}
