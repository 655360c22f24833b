// RUN: %opt %s --tenon-simplify --tenon-fuse | %check %s

// CHECK-LABEL: func.func @chain
// CHECK: tenon.fusion loop
// CHECK: stablehlo.add
// CHECK: stablehlo.tanh
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @chain(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.add %x, %y : tensor<64xf32>
  %1 = stablehlo.tanh %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}

// Where a gather takes single elements, their places are computed where they are read; those of windows are not, which
// would be computed for each of their elements.
// CHECK-LABEL: func.func @places
// CHECK: tenon.fusion
// CHECK: stablehlo.add
// CHECK: stablehlo.gather
// CHECK: tenon.fusion
// CHECK: stablehlo.multiply
// CHECK: tenon.yield
// CHECK: stablehlo.gather
// CHECK: return
func.func @places(%x: tensor<50x20xf32>, %i: tensor<300x2xi32>, %j: tensor<300xi32>)
    -> (tensor<300xf32>, tensor<300x20xf32>) {
  %0 = stablehlo.add %i, %i : tensor<300x2xi32>
  %1 = "stablehlo.gather"(%x, %0) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<50x20xf32>, tensor<300x2xi32>) -> tensor<300xf32>
  %2 = stablehlo.multiply %j, %j : tensor<300xi32>
  %3 = "stablehlo.gather"(%x, %2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 20>}> : (tensor<50x20xf32>, tensor<300xi32>) -> tensor<300x20xf32>
  return %1, %3 : tensor<300xf32>, tensor<300x20xf32>
}

// Of tables of which few elements are taken the others are not computed: rows whose columns are taken, and arithmetic.
// Where as many are taken as rows have, the rows are copied first, and arithmetic on 15 times as many numbers is done for
// all of them.
// CHECK-LABEL: func.func @few_taken
// CHECK: tenon.fusion
// CHECK-NEXT: "stablehlo.gather"(
// CHECK-NEXT: "stablehlo.gather"(
// CHECK-NEXT: tenon.yield
// CHECK: tenon.fusion
// CHECK-NEXT: stablehlo.tanh
// CHECK-NEXT: "stablehlo.gather"(
// CHECK-NEXT: tenon.yield
// CHECK: return
func.func @few_taken(%x: tensor<400x30xf32>, %i: tensor<20xi32>, %j: tensor<29xi32>) -> (tensor<20x29xf32>, tensor<20x30xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 30>}> : (tensor<400x30xf32>, tensor<20xi32>) -> tensor<20x30xf32>
  %1 = "stablehlo.gather"(%0, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 20, 1>}> : (tensor<20x30xf32>, tensor<29xi32>) -> tensor<20x29xf32>
  %2 = stablehlo.tanh %x : tensor<400x30xf32>
  %3 = "stablehlo.gather"(%2, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 30>}> : (tensor<400x30xf32>, tensor<20xi32>) -> tensor<20x30xf32>
  return %1, %3 : tensor<20x29xf32>, tensor<20x30xf32>
}

// CHECK-LABEL: func.func @many_taken
// CHECK: "stablehlo.gather"(
// CHECK-NEXT: tenon.yield
// CHECK: "stablehlo.gather"(
// CHECK-NEXT: tenon.yield
// CHECK: stablehlo.tanh
// CHECK-NEXT: tenon.yield
// CHECK: "stablehlo.gather"(
// CHECK-NEXT: tenon.yield
// CHECK: return
func.func @many_taken(%x: tensor<400x30xf32>, %y: tensor<300xf32>, %i: tensor<20xi32>, %j: tensor<30xi32>) -> (tensor<20x30xf32>, tensor<20xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 30>}> : (tensor<400x30xf32>, tensor<20xi32>) -> tensor<20x30xf32>
  %1 = "stablehlo.gather"(%0, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 20, 1>}> : (tensor<20x30xf32>, tensor<30xi32>) -> tensor<20x30xf32>
  %2 = stablehlo.tanh %y : tensor<300xf32>
  %3 = "stablehlo.gather"(%2, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<300xf32>, tensor<20xi32>) -> tensor<20xf32>
  return %1, %3 : tensor<20x30xf32>, tensor<20xf32>
}

// Indices of windows in another type of integers are converted where they are read (palettes), but not floats, nor what a
// kernel computes that can convert it.
// CHECK-LABEL: func.func @converted_places
// CHECK-NEXT: tenon.fusion
// CHECK-NEXT: stablehlo.convert
// CHECK-NEXT: stablehlo.reshape
// CHECK-NEXT: stablehlo.gather
// CHECK: tenon.fusion
// CHECK-NEXT: stablehlo.multiply
// CHECK-NEXT: stablehlo.convert
// CHECK-NEXT: tenon.yield
// CHECK: stablehlo.gather
// CHECK: tenon.fusion
// CHECK-NEXT: stablehlo.convert
// CHECK-NEXT: tenon.yield
// CHECK: stablehlo.gather
// CHECK: return
func.func @converted_places(%x: tensor<50x3xf32>, %i: tensor<300xui8>, %k: tensor<300xf32>)
    -> (tensor<300x3xf32>, tensor<300x3xf32>, tensor<300x3xf32>) {
  %0 = stablehlo.convert %i : (tensor<300xui8>) -> tensor<300xi32>
  %1 = stablehlo.reshape %0 : (tensor<300xi32>) -> tensor<300x1xi32>
  %2 = "stablehlo.gather"(%x, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<50x3xf32>, tensor<300x1xi32>) -> tensor<300x3xf32>
  %3 = stablehlo.multiply %i, %i : tensor<300xui8>
  %4 = stablehlo.convert %3 : (tensor<300xui8>) -> tensor<300xi32>
  %5 = "stablehlo.gather"(%x, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<50x3xf32>, tensor<300xi32>) -> tensor<300x3xf32>
  %6 = stablehlo.convert %k : (tensor<300xf32>) -> tensor<300xi32>
  %7 = "stablehlo.gather"(%x, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<50x3xf32>, tensor<300xi32>) -> tensor<300x3xf32>
  return %2, %5, %7 : tensor<300x3xf32>, tensor<300x3xf32>, tensor<300x3xf32>
}

// Rows are the same ones whatever dimensions of size one there are beside theirs.
// CHECK-LABEL: func.func @softmax_of_reshaped
// CHECK: tenon.fusion rows(%{{.*}} = %arg0) :
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @softmax_of_reshaped(%x: tensor<4x16x1x128xf32>) -> tensor<1x4x16x128xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<4x16x1x128xf32>
  %scaled = stablehlo.multiply %x, %half : tensor<4x16x1x128xf32>
  %0 = stablehlo.reduce(%scaled init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<4x16x1x128xf32>, tensor<f32>) -> tensor<4x16x1xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x16x1xf32>) -> tensor<4x16xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<4x16xf32>) -> tensor<1x4x16x128xf32>
  %3 = stablehlo.reshape %scaled : (tensor<4x16x1x128xf32>) -> tensor<1x4x16x128xf32>
  %4 = stablehlo.subtract %3, %2 : tensor<1x4x16x128xf32>
  %5 = stablehlo.exponential %4 : tensor<1x4x16x128xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<1x4x16x128xf32>, tensor<f32>) -> tensor<1x4x16xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<1x4x16xf32>) -> tensor<1x4x16x128xf32>
  %8 = stablehlo.divide %5, %7 : tensor<1x4x16x128xf32>
  return %8 : tensor<1x4x16x128xf32>
}

// Of one size, but not the same: the sum is over another dimension than the maximum.
// CHECK-LABEL: func.func @other_rows
// CHECK: tenon.fusion
// CHECK: tenon.fusion
// CHECK: return
func.func @other_rows(%x: tensor<16x1x16xf32>) -> tensor<1x16x16xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<16x1x16xf32>, tensor<f32>) -> tensor<1x16xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<1x16x16xf32>
  %2 = stablehlo.reshape %x : (tensor<16x1x16xf32>) -> tensor<1x16x16xf32>
  %3 = stablehlo.subtract %2, %1 : tensor<1x16x16xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<1x16x16xf32>, tensor<f32>) -> tensor<1x16xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<1x16x16xf32>
  %6 = stablehlo.divide %3, %5 : tensor<1x16x16xf32>
  return %6 : tensor<1x16x16xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK: tenon.fusion rows(%{{.*}} = %arg0) :
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<64x128xf32>
  %3 = stablehlo.exponential %2 : tensor<64x128xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %6 = stablehlo.divide %3, %5 : tensor<64x128xf32>
  return %6 : tensor<64x128xf32>
}

// Normalising over the leading dimension does not keep rows apart.
// CHECK-LABEL: func.func @columns
// CHECK: tenon.fusion reduce
// CHECK: tenon.fusion loop
func.func @columns(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x128xf32>, tensor<f32>) -> tensor<128xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %2 = stablehlo.divide %x, %1 : tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}

// The bias and the activation are computed while the product is stored.
// CHECK-LABEL: func.func @dense
// CHECK: tenon.fusion dot(%{{.*}} = %arg0, %{{.*}} = %arg1, %{{.*}} = %arg2)
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @dense(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %b: tensor<32xf32>) -> tensor<8x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<8x32xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<32xf32>) -> tensor<8x32xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x32xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<8x32xf32>
  return %3 : tensor<8x32xf32>
}

// What the product reads from memory is read from there again, not computed twice.
// CHECK-LABEL: func.func @residual
// CHECK: %[[Y:.*]] = tenon.fusion loop
// CHECK: tenon.fusion dot(%{{.*}} = %[[Y]], %{{.*}} = %arg1)
// CHECK-NOT: stablehlo.tanh
// CHECK: return
func.func @residual(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.tanh %x : tensor<8x16xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.add %1, %0 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// Computing exp for each of the 64 rows again would cost more than storing it once.
// CHECK-LABEL: func.func @small_then_large
// CHECK: tenon.fusion loop
// CHECK: tenon.fusion loop
func.func @small_then_large(%x: tensor<64x128xf32>, %b: tensor<128xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.exponential %b : tensor<128xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %2 = stablehlo.add %x, %1 : tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}

// A function of as many values as there are rows, but of the columns: it is computed once for each, not for each element.
// CHECK-LABEL: func.func @square
// CHECK: stablehlo.tanh
// CHECK: tenon.fusion reduce
// CHECK-NOT: stablehlo.tanh
// CHECK: return
func.func @square(%x: tensor<32xf32>, %a: tensor<32x32xf32>) -> tensor<32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.tanh %x : tensor<32xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<32xf32>) -> tensor<32x32xf32>
  %2 = stablehlo.multiply %1, %a : tensor<32x32xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
  return %3 : tensor<32xf32>
}

// One of the rows is a part of their kernel.
// CHECK-LABEL: func.func @square_of_rows
// CHECK: tenon.fusion reduce
// CHECK: stablehlo.tanh
func.func @square_of_rows(%x: tensor<32xf32>, %a: tensor<32x32xf32>) -> tensor<32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.tanh %x : tensor<32xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<32xf32>) -> tensor<32x32xf32>
  %2 = stablehlo.multiply %1, %a : tensor<32x32xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
  return %3 : tensor<32xf32>
}

// Each pair's root is computed once with the pair's distance, not again for each of the three sums over pairs, whose rows
// are along another dimension than the pairs' last.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[WEIGHTS:.*]] = tenon.fusion reduce(%{{.*}} = %arg0) : {{.*}} -> tensor<16x16xf32>
// CHECK: stablehlo.rsqrt
// CHECK: tenon.fusion reduce(%{{.*}} = %[[WEIGHTS]], %{{.*}} = %arg0)
// CHECK-NOT: stablehlo.rsqrt
// CHECK: return
func.func @pairs(%x: tensor<16x16x3xf32>) -> tensor<16x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<16x16x3xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<16x16x3xf32>, tensor<f32>) -> tensor<16x16xf32>
  %2 = stablehlo.rsqrt %1 : tensor<16x16xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<16x16xf32>) -> tensor<16x16x3xf32>
  %4 = stablehlo.multiply %3, %x : tensor<16x16x3xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x16x3xf32>, tensor<f32>) -> tensor<16x3xf32>
  return %5 : tensor<16x3xf32>
}

// What each sum of a column needs is computed with the sum, whichever dimension is summed up.
// CHECK-LABEL: func.func @scaled_columns
// CHECK: tenon.fusion reduce(%{{.*}} = %arg1, %{{.*}} = %arg0)
// CHECK: stablehlo.rsqrt
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @scaled_columns(%x: tensor<64x128xf32>, %y: tensor<128xf32>) -> tensor<128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.rsqrt %y : tensor<128xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<64x128xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x128xf32>, tensor<f32>) -> tensor<128xf32>
  return %3 : tensor<128xf32>
}

// Both fusions convert for themselves what tanh gives. It is not computed with the difference, which needs the sums, but
// with the sums.
// CHECK-LABEL: func.func @shared_conversion
// CHECK: %[[SUMS:.*]]:2 = tenon.fusion reduce(%{{.*}} = %arg0) : {{.*}} -> (tensor<40xf64>, tensor<30x40xf32>)
// CHECK: stablehlo.tanh
// CHECK: tenon.fusion loop(%{{.*}} = %[[SUMS]]#1, %{{.*}} = %[[SUMS]]#0)
// CHECK-NOT: stablehlo.tanh
func.func @shared_conversion(%x: tensor<30x40xf32>) -> (tensor<30x40xf32>, tensor<30x40xf64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %y = stablehlo.tanh %x : tensor<30x40xf32>
  %c = stablehlo.convert %y : (tensor<30x40xf32>) -> tensor<30x40xf64>
  %s = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<30x40xf64>, tensor<f64>) -> tensor<40xf64>
  %b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<40xf64>) -> tensor<30x40xf64>
  %z = stablehlo.subtract %c, %b : tensor<30x40xf64>
  return %y, %z : tensor<30x40xf32>, tensor<30x40xf64>
}

// What an update writes is of another shape than the update: it is no second result of the update's loop.
// CHECK-LABEL: func.func @window_used_again
// CHECK: tenon.fusion loop({{.*}}) : {{.*}} -> tensor<4x32xf32>
// CHECK: tenon.fusion loop({{.*}}) : {{.*}} -> tensor<16x32xf32>
func.func @window_used_again(%x: tensor<16x32xf32>, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<16x32xf32>, tensor<4x32xf32>) {
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [4, 32] : (tensor<16x32xf32>, tensor<i32>, tensor<i32>) -> tensor<4x32xf32>
  %1 = stablehlo.dynamic_update_slice %x, %0, %i, %j : (tensor<16x32xf32>, tensor<4x32xf32>, tensor<i32>, tensor<i32>) -> tensor<16x32xf32>
  return %1, %0 : tensor<16x32xf32>, tensor<4x32xf32>
}

// Large constants that need a buffer are written at each use.
// CHECK-LABEL: func.func @large_constants
// CHECK-NOT: dense<1.000000e+00> : tensor<65536xf32>
// CHECK: tenon.fusion loop
// CHECK: stablehlo.broadcast_in_dim {{.*}} -> tensor<65536xf32>
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_update_slice
// CHECK: %[[RETURNED:.*]] = tenon.fusion loop() :
// CHECK: stablehlo.broadcast_in_dim {{.*}} -> tensor<65536xf32>
// CHECK: return %{{.*}}, %[[RETURNED]]
func.func @large_constants(%go: tensor<i1>, %x: tensor<1xf32>, %i: tensor<i32>) -> (tensor<65536xf32>, tensor<65536xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<65536xf32>
  %0 = stablehlo.while(%a = %one) : tensor<65536xf32> cond {
    stablehlo.return %go : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_update_slice %a, %x, %i : (tensor<65536xf32>, tensor<1xf32>, tensor<i32>) -> tensor<65536xf32>
    stablehlo.return %1 : tensor<65536xf32>
  }
  return %0, %one : tensor<65536xf32>, tensor<65536xf32>
}

// A reshape alone is no kernel, unless it has to copy.
// CHECK-LABEL: func.func @views
// CHECK-NOT: tenon.fusion
// CHECK: stablehlo.reshape
// CHECK: stablehlo.reshape
// CHECK: tenon.fusion loop(%{{.*}} = %arg0) :
// CHECK-NEXT: stablehlo.reshape
func.func @views(%x: tensor<4x4xf32>, %y: tensor<16x3xf32>) -> (tensor<1x3xf32>, tensor<16xf32>, tensor<2x8xf32>) {
  %0 = stablehlo.reshape %x : (tensor<4x4xf32>) -> tensor<1x16xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<1x16xf32>, tensor<16x3xf32>) -> tensor<1x3xf32>
  %2 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.reshape %2 : (tensor<4x4xf32>) -> tensor<16xf32>
  %4 = stablehlo.reshape %x : (tensor<4x4xf32>) -> tensor<2x8xf32>
  return %1, %3, %4 : tensor<1x3xf32>, tensor<16xf32>, tensor<2x8xf32>
}

// What a conversion before a product reads is in memory, even where it has as many elements as the product.
// CHECK-LABEL: func.func @converted_product
// CHECK: tenon.fusion loop
// CHECK: stablehlo.round_nearest_even
// CHECK-NEXT: stablehlo.convert
// CHECK-NEXT: tenon.yield
// CHECK: tenon.fusion dot
// CHECK-NEXT: stablehlo.convert
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NEXT: stablehlo.negate
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @converted_product(%x: tensor<1x1xf32>, %y: tensor<1x1xi16>) -> tensor<1x1xi32> {
  %0 = stablehlo.round_nearest_even %x : tensor<1x1xf32>
  %1 = stablehlo.convert %0 : (tensor<1x1xf32>) -> tensor<1x1xi8>
  %2 = stablehlo.convert %1 : (tensor<1x1xi8>) -> tensor<1x1xi16>
  %3 = stablehlo.dot_general %y, %2, contracting_dims = [1] x [0] : (tensor<1x1xi16>, tensor<1x1xi16>) -> tensor<1x1xi32>
  %4 = stablehlo.negate %3 : tensor<1x1xi32>
  return %4 : tensor<1x1xi32>
}

// The parts of a simulation's state that read one another are one loop; what the last one needs alone stays by itself.
// CHECK-LABEL: func.func @state
// CHECK: tenon.fusion loop
// CHECK: stablehlo.add
// CHECK: stablehlo.subtract
// CHECK: tenon.yield
// CHECK: tenon.fusion loop
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @state(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.add %a, %b : tensor<64xf32>
  %1 = stablehlo.subtract %b, %a : tensor<64xf32>
  %2 = stablehlo.negate %c : tensor<64xf32>
  return %0, %1, %2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// The sine is not a result: computed beside the cosine it would be there for longer than the product needs it.
// CHECK-LABEL: func.func @readers_far_apart
// CHECK: tenon.fusion loop
// CHECK: stablehlo.sine
// CHECK: tenon.yield
// CHECK: tenon.fusion
// CHECK: stablehlo.cosine
// CHECK: return
func.func @readers_far_apart(%a: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = stablehlo.sine %a : tensor<64x64xf32>
  %1 = stablehlo.dot_general %0, %a, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.cosine %a : tensor<64x64xf32>
  return %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>
}

// One of the two is made of the other by way of a product: they cannot be one kernel.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK: tenon.fusion loop
// CHECK: stablehlo.sine
// CHECK: tenon.yield
// CHECK: tenon.fusion
// CHECK: return
func.func @one_after_the_other(%a: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = stablehlo.sine %a : tensor<64x64xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.reverse %1, dims = [0] : tensor<64x64xf32>
  %3 = stablehlo.add %2, %a : tensor<64x64xf32>
  return %0, %3 : tensor<64x64xf32>, tensor<64x64xf32>
}

// Bits that are read as a type of the same width are elements as any other's.
// CHECK-LABEL: func.func @bits
// CHECK: tenon.fusion loop
// CHECK: stablehlo.bitcast_convert
// CHECK: stablehlo.and
// CHECK: stablehlo.bitcast_convert
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @bits(%x: tensor<64xf32>, %mask: tensor<64xui32>) -> tensor<64xf32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<64xf32>) -> tensor<64xui32>
  %1 = stablehlo.and %0, %mask : tensor<64xui32>
  %2 = stablehlo.bitcast_convert %1 : (tensor<64xui32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// Random bits are not computed in a kernel of long functions, which has one vector at a time, but numbers that are made
// of them by little else are.
// CHECK-LABEL: func.func @random_numbers
// CHECK: tenon.fusion
// CHECK: stablehlo.xor
// CHECK: stablehlo.bitcast_convert
// CHECK: tenon.yield
// CHECK: tenon.fusion
// CHECK-NOT: stablehlo.xor
// CHECK: stablehlo.sine
// CHECK: tenon.yield
// CHECK: tenon.fusion
// CHECK: stablehlo.xor
// CHECK: stablehlo.bitcast_convert
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @random_numbers(%x: tensor<64xui32>, %y: tensor<64xui32>, %k: tensor<64xui32>)
    -> (tensor<64xf32>, tensor<64xf32>) {
  %s = stablehlo.constant dense<13> : tensor<64xui32>
  %a0 = stablehlo.add %x, %k : tensor<64xui32>
  %a1 = stablehlo.shift_left %a0, %s : tensor<64xui32>
  %a2 = stablehlo.shift_right_logical %a1, %s : tensor<64xui32>
  %a3 = stablehlo.xor %a2, %k : tensor<64xui32>
  %a4 = stablehlo.add %a3, %k : tensor<64xui32>
  %a5 = stablehlo.shift_left %a4, %s : tensor<64xui32>
  %a6 = stablehlo.shift_right_logical %a5, %s : tensor<64xui32>
  %a7 = stablehlo.xor %a6, %k : tensor<64xui32>
  %a8 = stablehlo.add %a7, %k : tensor<64xui32>
  %a9 = stablehlo.shift_left %a8, %s : tensor<64xui32>
  %a10 = stablehlo.shift_right_logical %a9, %s : tensor<64xui32>
  %a11 = stablehlo.xor %a10, %k : tensor<64xui32>
  %a12 = stablehlo.add %a11, %k : tensor<64xui32>
  %a13 = stablehlo.shift_left %a12, %s : tensor<64xui32>
  %a14 = stablehlo.shift_right_logical %a13, %s : tensor<64xui32>
  %a15 = stablehlo.xor %a14, %k : tensor<64xui32>
  %a16 = stablehlo.add %a15, %k : tensor<64xui32>
  %a17 = stablehlo.shift_left %a16, %s : tensor<64xui32>
  %a18 = stablehlo.shift_right_logical %a17, %s : tensor<64xui32>
  %a19 = stablehlo.xor %a18, %k : tensor<64xui32>
  %a20 = stablehlo.add %a19, %k : tensor<64xui32>
  %a21 = stablehlo.shift_left %a20, %s : tensor<64xui32>
  %a22 = stablehlo.shift_right_logical %a21, %s : tensor<64xui32>
  %a23 = stablehlo.xor %a22, %k : tensor<64xui32>
  %a24 = stablehlo.add %a23, %k : tensor<64xui32>
  %a25 = stablehlo.shift_left %a24, %s : tensor<64xui32>
  %a26 = stablehlo.shift_right_logical %a25, %s : tensor<64xui32>
  %a27 = stablehlo.xor %a26, %k : tensor<64xui32>
  %a28 = stablehlo.add %a27, %k : tensor<64xui32>
  %a29 = stablehlo.shift_left %a28, %s : tensor<64xui32>
  %a30 = stablehlo.shift_right_logical %a29, %s : tensor<64xui32>
  %a31 = stablehlo.xor %a30, %k : tensor<64xui32>
  %a32 = stablehlo.add %a31, %k : tensor<64xui32>
  %a33 = stablehlo.shift_left %a32, %s : tensor<64xui32>
  %a34 = stablehlo.shift_right_logical %a33, %s : tensor<64xui32>
  %a35 = stablehlo.xor %a34, %k : tensor<64xui32>
  %0 = stablehlo.bitcast_convert %a35 : (tensor<64xui32>) -> tensor<64xf32>
  %1 = stablehlo.sine %0 : tensor<64xf32>
  %b0 = stablehlo.add %y, %k : tensor<64xui32>
  %b1 = stablehlo.shift_left %b0, %s : tensor<64xui32>
  %b2 = stablehlo.shift_right_logical %b1, %s : tensor<64xui32>
  %b3 = stablehlo.xor %b2, %k : tensor<64xui32>
  %b4 = stablehlo.add %b3, %k : tensor<64xui32>
  %b5 = stablehlo.shift_left %b4, %s : tensor<64xui32>
  %b6 = stablehlo.shift_right_logical %b5, %s : tensor<64xui32>
  %b7 = stablehlo.xor %b6, %k : tensor<64xui32>
  %b8 = stablehlo.add %b7, %k : tensor<64xui32>
  %b9 = stablehlo.shift_left %b8, %s : tensor<64xui32>
  %b10 = stablehlo.shift_right_logical %b9, %s : tensor<64xui32>
  %b11 = stablehlo.xor %b10, %k : tensor<64xui32>
  %b12 = stablehlo.add %b11, %k : tensor<64xui32>
  %b13 = stablehlo.shift_left %b12, %s : tensor<64xui32>
  %b14 = stablehlo.shift_right_logical %b13, %s : tensor<64xui32>
  %b15 = stablehlo.xor %b14, %k : tensor<64xui32>
  %b16 = stablehlo.add %b15, %k : tensor<64xui32>
  %b17 = stablehlo.shift_left %b16, %s : tensor<64xui32>
  %b18 = stablehlo.shift_right_logical %b17, %s : tensor<64xui32>
  %b19 = stablehlo.xor %b18, %k : tensor<64xui32>
  %b20 = stablehlo.add %b19, %k : tensor<64xui32>
  %b21 = stablehlo.shift_left %b20, %s : tensor<64xui32>
  %b22 = stablehlo.shift_right_logical %b21, %s : tensor<64xui32>
  %b23 = stablehlo.xor %b22, %k : tensor<64xui32>
  %b24 = stablehlo.add %b23, %k : tensor<64xui32>
  %b25 = stablehlo.shift_left %b24, %s : tensor<64xui32>
  %b26 = stablehlo.shift_right_logical %b25, %s : tensor<64xui32>
  %b27 = stablehlo.xor %b26, %k : tensor<64xui32>
  %b28 = stablehlo.add %b27, %k : tensor<64xui32>
  %b29 = stablehlo.shift_left %b28, %s : tensor<64xui32>
  %b30 = stablehlo.shift_right_logical %b29, %s : tensor<64xui32>
  %b31 = stablehlo.xor %b30, %k : tensor<64xui32>
  %b32 = stablehlo.add %b31, %k : tensor<64xui32>
  %b33 = stablehlo.shift_left %b32, %s : tensor<64xui32>
  %b34 = stablehlo.shift_right_logical %b33, %s : tensor<64xui32>
  %b35 = stablehlo.xor %b34, %k : tensor<64xui32>
  %2 = stablehlo.bitcast_convert %b35 : (tensor<64xui32>) -> tensor<64xf32>
  %3 = stablehlo.add %2, %2 : tensor<64xf32>
  return %1, %3 : tensor<64xf32>, tensor<64xf32>
}

// A few columns that are stacked are one kernel, which computes each by itself.
// CHECK-LABEL: func.func @stack
// CHECK: tenon.fusion loop
// CHECK: stablehlo.concatenate
// CHECK-NEXT: tenon.yield
// CHECK-NOT: stablehlo.
// CHECK: return
func.func @stack(%x: tensor<1000x1xf32>) -> tensor<1000x6xf32> {
  %v0 = stablehlo.add %x, %x : tensor<1000x1xf32>
  %v1 = stablehlo.multiply %x, %x : tensor<1000x1xf32>
  %v2 = stablehlo.subtract %x, %x : tensor<1000x1xf32>
  %v3 = stablehlo.negate %x : tensor<1000x1xf32>
  %v4 = stablehlo.abs %x : tensor<1000x1xf32>
  %v5 = stablehlo.sine %x : tensor<1000x1xf32>
  %r = stablehlo.concatenate %v0, %v1, %v2, %v3, %v4, %v5, dim = 1 : (tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>) -> tensor<1000x6xf32>
  return %r : tensor<1000x6xf32>
}

// Of a few rows, or in wider pieces, they are not.
// CHECK-LABEL: func.func @stack_of_few_rows
// CHECK: tenon.yield
// CHECK: stablehlo.concatenate
// CHECK: return
func.func @stack_of_few_rows(%x: tensor<100x1xf32>) -> tensor<100x6xf32> {
  %v0 = stablehlo.add %x, %x : tensor<100x1xf32>
  %v1 = stablehlo.multiply %x, %x : tensor<100x1xf32>
  %v2 = stablehlo.subtract %x, %x : tensor<100x1xf32>
  %v3 = stablehlo.negate %x : tensor<100x1xf32>
  %v4 = stablehlo.abs %x : tensor<100x1xf32>
  %v5 = stablehlo.sine %x : tensor<100x1xf32>
  %r = stablehlo.concatenate %v0, %v1, %v2, %v3, %v4, %v5, dim = 1 : (tensor<100x1xf32>, tensor<100x1xf32>, tensor<100x1xf32>, tensor<100x1xf32>, tensor<100x1xf32>, tensor<100x1xf32>) -> tensor<100x6xf32>
  return %r : tensor<100x6xf32>
}

// CHECK-LABEL: func.func @stack_of_pieces
// CHECK: tenon.yield
// CHECK: stablehlo.concatenate
// CHECK: return
func.func @stack_of_pieces(%x: tensor<1000x2xf32>) -> tensor<1000x12xf32> {
  %v0 = stablehlo.add %x, %x : tensor<1000x2xf32>
  %v1 = stablehlo.multiply %x, %x : tensor<1000x2xf32>
  %v2 = stablehlo.subtract %x, %x : tensor<1000x2xf32>
  %v3 = stablehlo.negate %x : tensor<1000x2xf32>
  %v4 = stablehlo.abs %x : tensor<1000x2xf32>
  %v5 = stablehlo.sine %x : tensor<1000x2xf32>
  %r = stablehlo.concatenate %v0, %v1, %v2, %v3, %v4, %v5, dim = 1 : (tensor<1000x2xf32>, tensor<1000x2xf32>, tensor<1000x2xf32>, tensor<1000x2xf32>, tensor<1000x2xf32>, tensor<1000x2xf32>) -> tensor<1000x12xf32>
  return %r : tensor<1000x12xf32>
}

// CHECK-LABEL: func.func @wide_stack
// CHECK: tenon.yield
// CHECK: stablehlo.concatenate
// CHECK: return
func.func @wide_stack(%x: tensor<1000x1xf32>) -> tensor<1000x13xf32> {
  %v0 = stablehlo.add %x, %x : tensor<1000x1xf32>
  %v1 = stablehlo.multiply %x, %x : tensor<1000x1xf32>
  %v2 = stablehlo.subtract %x, %x : tensor<1000x1xf32>
  %v3 = stablehlo.negate %x : tensor<1000x1xf32>
  %v4 = stablehlo.abs %x : tensor<1000x1xf32>
  %v5 = stablehlo.sine %x : tensor<1000x1xf32>
  %v6 = stablehlo.add %x, %x : tensor<1000x1xf32>
  %v7 = stablehlo.multiply %x, %x : tensor<1000x1xf32>
  %v8 = stablehlo.subtract %x, %x : tensor<1000x1xf32>
  %v9 = stablehlo.negate %x : tensor<1000x1xf32>
  %v10 = stablehlo.abs %x : tensor<1000x1xf32>
  %v11 = stablehlo.sine %x : tensor<1000x1xf32>
  %v12 = stablehlo.negate %x : tensor<1000x1xf32>
  %r = stablehlo.concatenate %v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7, %v8, %v9, %v10, %v11, %v12, dim = 1 : (tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>) -> tensor<1000x13xf32>
  return %r : tensor<1000x13xf32>
}

// Exponentials, and a sine and a cosine of one value, are computed before.
// CHECK-LABEL: func.func @stack_of_long_functions
// CHECK: stablehlo.sine
// CHECK: tenon.yield
// CHECK: stablehlo.concatenate
// CHECK: return
func.func @stack_of_long_functions(%x: tensor<1000x1xf32>) -> tensor<1000x6xf32> {
  %v0 = stablehlo.add %x, %x : tensor<1000x1xf32>
  %v1 = stablehlo.multiply %x, %x : tensor<1000x1xf32>
  %v2 = stablehlo.sine %x : tensor<1000x1xf32>
  %v3 = stablehlo.cosine %x : tensor<1000x1xf32>
  %v4 = stablehlo.exponential %x : tensor<1000x1xf32>
  %v5 = stablehlo.abs %x : tensor<1000x1xf32>
  %r = stablehlo.concatenate %v0, %v1, %v2, %v3, %v4, %v5, dim = 1 : (tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>, tensor<1000x1xf32>) -> tensor<1000x6xf32>
  return %r : tensor<1000x6xf32>
}
