// RUN: %opt %s --tenon-expand-custom-calls | %check %s

// What shares memory is named by its place among the arrays, within tuples and not.

// CHECK: stablehlo.custom_call @f(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^)]*}})
// CHECK-SAME: output_operand_aliases = [
// CHECK-SAME: <output_tuple_indices = [2], operand_index = 2, operand_tuple_indices = []>
// CHECK-SAME: <output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>
// CHECK-SAME: <output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>
// CHECK-SAME: (tensor<2xf32>, tensor<3xf32>, tensor<4xf32>, tensor<5xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<4xf32>)
func.func @main(%x: tensor<2xf32>, %t: tuple<tensor<3xf32>, tuple<tensor<4xf32>, tensor<5xf32>>>) -> tuple<tuple<tensor<2xf32>, tensor<3xf32>>, tensor<4xf32>> {
  %0 = stablehlo.custom_call @f(%x, %t) {output_operand_aliases = [
      #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = [1, 0]>,
      #stablehlo.output_operand_alias<output_tuple_indices = [0, 0], operand_index = 0, operand_tuple_indices = []>,
      #stablehlo.output_operand_alias<output_tuple_indices = [0, 1], operand_index = 1, operand_tuple_indices = [0]>]}
      : (tensor<2xf32>, tuple<tensor<3xf32>, tuple<tensor<4xf32>, tensor<5xf32>>>) -> tuple<tuple<tensor<2xf32>, tensor<3xf32>>, tensor<4xf32>>
  return %0 : tuple<tuple<tensor<2xf32>, tensor<3xf32>>, tensor<4xf32>>
}
