// Products with one-hot matrices.
// RUN: %opt %s --tenon-read-table-rows | %check %s

// CHECK-LABEL: func.func @embedding
// CHECK-SAME: %[[AT:.*]]: tensor<128xi32>, %[[TABLE:.*]]: tensor<512x256xf32>
// CHECK: %[[FINITE:.*]] = stablehlo.is_finite %[[TABLE]]
// CHECK: %[[ALL:.*]] = stablehlo.reduce(%[[FINITE]]
// CHECK: "stablehlo.if"(%[[ALL]])
// CHECK: %[[ROWS:.*]] = "stablehlo.gather"(%[[TABLE]], %[[AT]])
// CHECK-SAME: offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1
// CHECK: %[[SUMS:.*]] = stablehlo.add %[[ROWS]]
// CHECK: stablehlo.compare LE, %[[AT]]
// CHECK: stablehlo.compare GE, %[[AT]]
// CHECK: stablehlo.select {{.*}}, %[[SUMS]]
// CHECK: }, {
// CHECK: stablehlo.iota
// CHECK: stablehlo.compare EQ
// CHECK: stablehlo.dot_general
func.func @embedding(%at: tensor<128xi32>, %table: tensor<512x256xf32>) -> tensor<128x256xf32> {
  %rows = stablehlo.iota dim = 0 : tensor<512xi32>
  %a = stablehlo.broadcast_in_dim %at, dims = [0] : (tensor<128xi32>) -> tensor<128x512xi32>
  %b = stablehlo.broadcast_in_dim %rows, dims = [1] : (tensor<512xi32>) -> tensor<128x512xi32>
  %is = stablehlo.compare EQ, %a, %b : (tensor<128x512xi32>, tensor<128x512xi32>) -> tensor<128x512xi1>
  %one = stablehlo.convert %is : (tensor<128x512xi1>) -> tensor<128x512xf32>
  %0 = stablehlo.dot_general %one, %table, contracting_dims = [1] x [0] : (tensor<128x512xf32>, tensor<512x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// The matrix is the other operand, and integers need no question.
// CHECK-LABEL: func.func @integers
// CHECK-NOT: "stablehlo.if"
// CHECK: "stablehlo.gather"(%{{.*}}, %{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>
// CHECK-NOT: stablehlo.dot_general
// CHECK: return
func.func @integers(%at: tensor<128xui32>, %table: tensor<256x512xi32>) -> tensor<256x128xi32> {
  %a = stablehlo.broadcast_in_dim %at, dims = [1] : (tensor<128xui32>) -> tensor<512x128xui32>
  %b = stablehlo.iota dim = 0 : tensor<512x128xui32>
  %is = stablehlo.compare EQ, %b, %a : (tensor<512x128xui32>, tensor<512x128xui32>) -> tensor<512x128xi1>
  %one = stablehlo.convert %is : (tensor<512x128xi1>) -> tensor<512x128xi32>
  %0 = stablehlo.dot_general %table, %one, contracting_dims = [1] x [0] : (tensor<256x512xi32>, tensor<512x128xi32>) -> tensor<256x128xi32>
  return %0 : tensor<256x128xi32>
}

// Sums of several rows, as in the gradient; few products; and indices that the type does not hold.
// CHECK-LABEL: func.func @gradient
// CHECK-NOT: gather
// CHECK-LABEL: func.func @few
// CHECK-NOT: gather
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: gather
func.func @gradient(%at: tensor<128xi32>, %g: tensor<128x256xf32>) -> tensor<512x256xf32> {
  %a = stablehlo.broadcast_in_dim %at, dims = [0] : (tensor<128xi32>) -> tensor<128x512xi32>
  %b = stablehlo.iota dim = 1 : tensor<128x512xi32>
  %is = stablehlo.compare EQ, %a, %b : (tensor<128x512xi32>, tensor<128x512xi32>) -> tensor<128x512xi1>
  %one = stablehlo.convert %is : (tensor<128x512xi1>) -> tensor<128x512xf32>
  %0 = stablehlo.dot_general %one, %g, contracting_dims = [0] x [0] : (tensor<128x512xf32>, tensor<128x256xf32>) -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}
func.func @few(%at: tensor<128xi32>, %table: tensor<512x8xf32>) -> tensor<128x8xf32> {
  %a = stablehlo.broadcast_in_dim %at, dims = [0] : (tensor<128xi32>) -> tensor<128x512xi32>
  %b = stablehlo.iota dim = 1 : tensor<128x512xi32>
  %is = stablehlo.compare EQ, %a, %b : (tensor<128x512xi32>, tensor<128x512xi32>) -> tensor<128x512xi1>
  %one = stablehlo.convert %is : (tensor<128x512xi1>) -> tensor<128x512xf32>
  %0 = stablehlo.dot_general %one, %table, contracting_dims = [1] x [0] : (tensor<128x512xf32>, tensor<512x8xf32>) -> tensor<128x8xf32>
  return %0 : tensor<128x8xf32>
}
func.func @narrow(%at: tensor<128xi8>, %table: tensor<512x256xf32>) -> tensor<128x256xf32> {
  %a = stablehlo.broadcast_in_dim %at, dims = [0] : (tensor<128xi8>) -> tensor<128x512xi8>
  %b = stablehlo.iota dim = 1 : tensor<128x512xi8>
  %is = stablehlo.compare EQ, %a, %b : (tensor<128x512xi8>, tensor<128x512xi8>) -> tensor<128x512xi1>
  %one = stablehlo.convert %is : (tensor<128x512xi1>) -> tensor<128x512xf32>
  %0 = stablehlo.dot_general %one, %table, contracting_dims = [1] x [0] : (tensor<128x512xf32>, tensor<512x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}
