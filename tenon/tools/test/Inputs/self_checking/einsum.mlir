// An ellipsis stands for the dimensions without a label, aligned at the last of them: NumPy's
// einsum('...ab,...bc->c...a', x, y) and einsum('...ii->i...', z).
func.func @main() {
  %x = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]> : tensor<2x3x2xi32>
  %y = stablehlo.constant dense<[[1, 0, 2, -1], [3, 1, 0, 2]]> : tensor<2x4xi32>
  %0 = stablehlo.einsum %x, %y, config = "...ab, ...bc -> c...a" : (tensor<2x3x2xi32>, tensor<2x4xi32>) -> tensor<4x2x3xi32>
  %1 = stablehlo.constant dense<[[[7, 15, 23], [31, 39, 47]], [[2, 4, 6], [8, 10, 12]], [[2, 6, 10], [14, 18, 22]], [[3, 5, 7], [9, 11, 13]]]> : tensor<4x2x3xi32>
  stablehlo.custom_call @check.expect_eq(%0, %1) {has_side_effect = true} : (tensor<4x2x3xi32>, tensor<4x2x3xi32>) -> ()

  %z = stablehlo.constant dense<[[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8, 9], [10, 11]]]> : tensor<3x2x2xi32>
  %2 = stablehlo.unary_einsum %z, config = "...ii->i..." : (tensor<3x2x2xi32>) -> tensor<2x3xi32>
  %3 = stablehlo.constant dense<[[0, 4, 8], [3, 7, 11]]> : tensor<2x3xi32>
  stablehlo.custom_call @check.expect_eq(%2, %3) {has_side_effect = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> ()
  return
}
