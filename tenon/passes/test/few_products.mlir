// Products whose sums have a few terms.
// RUN: %opt %s --tenon-sum-few-products | %check %s

// CHECK-LABEL: func.func @points
// CHECK-SAME: %[[POINTS:.*]]: tensor<1000x3xf32>, %[[VECTOR:.*]]: tensor<3xf32>
// CHECK: %[[EACH:.*]] = stablehlo.broadcast_in_dim %[[VECTOR]], dims = [1]
// CHECK: %[[PRODUCTS:.*]] = stablehlo.multiply %[[POINTS]], %[[EACH]]
// CHECK: stablehlo.reduce(%[[PRODUCTS]] init: %{{.*}}) applies stablehlo.add across dimensions = [1]
// CHECK-NOT: stablehlo.dot_general
// CHECK: return
func.func @points(%points: tensor<1000x3xf32>, %vector: tensor<3xf32>) -> tensor<1000xf32> {
  %0 = stablehlo.dot_general %points, %vector, contracting_dims = [1] x [0] : (tensor<1000x3xf32>, tensor<3xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

// Batches, whose dimensions lie in another order, and sums in f32 of narrower floats.
// CHECK-LABEL: func.func @batches
// CHECK: %[[VECTORS:.*]] = stablehlo.convert %arg0 {{.*}} -> tensor<2x3x40xf32>
// CHECK: %[[ORDERED:.*]] = stablehlo.transpose %[[VECTORS]], dims = [1, 2, 0]
// CHECK: %[[EACH:.*]] = stablehlo.broadcast_in_dim %[[ORDERED]], dims = [0, 2, 3]
// CHECK: %[[POINTS:.*]] = stablehlo.convert %arg1 {{.*}} -> tensor<3x100x40x2xf32>
// CHECK: %[[PRODUCTS:.*]] = stablehlo.multiply %[[POINTS]], %[[EACH]]
// CHECK: %[[SUMS:.*]] = stablehlo.reduce(%[[PRODUCTS]] init: %{{.*}}) applies stablehlo.add across dimensions = [0, 3]
// CHECK: %[[RESULT:.*]] = stablehlo.transpose %[[SUMS]], dims = [1, 0]
// CHECK: stablehlo.convert %[[RESULT]] {{.*}} -> tensor<40x100xbf16>
func.func @batches(%vectors: tensor<2x3x40xbf16>, %points: tensor<3x100x40x2xbf16>) -> tensor<40x100xbf16> {
  %0 = stablehlo.dot_general %vectors, %points, batching_dims = [2] x [2], contracting_dims = [0, 1] x [3, 0] : (tensor<2x3x40xbf16>, tensor<3x100x40x2xbf16>) -> tensor<40x100xbf16>
  return %0 : tensor<40x100xbf16>
}

// CHECK-LABEL: func.func @integers
// CHECK: stablehlo.convert %arg0 {{.*}} -> tensor<900x4xi32>
// CHECK: stablehlo.reduce
func.func @integers(%a: tensor<900x4xi8>, %b: tensor<900x4xi8>) -> tensor<900xi32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<900x4xi8>, tensor<900x4xi8>) -> tensor<900xi32>
  return %0 : tensor<900xi32>
}

// Sums of one term, with a batch whose dimension is the last one of an operand.
// CHECK-LABEL: func.func @single
// CHECK-SAME: %[[ROW:.*]]: tensor<1x64xf32>, %[[OTHER:.*]]: tensor<1x96xf32>
// CHECK: %[[X:.*]] = stablehlo.reshape %[[ROW]] : (tensor<1x64xf32>) -> tensor<64xf32>
// CHECK: %[[XS:.*]] = stablehlo.broadcast_in_dim %[[X]], dims = [0] {{.*}} -> tensor<64x96xf32>
// CHECK: %[[Y:.*]] = stablehlo.reshape %[[OTHER]] : (tensor<1x96xf32>) -> tensor<96xf32>
// CHECK: %[[YS:.*]] = stablehlo.broadcast_in_dim %[[Y]], dims = [1] {{.*}} -> tensor<64x96xf32>
// CHECK: %[[PRODUCTS:.*]] = stablehlo.multiply %[[XS]], %[[YS]]
// CHECK: stablehlo.add %[[PRODUCTS]], %{{.*}}
// CHECK: %[[ORDERED:.*]] = stablehlo.transpose %{{.*}}, dims = [1, 0] {{.*}} -> tensor<9x40xf32>
// CHECK: stablehlo.broadcast_in_dim %[[ORDERED]], dims = [0, 1] {{.*}} -> tensor<9x40x30xf32>
// CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 2] {{.*}} -> tensor<9x40x30xf32>
// CHECK: stablehlo.convert %{{.*}} -> tensor<9x40x30xbf16>
// CHECK-NOT: stablehlo.dot_general
// CHECK: return
func.func @single(%row: tensor<1x64xf32>, %other: tensor<1x96xf32>, %batches: tensor<40x9xbf16>, %second: tensor<9x30xbf16>)
    -> (tensor<64x96xf32>, tensor<9x40x30xbf16>) {
  %0 = stablehlo.dot_general %row, %other, contracting_dims = [0] x [0] : (tensor<1x64xf32>, tensor<1x96xf32>) -> tensor<64x96xf32>
  %1 = stablehlo.dot_general %batches, %second, batching_dims = [1] x [0], contracting_dims = [] x [] : (tensor<40x9xbf16>, tensor<9x30xbf16>) -> tensor<9x40x30xbf16>
  return %0, %1 : tensor<64x96xf32>, tensor<9x40x30xbf16>
}

// Both operands have dimensions of their own, sums have many terms, an algorithm is asked for, complex numbers.
// CHECK-LABEL: func.func @others
// CHECK-NOT: stablehlo.reduce
// CHECK: return
func.func @others(%points: tensor<1000x3xf32>, %matrix: tensor<3x3xf32>, %eight: tensor<1000x8xf32>, %vector: tensor<8xf32>,
                  %one: tensor<50x1xf32>, %number: tensor<1xf32>, %complex: tensor<1000x3xcomplex<f32>>, %few: tensor<3xcomplex<f32>>)
    -> (tensor<1000x3xf32>, tensor<1000xf32>, tensor<50xf32>, tensor<1000xf32>, tensor<1000xcomplex<f32>>) {
  %0 = stablehlo.dot_general %points, %matrix, contracting_dims = [1] x [0] : (tensor<1000x3xf32>, tensor<3x3xf32>) -> tensor<1000x3xf32>
  %1 = stablehlo.dot_general %eight, %vector, contracting_dims = [1] x [0] : (tensor<1000x8xf32>, tensor<8xf32>) -> tensor<1000xf32>
  %2 = stablehlo.dot_general %one, %number, contracting_dims = [1] x [0] : (tensor<50x1xf32>, tensor<1xf32>) -> tensor<50xf32>
  %row = stablehlo.slice %matrix [0:1, 0:3] : (tensor<3x3xf32>) -> tensor<1x3xf32>
  %last = stablehlo.reshape %row : (tensor<1x3xf32>) -> tensor<3xf32>
  %3 = stablehlo.dot_general %points, %last, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<1000x3xf32>, tensor<3xf32>) -> tensor<1000xf32>
  %4 = stablehlo.dot_general %complex, %few, contracting_dims = [1] x [0] : (tensor<1000x3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<1000xcomplex<f32>>
  return %0, %1, %2, %3, %4 : tensor<1000x3xf32>, tensor<1000xf32>, tensor<50xf32>, tensor<1000xf32>, tensor<1000xcomplex<f32>>
}

// Rows times rows, and columns times columns, of any number of terms.
// CHECK-LABEL: func.func @rows
// CHECK: stablehlo.multiply %arg0, %
// CHECK: across dimensions = [1]
// CHECK: stablehlo.multiply %arg2, %
// CHECK: across dimensions = [0]
// CHECK-NOT: stablehlo.dot_general
// CHECK: return
func.func @rows(%a: tensor<512x64xf32>, %b: tensor<512x64xf32>, %c: tensor<64x512xf32>, %d: tensor<64x512xf32>) -> (tensor<512xf32>, tensor<512xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512xf32>
  %1 = stablehlo.dot_general %c, %d, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<512xf32>
  return %0, %1 : tensor<512xf32>, tensor<512xf32>
}

// Where they lie in different orders they remain a product.
// CHECK-LABEL: func.func @orders
// CHECK: stablehlo.dot_general
func.func @orders(%a: tensor<512x64xf32>, %b: tensor<64x512xf32>) -> tensor<512xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [1] x [0] : (tensor<512x64xf32>, tensor<64x512xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}

// So are complex numbers where neither operand has dimensions of its own, and otherwise not.
// CHECK-LABEL: func.func @complex
// CHECK: %[[PRODUCTS:.*]] = stablehlo.multiply %arg0, %{{.*}} : tensor<4096xcomplex<f32>>
// CHECK: stablehlo.reduce(%[[PRODUCTS]] init: %{{.*}}) applies stablehlo.add across dimensions = [0]
// CHECK: stablehlo.dot_general
// CHECK: return
func.func @complex(%a: tensor<4096xcomplex<f32>>, %b: tensor<4096xcomplex<f32>>, %points: tensor<1000x3xcomplex<f32>>, %vector: tensor<3xcomplex<f32>>) -> (tensor<complex<f32>>, tensor<1000xcomplex<f32>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<4096xcomplex<f32>>, tensor<4096xcomplex<f32>>) -> tensor<complex<f32>>
  %1 = stablehlo.dot_general %points, %vector, contracting_dims = [1] x [0] : (tensor<1000x3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<1000xcomplex<f32>>
  return %0, %1 : tensor<complex<f32>>, tensor<1000xcomplex<f32>>
}

// Of small arrays, whatever the sums are over: two vectors, a vector times a matrix, sums of neighbours that are short or
// few. Long sums of neighbours and large matrices stay, and so do matrices times matrices.
// CHECK-LABEL: func.func @small
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<200xf32>
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<200x60xf32>
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<12x12xf32>
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<2x100xf32>
// CHECK: stablehlo.dot_general {{.*}} (tensor<8x100xf32>
// CHECK: stablehlo.dot_general {{.*}} (tensor<200xf32>, tensor<200x100xf32>)
// CHECK: stablehlo.dot_general {{.*}} (tensor<12x12xf32>, tensor<12x12xf32>)
func.func @small(%a: tensor<200xf32>, %b: tensor<200x60xf32>, %c: tensor<12x12xf32>, %d: tensor<12xf32>, %e: tensor<2x100xf32>,
    %f: tensor<100xf32>, %g: tensor<8x100xf32>, %h: tensor<200x100xf32>)
    -> (tensor<f32>, tensor<60xf32>, tensor<12xf32>, tensor<2xf32>, tensor<8xf32>, tensor<100xf32>, tensor<12x12xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<200xf32>, tensor<200xf32>) -> tensor<f32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<200xf32>, tensor<200x60xf32>) -> tensor<60xf32>
  %2 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<12x12xf32>, tensor<12xf32>) -> tensor<12xf32>
  %3 = stablehlo.dot_general %e, %f, contracting_dims = [1] x [0] : (tensor<2x100xf32>, tensor<100xf32>) -> tensor<2xf32>
  %4 = stablehlo.dot_general %g, %f, contracting_dims = [1] x [0] : (tensor<8x100xf32>, tensor<100xf32>) -> tensor<8xf32>
  %5 = stablehlo.dot_general %a, %h, contracting_dims = [0] x [0] : (tensor<200xf32>, tensor<200x100xf32>) -> tensor<100xf32>
  %6 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<f32>, tensor<60xf32>, tensor<12xf32>, tensor<2xf32>, tensor<8xf32>, tensor<100xf32>, tensor<12x12xf32>
}

// Nothing to add up, and nothing to add it to.
// CHECK-LABEL: func.func @none
func.func @none(%a: tensor<0x4xf32>, %b: tensor<4xf32>, %c: tensor<0xf32>) -> (tensor<0xf32>, tensor<f32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<0x4xf32>, tensor<4xf32>) -> tensor<0xf32>
  %1 = stablehlo.dot_general %c, %c, contracting_dims = [0] x [0] : (tensor<0xf32>, tensor<0xf32>) -> tensor<f32>
  return %0, %1 : tensor<0xf32>, tensor<f32>
}

// Small matrices of a batch, each times a vector of its own; large ones stay.
// CHECK-LABEL: func.func @vectors_of_batches
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [2] : (tensor<4096x8x8xf32>
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<1000x16x12xf32>
// CHECK: stablehlo.dot_general {{.*}} (tensor<16x512x64xf32>
func.func @vectors_of_batches(%a: tensor<4096x8x8xf32>, %x: tensor<4096x8xf32>, %b: tensor<1000x16x12xf32>, %y: tensor<1000x16xf32>,
    %c: tensor<16x512x64xf32>, %z: tensor<16x64xf32>) -> (tensor<4096x8xf32>, tensor<1000x12xf32>, tensor<16x512xf32>) {
  %0 = stablehlo.dot_general %a, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4096x8x8xf32>, tensor<4096x8xf32>) -> tensor<4096x8xf32>
  %1 = stablehlo.dot_general %b, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<1000x16x12xf32>, tensor<1000x16xf32>) -> tensor<1000x12xf32>
  %2 = stablehlo.dot_general %c, %z, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<16x512x64xf32>, tensor<16x64xf32>) -> tensor<16x512xf32>
  return %0, %1, %2 : tensor<4096x8xf32>, tensor<1000x12xf32>, tensor<16x512xf32>
}
