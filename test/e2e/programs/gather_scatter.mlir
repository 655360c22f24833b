// Written by make_programs.py.
module @jit_gather_scatter attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<50x6xf32>, %arg1: tensor<30xi32>, %arg2: tensor<30x6xf32>) -> (tensor<30x6xf32> {jax.result_info = "result[0]"}, tensor<50x6xf32> {jax.result_info = "result[1]"}, tensor<50x6xf32> {jax.result_info = "result[2]"}, tensor<50x6xf32> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<30xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<30xi32>, tensor<30xi32>) -> tensor<30xi1>
    %c_0 = stablehlo.constant dense<50> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<30xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<30xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<30xi1>, tensor<30xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<30xi32>) -> tensor<30x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<50x6xf32>, tensor<30x1xi32>) -> tensor<30x6xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<30xi32>
    %8 = stablehlo.compare LT, %arg1, %7, SIGNED : (tensor<30xi32>, tensor<30xi32>) -> tensor<30xi1>
    %c_2 = stablehlo.constant dense<50> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<30xi32>
    %10 = stablehlo.add %arg1, %9 : tensor<30xi32>
    %11 = stablehlo.select %8, %10, %arg1 : tensor<30xi1>, tensor<30xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<30xi32>) -> tensor<30x1xi32>
    %13 = "stablehlo.scatter"(%arg0, %12, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %35 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %35 : tensor<f32>
    }) : (tensor<50x6xf32>, tensor<30x1xi32>, tensor<30x6xf32>) -> tensor<50x6xf32>
    %14 = stablehlo.slice %arg2 [0:30, 0:1] : (tensor<30x6xf32>) -> tensor<30x1xf32>
    %15 = stablehlo.reshape %14 : (tensor<30x1xf32>) -> tensor<30xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<30xi32>
    %17 = stablehlo.compare LT, %arg1, %16, SIGNED : (tensor<30xi32>, tensor<30xi32>) -> tensor<30xi1>
    %c_4 = stablehlo.constant dense<50> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<30xi32>
    %19 = stablehlo.add %arg1, %18 : tensor<30xi32>
    %20 = stablehlo.select %17, %19, %arg1 : tensor<30xi1>, tensor<30xi32>
    %c_5 = stablehlo.constant dense<2> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<30xi32>
    %22 = stablehlo.convert %21 : tensor<30xi32>
    %23 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<30xi32>) -> tensor<30x1xi32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<30xi32>) -> tensor<30x1xi32>
    %25 = stablehlo.concatenate %23, %24, dim = 1 : (tensor<30x1xi32>, tensor<30x1xi32>) -> tensor<30x2xi32>
    %26 = "stablehlo.scatter"(%arg0, %25, %15) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<50x6xf32>, tensor<30x2xi32>, tensor<30xf32>) -> tensor<50x6xf32>
    %27 = stablehlo.iota dim = 0 : tensor<17xi32>
    %c_6 = stablehlo.constant dense<3> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<17xi32>
    %29 = stablehlo.multiply %28, %27 : tensor<17xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<17xi32>
    %31 = stablehlo.add %30, %29 : tensor<17xi32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0] : (tensor<17xi32>) -> tensor<17x1xi32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<17x6xf32>
    %34 = "stablehlo.scatter"(%arg0, %32, %33) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %35 = stablehlo.multiply %arg3, %arg4 : tensor<f32>
      stablehlo.return %35 : tensor<f32>
    }) : (tensor<50x6xf32>, tensor<17x1xi32>, tensor<17x6xf32>) -> tensor<50x6xf32>
    return %6, %13, %26, %34 : tensor<30x6xf32>, tensor<50x6xf32>, tensor<50x6xf32>, tensor<50x6xf32>
  }
}
