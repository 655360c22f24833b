// RUN: %opt %s --tenon-decompose | %check %s

// Products by algorithms: of operands that are rounded, or as exact as the types, whatever a user allows for others.

// CHECK-LABEL: func.func @tf32
// CHECK: %[[LHS:.*]] = stablehlo.reduce_precision %arg0, format = e8m10
// CHECK: %[[RHS:.*]] = stablehlo.reduce_precision %arg1, format = e8m10
// CHECK: stablehlo.dot_general %[[LHS]], %[[RHS]], {{.*}}precision = [HIGHEST, HIGHEST] {tenon.tf32_operands} :
func.func @tf32(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Three products of tf32 stand for one of f32.
// CHECK-LABEL: func.func @three_products
// CHECK-NEXT: stablehlo.dot_general %arg0, %arg1, {{.*}}precision = [HIGHEST, HIGHEST] :
func.func @three_products(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @f32
// CHECK-NEXT: stablehlo.dot_general %arg0, %arg1, {{.*}}precision = [HIGHEST, HIGHEST] :
func.func @f32(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// What is asked for of one operand of a ragged product is asked for of the products that it is made of.
// CHECK-LABEL: func.func @ragged
// CHECK: stablehlo.dot_general {{.*}}precision = [HIGHEST, HIGHEST] :
func.func @ragged(%a: tensor<5x3xf32>, %b: tensor<2x3x4xf32>, %n: tensor<2xi32>) -> tensor<5x4xf32> {
  %0 = "chlo.ragged_dot"(%a, %b, %n) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<5x3xf32>, tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @ragged_default
// CHECK: stablehlo.dot_general
// CHECK-NOT: HIGHEST
// CHECK: return
func.func @ragged_default(%a: tensor<5x3xf32>, %b: tensor<2x3x4xf32>, %n: tensor<2xi32>) -> tensor<5x4xf32> {
  %0 = "chlo.ragged_dot"(%a, %b, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<5x3xf32>, tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}
