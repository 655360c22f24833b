// One program a block, for every element type: $T stands for each in turn, $R for the type of its parts, and what a
// block's first lines list for each entry of the list. Types that the verifier refuses are left out. Where a block says "sums", floats of one byte are run but not compared:
// every order of summing rounds differently.

// -----
// $OP: stablehlo.abs
func.func @main(%x: tensor<11x$T>) -> tensor<11x$R> {
  %0 = "$OP"(%x) : (tensor<11x$T>) -> tensor<11x$R>
  return %0 : tensor<11x$R>
}
// -----
// $OP: stablehlo.abs, stablehlo.cbrt, stablehlo.ceil, stablehlo.cosine, stablehlo.count_leading_zeros, stablehlo.exponential, stablehlo.exponential_minus_one, stablehlo.floor, stablehlo.log, stablehlo.log_plus_one, stablehlo.logistic, stablehlo.negate, stablehlo.not, stablehlo.popcnt, stablehlo.round_nearest_afz, stablehlo.round_nearest_even, stablehlo.rsqrt, stablehlo.sign, stablehlo.sine, stablehlo.sqrt, stablehlo.tan, stablehlo.tanh
func.func @main(%x: tensor<11x$T>) -> tensor<11x$T> {
  %0 = "$OP"(%x) : (tensor<11x$T>) -> tensor<11x$T>
  return %0 : tensor<11x$T>
}
// -----
// $OP: chlo.acos, chlo.acosh, chlo.asin, chlo.asinh, chlo._asin_acos_kernel, chlo.atan, chlo.atanh, chlo.conj, chlo.cosh, chlo.digamma, chlo.erf, chlo.erf_inv, chlo.erfc, chlo.lgamma, chlo.sinh, chlo.square, chlo.tan
func.func @main(%x: tensor<11x$T>) -> tensor<11x$T> {
  %0 = "$OP"(%x) : (tensor<11x$T>) -> tensor<11x$T>
  return %0 : tensor<11x$T>
}
// -----
// $T: f4E2M1FN, f6E2M3FN, f6E3M2FN, f8E3M4, f8E4M3, f8E4M3FN, f8E4M3FNUZ, f8E4M3B11FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, bf16, f16, f32, f64
func.func @main(%x: tensor<11x$T>) -> tensor<11x$T> {
  %0 = chlo.bessel_i1e %x : tensor<11x$T> -> tensor<11x$T>
  return %0 : tensor<11x$T>
}
// -----
// $OP: stablehlo.real, stablehlo.imag
func.func @main(%x: tensor<11x$T>) -> tensor<11x$R> {
  %0 = "$OP"(%x) : (tensor<11x$T>) -> tensor<11x$R>
  return %0 : tensor<11x$R>
}
// -----
// $OP: stablehlo.is_finite, chlo.is_inf, chlo.is_neg_inf, chlo.is_pos_inf
func.func @main(%x: tensor<11x$T>) -> tensor<11xi1> {
  %0 = "$OP"(%x) : (tensor<11x$T>) -> tensor<11xi1>
  return %0 : tensor<11xi1>
}
// -----
// $OP: stablehlo.add, stablehlo.and, stablehlo.atan2, stablehlo.divide, stablehlo.maximum, stablehlo.minimum, stablehlo.multiply, stablehlo.or, stablehlo.power, stablehlo.shift_left, stablehlo.shift_right_arithmetic, stablehlo.shift_right_logical, stablehlo.subtract, stablehlo.xor, chlo.next_after, chlo.polygamma, chlo.zeta, chlo.mulhi
func.func @main(%x: tensor<11x$T>, %y: tensor<11x$T>) -> tensor<11x$T> {
  %0 = "$OP"(%x, %y) : (tensor<11x$T>, tensor<11x$T>) -> tensor<11x$T>
  return %0 : tensor<11x$T>
}
// -----
// $T: i1, i2, i4, i8, i16, i32, i64, ui2, ui4, ui8, ui16, ui32, ui64, f4E2M1FN, f6E2M3FN, f6E3M2FN, f8E3M4, f8E4M3, f8E4M3FN, f8E4M3FNUZ, f8E4M3B11FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, bf16, f16, f32, f64
func.func @main(%x: tensor<11x$T>, %y: tensor<11x$T>) -> tensor<11x$T> {
  %0 = stablehlo.remainder %x, %y : tensor<11x$T>
  return %0 : tensor<11x$T>
}
// -----
// $T: i4, ui32, f8E5M2, f32, complex<f32>
// $OP: chlo.broadcast_add, chlo.broadcast_divide, chlo.broadcast_maximum, chlo.broadcast_minimum, chlo.broadcast_multiply, chlo.broadcast_power, chlo.broadcast_subtract
func.func @main(%x: tensor<3x1x$T>, %y: tensor<2x1x4x$T>, %z: tensor<2x$T>) -> (tensor<2x3x4x$T>, tensor<2x1x4x$T>) {
  %0 = "$OP"(%x, %y) : (tensor<3x1x$T>, tensor<2x1x4x$T>) -> tensor<2x3x4x$T>
  %1 = "$OP"(%y, %z) {broadcast_dimensions = array<i64: 0>} : (tensor<2x1x4x$T>, tensor<2x$T>) -> tensor<2x1x4x$T>
  return %0, %1 : tensor<2x3x4x$T>, tensor<2x1x4x$T>
}
// -----
// $T: i4, ui32, f8E5M2, f32
// $OP: chlo.broadcast_remainder
func.func @main(%x: tensor<3x1x$T>, %y: tensor<2x1x4x$T>, %z: tensor<2x$T>) -> (tensor<2x3x4x$T>, tensor<2x1x4x$T>) {
  %0 = "$OP"(%x, %y) : (tensor<3x1x$T>, tensor<2x1x4x$T>) -> tensor<2x3x4x$T>
  %1 = "$OP"(%y, %z) {broadcast_dimensions = array<i64: 0>} : (tensor<2x1x4x$T>, tensor<2x$T>) -> tensor<2x1x4x$T>
  return %0, %1 : tensor<2x3x4x$T>, tensor<2x1x4x$T>
}
// -----
// $T: i1, ui4, i32
// $OP: chlo.broadcast_and, chlo.broadcast_or, chlo.broadcast_xor
func.func @main(%x: tensor<3x1x$T>, %y: tensor<2x1x4x$T>, %z: tensor<2x$T>) -> (tensor<2x3x4x$T>, tensor<2x1x4x$T>) {
  %0 = "$OP"(%x, %y) : (tensor<3x1x$T>, tensor<2x1x4x$T>) -> tensor<2x3x4x$T>
  %1 = "$OP"(%y, %z) {broadcast_dimensions = array<i64: 0>} : (tensor<2x1x4x$T>, tensor<2x$T>) -> tensor<2x1x4x$T>
  return %0, %1 : tensor<2x3x4x$T>, tensor<2x1x4x$T>
}
// -----
// $T: ui4, i32
// $OP: chlo.broadcast_shift_left, chlo.broadcast_shift_right_arithmetic, chlo.broadcast_shift_right_logical
func.func @main(%x: tensor<3x1x$T>, %y: tensor<2x1x4x$T>, %z: tensor<2x$T>) -> (tensor<2x3x4x$T>, tensor<2x1x4x$T>) {
  %0 = "$OP"(%x, %y) : (tensor<3x1x$T>, tensor<2x1x4x$T>) -> tensor<2x3x4x$T>
  %1 = "$OP"(%y, %z) {broadcast_dimensions = array<i64: 0>} : (tensor<2x1x4x$T>, tensor<2x$T>) -> tensor<2x1x4x$T>
  return %0, %1 : tensor<2x3x4x$T>, tensor<2x1x4x$T>
}
// -----
// $T: bf16, complex<f64>
// $OP: chlo.broadcast_atan2
func.func @main(%x: tensor<3x1x$T>, %y: tensor<2x1x4x$T>, %z: tensor<2x$T>) -> (tensor<2x3x4x$T>, tensor<2x1x4x$T>) {
  %0 = "$OP"(%x, %y) : (tensor<3x1x$T>, tensor<2x1x4x$T>) -> tensor<2x3x4x$T>
  %1 = "$OP"(%y, %z) {broadcast_dimensions = array<i64: 0>} : (tensor<2x1x4x$T>, tensor<2x$T>) -> tensor<2x1x4x$T>
  return %0, %1 : tensor<2x3x4x$T>, tensor<2x1x4x$T>
}
// -----
// $T: f8E4M3FN, f64
// $OP: chlo.broadcast_next_after, chlo.broadcast_polygamma, chlo.broadcast_zeta
func.func @main(%x: tensor<3x1x$T>, %y: tensor<2x1x4x$T>, %z: tensor<2x$T>) -> (tensor<2x3x4x$T>, tensor<2x1x4x$T>) {
  %0 = "$OP"(%x, %y) : (tensor<3x1x$T>, tensor<2x1x4x$T>) -> tensor<2x3x4x$T>
  %1 = "$OP"(%y, %z) {broadcast_dimensions = array<i64: 0>} : (tensor<2x1x4x$T>, tensor<2x$T>) -> tensor<2x1x4x$T>
  return %0, %1 : tensor<2x3x4x$T>, tensor<2x1x4x$T>
}
// -----
func.func @main(%x: tensor<3x1x$T>, %y: tensor<4x$T>) -> tensor<3x4xi1> {
  %0 = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction LE>} : (tensor<3x1x$T>, tensor<4x$T>) -> tensor<3x4xi1>
  return %0 : tensor<3x4xi1>
}
// -----
func.func @main(%p: tensor<3x1xi1>, %x: tensor<4x$T>, %y: tensor<$T>) -> tensor<3x4x$T> {
  %0 = chlo.broadcast_select %p, %x, %y : (tensor<3x1xi1>, tensor<4x$T>, tensor<$T>) -> tensor<3x4x$T>
  return %0 : tensor<3x4x$T>
}
// -----
func.func @main(%x: tensor<11x$T>, %y: tensor<11x$T>) -> tensor<11xcomplex<$T>> {
  %0 = stablehlo.complex %x, %y : tensor<11xcomplex<$T>>
  return %0 : tensor<11xcomplex<$T>>
}
// -----
// $T: f32, f64
func.func @main(%x: tensor<3x1x$T>, %y: tensor<4x$T>) -> tensor<3x4xcomplex<$T>> {
  %0 = chlo.broadcast_complex %x, %y : (tensor<3x1x$T>, tensor<4x$T>) -> tensor<3x4xcomplex<$T>>
  return %0 : tensor<3x4xcomplex<$T>>
}
// -----
// $D: EQ, NE, GE, GT, LE, LT
func.func @main(%x: tensor<11x$T>, %y: tensor<11x$T>) -> tensor<11xi1> {
  %0 = stablehlo.compare $D, %x, %y : (tensor<11x$T>, tensor<11x$T>) -> tensor<11xi1>
  return %0 : tensor<11xi1>
}
// -----
// $D: EQ, LT, GE
func.func @main(%x: tensor<11x$T>, %y: tensor<11x$T>) -> tensor<11xi1> {
  %0 = stablehlo.compare $D, %x, %y, TOTALORDER : (tensor<11x$T>, tensor<11x$T>) -> tensor<11xi1>
  return %0 : tensor<11xi1>
}
// -----
func.func @main(%p: tensor<11xi1>, %x: tensor<11x$T>, %y: tensor<11x$T>, %z: tensor<$T>) -> (tensor<11x$T>, tensor<11x$T>) {
  %0 = stablehlo.select %p, %x, %y : tensor<11xi1>, tensor<11x$T>
  %1 = stablehlo.clamp %z, %x, %y : (tensor<$T>, tensor<11x$T>, tensor<11x$T>) -> tensor<11x$T>
  return %0, %1 : tensor<11x$T>, tensor<11x$T>
}
// -----
// $U: i1, i2, i4, i8, i16, i32, i64, ui2, ui4, ui8, ui16, ui32, ui64, f4E2M1FN, f6E2M3FN, f6E3M2FN, f8E3M4, f8E4M3, f8E4M3FN, f8E4M3FNUZ, f8E4M3B11FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, bf16, f16, f32, f64, complex<f32>, complex<f64>
func.func @main(%x: tensor<11x$T>) -> tensor<11x$U> {
  %0 = stablehlo.convert %x : (tensor<11x$T>) -> tensor<11x$U>
  return %0 : tensor<11x$U>
}
// -----
func.func @main(%x: tensor<11x$T>) -> tensor<11x$T> {
  %0 = stablehlo.reduce_precision %x, format = e4m2 : tensor<11x$T>
  return %0 : tensor<11x$T>
}
// -----
// $U: i2, i4, i8, i16, i32, i64, ui8, f4E2M1FN, f8E5M2, bf16, f32, f64, complex<f32>, complex<f64>
func.func @main(%x: tensor<3x$T>) -> tensor<3x$U> {
  %0 = stablehlo.bitcast_convert %x : (tensor<3x$T>) -> tensor<3x$U>
  return %0 : tensor<3x$U>
}
// -----
// $U: i1, i2, i4, i8, i16, i32, i64, ui2, ui8, ui16, f4E2M1FN, f8E4M3FN, bf16, f32, f64, complex<f32>
// $N: 2, 3, 4, 6, 8, 16, 32, 64
func.func @main(%x: tensor<3x$T>, %y: tensor<3x$Nx$U>) -> (tensor<3x$Nx$U>, tensor<3x$T>) {
  %0 = stablehlo.bitcast_convert %x : (tensor<3x$T>) -> tensor<3x$Nx$U>
  %1 = stablehlo.bitcast_convert %y : (tensor<3x$Nx$U>) -> tensor<3x$T>
  return %0, %1 : tensor<3x$Nx$U>, tensor<3x$T>
}
// -----
func.func @main(%x: tensor<2x3x$T>, %y: tensor<2x2x$T>, %z: tensor<$T>, %i: tensor<i32>) -> (tensor<2x5x$T>, tensor<3x2x$T>, tensor<2x3x$T>, tensor<5x6x$T>, tensor<2x2x$T>, tensor<4x2x3x$T>, tensor<3x4x2x$T>, tensor<6x$T>) {
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3x$T>, tensor<2x2x$T>) -> tensor<2x5x$T>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x$T>) -> tensor<3x2x$T>
  %2 = stablehlo.reverse %x, dims = [1] : tensor<2x3x$T>
  %3 = stablehlo.pad %x, %z, low = [1, 0], high = [1, -1], interior = [1, 2] : (tensor<2x3x$T>, tensor<$T>) -> tensor<5x6x$T>
  %4 = stablehlo.slice %x [0:2, 0:3:2] : (tensor<2x3x$T>) -> tensor<2x2x$T>
  %5 = stablehlo.broadcast %x, sizes = [4] : (tensor<2x3x$T>) -> tensor<4x2x3x$T>
  %6 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x3x$T>) -> tensor<3x4x2x$T>
  %7 = stablehlo.reshape %x : (tensor<2x3x$T>) -> tensor<6x$T>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x5x$T>, tensor<3x2x$T>, tensor<2x3x$T>, tensor<5x6x$T>, tensor<2x2x$T>, tensor<4x2x3x$T>, tensor<3x4x2x$T>, tensor<6x$T>
}
// -----
func.func @main(%x: tensor<4x3x$T>, %u: tensor<2x2x$T>, %i: tensor<i32>, %j: tensor<5xi32>, %k: tensor<2x2xi64>) -> (tensor<2x2x$T>, tensor<4x3x$T>, tensor<5x3x$T>, tensor<2x2x3x$T>) {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 2] : (tensor<4x3x$T>, tensor<i32>, tensor<i32>) -> tensor<2x2x$T>
  %1 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<4x3x$T>, tensor<2x2x$T>, tensor<i32>, tensor<i32>) -> tensor<4x3x$T>
  %2 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3x$T>, tensor<5xi32>) -> tensor<5x3x$T>
  %3 = "stablehlo.torch_index_select"(%x, %k) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<4x3x$T>, tensor<2x2xi64>) -> tensor<2x2x3x$T>
  return %0, %1, %2, %3 : tensor<2x2x$T>, tensor<4x3x$T>, tensor<5x3x$T>, tensor<2x2x3x$T>
}
// -----
func.func @main(%x: tensor<4x3x$T>) -> (tensor<i32>, tensor<4x3x$T>) {
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x3x$T>) -> tensor<i32>
  %1 = stablehlo.optimization_barrier %x : tensor<4x3x$T>
  return %0, %1 : tensor<i32>, tensor<4x3x$T>
}
// -----
func.func @main() -> tensor<2x3x$T> {
  %0 = stablehlo.iota dim = 1 : tensor<2x3x$T>
  return %0 : tensor<2x3x$T>
}
// -----
// sums
func.func @main(%x: tensor<4x9x$T>, %z: tensor<$T>) -> (tensor<4x$T>, tensor<9x$T>, tensor<$T>) {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x9x$T>, tensor<$T>) -> tensor<4x$T>
  %1 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<4x9x$T>, tensor<$T>) -> tensor<9x$T>
  %2 = stablehlo.reduce(%x init: %z) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<4x9x$T>, tensor<$T>) -> tensor<$T>
  return %0, %1, %2 : tensor<4x$T>, tensor<9x$T>, tensor<$T>
}
// -----
// sums
// $OP: add, maximum, minimum
func.func @main(%x: tensor<12x$T>, %z: tensor<$T>) -> (tensor<5x$T>, tensor<12x$T>) {
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %1 = stablehlo.$OP %a, %b : tensor<$T>
    stablehlo.return %1 : tensor<$T>
  }) : (tensor<12x$T>, tensor<$T>) -> tensor<5x$T>
  %2 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 12>, padding = dense<[[11, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %1 = stablehlo.$OP %a, %b : tensor<$T>
    stablehlo.return %1 : tensor<$T>
  }) : (tensor<12x$T>, tensor<$T>) -> tensor<12x$T>
  return %0, %2 : tensor<5x$T>, tensor<12x$T>
}
// -----
func.func @main(%x: tensor<4x6x$T>, %s: tensor<2x3x$T>, %z: tensor<$T>) -> tensor<4x6x$T> {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<$T>, tensor<$T>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %1 = stablehlo.add %a, %b : tensor<$T>
    stablehlo.return %1 : tensor<$T>
  }) : (tensor<4x6x$T>, tensor<2x3x$T>, tensor<$T>) -> tensor<4x6x$T>
  return %0 : tensor<4x6x$T>
}
// -----
// $OP: add, maximum
func.func @main(%x: tensor<5x3x$T>, %i: tensor<4x1xi32>, %u: tensor<4x3x$T>) -> tensor<5x3x$T> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %1 = stablehlo.$OP %a, %b : tensor<$T>
    stablehlo.return %1 : tensor<$T>
  }) : (tensor<5x3x$T>, tensor<4x1xi32>, tensor<4x3x$T>) -> tensor<5x3x$T>
  return %0 : tensor<5x3x$T>
}
// -----
func.func @main(%x: tensor<3x17x$T>, %i: tensor<3x17xi32>) -> (tensor<3x17x$T>, tensor<3x17xi32>) {
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<$T>, tensor<$T>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3x17x$T>, tensor<3x17xi32>) -> (tensor<3x17x$T>, tensor<3x17xi32>)
  return %0#0, %0#1 : tensor<3x17x$T>, tensor<3x17xi32>
}
// -----
func.func @main(%x: tensor<3x17x$T>) -> (tensor<3x4x$T>, tensor<3x4xi32>) {
  %0:2 = chlo.top_k(%x, k = 4) : tensor<3x17x$T> -> (tensor<3x4x$T>, tensor<3x4xi32>)
  return %0#0, %0#1 : tensor<3x4x$T>, tensor<3x4xi32>
}
// -----
func.func @main(%x: tensor<3x4x$T>, %y: tensor<3x4x$T>) -> tensor<3x4x$T> {
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %1 = stablehlo.multiply %a, %b : tensor<$T>
    %2 = stablehlo.add %1, %b : tensor<$T>
    stablehlo.return %2 : tensor<$T>
  }) : (tensor<3x4x$T>, tensor<3x4x$T>) -> tensor<3x4x$T>
  return %0 : tensor<3x4x$T>
}
// -----
// Computations with loops and branches.
func.func @main(%x: tensor<4x9x$T>, %n: tensor<4x9xi32>, %z: tensor<$T>, %m: tensor<i32>) -> (tensor<4x$T>, tensor<9xi32>, tensor<4x9x$T>, tensor<4x9x$T>) {
  %0:2 = "stablehlo.reduce"(%x, %n, %z, %m) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<$T>, %i: tensor<i32>, %b: tensor<$T>, %j: tensor<i32>):
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %from = stablehlo.and %j, %seven : tensor<i32>
    %w:3 = stablehlo.while(%k = %from, %v = %a, %u = %b) : tensor<i32>, tensor<$T>, tensor<$T>
    cond {
      %c = stablehlo.compare LT, %k, %seven : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %k, %one : tensor<i32>
      %largest = stablehlo.maximum %v, %u : tensor<$T>
      stablehlo.return %next, %u, %largest : tensor<i32>, tensor<$T>, tensor<$T>
    }
    %s = stablehlo.xor %i, %w#0 : tensor<i32>
    stablehlo.return %w#1, %s : tensor<$T>, tensor<i32>
  }) : (tensor<4x9x$T>, tensor<4x9xi32>, tensor<$T>, tensor<i32>) -> (tensor<4x$T>, tensor<4xi32>)
  %1 = "stablehlo.reduce"(%n, %m) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%c) ({
      %i = stablehlo.iota dim = 0 : tensor<5xi32>
      %o = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<5xi32>
      %p = stablehlo.xor %i, %o : tensor<5xi32>
      %q = stablehlo.reduce(%p init: %b) applies stablehlo.maximum across dimensions = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
      stablehlo.return %q : tensor<i32>
    }, {
      stablehlo.return %b : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<4x9xi32>, tensor<i32>) -> tensor<9xi32>
  %2 = "stablehlo.map"(%x, %n, %x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<$T>, %i: tensor<i32>, %b: tensor<$T>):
    %three = stablehlo.constant dense<3> : tensor<i32>
    %which = stablehlo.and %i, %three : tensor<i32>
    %r = "stablehlo.case"(%which) ({
      stablehlo.return %b : tensor<$T>
    }, {
      %v = stablehlo.add %a, %b : tensor<$T>
      stablehlo.return %v : tensor<$T>
    }, {
      %p = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<$T>) -> tensor<6x$T>
      %v = stablehlo.reduce(%p init: %b) applies stablehlo.minimum across dimensions = [0] : (tensor<6x$T>, tensor<$T>) -> tensor<$T>
      stablehlo.return %v : tensor<$T>
    }) : (tensor<i32>) -> tensor<$T>
    stablehlo.return %r : tensor<$T>
  }) : (tensor<4x9x$T>, tensor<4x9xi32>, tensor<4x9x$T>) -> tensor<4x9x$T>
  %3:2 = "stablehlo.sort"(%x, %n) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>, %i: tensor<i32>, %j: tensor<i32>):
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %w:2 = stablehlo.while(%k = %zero, %l = %i) : tensor<i32>, tensor<i32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %k, %one : tensor<i32>
      %twice = stablehlo.subtract %j, %l : tensor<i32>
      stablehlo.return %next, %twice : tensor<i32>, tensor<i32>
    }
    %c = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%c) ({
      %y = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %y : tensor<i1>
    }, {
      %d = stablehlo.compare EQ, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %e = stablehlo.compare LT, %a, %b : (tensor<$T>, tensor<$T>) -> tensor<i1>
      %f = stablehlo.compare EQ, %w#0, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %g = stablehlo.and %d, %e : tensor<i1>
      %h = stablehlo.or %f, %g : tensor<i1>
      stablehlo.return %h : tensor<i1>
    }) : (tensor<i1>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<4x9x$T>, tensor<4x9xi32>) -> (tensor<4x9x$T>, tensor<4x9xi32>)
  return %0#0, %1, %2, %3#0 : tensor<4x$T>, tensor<9xi32>, tensor<4x9x$T>, tensor<4x9x$T>
}
// -----
// The same of the other ops with computations.
func.func @main(%x: tensor<4x6x$T>, %s: tensor<2x3x$T>, %z: tensor<$T>, %i: tensor<4x1xi32>, %u: tensor<4x6x$T>) -> (tensor<4x6x$T>, tensor<4x6x$T>, tensor<4x5x$T>) {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %c = stablehlo.compare GE, %a, %b : (tensor<$T>, tensor<$T>) -> tensor<i1>
    %yes = stablehlo.constant dense<true> : tensor<i1>
    %w:2 = stablehlo.while(%go = %yes, %r = %c) : tensor<i1>, tensor<i1>
    cond {
      stablehlo.return %go : tensor<i1>
    } do {
      %stop = stablehlo.not %go : tensor<i1>
      %v = stablehlo.and %r, %go : tensor<i1>
      stablehlo.return %stop, %v : tensor<i1>, tensor<i1>
    }
    stablehlo.return %w#1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %p = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<$T>) -> tensor<2x$T>
    %1 = stablehlo.reduce(%p init: %b) applies stablehlo.maximum across dimensions = [0] : (tensor<2x$T>, tensor<$T>) -> tensor<$T>
    stablehlo.return %1 : tensor<$T>
  }) : (tensor<4x6x$T>, tensor<2x3x$T>, tensor<$T>) -> tensor<4x6x$T>
  %2 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %w:3 = stablehlo.while(%k = %zero, %v = %a, %o = %b) : tensor<i32>, tensor<$T>, tensor<$T>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %next, %o, %v : tensor<i32>, tensor<$T>, tensor<$T>
    }
    stablehlo.return %w#1 : tensor<$T>
  }) : (tensor<4x6x$T>, tensor<4x1xi32>, tensor<4x6x$T>) -> tensor<4x6x$T>
  %3 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %h = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<$T>) -> tensor<3x$T>
    %w:2 = stablehlo.while(%k = %zero, %v = %h) : tensor<i32>, tensor<3x$T>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %k, %one : tensor<i32>
      %n = stablehlo.reshape %b : (tensor<$T>) -> tensor<1x$T>
      %updated = stablehlo.dynamic_update_slice %v, %n, %k : (tensor<3x$T>, tensor<1x$T>, tensor<i32>) -> tensor<3x$T>
      stablehlo.return %next, %updated : tensor<i32>, tensor<3x$T>
    }
    %m = stablehlo.reduce(%w#1 init: %a) applies stablehlo.maximum across dimensions = [0] : (tensor<3x$T>, tensor<$T>) -> tensor<$T>
    stablehlo.return %m : tensor<$T>
  }) : (tensor<4x6x$T>, tensor<$T>) -> tensor<4x5x$T>
  return %0, %2, %3 : tensor<4x6x$T>, tensor<4x6x$T>, tensor<4x5x$T>
}
// -----
func.func @main(%x: tensor<2x3x4x$T>, %y: tensor<2x4x5x$T>) -> tensor<2x3x5x$T> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4x$T>, tensor<2x4x5x$T>) -> tensor<2x3x5x$T>
  return %0 : tensor<2x3x5x$T>
}
// -----
func.func @main(%x: tensor<3x4x$T>, %y: tensor<4x5x$T>) -> tensor<3x5x$T> {
  %0 = stablehlo.dot %x, %y : (tensor<3x4x$T>, tensor<4x5x$T>) -> tensor<3x5x$T>
  return %0 : tensor<3x5x$T>
}
// -----
func.func @main(%x: tensor<2x3x4x$T>, %y: tensor<2x4x5x$T>, %z: tensor<3x3x$T>) -> (tensor<5x3x$T>, tensor<3x$T>, tensor<$T>, tensor<2x4x3x$T>) {
  %0 = stablehlo.einsum %x, %y, config = "bij,bjk->ki" : (tensor<2x3x4x$T>, tensor<2x4x5x$T>) -> tensor<5x3x$T>
  %1 = stablehlo.unary_einsum %x, config = "aib->i" : (tensor<2x3x4x$T>) -> tensor<3x$T>
  %2 = stablehlo.unary_einsum %z, config = "ii->" : (tensor<3x3x$T>) -> tensor<$T>
  %3 = stablehlo.unary_einsum %x, config = "aib->abi" : (tensor<2x3x4x$T>) -> tensor<2x4x3x$T>
  return %0, %1, %2, %3 : tensor<5x3x$T>, tensor<3x$T>, tensor<$T>, tensor<2x4x3x$T>
}
// -----
func.func @main(%x: tensor<7x4x$T>, %y: tensor<3x4x5x$T>, %g: tensor<3xi32>) -> tensor<7x5x$T> {
  %0 = "chlo.ragged_dot"(%x, %y, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<7x4x$T>, tensor<3x4x5x$T>, tensor<3xi32>) -> tensor<7x5x$T>
  return %0 : tensor<7x5x$T>
}
// -----
func.func @main(%x: tensor<7x4x$T>, %y: tensor<4x5x$T>, %g: tensor<3xi32>) -> tensor<3x7x5x$T> {
  %0 = "chlo.ragged_dot"(%x, %y, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>}> : (tensor<7x4x$T>, tensor<4x5x$T>, tensor<3xi32>) -> tensor<3x7x5x$T>
  return %0 : tensor<3x7x5x$T>
}
// -----
func.func @main(%x: tensor<3x7x4x$T>, %y: tensor<3x4x5x$T>, %g: tensor<3xi32>) -> tensor<3x7x5x$T> {
  %0 = "chlo.ragged_dot"(%x, %y, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>}> : (tensor<3x7x4x$T>, tensor<3x4x5x$T>, tensor<3xi32>) -> tensor<3x7x5x$T>
  return %0 : tensor<3x7x5x$T>
}
// -----
func.func @main(%x: tensor<1x6x6x2x$T>, %y: tensor<3x3x2x4x$T>) -> tensor<1x4x4x4x$T> {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x2x$T>, tensor<3x3x2x4x$T>) -> tensor<1x4x4x4x$T>
  return %0 : tensor<1x4x4x4x$T>
}
// -----
// sums
func.func @main(%x: tensor<3x3x$T>, %b: tensor<3x2x$T>) -> (tensor<3x3x$T>, tensor<3x2x$T>) {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<3x3x$T>, tensor<3x3x$T>) -> tensor<3x3x$T>
  %1 = stablehlo.cholesky %0, lower = true : tensor<3x3x$T>
  %2 = "stablehlo.triangular_solve"(%x, %b) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x3x$T>, tensor<3x2x$T>) -> tensor<3x2x$T>
  return %1, %2 : tensor<3x3x$T>, tensor<3x2x$T>
}
// -----
// $KIND: FFT, IFFT
func.func @main(%x: tensor<2x6x$T>) -> tensor<2x6x$T> {
  %0 = stablehlo.fft %x, type = $KIND, length = [6] : (tensor<2x6x$T>) -> tensor<2x6x$T>
  return %0 : tensor<2x6x$T>
}
// -----
func.func @main(%x: tensor<2x6x$T>) -> tensor<2x6x$T> {
  %0 = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<2x6x$T>) -> tensor<2x4xcomplex<$T>>
  %1 = stablehlo.fft %0, type = IRFFT, length = [6] : (tensor<2x4xcomplex<$T>>) -> tensor<2x6x$T>
  return %1 : tensor<2x6x$T>
}
// -----
// sums
func.func @main(%x: tensor<4x3x$T>, %s: tensor<3x$T>, %g: tensor<4x3x$T>) -> (tensor<4x3x$T>, tensor<4x3x$T>, tensor<3x$T>, tensor<4x3x$T>, tensor<3x$T>) {
  %v = stablehlo.multiply %s, %s : tensor<3x$T>
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %v) <{epsilon = 0.5 : f32, feature_index = 1 : i64}> : (tensor<4x3x$T>, tensor<3x$T>, tensor<3x$T>, tensor<3x$T>, tensor<3x$T>) -> tensor<4x3x$T>
  %1:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 0.5 : f32, feature_index = 1 : i64}> : (tensor<4x3x$T>, tensor<3x$T>, tensor<3x$T>) -> (tensor<4x3x$T>, tensor<3x$T>, tensor<3x$T>)
  %2:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %v, %g) <{epsilon = 0.5 : f32, feature_index = 1 : i64}> : (tensor<4x3x$T>, tensor<3x$T>, tensor<3x$T>, tensor<3x$T>, tensor<4x3x$T>) -> (tensor<4x3x$T>, tensor<3x$T>, tensor<3x$T>)
  return %0, %1#0, %1#1, %2#0, %2#1 : tensor<4x3x$T>, tensor<4x3x$T>, tensor<3x$T>, tensor<4x3x$T>, tensor<3x$T>
}
// -----
func.func @main(%a: tensor<$T>, %b: tensor<$T>) -> (tensor<5x$T>, tensor<2x3x$T>) {
  %s = stablehlo.constant dense<5> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<$T>, tensor<$T>, tensor<1xi64>) -> tensor<5x$T>
  %t = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %1 = stablehlo.rng %a, %b, %t, distribution = UNIFORM : (tensor<$T>, tensor<$T>, tensor<2xi64>) -> tensor<2x3x$T>
  return %0, %1 : tensor<5x$T>, tensor<2x3x$T>
}
// -----
func.func @main(%a: tensor<$T>, %b: tensor<$T>) -> tensor<5x$T> {
  %s = stablehlo.constant dense<5> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<$T>, tensor<$T>, tensor<1xi64>) -> tensor<5x$T>
  return %0 : tensor<5x$T>
}
// -----
// $ALGORITHM: DEFAULT, THREE_FRY, PHILOX
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<5x$T>, tensor<2x3x$T>, tensor<$T>, tensor<0x$T>) {
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = $ALGORITHM : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x$T>)
  %1:2 = stablehlo.rng_bit_generator %0#0, algorithm = $ALGORITHM : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3x$T>)
  %2:2 = stablehlo.rng_bit_generator %1#0, algorithm = $ALGORITHM : (tensor<2xui64>) -> (tensor<2xui64>, tensor<$T>)
  %3:2 = stablehlo.rng_bit_generator %2#0, algorithm = $ALGORITHM : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x$T>)
  return %3#0, %0#1, %1#1, %2#1, %3#1 : tensor<2xui64>, tensor<5x$T>, tensor<2x3x$T>, tensor<$T>, tensor<0x$T>
}
// -----
func.func @main(%x: tensor<5x2x$T>, %c: tensor<2x$T>) -> (tensor<5x2x$T>, tensor<2x$T>, tensor<5x2x$T>) {
  %0:2 = chlo.scan(%x) inits(%c) dimension=0 {
  ^bb0(%a: tensor<2x$T>, %b: tensor<2x$T>):
    %1 = stablehlo.add %a, %b : tensor<2x$T>
    stablehlo.return %1, %1 : tensor<2x$T>, tensor<2x$T>
  } : (tensor<5x2x$T>, tensor<2x$T>) -> (tensor<5x2x$T>, tensor<2x$T>)
  %2:2 = chlo.scan(%x) inits(%c) dimension=0 attributes {is_reverse = true} {
  ^bb0(%a: tensor<2x$T>, %b: tensor<2x$T>):
    %1 = stablehlo.add %a, %b : tensor<2x$T>
    stablehlo.return %1, %1 : tensor<2x$T>, tensor<2x$T>
  } : (tensor<5x2x$T>, tensor<2x$T>) -> (tensor<5x2x$T>, tensor<2x$T>)
  return %0#0, %0#1, %2#0 : tensor<5x2x$T>, tensor<2x$T>, tensor<5x2x$T>
}
// -----
func.func @main(%x: tensor<4x$T>, %p: tensor<i1>, %i: tensor<i32>) -> (tensor<4x$T>, tensor<4x$T>, tensor<4x$T>) {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.add %x, %x : tensor<4x$T>
    stablehlo.return %1 : tensor<4x$T>
  }, {
    stablehlo.return %x : tensor<4x$T>
  }) : (tensor<i1>) -> tensor<4x$T>
  %2 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4x$T>
  }, {
    %3 = stablehlo.multiply %x, %x : tensor<4x$T>
    stablehlo.return %3 : tensor<4x$T>
  }) : (tensor<i32>) -> tensor<4x$T>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %4:2 = stablehlo.while(%k = %zero, %y = %x) : tensor<i32>, tensor<4x$T>
  cond {
    %5 = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.add %k, %one : tensor<i32>
    %6 = stablehlo.maximum %y, %x : tensor<4x$T>
    stablehlo.return %5, %6 : tensor<i32>, tensor<4x$T>
  }
  return %0, %2, %4#1 : tensor<4x$T>, tensor<4x$T>, tensor<4x$T>
}
// -----
func.func @main(%x: tensor<4x$T>, %i: tensor<2xi32>, %d: tensor<2xui64>) -> (tensor<4x$T>, tensor<2x4x$T>) {
  %t = "stablehlo.tuple"(%x, %i) : (tensor<4x$T>, tensor<2xi32>) -> tuple<tensor<4x$T>, tensor<2xi32>>
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4x$T>, tensor<2xi32>>) -> tensor<4x$T>
  %c = stablehlo.concatenate %0, %x, dim = 0 : (tensor<4x$T>, tensor<4x$T>) -> tensor<8x$T>
  %1 = stablehlo.reshape %c : (tensor<8x$T>) -> tensor<2x4x$T>
  return %0, %1 : tensor<4x$T>, tensor<2x4x$T>
}
// -----
func.func @main(%x: tensor<4x$T>, %r: tensor<i32>) -> (tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<ui32>, tensor<ui32>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4x$T>) -> tensor<4x$T>
  %1 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %9 = stablehlo.add %a, %b : tensor<$T>
    stablehlo.return %9 : tensor<$T>
  }) : (tensor<4x$T>) -> tensor<4x$T>
  %2 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<$T>, %b: tensor<$T>):
    %9 = stablehlo.add %a, %b : tensor<$T>
    stablehlo.return %9 : tensor<$T>
  }) : (tensor<4x$T>) -> tensor<4x$T>
  %3 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4x$T>) -> tensor<4x$T>
  %4 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<4x$T>) -> tensor<4x$T>
  %5 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<4x$T>) -> tensor<4x$T>
  %6 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4x$T>) -> tensor<4x$T>
  %7 = stablehlo.replica_id : tensor<ui32>
  %8 = stablehlo.partition_id : tensor<ui32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<4x$T>, tensor<ui32>, tensor<ui32>
}
// -----
func.func private @twice(%x: tensor<4x$T>) -> tensor<4x$T> {
  %0 = stablehlo.add %x, %x : tensor<4x$T>
  return %0 : tensor<4x$T>
}
func.func @main(%x: tensor<4x$T>) -> (tensor<4x$T>, tensor<4x$T>, tensor<4x$T>) {
  %0 = stablehlo.composite "my.twice" %x {decomposition = @twice} : (tensor<4x$T>) -> tensor<4x$T>
  %1 = "stablehlo.async_start"(%0) ({
  ^bb0(%a: tensor<4x$T>):
    %b = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%c: tensor<$T>, %d: tensor<$T>):
      stablehlo.return %c : tensor<$T>
    }) : (tensor<4x$T>) -> tensor<4x$T>
    stablehlo.return %b : tensor<4x$T>
  }) : (tensor<4x$T>) -> !stablehlo.future<tensor<4x$T>>
  %2 = "stablehlo.async_done"(%1) : (!stablehlo.future<tensor<4x$T>>) -> tensor<4x$T>
  %3 = "stablehlo.cross-replica-sum"(%2) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4x$T>) -> tensor<4x$T>
  return %0, %2, %3 : tensor<4x$T>, tensor<4x$T>, tensor<4x$T>
}
// -----
// $V: true, 1, 1.0
func.func @main(%x: tensor<2x3xi32>) -> (tensor<2x3x$T>, tensor<2x3x$T>) {
  %t = stablehlo.create_token : !stablehlo.token
  %u = stablehlo.after_all %t, %t : !stablehlo.token
  %0 = stablehlo.constant dense<$V> : tensor<2x3x$T>
  %1 = chlo.constant dense<$V> : tensor<2x3x$T>
  return %0, %1 : tensor<2x3x$T>, tensor<2x3x$T>
}
// -----
// $T: i32, f32, f64, bf16
// $V: 1 : i32, 2.5 : f32, 2.5 : f64, 2.5 : bf16
func.func @main(%x: tensor<2x3xi32>) -> tensor<2x3x$T> {
  %0 = "chlo.constant_like"(%x) <{value = $V}> : (tensor<2x3xi32>) -> tensor<2x3x$T>
  return %0 : tensor<2x3x$T>
}
