// Ops with a region: order of operands, initial values, empty sequences, windows.

// Affine maps a x + b compose associatively but not commutatively: 100 of them from left to right.
func.func @reduce_keeps_the_order() -> (tensor<i64>, tensor<i64>) {
  %i = stablehlo.iota dim = 0 : tensor<100xi64>
  %c1 = stablehlo.constant dense<1> : tensor<100xi64>
  %c3 = stablehlo.constant dense<3> : tensor<100xi64>
  %a = stablehlo.add %i, %c3 : tensor<100xi64>
  %b = stablehlo.multiply %i, %c3 : tensor<100xi64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %0:2 = "stablehlo.reduce"(%a, %b, %one, %zero) ({
    ^bb0(%a1: tensor<i64>, %b1: tensor<i64>, %a2: tensor<i64>, %b2: tensor<i64>):
      %1 = stablehlo.multiply %a1, %a2 : tensor<i64>
      %2 = stablehlo.multiply %a2, %b1 : tensor<i64>
      %3 = stablehlo.add %2, %b2 : tensor<i64>
      stablehlo.return %1, %3 : tensor<i64>, tensor<i64>
  }) {dimensions = array<i64: 0>} : (tensor<100xi64>, tensor<100xi64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  return %0#0, %0#1 : tensor<i64>, tensor<i64>
}
// EXPECT: dense<0> : tensor<i64>
// EXPECT: dense<-4971743942435854049> : tensor<i64>

func.func @reduce_edges() -> (tensor<2xf32>, tensor<2x2xi32>, tensor<2xi32>, tensor<i1>) {
  %0 = stablehlo.constant dense<> : tensor<2x0xf32>
  %init = stablehlo.constant dense<5.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %init) applies stablehlo.add across dimensions = [1] : (tensor<2x0xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %z = stablehlo.constant dense<10> : tensor<i32>
  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [] : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  %4 = "stablehlo.reduce"(%2, %z) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %9 = stablehlo.subtract %a, %b : tensor<i32>
      stablehlo.return %9 : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<2x2xi32>, tensor<i32>) -> tensor<2xi32>
  %5 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %t = stablehlo.constant dense<true> : tensor<i1>
  %6 = stablehlo.reduce(%5 init: %t) applies stablehlo.and across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
  return %1, %3, %4, %6 : tensor<2xf32>, tensor<2x2xi32>, tensor<2xi32>, tensor<i1>
}
// EXPECT: dense<[5.0, 5.0]> : tensor<2xf32>
// EXPECT: dense<[[11, 12], [13, 14]]> : tensor<2x2xi32>
// EXPECT: dense<[6, 4]> : tensor<2xi32>
// EXPECT: dense<false> : tensor<i1>

// A body that is not elementwise runs as a block: it calls a function and branches.
func.func private @larger(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %1 = "stablehlo.if"(%0) ({
    stablehlo.return %a : tensor<i32>
  }, {
    stablehlo.return %b : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %1 : tensor<i32>
}
func.func @reduce_with_calls_and_captures() -> tensor<i32> {
  %0 = stablehlo.constant dense<[3, 9, -4]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %1 = "stablehlo.reduce"(%0, %z) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %2 = func.call @larger(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %3 = stablehlo.maximum %2, %one : tensor<i32>
      stablehlo.return %3 : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}
// EXPECT: dense<9> : tensor<i32>

func.func @map_to_another_type() -> tensor<3xi1> {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %1 = stablehlo.constant dense<[1.5, 1.5, 1.5]> : tensor<3xf32>
  %2 = "stablehlo.map"(%0, %1) ({
    ^bb0(%a: tensor<i32>, %b: tensor<f32>):
      %3 = stablehlo.convert %a : (tensor<i32>) -> tensor<f32>
      %4 = stablehlo.compare GT, %3, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
  }) {dimensions = array<i64: 0>} : (tensor<3xi32>, tensor<3xf32>) -> tensor<3xi1>
  return %2 : tensor<3xi1>
}
// EXPECT: dense<[false, true, true]> : tensor<3xi1>

func.func @windows() -> (tensor<3xi32>, tensor<2xf32>, tensor<0xi32>, tensor<5xi32>) {
  %0 = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  // Dilated windows: 1+3, 2+4, 3+5.
  %1 = "stablehlo.reduce_window"(%0, %z) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %9 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %9 : tensor<i32>
  }) {window_dimensions = array<i64: 2>, window_dilations = array<i64: 2>} : (tensor<5xi32>, tensor<i32>) -> tensor<3xi32>
  // All negative, with padding: minus infinity takes no part.
  %2 = stablehlo.constant dense<[-3.0, -1.0, -2.0]> : tensor<3xf32>
  %inf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %3 = "stablehlo.reduce_window"(%2, %inf) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %9 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}
      : (tensor<3xf32>, tensor<f32>) -> tensor<2xf32>
  // A window larger than the input gives no windows.
  %4 = "stablehlo.reduce_window"(%0, %z) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %9 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %9 : tensor<i32>
  }) {window_dimensions = array<i64: 6>} : (tensor<5xi32>, tensor<i32>) -> tensor<0xi32>
  // Negative padding and dilated base: 1 0 2 0 3 0 4 0 5, cut to 0 2 0 3 0 4, windows of two.
  %5 = "stablehlo.reduce_window"(%0, %z) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %9 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %9 : tensor<i32>
  }) {window_dimensions = array<i64: 2>, base_dilations = array<i64: 2>, padding = dense<[[-1, -2]]> : tensor<1x2xi64>}
      : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
  return %1, %3, %4, %5 : tensor<3xi32>, tensor<2xf32>, tensor<0xi32>, tensor<5xi32>
}
// EXPECT: dense<[4, 6, 8]> : tensor<3xi32>
// EXPECT: dense<[-3.0, -1.0]> : tensor<2xf32>
// EXPECT: dense<> : tensor<0xi32>
// EXPECT: dense<[2, 2, 3, 3, 4]> : tensor<5xi32>

// Padding and holes take no part, whatever the initial value is: it enters each window once, at the left.
func.func @windows_leave_padding_out() -> (tensor<4xi32>, tensor<5xi32>, tensor<3xi32>, tensor<3xf32>, tensor<2xf32>) {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %1 = "stablehlo.reduce_window"(%0, %ten) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %9 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %9 : tensor<i32>
  }) {window_dimensions = array<i64: 2>, padding = dense<1> : tensor<1x2xi64>} : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  // 1 . 2 . 3 between paddings of two and none, windows of three.
  %2 = "stablehlo.reduce_window"(%0, %ten) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %9 = stablehlo.multiply %a, %b : tensor<i32>
      stablehlo.return %9 : tensor<i32>
  }) {window_dimensions = array<i64: 3>, base_dilations = array<i64: 2>, padding = dense<[[2, 0]]> : tensor<1x2xi64>}
      : (tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  // No monoid: ((10 - a) - b), from the left.
  %3 = "stablehlo.reduce_window"(%0, %ten) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %9 = stablehlo.subtract %a, %b : tensor<i32>
      stablehlo.return %9 : tensor<i32>
  }) {window_dimensions = array<i64: 3>, padding = dense<[[2, 0]]> : tensor<1x2xi64>} : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  // The logarithm of sums of exponentials: of two infinities it would be NaN.
  %4 = stablehlo.constant dense<[1.0, 1.0, 0.0]> : tensor<3xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %5 = "stablehlo.reduce_window"(%4, %low) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = stablehlo.maximum %a, %b : tensor<f32>
      %8 = stablehlo.minimum %a, %b : tensor<f32>
      %7 = stablehlo.subtract %8, %9 : tensor<f32>
      %6 = stablehlo.exponential %7 : tensor<f32>
      %c = stablehlo.floor %6 : tensor<f32>
      %d = stablehlo.add %9, %c : tensor<f32>
      stablehlo.return %d : tensor<f32>
  }) {window_dimensions = array<i64: 3>, padding = dense<[[2, 0]]> : tensor<1x2xi64>} : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  // Sums of -0 and an initial -0 stay what they are.
  %6 = stablehlo.constant dense<-0.0> : tensor<2xf32>
  %7 = stablehlo.constant dense<-0.0> : tensor<f32>
  %8 = "stablehlo.reduce_window"(%6, %7) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %9 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %1, %2, %3, %5, %8 : tensor<4xi32>, tensor<5xi32>, tensor<3xi32>, tensor<3xf32>, tensor<2xf32>
}
// EXPECT: dense<[11, 13, 15, 13]> : tensor<4xi32>
// EXPECT: dense<[10, 10, 20, 20, 60]> : tensor<5xi32>
// EXPECT: dense<[9, 7, 4]> : tensor<3xi32>
// EXPECT: dense<[1.0, 2.0, 2.0]> : tensor<3xf32>
// EXPECT: dense<-0.0> : tensor<2xf32>

// Padding is never selected, though it would win against negative elements; overlapping windows accumulate.
func.func @select_and_scatter_edges() -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.constant dense<[-3.0, -1.0, -2.0]> : tensor<3xf32>
  %s = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = "stablehlo.select_and_scatter"(%0, %s, %z) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %9 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}
      : (tensor<3xf32>, tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = "stablehlo.select_and_scatter"(%0, %s, %z) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %9 : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<3xf32>, tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  return %1, %2 : tensor<3xf32>, tensor<3xf32>
}
// EXPECT: dense<[10.0, 20.0, 0.0]> : tensor<3xf32>
// EXPECT: dense<[0.0, 30.0, 0.0]> : tensor<3xf32>

func.func @sort_is_stable() -> (tensor<6xi32>, tensor<6xi32>) {
  %0 = stablehlo.constant dense<[2, 1, 2, 1, 3, 1]> : tensor<6xi32>
  %1 = stablehlo.iota dim = 0 : tensor<6xi32>
  %2:2 = "stablehlo.sort"(%0, %1) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
      %3 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
  }) {dimension = -1 : i64, is_stable = true} : (tensor<6xi32>, tensor<6xi32>) -> (tensor<6xi32>, tensor<6xi32>)
  return %2#0, %2#1 : tensor<6xi32>, tensor<6xi32>
}
// EXPECT: dense<[1, 1, 1, 2, 2, 3]> : tensor<6xi32>
// EXPECT: dense<[1, 3, 5, 0, 2, 4]> : tensor<6xi32>

// A comparator that is no order at all still ends.
func.func @sort_ends() -> tensor<i32> {
  %0 = stablehlo.constant dense<[4, 1, 3, 2]> : tensor<4xi32>
  %2 = "stablehlo.sort"(%0) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %3 = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %3 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<4xi32>) -> tensor<4xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %sum = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  return %sum : tensor<i32>
}
// EXPECT: dense<10> : tensor<i32>

func.func @top_k() -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0 = stablehlo.constant dense<[[1.0, 0x7FC00000, 3.0, 3.0], [-1.0, -0.0, 0.0, -2.0]]> : tensor<2x4xf32>
  %1, %2 = chlo.top_k(%0, k = 3) : tensor<2x4xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %1, %2 : tensor<2x3xf32>, tensor<2x3xi32>
}
// EXPECT: dense<[[0x7FC00000, 3.0, 3.0], [0.0, -0.0, -1.0]]> : tensor<2x3xf32>
// EXPECT: dense<[[1, 2, 3], [2, 1, 0]]> : tensor<2x3xi32>

// Sums into a type that would drop a part of each product are converted when they are complete.
func.func @dot_products_of_another_kind() -> (tensor<i32>, tensor<f32>, tensor<i8>) {
  %a = stablehlo.constant dense<[0.5, 0.5, 1.75]> : tensor<3xf16>
  %b = stablehlo.constant dense<[1.0, 1.0, 1.0]> : tensor<3xf16>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<3xf16>, tensor<3xf16>) -> tensor<i32>
  %c = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
  %d = stablehlo.constant dense<[(3.0, 4.5)]> : tensor<1xcomplex<f32>>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [0] x [0] : (tensor<1xcomplex<f32>>, tensor<1xcomplex<f32>>) -> tensor<f32>
  %e = stablehlo.constant dense<[100.0, 50.5]> : tensor<2xf64>
  %f = stablehlo.constant dense<[-1.0, -1.0]> : tensor<2xf64>
  %2 = stablehlo.dot_general %e, %f, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<i8>
  return %0, %1, %2 : tensor<i32>, tensor<f32>, tensor<i8>
}
// EXPECT: dense<2> : tensor<i32>
// EXPECT: dense<-6.0> : tensor<f32>
// EXPECT: dense<-128> : tensor<i8>

// Sums of products are rounded once: in f32 steps the small terms would be lost.
func.func @dot_products() -> (tensor<f32>, tensor<2x3xi8>, tensor<2x2xf32>, tensor<i1>, tensor<2x1x2xi32>) {
  %a = stablehlo.constant dense<[1.0e8, 1.0, -1.0e8]> : tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0 = stablehlo.dot_general %a, %one, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  %b = stablehlo.constant dense<[100, 2]> : tensor<2xi8>
  %c = stablehlo.constant dense<[2, 3, -1]> : tensor<3xi8>
  %1 = stablehlo.dot_general %b, %c, contracting_dims = [] x [] : (tensor<2xi8>, tensor<3xi8>) -> tensor<2x3xi8>
  %d = stablehlo.constant dense<> : tensor<2x0xf32>
  %2 = stablehlo.dot_general %d, %d, contracting_dims = [1] x [1] : (tensor<2x0xf32>, tensor<2x0xf32>) -> tensor<2x2xf32>
  %e = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %3 = stablehlo.dot_general %e, %e, contracting_dims = [0] x [0] : (tensor<3xi1>, tensor<3xi1>) -> tensor<i1>
  // Two batches of 1x2 times 2x2, into a wider type.
  %f = stablehlo.constant dense<[[[100, 100]], [[1, 2]]]> : tensor<2x1x2xi8>
  %g = stablehlo.constant dense<[[[100, 1], [100, 2]], [[3, 4], [5, 6]]]> : tensor<2x2x2xi8>
  %4 = stablehlo.dot_general %f, %g, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<2x1x2xi8>, tensor<2x2x2xi8>) -> tensor<2x1x2xi32>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<2x3xi8>, tensor<2x2xf32>, tensor<i1>, tensor<2x1x2xi32>
}
// EXPECT: dense<1.0> : tensor<f32>
// EXPECT: dense<[[-56, 44, -100], [4, 6, -2]]> : tensor<2x3xi8>
// EXPECT: dense<0.0> : tensor<2x2xf32>
// EXPECT: dense<true> : tensor<i1>
// EXPECT: dense<[[[20000, 300]], [[13, 16]]]> : tensor<2x1x2xi32>

func.func @einsum() -> (tensor<2x2xi32>, tensor<2xi32>) {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = "stablehlo.einsum"(%a, %a) {einsum_config = "ab,cb->ac"} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x2xi32>
  %1 = "stablehlo.unary_einsum"(%a) {einsum_config = "ab->a"} : (tensor<2x3xi32>) -> tensor<2xi32>
  return %0, %1 : tensor<2x2xi32>, tensor<2xi32>
}
// EXPECT: dense<[[14, 32], [32, 77]]> : tensor<2x2xi32>
// EXPECT: dense<[6, 15]> : tensor<2xi32>

func.func @ragged_dot() -> tensor<4x1xi32> {
  %a = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32>
  %b = stablehlo.constant dense<[[[1], [10]], [[100], [1000]]]> : tensor<2x2x1xi32>
  // Rows beyond the groups are zero.
  %g = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "chlo.ragged_dot"(%a, %b, %g) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [],
        lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0],
        rhs_group_dimensions = [0]>
  } : (tensor<4x2xi32>, tensor<2x2x1xi32>, tensor<2xi32>) -> tensor<4x1xi32>
  return %0 : tensor<4x1xi32>
}
// EXPECT: dense<[[21], [4300], [6500], [0]]> : tensor<4x1xi32>

func.func @convolution_dilated_kernel() -> (tensor<1x1x3xi32>, tensor<1x1x4xi32>) {
  %a = stablehlo.constant dense<[[[1, 2, 3, 4, 5]]]> : tensor<1x1x5xi32>
  %b = stablehlo.constant dense<[[[1, 10]]]> : tensor<1x1x2xi32>
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {rhs_dilate = [2]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x1x5xi32>, tensor<1x1x2xi32>) -> tensor<1x1x3xi32>
  %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {reverse = [true]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x1x5xi32>, tensor<1x1x2xi32>) -> tensor<1x1x4xi32>
  return %0, %1 : tensor<1x1x3xi32>, tensor<1x1x4xi32>
}
// EXPECT: dense<[[[31, 42, 53]]]> : tensor<1x1x3xi32>
// EXPECT: dense<[[[12, 23, 34, 45]]]> : tensor<1x1x4xi32>

// 1 + 2^-9 is 1 in bf16 (eight bits of significand). Three operations stand for the full product.
func.func @dot_algorithms() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %a = stablehlo.constant dense<[1.001953125]> : tensor<1xf32>
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = bf16,
      rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1,
      num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = bf16,
      rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1,
      num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
  %b = stablehlo.constant dense<[1.000244140625]> : tensor<1xf32>
  %2 = stablehlo.dot_general %b, %a, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = tf32,
      rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1,
      num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}
// EXPECT: dense<1.0> : tensor<f32>
// EXPECT: dense<1.003910064697265625> : tensor<f32>
// EXPECT: dense<1.001953125> : tensor<f32>

// A QR factorisation by Householder reflectors: q r must be the matrix, q orthogonal.
func.func @qr() -> (tensor<3x2xf64>, tensor<2x2xf64>) {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, -4.0], [5.0, 7.0]]> : tensor<3x2xf64>
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>)
  %q = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1)
      : (tensor<3x2xf64>, tensor<2xf64>) -> tensor<3x2xf64>
  %top = stablehlo.slice %0#0 [0:2, 0:2] : (tensor<3x2xf64>) -> tensor<2x2xf64>
  %i = stablehlo.iota dim = 0 : tensor<2x2xi32>
  %j = stablehlo.iota dim = 1 : tensor<2x2xi32>
  %upper = stablehlo.compare LE, %i, %j : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<2x2xf64>
  %r = stablehlo.select %upper, %top, %zero : tensor<2x2xi1>, tensor<2x2xf64>
  %qr = stablehlo.dot_general %q, %r, contracting_dims = [1] x [0] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
  %qq = stablehlo.dot_general %q, %q, contracting_dims = [0] x [0] : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
  return %qr, %qq : tensor<3x2xf64>, tensor<2x2xf64>
}
// EXPECT-NEAR(1e-14): dense<[[1.0, 2.0], [3.0, -4.0], [5.0, 7.0]]> : tensor<3x2xf64>
// EXPECT-NEAR(1e-14): dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
