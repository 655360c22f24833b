// Shapes of the arguments decide every other shape, across calls and branches.
// RUN: %opt %s --tenon-inline --tenon-refine-shapes | %check %s

// CHECK: func.func @main(%[[X:.*]]: tensor<4x3xf32> {tenon.declared_type = "tensor<?x3xf32>"}, %[[I:.*]]: tensor<i32>)
// CHECK-SAME: -> (tensor<4x3x2xf32>, tensor<12xf32>, tensor<i32>, tensor<5x3xf32>, tensor<2x3xf32>, tensor<4xi32>, tensor<3x3xf32>, tensor<4x4xf32>, tensor<2x3xf32>, tensor<3x3xf32>)
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %[[X]], dims = [0, 1] : (tensor<4x3xf32>) -> tensor<4x3x2xf32>
// CHECK: %[[R:.*]] = stablehlo.reshape %[[X]] : (tensor<4x3xf32>) -> tensor<12xf32>
// CHECK: %[[SIX:.*]] = stablehlo.constant dense<6> : tensor<i32>
// CHECK: %[[P:.*]] = stablehlo.pad %[[X]], %{{.*}}, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<5x3xf32>
// CHECK: %[[S:.*]] = stablehlo.slice %[[X]] [0:4:2, 0:3] : (tensor<4x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[IOTA:.*]] = stablehlo.iota dim = 0 : tensor<4xi32>
// CHECK: shape_assertion{{.*}} slices {0} to {1}
// CHECK: %[[D:.*]] = stablehlo.dynamic_slice %[[X]], {{.*}}, sizes = [3, 3] : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3x3xf32>
// CHECK: stablehlo.dot_general %[[X]], %[[X]], contracting_dims = [1] x [1] : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
// CHECK: stablehlo.slice %[[X]] [0:2, 0:3] : (tensor<4x3xf32>) -> tensor<2x3xf32>
// CHECK: return %[[B]], %[[R]], %[[SIX]], %[[P]], %[[S]], %[[IOTA]], %[[D]],
func.func @main(%x: tensor<?x3xf32> {tenon.shape = array<i64: 4, 3>}, %i: tensor<i32>)
    -> (tensor<?x3x2xf32>, tensor<?xf32>, tensor<i32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xi32>, tensor<?x3xf32>, tensor<?x?xf32>, tensor<?x3xf32>, tensor<?x?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %positive = stablehlo.compare GE, %n, %c2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%positive, %n) {error_message = "needs two rows, got {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %d1 = stablehlo.reshape %c1 : (tensor<i32>) -> tensor<1xi32>
  %d2 = stablehlo.reshape %c2 : (tensor<i32>) -> tensor<1xi32>
  %d3 = stablehlo.reshape %c3 : (tensor<i32>) -> tensor<1xi32>
  %d0 = stablehlo.reshape %c0 : (tensor<i32>) -> tensor<1xi32>

  %s = stablehlo.concatenate %n1, %d3, %d2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %broadcast = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0, 1] : (tensor<?x3xf32>, tensor<3xi32>) -> tensor<?x3x2xf32>

  %all = stablehlo.multiply %n, %c3 : tensor<i32>
  %all1 = stablehlo.reshape %all : (tensor<i32>) -> tensor<1xi32>
  %flat = func.call @flatten(%x, %all1) : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>

  %small = stablehlo.compare LT, %n, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %branch = stablehlo.convert %small : (tensor<i1>) -> tensor<i32>
  %chosen = "stablehlo.case"(%branch) ({
    %six = stablehlo.add %n, %c2 : tensor<i32>
    stablehlo.return %six : tensor<i32>
  }, {
    stablehlo.return %c0 : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>

  %low = stablehlo.concatenate %d1, %d0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %padded = stablehlo.dynamic_pad %x, %zero, %low, %none, %none : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>

  %limit = stablehlo.concatenate %n1, %d3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %stride = stablehlo.concatenate %d2, %d1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %sliced = stablehlo.real_dynamic_slice %x, %none, %limit, %stride : (tensor<?x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>

  %iota = stablehlo.dynamic_iota %n1, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>

  // A start that depends on data; the size does not.
  %less = stablehlo.subtract %n1, %d1 : tensor<1xi32>
  %sizes = stablehlo.concatenate %less, %d3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i1 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
  %start = stablehlo.concatenate %i1, %d0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %end = stablehlo.add %start, %sizes : tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %window = stablehlo.real_dynamic_slice %x, %start, %end, %ones : (tensor<?x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>

  %product = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
  %half = stablehlo.divide %n, %c2 : tensor<i32>
  %first = stablehlo.set_dimension_size %x, %half, dim = 0 : (tensor<?x3xf32>, tensor<i32>) -> tensor<?x3xf32>
  %rows = stablehlo.iota dim = 0 : tensor<3xi32>
  %one_row = stablehlo.concatenate %d1, %d3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %gathered = "stablehlo.dynamic_gather"(%x, %rows, %one_row) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<?x3xf32>, tensor<3xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %broadcast, %flat, %chosen, %padded, %sliced, %iota, %window, %product, %first, %gathered : tensor<?x3x2xf32>, tensor<?xf32>, tensor<i32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xi32>, tensor<?x3xf32>, tensor<?x?xf32>, tensor<?x3xf32>, tensor<?x?xf32>
}
func.func private @flatten(%x: tensor<?x3xf32>, %size: tensor<1xi32>) -> tensor<?xf32> {
  %0 = stablehlo.dynamic_reshape %x, %size : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
