// RUN: %opt %s --tenon-decompose | %check %s

// CHECK-LABEL: func.func @integers_summed_as_floats
// CHECK-SAME: (%[[A:.*]]: tensor<2x3xi8>, %[[B:.*]]: tensor<3x4xi8>)
// CHECK-DAG: %[[X:.*]] = stablehlo.convert %[[A]] : (tensor<2x3xi8>) -> tensor<2x3xf32>
// CHECK-DAG: %[[Y:.*]] = stablehlo.convert %[[B]] : (tensor<3x4xi8>) -> tensor<3x4xf32>
// CHECK: stablehlo.dot_general %[[X]], %[[Y]]
func.func @integers_summed_as_floats(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @integers_summed_as_integers
// CHECK-NOT: convert
func.func @integers_summed_as_integers(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>) -> tensor<2x4xi32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// CHECK-LABEL: func.func @floats_summed_as_integers
// CHECK: %[[SUM:.*]] = stablehlo.dot_general {{.*}} -> tensor<2x4xf32>
// CHECK: stablehlo.convert %[[SUM]] : (tensor<2x4xf32>) -> tensor<2x4xi32>
func.func @floats_summed_as_integers(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xi32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// CHECK-LABEL: func.func @complex_numbers_summed_as_floats
// CHECK: %[[SUM:.*]] = stablehlo.dot_general {{.*}} -> tensor<2x4xcomplex<f32>>
// CHECK: stablehlo.convert %[[SUM]] : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
func.func @complex_numbers_summed_as_floats(%a: tensor<2x3xcomplex<f32>>, %b: tensor<3x4xcomplex<f32>>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xcomplex<f32>>, tensor<3x4xcomplex<f32>>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
