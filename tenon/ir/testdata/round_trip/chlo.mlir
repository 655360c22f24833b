module {
  func.func @functions(%arg0: tensor<4xf32>, %arg1: tensor<4xcomplex<f32>>, %arg2: tensor<4xi32>) {
    %0 = chlo._asin_acos_kernel %arg1 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %1 = chlo.acos %arg0 : tensor<4xf32> -> tensor<4xf32>
    %2 = chlo.acosh %arg0 : tensor<4xf32> -> tensor<4xf32>
    %3 = chlo.asin %arg0 : tensor<4xf32> -> tensor<4xf32>
    %4 = chlo.asinh %arg0 : tensor<4xf32> -> tensor<4xf32>
    %5 = chlo.atan %arg0 : tensor<4xf32> -> tensor<4xf32>
    %6 = chlo.atanh %arg0 : tensor<4xf32> -> tensor<4xf32>
    %7 = chlo.bessel_i1e %arg0 : tensor<4xf32> -> tensor<4xf32>
    %8 = chlo.conj %arg1 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    %9 = chlo.cosh %arg0 : tensor<4xf32> -> tensor<4xf32>
    %10 = chlo.digamma %arg0 : tensor<4xf32> -> tensor<4xf32>
    %11 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
    %12 = chlo.erf_inv %arg0 : tensor<4xf32> -> tensor<4xf32>
    %13 = chlo.erfc %arg0 : tensor<4xf32> -> tensor<4xf32>
    %14 = chlo.is_inf %arg0 : tensor<4xf32> -> tensor<4xi1>
    %15 = chlo.is_neg_inf %arg0 : tensor<4xf32> -> tensor<4xi1>
    %16 = chlo.is_pos_inf %arg0 : tensor<4xf32> -> tensor<4xi1>
    %17 = chlo.lgamma %arg0 : tensor<4xf32> -> tensor<4xf32>
    %18 = chlo.sinh %arg0 : tensor<4xf32> -> tensor<4xf32>
    %19 = chlo.square %arg0 : tensor<4xf32> -> tensor<4xf32>
    %20 = chlo.tan %arg0 : tensor<4xf32> -> tensor<4xf32>
    %21 = chlo.next_after %arg0, %arg0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %22 = chlo.polygamma %arg0, %arg0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %23 = chlo.zeta %arg0, %arg0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %24 = chlo.mulhi %arg2, %arg2 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
    %25 = chlo.constant dense<1.000000e+00> : tensor<4xf32>
    %26 = "chlo.constant_like"(%arg0) <{value = 2.000000e+00 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
    %values_0, %indices_1 = chlo.top_k(%arg0, k = 2, is_stable = false) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
    return
  }
  func.func @broadcasting(%arg0: tensor<2x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<2x1xi32>, %arg3: tensor<1x4xi1>) {
    %0 = chlo.broadcast_add %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %1 = chlo.broadcast_and %arg2, %arg2 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
    %2 = chlo.broadcast_atan2 %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %3 = chlo.broadcast_complex %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xcomplex<f32>>
    %4 = chlo.broadcast_divide %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %5 = chlo.broadcast_maximum %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %6 = chlo.broadcast_minimum %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %7 = chlo.broadcast_multiply %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %8 = chlo.broadcast_next_after %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %9 = chlo.broadcast_or %arg2, %arg2 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
    %10 = chlo.broadcast_polygamma %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %11 = chlo.broadcast_power %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %12 = chlo.broadcast_remainder %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %13 = chlo.broadcast_shift_left %arg2, %arg2 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
    %14 = chlo.broadcast_shift_right_arithmetic %arg2, %arg2 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
    %15 = chlo.broadcast_shift_right_logical %arg2, %arg2 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
    %16 = chlo.broadcast_subtract %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %17 = chlo.broadcast_xor %arg2, %arg2 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
    %18 = chlo.broadcast_zeta %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %19 = chlo.broadcast_compare %arg0, %arg1 {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
    %20 = chlo.broadcast_select %arg3, %arg0, %arg1 : (tensor<1x4xi1>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    return
  }
  func.func @structured(%arg0: tensor<6x4xf32>, %arg1: tensor<2x4x3xf32>, %arg2: tensor<2xi32>, %arg3: tensor<5x4xf32>, %arg4: tensor<4xf32>) {
    %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<6x4xf32>, tensor<2x4x3xf32>, tensor<2xi32>) -> tensor<6x3xf32>
    %1:2 = chlo.scan(%arg3) inits (%arg4) dimension=0  attributes {is_associative = true, is_reverse = true} {
    ^bb0(%input: tensor<4xf32>, %carry: tensor<4xf32>):
      %2 = stablehlo.add %input, %carry : tensor<4xf32>
      stablehlo.return %2, %2 : tensor<4xf32>, tensor<4xf32>
    } : (tensor<5x4xf32>, tensor<4xf32>) -> (tensor<5x4xf32>, tensor<4xf32>)
    return
  }
}
