// RUN: %opt %s --tenon-decompose | %check %s

// JAX's triangular solves, which are of column-major matrices, are the op.
// CHECK-LABEL: func.func @solves
// CHECK: "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}>
// CHECK: "stablehlo.triangular_solve"(%arg0, %arg2) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}>
// CHECK-NOT: custom_call
// CHECK: return
func.func @solves(%a: tensor<7x4x4xcomplex<f64>>, %b: tensor<7x4x3xcomplex<f64>>, %c: tensor<7x3x4xcomplex<f64>>)
    -> (tensor<7x4x3xcomplex<f64>>, tensor<7x3x4xcomplex<f64>>) {
  %0 = stablehlo.custom_call @lapack_ztrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<7x4x4xcomplex<f64>>, tensor<7x4x3xcomplex<f64>>) -> tensor<7x4x3xcomplex<f64>>
  %1 = stablehlo.custom_call @lapack_ztrsm_ffi(%a, %c) {mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 85 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<7x4x4xcomplex<f64>>, tensor<7x3x4xcomplex<f64>>) -> tensor<7x3x4xcomplex<f64>>
  return %0, %1 : tensor<7x4x3xcomplex<f64>>, tensor<7x3x4xcomplex<f64>>
}

// Not those of other layouts, types or sides: the runtime says what is wrong with them, if anything is.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: stablehlo.custom_call @lapack_strsm_ffi
func.func @others(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>, %d: tensor<4x4xf64>, %e: tensor<4x3xf64>)
    -> (tensor<4x3xf32>, tensor<4x3xf64>, tensor<4x3xf32>) {
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.custom_call @lapack_strsm_ffi(%d, %e) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x4xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
  %2 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 88 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0, %1, %2 : tensor<4x3xf32>, tensor<4x3xf64>, tensor<4x3xf32>
}
