// One op a program, and which dimensions of its arguments may have sizes that only a run knows: 0.1 is dimension 1 of
// argument 0. Dimensions joined by "=" have one size, or with "*2" twice that; behind ">=" is the least that the op takes.
// Every dimension is listed, or stands under "static", which is not looked at. Each op also runs with sizes that are known
// of arguments alone.

// -----
// $OP: stablehlo.abs, stablehlo.cbrt, stablehlo.ceil, stablehlo.cosine, stablehlo.exponential, stablehlo.exponential_minus_one, stablehlo.floor, stablehlo.log, stablehlo.log_plus_one, stablehlo.logistic, stablehlo.negate, stablehlo.round_nearest_afz, stablehlo.round_nearest_even, stablehlo.rsqrt, stablehlo.sign, stablehlo.sine, stablehlo.sqrt, stablehlo.tan, stablehlo.tanh, stablehlo.optimization_barrier, chlo.acos, chlo.acosh, chlo.asin, chlo.asinh, chlo.atan, chlo.atanh, chlo.bessel_i1e, chlo.conj, chlo.cosh, chlo.digamma, chlo.erf, chlo.erf_inv, chlo.erfc, chlo.lgamma, chlo.sinh, chlo.square, chlo.tan, stablehlo.real
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = "$OP"(%x) : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// $OP: stablehlo.count_leading_zeros, stablehlo.not, stablehlo.popcnt
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xi32>) -> tensor<6x5xi32> {
  %0 = "$OP"(%x) : (tensor<6x5xi32>) -> tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
// -----
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> {
  %0 = "chlo._asin_acos_kernel"(%x) : (tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
// -----
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xcomplex<f32>>) -> tensor<6x5xf32> {
  %0 = "stablehlo.imag"(%x) : (tensor<6x5xcomplex<f32>>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// $OP: stablehlo.is_finite, chlo.is_inf, chlo.is_neg_inf, chlo.is_pos_inf
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<6x5xi1> {
  %0 = "$OP"(%x) : (tensor<6x5xf32>) -> tensor<6x5xi1>
  return %0 : tensor<6x5xi1>
}
// -----
// $OP: stablehlo.add, stablehlo.atan2, stablehlo.divide, stablehlo.maximum, stablehlo.minimum, stablehlo.multiply, stablehlo.power, stablehlo.remainder, stablehlo.subtract, chlo.next_after, chlo.polygamma, chlo.zeta
// bounded: 0.0=1.0 0.1=1.1
func.func @main(%x: tensor<6x5xf32>, %y: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = "$OP"(%x, %y) : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// $OP: stablehlo.and, stablehlo.or, stablehlo.xor, stablehlo.shift_left, stablehlo.shift_right_arithmetic, stablehlo.shift_right_logical, chlo.mulhi
// bounded: 0.0=1.0 0.1=1.1
func.func @main(%x: tensor<6x5xi32>, %y: tensor<6x5xi32>) -> tensor<6x5xi32> {
  %0 = "$OP"(%x, %y) : (tensor<6x5xi32>, tensor<6x5xi32>) -> tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
// -----
// bounded: 0.0=1.0 0.1=1.1
func.func @main(%x: tensor<6x5xf32>, %y: tensor<6x5xf32>) -> tensor<6x5xcomplex<f32>> {
  %0 = stablehlo.complex %x, %y : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
// -----
// bounded: 0.0=1.0=2.0 0.1=1.1=2.1
func.func @main(%x: tensor<6x5xf32>, %y: tensor<6x5xf32>, %z: tensor<6x5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>) {
  %c = stablehlo.compare LT, %x, %y : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xi1>
  %0 = stablehlo.select %c, %x, %z : tensor<6x5xi1>, tensor<6x5xf32>
  %1 = stablehlo.clamp %x, %z, %y : tensor<6x5xf32>
  return %0, %1 : tensor<6x5xf32>, tensor<6x5xf32>
}
// -----
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> (tensor<6x5xi32>, tensor<6x5xi32>, tensor<6x5xf32>) {
  %0 = stablehlo.convert %x : (tensor<6x5xf32>) -> tensor<6x5xi32>
  %1 = stablehlo.bitcast_convert %x : (tensor<6x5xf32>) -> tensor<6x5xi32>
  %2 = stablehlo.reduce_precision %x, format = e5m2 : tensor<6x5xf32>
  return %0, %1, %2 : tensor<6x5xi32>, tensor<6x5xi32>, tensor<6x5xf32>
}
// -----
// The last dimension holds the pieces of one element.
// bounded: 0.0 0.1 0.2>=4
func.func @main(%x: tensor<6x5x4xi8>) -> tensor<6x5xi32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<6x5x4xi8>) -> tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
// -----
// bounded: 0.0 0.1>=2
func.func @main(%x: tensor<6x2xcomplex<f32>>) -> tensor<6xcomplex<f64>> {
  %0 = stablehlo.bitcast_convert %x : (tensor<6x2xcomplex<f32>>) -> tensor<6xcomplex<f64>>
  return %0 : tensor<6xcomplex<f64>>
}
// -----
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xi32>) -> tensor<6x5x4xi8> {
  %0 = stablehlo.bitcast_convert %x : (tensor<6x5xi32>) -> tensor<6x5x4xi8>
  return %0 : tensor<6x5x4xi8>
}
// -----
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = "chlo.constant_like"(%x) <{value = 3.0 : f32}> : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// bounded: 0.0=1.0 0.1=1.1
func.func @main(%x: tensor<6x5xf32>, %y: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<5x6xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x5xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}
// -----
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = stablehlo.reverse %x, dims = [0, 1] : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<2x6x5xf32> {
  %0 = stablehlo.broadcast %x, sizes = [2] : (tensor<6x5xf32>) -> tensor<2x6x5xf32>
  return %0 : tensor<2x6x5xf32>
}
// -----
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<5x2x6xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<6x5xf32>) -> tensor<5x2x6xf32>
  return %0 : tensor<5x2x6xf32>
}
// -----
// One size follows from the others.
// bounded: 0.1
// static: 0.0
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x1x5xf32> {
  %0 = stablehlo.reshape %x : (tensor<3x5xf32>) -> tensor<3x1x5xf32>
  return %0 : tensor<3x1x5xf32>
}
// -----
// bounded: 0.0>=4 0.1>=5
func.func @main(%x: tensor<6x5xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.slice %x [1:4, 0:5:3] : (tensor<6x5xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// -----
// bounded: 0.0>=2 0.1
func.func @main(%x: tensor<6x5xf32>, %p: tensor<f32>) -> tensor<5x15xf32> {
  %0 = stablehlo.pad %x, %p, low = [1, 2], high = [-2, 4], interior = [0, 1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<5x15xf32>
  return %0 : tensor<5x15xf32>
}
// -----
// bounded: 0.0=1.0 0.1 1.1
func.func @main(%x: tensor<6x5xf32>, %y: tensor<6x4xf32>) -> tensor<6x9xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<6x5xf32>, tensor<6x4xf32>) -> tensor<6x9xf32>
  return %0 : tensor<6x9xf32>
}
// -----
// bounded: 0.0>=2 0.1>=3
func.func @main(%x: tensor<6x5xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<2x3xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 3] : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// bounded: 0.0>=3 0.1>=2 1.0 1.1
func.func @main(%x: tensor<6x5xf32>, %u: tensor<3x2xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<6x5xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<6x5xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// bounded: 0.0>=1 0.1>=3 1.0 1.1>=2
func.func @main(%x: tensor<6x5xf32>, %i: tensor<7x2xi32>) -> tensor<7x3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<6x5xf32>, tensor<7x2xi32>) -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}
// -----
// bounded: 0.0=1.0>=1 0.1>=1 1.1 1.2>=1
func.func @main(%x: tensor<6x5xf32>, %i: tensor<6x7x1xi32>) -> tensor<6x7xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<6x5xf32>, tensor<6x7x1xi32>) -> tensor<6x7xf32>
  return %0 : tensor<6x7xf32>
}
// -----
// bounded: 0.0 1.0=2.0 0.1>=5 1.1>=1 2.1
func.func @main(%x: tensor<6x5xf32>, %i: tensor<7x1xi32>, %u: tensor<7x5xf32>) -> tensor<6x5xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<7x1xi32>, tensor<7x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// A window that is not inside as a whole is left out; one larger than the operand is refused by the interpreter.
// bounded: 0.0>=2 0.1>=3 1.0=2.0 1.1>=1 2.1 2.2
func.func @main(%x: tensor<6x5xf32>, %i: tensor<7x1xi32>, %u: tensor<7x2x3xf32>) -> tensor<6x5xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<7x1xi32>, tensor<7x2x3xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// bounded: 0.0=1.0=2.0 0.1 1.1=2.1 1.2>=1
func.func @main(%x: tensor<6x5xf32>, %i: tensor<6x7x1xi32>, %u: tensor<6x7xf32>) -> tensor<6x5xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<6x7x1xi32>, tensor<6x7xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>, %z: tensor<f32>) -> (tensor<6xf32>, tensor<5xf32>, tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.reduce(%x init: %z) applies stablehlo.minimum across dimensions = [0] : (tensor<6x5xf32>, tensor<f32>) -> tensor<5xf32>
  %2 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.negate %b : tensor<f32>
    %4 = stablehlo.maximum %a, %3 : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<6xf32>, tensor<5xf32>, tensor<f32>
}
// -----
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>, %z: tensor<f32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[0, -2], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
// -----
// The source has an element for each window.
// bounded: 0.0=1.0 0.1=1.1
func.func @main(%x: tensor<6x5xf32>, %s: tensor<6x5xf32>, %z: tensor<f32>) -> tensor<6x5xf32> {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 3, 2>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<6x5xf32>, tensor<f32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>, %z: tensor<f32>) -> tensor<6x5xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// $T: f32, i8, ui16, i1, bf16, f8E5M2
// bounded: 0.0 0.1>=4
func.func @main(%x: tensor<6x9x$T>) -> (tensor<6x4x$T>, tensor<6x4xi32>) {
  %0:2 = chlo.top_k(%x, k = 4) : tensor<6x9x$T> -> (tensor<6x4x$T>, tensor<6x4xi32>)
  return %0#0, %0#1 : tensor<6x4x$T>, tensor<6x4xi32>
}
// -----
// bounded: 0.0=1.0 0.1 0.2=1.1 1.2
func.func @main(%x: tensor<2x6x5xf32>, %y: tensor<2x5x4xf32>) -> tensor<2x6x4xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x6x5xf32>, tensor<2x5x4xf32>) -> tensor<2x6x4xf32>
  return %0 : tensor<2x6x4xf32>
}
// -----
// bounded: 0.0 0.1=1.0 1.1
func.func @main(%x: tensor<6x5xf32>, %y: tensor<5x4xf32>) -> tensor<6x4xf32> {
  %0 = stablehlo.dot %x, %y : (tensor<6x5xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
// -----
// bounded: 0.0 0.1 0.2 0.3=1.2 1.0>=1 1.1>=1 1.3
func.func @main(%x: tensor<2x8x7x3xf32>, %k: tensor<3x2x3x5xf32>) -> tensor<2x4x4x5xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [2, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 2], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x7x3xf32>, tensor<3x2x3x5xf32>) -> tensor<2x4x4x5xf32>
  return %0 : tensor<2x4x4x5xf32>
}
// -----
// bounded: 0.0 0.1 0.2 1.0>=1 1.1>=1 0.3*2=1.2>=1 1.3*2
func.func @main(%x: tensor<2x5x4x6xf32>, %k: tensor<3x2x3x4xf32>) -> tensor<2x6x3x4xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 1], [0, 0]], lhs_dilate = [2, 1], rhs_dilate = [2, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x5x4x6xf32>, tensor<3x2x3x4xf32>) -> tensor<2x6x3x4xf32>
  return %0 : tensor<2x6x3x4xf32>
}
// -----
// bounded: 0.0*2 0.1 0.2 0.3=1.2 1.0>=1 1.1>=1 1.3*2
func.func @main(%x: tensor<6x5x4x3xf32>, %k: tensor<3x2x3x4xf32>) -> tensor<4x3x3x3xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[f, 0, b, 1], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<6x5x4x3xf32>, tensor<3x2x3x4xf32>) -> tensor<4x3x3x3xf32>
  return %0 : tensor<4x3x3x3xf32>
}
// -----
// bounded: 0.0 0.1=0.2
func.func @main(%y: tensor<3x5x5xf32>) -> tensor<3x5x5xf32> {
  %0 = stablehlo.cholesky %y, lower = true : tensor<3x5x5xf32>
  return %0 : tensor<3x5x5xf32>
}
// -----
// $LEFT: true, false
// $A: NO_TRANSPOSE, TRANSPOSE
// bounded: 0.0=1.0 0.1=0.2=1.1=1.2
func.func @main(%a: tensor<3x5x5xf32>, %b: tensor<3x5x5xf32>) -> tensor<3x5x5xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = $LEFT, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose $A>}> : (tensor<3x5x5xf32>, tensor<3x5x5xf32>) -> tensor<3x5x5xf32>
  return %0 : tensor<3x5x5xf32>
}
// -----
// bounded: 0.0=1.0 0.1=0.2=1.1 1.2
func.func @main(%a: tensor<3x5x5xcomplex<f64>>, %b: tensor<3x5x4xcomplex<f64>>) -> tensor<3x5x4xcomplex<f64>> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x5x5xcomplex<f64>>, tensor<3x5x4xcomplex<f64>>) -> tensor<3x5x4xcomplex<f64>>
  return %0 : tensor<3x5x4xcomplex<f64>>
}
// -----
// The length is an attribute.
// bounded: 0.0 0.1>=8
func.func @main(%x: tensor<6x8xcomplex<f32>>) -> tensor<6x8xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<6x8xcomplex<f32>>) -> tensor<6x8xcomplex<f32>>
  return %0 : tensor<6x8xcomplex<f32>>
}
// -----
// bounded: 0.0 0.1>=8
func.func @main(%x: tensor<6x8xf32>) -> tensor<6x5xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<6x8xf32>) -> tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
// -----
// bounded: 0.0 0.1>=5
func.func @main(%x: tensor<6x5xcomplex<f32>>) -> tensor<6x8xf32> {
  %0 = stablehlo.fft %x, type = IRFFT, length = [8] : (tensor<6x5xcomplex<f32>>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
// -----
// No numbers are asked for, of a spectrum of one or of none.
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x1xcomplex<f32>>) -> tensor<6x0xf32> {
  %0 = stablehlo.fft %x, type = IRFFT, length = [0] : (tensor<6x1xcomplex<f32>>) -> tensor<6x0xf32>
  return %0 : tensor<6x0xf32>
}
// -----
// $T: f32, bf16, f8E5M2
// bounded: 0.0 0.1 0.2=1.0=2.0=3.0=4.0
func.func @main(%x: tensor<6x5x3x$T>, %s: tensor<3x$T>, %o: tensor<3x$T>, %m: tensor<3x$T>, %v: tensor<3x$T>) -> tensor<6x5x3x$T> {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 2.0 : f32, feature_index = 2 : i64}> : (tensor<6x5x3x$T>, tensor<3x$T>, tensor<3x$T>, tensor<3x$T>, tensor<3x$T>) -> tensor<6x5x3x$T>
  return %0 : tensor<6x5x3x$T>
}
// -----
// $T: f32, f64
// bounded: 0.0>=1 0.1>=1 0.2=1.0=2.0
func.func @main(%x: tensor<6x5x3x$T>, %s: tensor<3x$T>, %o: tensor<3x$T>) -> (tensor<6x5x3x$T>, tensor<3x$T>, tensor<3x$T>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 2.0 : f32, feature_index = 2 : i64}> : (tensor<6x5x3x$T>, tensor<3x$T>, tensor<3x$T>) -> (tensor<6x5x3x$T>, tensor<3x$T>, tensor<3x$T>)
  return %0#0, %0#1, %0#2 : tensor<6x5x3x$T>, tensor<3x$T>, tensor<3x$T>
}
// -----
// $T: f32, f64
// bounded: 0.0=4.0>=1 0.1=4.1>=1 0.2=1.0=2.0=3.0=4.2
func.func @main(%x: tensor<6x5x3x$T>, %s: tensor<3x$T>, %m: tensor<3x$T>, %v: tensor<3x$T>, %g: tensor<6x5x3x$T>) -> (tensor<6x5x3x$T>, tensor<3x$T>, tensor<3x$T>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 2.0 : f32, feature_index = 2 : i64}> : (tensor<6x5x3x$T>, tensor<3x$T>, tensor<3x$T>, tensor<3x$T>, tensor<6x5x3x$T>) -> (tensor<6x5x3x$T>, tensor<3x$T>, tensor<3x$T>)
  return %0#0, %0#1, %0#2 : tensor<6x5x3x$T>, tensor<3x$T>, tensor<3x$T>
}
// -----
// $OP: chlo.broadcast_add, chlo.broadcast_and, chlo.broadcast_divide, chlo.broadcast_maximum, chlo.broadcast_minimum, chlo.broadcast_multiply, chlo.broadcast_or, chlo.broadcast_power, chlo.broadcast_remainder, chlo.broadcast_shift_left, chlo.broadcast_shift_right_arithmetic, chlo.broadcast_shift_right_logical, chlo.broadcast_subtract, chlo.broadcast_xor
// bounded: 0.0 0.1=1.0
func.func @main(%x: tensor<6x5xi32>, %y: tensor<5xi32>) -> tensor<6x5xi32> {
  %0 = "$OP"(%x, %y) : (tensor<6x5xi32>, tensor<5xi32>) -> tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
// -----
// $OP: chlo.broadcast_atan2, chlo.broadcast_next_after, chlo.broadcast_polygamma, chlo.broadcast_zeta
// bounded: 0.0 0.1=1.0
func.func @main(%x: tensor<6x5xf32>, %y: tensor<5xf32>) -> tensor<6x5xf32> {
  %0 = "$OP"(%x, %y) : (tensor<6x5xf32>, tensor<5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// bounded: 0.0=1.0 0.1=1.1
func.func @main(%x: tensor<6x5xf32>, %y: tensor<6x5xf32>) -> (tensor<6x5xcomplex<f32>>, tensor<6x5xi1>, tensor<6x5xf32>) {
  %0 = "chlo.broadcast_complex"(%x, %y) : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xcomplex<f32>>
  %1 = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction LT>} : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xi1>
  %2 = "chlo.broadcast_select"(%1, %x, %y) : (tensor<6x5xi1>, tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0, %1, %2 : tensor<6x5xcomplex<f32>>, tensor<6x5xi1>, tensor<6x5xf32>
}
// -----
// bounded: 0.0 0.1=1.0 1.1
func.func @main(%x: tensor<6x5xf32>, %y: tensor<5x4xf32>) -> (tensor<6x4xf32>, tensor<5x6xf32>) {
  %0 = "stablehlo.einsum"(%x, %y) <{einsum_config = "ij,jk->ik"}> : (tensor<6x5xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
  %1 = "stablehlo.unary_einsum"(%x) <{einsum_config = "ij->ji"}> : (tensor<6x5xf32>) -> tensor<5x6xf32>
  return %0, %1 : tensor<6x4xf32>, tensor<5x6xf32>
}
// -----
// bounded: 0.0>=1 0.1 1.0
func.func @main(%x: tensor<6x5xf32>, %i: tensor<3xi32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<6x5xf32>, tensor<3xi32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
// -----
// bounded: 0.0=1.0 0.1>=1 0.2 1.1
func.func @main(%x: tensor<6x5x4xf32>, %i: tensor<6x3xi32>) -> tensor<6x3x4xf32> {
  %0 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 1 : i64, dim = 1 : i64}> : (tensor<6x5x4xf32>, tensor<6x3xi32>) -> tensor<6x3x4xf32>
  return %0 : tensor<6x3x4xf32>
}
// -----
// bounded: 0.0 0.1=1.0
func.func @main(%x: tensor<5x2xf32>, %c: tensor<2xf32>) -> (tensor<5x2xf32>, tensor<2xf32>) {
  %0:2 = chlo.scan(%x) inits(%c) dimension=0 {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %1 = stablehlo.add %a, %b : tensor<2xf32>
    stablehlo.return %1, %1 : tensor<2xf32>, tensor<2xf32>
  } : (tensor<5x2xf32>, tensor<2xf32>) -> (tensor<5x2xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<5x2xf32>, tensor<2xf32>
}
// -----
// bounded: 0.0 0.1=1.1 1.0=2.0>=1 1.2
func.func @main(%x: tensor<7x4xf32>, %y: tensor<3x4x5xf32>, %g: tensor<3xi32>) -> tensor<7x5xf32> {
  %0 = "chlo.ragged_dot"(%x, %y, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<7x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}
// -----
// bounded: 0.0=0.2 0.1=1.1 1.0
func.func @main(%x: tensor<5x6x5xf32>, %y: tensor<4x6xf32>) -> (tensor<5xf32>, tensor<6xf32>) {
  %0 = "stablehlo.unary_einsum"(%x) <{einsum_config = "iji->i"}> : (tensor<5x6x5xf32>) -> tensor<5xf32>
  %1 = "stablehlo.einsum"(%x, %y) <{einsum_config = "iji,kj->j"}> : (tensor<5x6x5xf32>, tensor<4x6xf32>) -> tensor<6xf32>
  return %0, %1 : tensor<5xf32>, tensor<6xf32>
}
// -----
// bounded: 0.0=1.1 0.1 1.0 0.2=1.2
func.func @main(%x: tensor<3x5x2xf32>, %c: tensor<4x3x2xf32>) -> (tensor<3x5x2xf32>, tensor<4x3x2xf32>) {
  %0:2 = chlo.scan(%x) inits(%c) dimension=1 attributes {is_reverse = true} {
  ^bb0(%a: tensor<3x2xf32>, %b: tensor<4x3x2xf32>):
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4x3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %2 = stablehlo.add %1, %a : tensor<3x2xf32>
    stablehlo.return %2, %b : tensor<3x2xf32>, tensor<4x3x2xf32>
  } : (tensor<3x5x2xf32>, tensor<4x3x2xf32>) -> (tensor<3x5x2xf32>, tensor<4x3x2xf32>)
  return %0#0, %0#1 : tensor<3x5x2xf32>, tensor<4x3x2xf32>
}
// -----
// bounded: 0.0 0.1=1.0 1.1 2.0>=1
func.func @main(%x: tensor<7x6xf32>, %y: tensor<6x5xf32>, %g: tensor<3xi32>) -> tensor<3x7x5xf32> {
  %0 = "chlo.ragged_dot"(%x, %y, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>}> : (tensor<7x6xf32>, tensor<6x5xf32>, tensor<3xi32>) -> tensor<3x7x5xf32>
  return %0 : tensor<3x7x5xf32>
}
// -----
// bounded: 0.0=1.0 0.1 0.2=1.1 1.2 2.0>=1
func.func @main(%x: tensor<6x7x4xf32>, %y: tensor<6x4x5xf32>, %g: tensor<3xi32>) -> tensor<6x7x5xf32> {
  %0 = "chlo.ragged_dot"(%x, %y, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>}> : (tensor<6x7x4xf32>, tensor<6x4x5xf32>, tensor<3xi32>) -> tensor<6x7x5xf32>
  return %0 : tensor<6x7x5xf32>
}
// -----
// $OP: stablehlo.abs, stablehlo.cbrt, stablehlo.ceil, stablehlo.cosine, stablehlo.exponential, stablehlo.exponential_minus_one, stablehlo.floor, stablehlo.log, stablehlo.log_plus_one, stablehlo.logistic, stablehlo.negate, stablehlo.round_nearest_afz, stablehlo.round_nearest_even, stablehlo.rsqrt, stablehlo.sign, stablehlo.sine, stablehlo.sqrt, stablehlo.tan, stablehlo.tanh
// bounded: 0.0 0.1
func.func @main(%x: tensor<6x5xi8>) -> tensor<6x5xi8> {
  %a = stablehlo.bitcast_convert %x : (tensor<6x5xi8>) -> tensor<6x5x!quant.uniform<i8:f32, 2.0:1>>
  %0 = "$OP"(%a) : (tensor<6x5x!quant.uniform<i8:f32, 2.0:1>>) -> tensor<6x5x!quant.uniform<i8:f32, 0.5:-3>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<6x5x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<6x5xi8>
  return %1 : tensor<6x5xi8>
}
// -----
// $OP: stablehlo.add, stablehlo.atan2, stablehlo.divide, stablehlo.maximum, stablehlo.minimum, stablehlo.multiply, stablehlo.power, stablehlo.remainder, stablehlo.subtract
// bounded: 0.0=1.0 0.1=1.1
func.func @main(%x: tensor<6x5xi8>, %y: tensor<6x5xi8>) -> tensor<6x5xi8> {
  %a = stablehlo.bitcast_convert %x : (tensor<6x5xi8>) -> tensor<6x5x!quant.uniform<i8:f32, 2.0:1>>
  %b = stablehlo.bitcast_convert %y : (tensor<6x5xi8>) -> tensor<6x5x!quant.uniform<i8:f32, 0.5:-3>>
  %0 = "$OP"(%a, %b) : (tensor<6x5x!quant.uniform<i8:f32, 2.0:1>>, tensor<6x5x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<6x5x!quant.uniform<i8:f32, 4.0:0>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<6x5x!quant.uniform<i8:f32, 4.0:0>>) -> tensor<6x5xi8>
  return %1 : tensor<6x5xi8>
}
// -----
// $OP: stablehlo.all_reduce, stablehlo.collective_reduce
// static: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = "$OP"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// static: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// static: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// static: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// $OP: stablehlo.collective_broadcast, stablehlo.cross-replica-sum
// static: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = "$OP"(%x) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
// -----
// static: 0.0 0.1
func.func @main(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<0> : tensor<1x2xi64>} : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
