// RUN: %opt %s --tenon-simplify | %check %s

// CHECK-LABEL: func.func @broadcasts
// CHECK-NEXT: %[[R:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %[[R]]
func.func @broadcasts(%x: tensor<4xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @exact_algebra
// CHECK-NEXT: return %arg0, %arg0, %arg0
func.func @exact_algebra(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %one : tensor<4xf32>
  %1 = stablehlo.subtract %x, %zero : tensor<4xf32>
  %2 = stablehlo.maximum %low, %x : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// x + 0 is not x for -0, x * 0 not 0 for infinities, and 1/3 has no exact reciprocal.
// CHECK-LABEL: func.func @not_exact
// CHECK: stablehlo.add
// CHECK: stablehlo.multiply
// CHECK: stablehlo.divide
func.func @not_exact(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %three = stablehlo.constant dense<3.0> : tensor<4xf32>
  %0 = stablehlo.add %x, %zero : tensor<4xf32>
  %1 = stablehlo.multiply %x, %zero : tensor<4xf32>
  %2 = stablehlo.divide %x, %three : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @power_of_two
// CHECK: stablehlo.constant dense<1.250000e-01>
// CHECK: stablehlo.multiply
// CHECK-NOT: stablehlo.divide
func.func @power_of_two(%x: tensor<4xf32>) -> tensor<4xf32> {
  %eight = stablehlo.constant dense<8.0> : tensor<4xf32>
  %0 = stablehlo.divide %x, %eight : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The gradient of a dense layer.
// CHECK-LABEL: func.func @transposed_dot
// CHECK-NEXT: %[[R:.*]] = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [0]
// CHECK-NEXT: return %[[R]]
func.func @transposed_dot(%x: tensor<8x3xf32>, %y: tensor<8x5xf32>) -> tensor<5x3xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<8x3xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}

// The last dimension is the first operand's: they are exchanged, and what is left of the transpose keeps rows whole.
// CHECK-LABEL: func.func @partly_transposed_dot
// CHECK-NEXT: %[[R:.*]] = stablehlo.dot_general %arg1, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, DEFAULT]
// CHECK-NEXT: %[[T:.*]] = stablehlo.transpose %[[R]], dims = [1, 0, 2]
// CHECK-NEXT: return %[[T]]
func.func @partly_transposed_dot(%x: tensor<2x8x3xf32>, %y: tensor<2x8x5xf32>) -> tensor<5x2x3xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x8x3xf32>, tensor<2x8x5xf32>) -> tensor<2x3x5xf32>
  %1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<2x3x5xf32>) -> tensor<5x2x3xf32>
  return %1 : tensor<5x2x3xf32>
}

// CHECK-LABEL: func.func @row_of
// CHECK-NOT: stablehlo.gather
// CHECK: stablehlo.dynamic_slice
func.func @row_of(%x: tensor<8x3xf32>, %i: tensor<1xi32>) -> tensor<3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1, 3>}> : (tensor<8x3xf32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A window that may lie outside is dropped by scatter but moved by dynamic_update_slice.
// CHECK-LABEL: func.func @scatter_window
// CHECK: stablehlo.dynamic_update_slice
// CHECK: stablehlo.scatter
func.func @scatter_window(%x: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<1xi32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<3> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%x, %c, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8xf32>, tensor<1xi32>, tensor<2xf32>) -> tensor<8xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8xf32>, tensor<1xi32>, tensor<2xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// One update of each row of equal elements: which element it is, is compared. Of several it is not known which comes last.
// CHECK-LABEL: func.func @scatter_into_rows
// CHECK-NOT: stablehlo.scatter
// CHECK: stablehlo.select
// CHECK: stablehlo.scatter
// CHECK: return
func.func @scatter_into_rows(%i: tensor<4xi32>, %u: tensor<4xf32>, %j: tensor<4x2xi32>, %v: tensor<4x2xf32>)
    -> (tensor<4x9xf32>, tensor<4x9xf32>) {
  %x = stablehlo.constant dense<0.0> : tensor<4x9xf32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4x9xf32>
  %1 = "stablehlo.scatter"(%x, %j, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<4x9xf32>, tensor<4x2xi32>, tensor<4x2xf32>) -> tensor<4x9xf32>
  return %0, %1 : tensor<4x9xf32>, tensor<4x9xf32>
}

// CHECK-LABEL: func.func @folded
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<[4, 6]> : tensor<2xi32>
// CHECK-NEXT: return %[[C]]
func.func @folded() -> tensor<2xi32> {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = stablehlo.add %a, %b : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// Large results stay ops.
// CHECK-LABEL: func.func @not_folded
// CHECK: stablehlo.iota
func.func @not_folded() -> tensor<100000xi32> {
  %0 = stablehlo.iota dim = 0 : tensor<100000xi32>
  return %0 : tensor<100000xi32>
}

// Arrays without elements are constants, and what only made such arrays is gone.
// CHECK-LABEL: func.func @no_elements
// CHECK-NOT: custom_call
// CHECK: %[[C:.*]] = stablehlo.constant dense<> : tensor<2x0xcomplex<f32>>
// CHECK-NEXT: return %[[C]]
func.func @no_elements(%a: tensor<2x0x0xf32>) -> tensor<2x0xcomplex<f32>> {
  %0:2 = stablehlo.custom_call @eigenvalues(%a) : (tensor<2x0x0xf32>) -> (tensor<2x0xf32>, tensor<2x0xf32>)
  %1 = stablehlo.complex %0#0, %0#1 : tensor<2x0xcomplex<f32>>
  return %1 : tensor<2x0xcomplex<f32>>
}

// Effects stay.
// CHECK-LABEL: func.func @no_elements_with_effect
// CHECK: custom_call
func.func @no_elements_with_effect(%a: tensor<0xf32>) -> tensor<0xf32> {
  %0 = stablehlo.custom_call @report(%a) {has_side_effect = true} : (tensor<0xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// What is stacked only to be reduced is read where it is, in pairs.
// CHECK-LABEL: func.func @stacked_reduce
// CHECK-NOT: stablehlo.concatenate
// CHECK: %[[A:.*]] = stablehlo.reshape %arg0 : (tensor<1x2000xf32>) -> tensor<2000xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.reshape %arg1
// CHECK-NEXT: %[[AB:.*]] = stablehlo.add %[[A]], %[[B]] : tensor<2000xf32>
// CHECK-NEXT: %[[C:.*]] = stablehlo.reshape %arg2
// CHECK-NEXT: %[[R:.*]] = stablehlo.add %[[AB]], %[[C]] : tensor<2000xf32>
// CHECK-NEXT: return %[[R]]
func.func @stacked_reduce(%a: tensor<1x2000xf32>, %b: tensor<1x2000xf32>, %c: tensor<1x2000xf32>) -> tensor<2000xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.concatenate %a, %b, %c, dim = 0
      : (tensor<1x2000xf32>, tensor<1x2000xf32>, tensor<1x2000xf32>) -> tensor<3x2000xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3x2000xf32>, tensor<f32>) -> tensor<2000xf32>
  return %1 : tensor<2000xf32>
}

// Sums of narrow floats round once, as the reduction does.
// CHECK-LABEL: func.func @stacked_reduce_narrow
// CHECK-NOT: stablehlo.concatenate
// CHECK: %[[S:.*]] = stablehlo.add %{{.*}}, %{{.*}} : tensor<2000xf32>
// CHECK-NEXT: %[[R:.*]] = stablehlo.convert %[[S]] : (tensor<2000xf32>) -> tensor<2000xbf16>
// CHECK-NEXT: return %[[R]]
func.func @stacked_reduce_narrow(%a: tensor<1x2000xbf16>, %b: tensor<1x2000xbf16>) -> tensor<2000xbf16> {
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1x2000xbf16>, tensor<1x2000xbf16>) -> tensor<2x2000xbf16>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2x2000xbf16>, tensor<bf16>) -> tensor<2000xbf16>
  return %1 : tensor<2000xbf16>
}

// Not with an initial value that counts, not small ones, not along another dimension, not what others use too.
// CHECK-LABEL: func.func @stacked_reduce_not
// CHECK-COUNT-4: stablehlo.concatenate
// CHECK-COUNT-4: stablehlo.reduce
func.func @stacked_reduce_not(%a: tensor<1x2000xf32>, %s: tensor<1x20xf32>)
    -> (tensor<2000xf32>, tensor<20xf32>, tensor<2xf32>, tensor<2000xf32>, tensor<2x2000xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %o = stablehlo.constant dense<1.0> : tensor<f32>
  %n = stablehlo.negate %a : tensor<1x2000xf32>
  %0 = stablehlo.concatenate %a, %n, dim = 0 : (tensor<1x2000xf32>, tensor<1x2000xf32>) -> tensor<2x2000xf32>
  %1 = stablehlo.concatenate %s, %s, dim = 0 : (tensor<1x20xf32>, tensor<1x20xf32>) -> tensor<2x20xf32>
  %2 = stablehlo.concatenate %n, %a, dim = 0 : (tensor<1x2000xf32>, tensor<1x2000xf32>) -> tensor<2x2000xf32>
  %3 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<1x2000xf32>, tensor<1x2000xf32>) -> tensor<2x2000xf32>
  %4 = stablehlo.reduce(%0 init: %o) applies stablehlo.add across dimensions = [0] : (tensor<2x2000xf32>, tensor<f32>) -> tensor<2000xf32>
  %5 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2x20xf32>, tensor<f32>) -> tensor<20xf32>
  %6 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x2000xf32>, tensor<f32>) -> tensor<2xf32>
  %7 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2x2000xf32>, tensor<f32>) -> tensor<2000xf32>
  return %4, %5, %6, %7, %3 : tensor<2000xf32>, tensor<20xf32>, tensor<2xf32>, tensor<2000xf32>, tensor<2x2000xf32>
}

// Zeros around a convolution's operand are its padding. -0.0 is not, nor is what lies between elements, nor padding of
// features.
// CHECK-LABEL: func.func @padded_convolution
// CHECK-NEXT: stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = {{\[\[}}5, 4]], lhs_dilate = [2]}
// CHECK-NEXT: return
func.func @padded_convolution(%x: tensor<1x4x2xf32>, %w: tensor<3x2x3xf32>) -> tensor<1x14x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [0, 2, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<1x4x2xf32>, tensor<f32>) -> tensor<1x7x2xf32>
  %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 2]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x7x2xf32>, tensor<3x2x3xf32>) -> tensor<1x14x3xf32>
  return %1 : tensor<1x14x3xf32>
}

// CHECK-LABEL: func.func @other_padding
// CHECK-COUNT-3: stablehlo.pad
func.func @other_padding(%x: tensor<1x4x2xf32>, %w: tensor<3x2x3xf32>, %v: tensor<3x3x3xf32>) -> (tensor<1x5x3xf32>, tensor<1x5x3xf32>, tensor<1x2x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %negative = stablehlo.constant dense<-0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %negative, low = [0, 2, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<1x4x2xf32>, tensor<f32>) -> tensor<1x7x2xf32>
  %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x7x2xf32>, tensor<3x2x3xf32>) -> tensor<1x5x3xf32>
  %2 = stablehlo.pad %x, %zero, low = [0, 0, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<1x4x2xf32>, tensor<f32>) -> tensor<1x7x2xf32>
  %3 = stablehlo.convolution(%2, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x7x2xf32>, tensor<3x2x3xf32>) -> tensor<1x5x3xf32>
  %4 = stablehlo.pad %x, %zero, low = [0, 0, 0], high = [0, 0, 1], interior = [0, 0, 0] : (tensor<1x4x2xf32>, tensor<f32>) -> tensor<1x4x3xf32>
  %5 = stablehlo.convolution(%4, %v) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x3xf32>, tensor<3x3x3xf32>) -> tensor<1x2x3xf32>
  return %1, %3, %5 : tensor<1x5x3xf32>, tensor<1x5x3xf32>, tensor<1x2x3xf32>
}

// What a triangle of a mask of ones comes to.
// CHECK-LABEL: func.func @masks
// CHECK-NEXT: return %arg0, %arg0, %arg0 :
func.func @masks(%m: tensor<4x4xi1>) -> (tensor<4x4xi1>, tensor<4x4xi1>, tensor<4x4xi1>) {
  %true = stablehlo.constant dense<true> : tensor<4x4xi1>
  %false = stablehlo.constant dense<false> : tensor<4x4xi1>
  %0 = stablehlo.select %m, %true, %false : tensor<4x4xi1>, tensor<4x4xi1>
  %1 = stablehlo.and %true, %m : tensor<4x4xi1>
  %2 = stablehlo.or %m, %false : tensor<4x4xi1>
  return %0, %1, %2 : tensor<4x4xi1>, tensor<4x4xi1>, tensor<4x4xi1>
}

// CHECK-LABEL: func.func @other_masks
// CHECK: stablehlo.select
// CHECK-NEXT: stablehlo.and
// CHECK-NEXT: stablehlo.or
func.func @other_masks(%m: tensor<4x4xi1>, %x: tensor<4x4xi32>) -> (tensor<4x4xi1>, tensor<4x4xi32>, tensor<4x4xi1>) {
  %true = stablehlo.constant dense<true> : tensor<4x4xi1>
  %false = stablehlo.constant dense<false> : tensor<4x4xi1>
  %one = stablehlo.constant dense<1> : tensor<4x4xi32>
  %0 = stablehlo.select %m, %false, %true : tensor<4x4xi1>, tensor<4x4xi1>
  %1 = stablehlo.and %x, %one : tensor<4x4xi32>
  %2 = stablehlo.or %m, %true : tensor<4x4xi1>
  return %0, %1, %2 : tensor<4x4xi1>, tensor<4x4xi32>, tensor<4x4xi1>
}

// Sums that wrap are made in as many bits as are used of them; what is widened in another way, or read in all bits, is not.
// CHECK-LABEL: func.func @truncated_reduce
// CHECK: [[S:%.+]] = stablehlo.reduce(%arg0 init: {{%.+}}) applies stablehlo.add across dimensions = [1] : (tensor<64x8xui8>, tensor<ui8>) -> tensor<64xui8>
// CHECK: [[P:%.+]] = stablehlo.reduce(%arg0 init: {{%.+}}) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<64x8xui8>, tensor<ui8>) -> tensor<ui8>
// CHECK: stablehlo.reduce({{.*}}) applies stablehlo.maximum across dimensions = [1] : (tensor<64x8xui32>, tensor<ui32>) -> tensor<64xui32>
// CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<64x8xui32>, tensor<ui32>) -> tensor<64xui32>
// CHECK: return [[S]], [[P]]
func.func @truncated_reduce(%x: tensor<64x8xui8>) -> (tensor<64xui8>, tensor<ui8>, tensor<64xui8>, tensor<64xui16>) {
  %z = stablehlo.constant dense<256> : tensor<ui32>
  %o = stablehlo.constant dense<1> : tensor<ui32>
  %w = stablehlo.convert %x : (tensor<64x8xui8>) -> tensor<64x8xui32>
  %0 = stablehlo.reduce(%w init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x8xui32>, tensor<ui32>) -> tensor<64xui32>
  %1 = stablehlo.convert %0 : (tensor<64xui32>) -> tensor<64xui8>
  %2 = stablehlo.reduce(%w init: %o) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<64x8xui32>, tensor<ui32>) -> tensor<ui32>
  %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<ui8>
  %4 = stablehlo.reduce(%w init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<64x8xui32>, tensor<ui32>) -> tensor<64xui32>
  %5 = stablehlo.convert %4 : (tensor<64xui32>) -> tensor<64xui8>
  %6 = stablehlo.reduce(%w init: %o) applies stablehlo.add across dimensions = [1] : (tensor<64x8xui32>, tensor<ui32>) -> tensor<64xui32>
  %7 = stablehlo.convert %6 : (tensor<64xui32>) -> tensor<64xui16>
  return %1, %3, %5, %7 : tensor<64xui8>, tensor<ui8>, tensor<64xui8>, tensor<64xui16>
}

// Pooling of whole images is a reduction; padding takes no part in it, and several arrays may be reduced together.
// CHECK-LABEL: func.func @whole_windows
// CHECK-NOT: reduce_window
// CHECK: [[S:%.+]] = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2, 3] : (tensor<4x32x7x7xf32>, tensor<f32>) -> tensor<4x32xf32>
// CHECK: [[R:%.+]] = stablehlo.reshape [[S]] : (tensor<4x32xf32>) -> tensor<4x32x1x1xf32>
// CHECK: [[M:%.+]] = stablehlo.reduce(%arg0 init: {{%.+}}) applies stablehlo.maximum across dimensions = [3] : (tensor<4x32x7x7xf32>, tensor<f32>) -> tensor<4x32x7xf32>
// CHECK: [[P:%.+]]:2 = stablehlo.reduce(%arg0 init: %cst), (%arg1 init: %c) across dimensions = [2, 3]
// CHECK: return [[R]]
func.func @whole_windows(%x: tensor<4x32x7x7xf32>, %i: tensor<4x32x7x7xi32>)
    -> (tensor<4x32x1x1xf32>, tensor<4x32x7x1xf32>, tensor<4x32x1x1xf32>, tensor<4x32x1x1xi32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zi = stablehlo.constant dense<0> : tensor<i32>
  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 1, 7, 7>, window_strides = array<i64: 1, 1, 3, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x32x7x7xf32>, tensor<f32>) -> tensor<4x32x1x1xf32>
  %1 = "stablehlo.reduce_window"(%x, %m) <{window_dimensions = array<i64: 1, 1, 1, 9>, padding = dense<[[0, 0], [0, 0], [0, 0], [1, 1]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x32x7x7xf32>, tensor<f32>) -> tensor<4x32x7x1xf32>
  %2:2 = "stablehlo.reduce_window"(%x, %i, %z, %zi) <{window_dimensions = array<i64: 1, 1, 7, 7>}> ({
  ^bb0(%a: tensor<f32>, %ai: tensor<i32>, %b: tensor<f32>, %bi: tensor<i32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %d = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>
    stablehlo.return %c, %d : tensor<f32>, tensor<i32>
  }) : (tensor<4x32x7x7xf32>, tensor<4x32x7x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x32x1x1xf32>, tensor<4x32x1x1xi32>)
  return %0, %1, %2#0, %2#1 : tensor<4x32x1x1xf32>, tensor<4x32x7x1xf32>, tensor<4x32x1x1xf32>, tensor<4x32x1x1xi32>
}

// Where other dimensions are innermost, too.
// CHECK-LABEL: func.func @whole_windows_of_features
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.add across dimensions = [1]
// CHECK: stablehlo.reshape %[[SUM]]
// CHECK-NOT: reduce_window
func.func @whole_windows_of_features(%y: tensor<4x7x32xf32>) -> tensor<4x1x32xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%y, %z) <{window_dimensions = array<i64: 1, 7, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x7x32xf32>, tensor<f32>) -> tensor<4x1x32xf32>
  return %0 : tensor<4x1x32xf32>
}

// Not where there are several windows in a dimension, where one leaves elements out, or is for every other element.
// CHECK-LABEL: func.func @whole_windows_not
// CHECK-COUNT-5: stablehlo.reduce_window
func.func @whole_windows_not(%x: tensor<4x32x7xf32>)
    -> (tensor<4x32x2xf32>, tensor<4x32x1xf32>, tensor<2x32x1xf32>, tensor<4x32x1xf32>, tensor<4x32x1xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 1, 7>, padding = dense<[[0, 0], [0, 0], [0, 1]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x32x7xf32>, tensor<f32>) -> tensor<4x32x2xf32>
  %1 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 1, 6>, window_strides = array<i64: 1, 1, 6>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x32x7xf32>, tensor<f32>) -> tensor<4x32x1xf32>
  %2 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 1, 7>, window_strides = array<i64: 2, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x32x7xf32>, tensor<f32>) -> tensor<2x32x1xf32>
  %3 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 1, 4>, window_dilations = array<i64: 1, 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x32x7xf32>, tensor<f32>) -> tensor<4x32x1xf32>
  %4 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 1, 7>, padding = dense<[[0, 0], [0, 0], [-1, 1]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x32x7xf32>, tensor<f32>) -> tensor<4x32x1xf32>
  return %0, %1, %2, %3, %4 : tensor<4x32x2xf32>, tensor<4x32x1xf32>, tensor<2x32x1xf32>, tensor<4x32x1xf32>, tensor<4x32x1xf32>
}

// One of consecutive numbers is its index, and that of a loop's counter is neither negative nor past the end.
// CHECK-LABEL: func.func @numbers_of_steps
// CHECK: stablehlo.while(%[[I:.*]] = %{{.*}}, %{{.*}} = %arg0)
// CHECK: do
// CHECK-NOT: stablehlo.dynamic_slice
// CHECK-NOT: stablehlo.clamp
// CHECK-NOT: stablehlo.select
// CHECK: stablehlo.multiply %[[I]], %[[I]]
func.func @numbers_of_steps(%x: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<9> : tensor<i32>
  %numbers = stablehlo.iota dim = 0 : tensor<9xi32>
  %0:2 = stablehlo.while(%i = %zero, %sum = %x) : tensor<i32>, tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.add %i, %end : tensor<i32>
    %3 = stablehlo.select %1, %2, %i : tensor<i1>, tensor<i32>
    %4 = stablehlo.dynamic_slice %numbers, %i, sizes = [1] : (tensor<9xi32>, tensor<i32>) -> tensor<1xi32>
    %5 = stablehlo.reshape %4 : (tensor<1xi32>) -> tensor<i32>
    %both = stablehlo.multiply %5, %3 : tensor<i32>
    %6 = stablehlo.add %sum, %both : tensor<i32>
    %7 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %7, %6 : tensor<i32>, tensor<i32>
  }
  return %0#1 : tensor<i32>
}

// The counter plus one may be past the end, other numbers may be anything, and bytes do not have every index.
// CHECK-LABEL: func.func @other_numbers
// CHECK: stablehlo.clamp
// CHECK: stablehlo.compare LT, %{{.*}}, %arg0
// CHECK: stablehlo.dynamic_slice
// CHECK: stablehlo.dynamic_slice
func.func @other_numbers(%x: tensor<i32>) -> (tensor<i32>, tensor<1xi8>, tensor<2xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<9> : tensor<i32>
  %numbers = stablehlo.iota dim = 0 : tensor<9xi32>
  %bytes = stablehlo.iota dim = 0 : tensor<9xi8>
  %0:2 = stablehlo.while(%i = %zero, %sum = %x) : tensor<i32>, tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.add %i, %one : tensor<i32>
    %3 = stablehlo.dynamic_slice %numbers, %2, sizes = [1] : (tensor<9xi32>, tensor<i32>) -> tensor<1xi32>
    %4 = stablehlo.reshape %3 : (tensor<1xi32>) -> tensor<i32>
    %5 = stablehlo.compare LT, %i, %x : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.select %5, %4, %i : tensor<i1>, tensor<i32>
    %7 = stablehlo.add %sum, %6 : tensor<i32>
    stablehlo.return %2, %7 : tensor<i32>, tensor<i32>
  }
  %8 = stablehlo.dynamic_slice %bytes, %x, sizes = [1] : (tensor<9xi8>, tensor<i32>) -> tensor<1xi8>
  %9 = stablehlo.dynamic_slice %numbers, %x, sizes = [2] : (tensor<9xi32>, tensor<i32>) -> tensor<2xi32>
  return %0#1, %8, %9 : tensor<i32>, tensor<1xi8>, tensor<2xi32>
}

// CHECK-LABEL: func.func @arc_tangents
// CHECK-NEXT: %[[ATAN:.*]] = chlo.atan %arg0
// CHECK-NEXT: return %[[ATAN]]
func.func @arc_tangents(%x: tensor<8xf32>) -> tensor<8xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %0 = stablehlo.atan2 %x, %ones : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Neither of another number, nor of one over x, nor of complex numbers.
// CHECK-LABEL: func.func @other_angles
// CHECK-COUNT-3: stablehlo.atan2
// CHECK-NOT: chlo.atan
func.func @other_angles(%x: tensor<8xf32>, %z: tensor<8xcomplex<f32>>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xcomplex<f32>>) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %two = stablehlo.constant dense<2.0> : tensor<8xf32>
  %complex = stablehlo.constant dense<(1.0, 0.0)> : tensor<8xcomplex<f32>>
  %0 = stablehlo.atan2 %x, %two : tensor<8xf32>
  %1 = stablehlo.atan2 %one, %x : tensor<8xf32>
  %2 = stablehlo.atan2 %z, %complex : tensor<8xcomplex<f32>>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xcomplex<f32>>
}

// What no number of the type can be.
// CHECK-LABEL: func.func @compare_with_limits
// CHECK-DAG: %[[TRUE:.*]] = stablehlo.constant dense<true>
// CHECK-DAG: %[[FALSE:.*]] = stablehlo.constant dense<false>
// CHECK: %[[BELOW:.*]] = stablehlo.compare LE, %arg0
// CHECK: %[[SIGN:.*]] = stablehlo.compare GE, %arg1
// CHECK: %[[WIDE:.*]] = stablehlo.compare GE, %arg2
// CHECK: %[[WRAPPED:.*]] = stablehlo.compare GE, %{{.*}}, SIGNED
// CHECK: return %[[TRUE]], %[[TRUE]], %[[FALSE]], %[[BELOW]], %[[SIGN]], %[[WIDE]], %[[TRUE]], %[[WRAPPED]]
func.func @compare_with_limits(%x: tensor<8xui8>, %y: tensor<8xi8>, %z: tensor<8xf32>)
    -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
  %c0 = stablehlo.constant dense<0> : tensor<8xui8>
  %c254 = stablehlo.constant dense<254> : tensor<8xui8>
  %c255 = stablehlo.constant dense<255> : tensor<8xui8>
  %s0 = stablehlo.constant dense<0> : tensor<8xi8>
  %s127 = stablehlo.constant dense<127> : tensor<8xi8>
  %f = stablehlo.constant dense<0xFF800000> : tensor<8xf32>
  %0 = stablehlo.compare GE, %x, %c0, UNSIGNED : (tensor<8xui8>, tensor<8xui8>) -> tensor<8xi1>
  %1 = stablehlo.compare LE, %x, %c255, UNSIGNED : (tensor<8xui8>, tensor<8xui8>) -> tensor<8xi1>
  %2 = stablehlo.compare GT, %y, %s127, SIGNED : (tensor<8xi8>, tensor<8xi8>) -> tensor<8xi1>
  %3 = stablehlo.compare LE, %x, %c254, UNSIGNED : (tensor<8xui8>, tensor<8xui8>) -> tensor<8xi1>
  %4 = stablehlo.compare GE, %y, %s0, SIGNED : (tensor<8xi8>, tensor<8xi8>) -> tensor<8xi1>
  %5 = stablehlo.compare GE, %z, %f, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %i255 = stablehlo.constant dense<255> : tensor<8xi32>
  %wide = stablehlo.convert %x : (tensor<8xui8>) -> tensor<8xi32>
  %6 = stablehlo.compare LE, %wide, %i255, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %wrapped = stablehlo.convert %x : (tensor<8xui8>) -> tensor<8xi8>
  %7 = stablehlo.compare GE, %wrapped, %s0, SIGNED : (tensor<8xi8>, tensor<8xi8>) -> tensor<8xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
}

// Floored quotients by a positive constant, as JAX writes them: the remainder says whether to subtract one. Those by 2^k
// are shifts, and their remainders the last bits.
// CHECK-LABEL: func.func @floors
// CHECK: stablehlo.shift_right_arithmetic %arg0
// CHECK-NEXT: stablehlo.and %arg0
// CHECK-NEXT: stablehlo.divide
// CHECK-NEXT: stablehlo.remainder
// CHECK-NEXT: stablehlo.compare LT
// CHECK-NEXT: stablehlo.subtract
// CHECK-NEXT: stablehlo.select
// CHECK-NEXT: return
func.func @floors(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) {
  %c0 = stablehlo.constant dense<0> : tensor<8xi32>
  %c1 = stablehlo.constant dense<1> : tensor<8xi32>
  %c16 = stablehlo.constant dense<16> : tensor<8xi32>
  %c10 = stablehlo.constant dense<10> : tensor<8xi32>
  %sign = stablehlo.sign %x : tensor<8xi32>
  %signs = stablehlo.compare NE, %sign, %c1, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %q16 = stablehlo.divide %x, %c16 : tensor<8xi32>
  %r16 = stablehlo.remainder %x, %c16 : tensor<8xi32>
  %has16 = stablehlo.compare NE, %r16, %c0, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %0 = stablehlo.and %signs, %has16 : tensor<8xi1>
  %1 = stablehlo.subtract %q16, %c1 : tensor<8xi32>
  %2 = stablehlo.select %0, %1, %q16 : tensor<8xi1>, tensor<8xi32>
  %3 = stablehlo.compare LT, %r16, %c0, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %4 = stablehlo.and %3, %has16 : tensor<8xi1>
  %5 = stablehlo.add %r16, %c16 : tensor<8xi32>
  %6 = stablehlo.select %4, %5, %r16 : tensor<8xi1>, tensor<8xi32>
  %q10 = stablehlo.divide %x, %c10 : tensor<8xi32>
  %r10 = stablehlo.remainder %x, %c10 : tensor<8xi32>
  %has10 = stablehlo.compare NE, %r10, %c0, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %7 = stablehlo.and %signs, %has10 : tensor<8xi1>
  %8 = stablehlo.subtract %q10, %c1 : tensor<8xi32>
  %9 = stablehlo.select %7, %8, %q10 : tensor<8xi1>, tensor<8xi32>
  return %2, %6, %9 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
}

// Not of a negative divisor, nor where another number's sign is compared.
// CHECK-LABEL: func.func @no_floors
// CHECK-COUNT-2: stablehlo.and
// CHECK: return
func.func @no_floors(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %c0 = stablehlo.constant dense<0> : tensor<8xi32>
  %c1 = stablehlo.constant dense<1> : tensor<8xi32>
  %cm3 = stablehlo.constant dense<-3> : tensor<8xi32>
  %c3 = stablehlo.constant dense<3> : tensor<8xi32>
  %sign = stablehlo.sign %x : tensor<8xi32>
  %signs = stablehlo.compare NE, %sign, %c1, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %r0 = stablehlo.remainder %x, %cm3 : tensor<8xi32>
  %has0 = stablehlo.compare NE, %r0, %c0, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %0 = stablehlo.and %signs, %has0 : tensor<8xi1>
  %r1 = stablehlo.remainder %y, %c3 : tensor<8xi32>
  %has1 = stablehlo.compare NE, %r1, %c0, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %1 = stablehlo.and %signs, %has1 : tensor<8xi1>
  return %0, %1 : tensor<8xi1>, tensor<8xi1>
}
