module @jit_gather_scatter attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<3x3xi32> {jax.result_info = "[0]", mhlo.layout_mode = "default"}, tensor<4x3xi32> {jax.result_info = "[1]", mhlo.layout_mode = "default"}, tensor<4x3xi32> {jax.result_info = "[2]", mhlo.layout_mode = "default"}) {
    %0:3 = call @inputs() : () -> (tensor<4x3xi32>, tensor<3xi32>, tensor<3x3xi32>)
    %1:3 = call @expected() : () -> (tensor<3x3xi32>, tensor<4x3xi32>, tensor<4x3xi32>)
    %2:3 = call @program(%0#0, %0#1, %0#2) : (tensor<4x3xi32>, tensor<3xi32>, tensor<3x3xi32>) -> (tensor<3x3xi32>, tensor<4x3xi32>, tensor<4x3xi32>)
    stablehlo.custom_call @check.expect_eq(%2#0, %1#0) {has_side_effect = true} : (tensor<3x3xi32>, tensor<3x3xi32>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#1, %1#1) {has_side_effect = true} : (tensor<4x3xi32>, tensor<4x3xi32>) -> ()
    stablehlo.custom_call @check.expect_eq(%2#2, %1#2) {has_side_effect = true} : (tensor<4x3xi32>, tensor<4x3xi32>) -> ()
    return %2#0, %2#1, %2#2 : tensor<3x3xi32>, tensor<4x3xi32>, tensor<4x3xi32>
  }
  func.func private @inputs() -> (tensor<4x3xi32> {mhlo.layout_mode = "default"}, tensor<3xi32> {mhlo.layout_mode = "default"}, tensor<3x3xi32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]> : tensor<4x3xi32>
    %cst_0 = stablehlo.constant dense<[3, 0, 3]> : tensor<3xi32>
    %cst_1 = stablehlo.constant dense<[[1, 1, 1], [1, 1, 1], [1, 1, 1]]> : tensor<3x3xi32>
    return %cst, %cst_0, %cst_1 : tensor<4x3xi32>, tensor<3xi32>, tensor<3x3xi32>
  }
  func.func private @expected() -> (tensor<3x3xi32> {mhlo.layout_mode = "default"}, tensor<4x3xi32> {mhlo.layout_mode = "default"}, tensor<4x3xi32> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[[9, 10, 11], [0, 1, 2], [9, 10, 11]]> : tensor<3x3xi32>
    %cst_0 = stablehlo.constant dense<[[1, 2, 3], [3, 4, 5], [6, 7, 8], [11, 12, 13]]> : tensor<4x3xi32>
    %cst_1 = stablehlo.constant dense<[[0, 0, 2], [3, 4, 5], [6, 7, 8], [9, 0, 11]]> : tensor<4x3xi32>
    return %cst, %cst_0, %cst_1 : tensor<3x3xi32>, tensor<4x3xi32>, tensor<4x3xi32>
  }
  func.func private @program(%arg0: tensor<4x3xi32>, %arg1: tensor<3xi32>, %arg2: tensor<3x3xi32>) -> (tensor<3x3xi32> {jax.result_info = "result[0]"}, tensor<4x3xi32> {jax.result_info = "result[1]"}, tensor<4x3xi32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3xi1>, tensor<3xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xi32>, tensor<3x1xi32>) -> tensor<3x3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %8 = stablehlo.compare LT, %arg1, %7, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %10 = stablehlo.add %arg1, %9 : tensor<3xi32>
    %11 = stablehlo.select %8, %10, %arg1 : tensor<3xi1>, tensor<3xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %13 = "stablehlo.scatter"(%arg0, %12, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %26 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %26 : tensor<i32>
    }) : (tensor<4x3xi32>, tensor<3x1xi32>, tensor<3x3xi32>) -> tensor<4x3xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %15 = stablehlo.compare LT, %arg1, %14, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_4 = stablehlo.constant dense<4> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %17 = stablehlo.add %arg1, %16 : tensor<3xi32>
    %18 = stablehlo.select %15, %17, %arg1 : tensor<3xi1>, tensor<3xi32>
    %c_5 = stablehlo.constant dense<1> : tensor<i64>
    %19 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %20 = stablehlo.convert %19 : (tensor<3xi64>) -> tensor<3xi32>
    %21 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %22 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %23 = stablehlo.concatenate %21, %22, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %25 = "stablehlo.scatter"(%arg0, %23, %24) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<4x3xi32>, tensor<3x2xi32>, tensor<3xi32>) -> tensor<4x3xi32>
    return %6, %13, %25 : tensor<3x3xi32>, tensor<4x3xi32>, tensor<4x3xi32>
  }
}
