// The worked examples of ops on tokens and tuples in the StableHLO specification.

func.func @after_all_line_561() -> !stablehlo.token {
  %input0 = stablehlo.create_token : !stablehlo.token
  %input1 = stablehlo.create_token : !stablehlo.token
  %result = "stablehlo.after_all"(%input0, %input1)
      : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  return %result : !stablehlo.token
}
// EXPECT-TEXT: token

func.func @tuple_line_5419() -> tuple<tensor<2xf32>, tuple<tensor<i32>>> {
  %val0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %val1 = "stablehlo.tuple"(%three) : (tensor<i32>) -> tuple<tensor<i32>>
  %result = "stablehlo.tuple"(%val0, %val1)
      : (tensor<2xf32>, tuple<tensor<i32>>) -> tuple<tensor<2xf32>, tuple<tensor<i32>>>
  return %result : tuple<tensor<2xf32>, tuple<tensor<i32>>>
}
// EXPECT-TEXT: (dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>, (dense<3> : tensor<i32>))

func.func @get_tuple_element_line_2847() -> tensor<2xf32> {
  %val0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %val1 = "stablehlo.tuple"(%three) : (tensor<i32>) -> tuple<tensor<i32>>
  %operand = "stablehlo.tuple"(%val0, %val1)
      : (tensor<2xf32>, tuple<tensor<i32>>) -> tuple<tensor<2xf32>, tuple<tensor<i32>>>
  %result = "stablehlo.get_tuple_element"(%operand) {
    index = 0 : i32
  } : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tensor<2xf32>
  return %result : tensor<2xf32>
}
// EXPECT: dense<[1.0, 2.0]> : tensor<2xf32>
