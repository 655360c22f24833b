// Written by make_programs.py.
module @jit_sorting_one_row attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<33000xi32>) -> (tensor<33000xui32> {jax.result_info = "result[0]"}, tensor<33000xi32> {jax.result_info = "result[1]"}, tensor<33000xi32> {jax.result_info = "result[2]"}, tensor<33000xui32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<33000xi32>) -> tensor<33000xui32>
    %c = stablehlo.constant dense<2654435761> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %2 = stablehlo.multiply %0, %1 : tensor<33000xui32>
    %3 = stablehlo.iota dim = 0 : tensor<33000xui32>
    %c_0 = stablehlo.constant dense<40503> : tensor<ui32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %5 = stablehlo.multiply %3, %4 : tensor<33000xui32>
    %6 = stablehlo.add %2, %5 : tensor<33000xui32>
    %c_1 = stablehlo.constant dense<7> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<33000xui32>
    %c_2 = stablehlo.constant dense<11> : tensor<ui32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %10 = stablehlo.shift_left %6, %9 : tensor<33000xui32>
    %11 = stablehlo.xor %8, %10 : tensor<33000xui32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.bitcast_convert %cst : (tensor<f32>) -> tensor<ui32>
    %c_3 = stablehlo.constant dense<7> : tensor<i32>
    %13 = call @remainder(%6, %c_3) : (tensor<33000xui32>, tensor<i32>) -> tensor<33000xui32>
    %c_4 = stablehlo.constant dense<0> : tensor<ui32>
    %14 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %15 = stablehlo.compare EQ, %13, %14, UNSIGNED : (tensor<33000xui32>, tensor<33000xui32>) -> tensor<33000xi1>
    %c_5 = stablehlo.constant dense<2147483648> : tensor<ui32>
    %16 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %17 = stablehlo.and %11, %16 : tensor<33000xui32>
    %c_6 = stablehlo.constant dense<11> : tensor<i32>
    %18 = call @remainder(%6, %c_6) : (tensor<33000xui32>, tensor<i32>) -> tensor<33000xui32>
    %c_7 = stablehlo.constant dense<0> : tensor<ui32>
    %19 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %20 = stablehlo.compare EQ, %18, %19, UNSIGNED : (tensor<33000xui32>, tensor<33000xui32>) -> tensor<33000xi1>
    %c_8 = stablehlo.constant dense<2147483648> : tensor<ui32>
    %c_9 = stablehlo.constant dense<3> : tensor<ui32>
    %21 = stablehlo.or %c_8, %c_9 : tensor<ui32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %23 = stablehlo.and %11, %22 : tensor<33000xui32>
    %24 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %25 = stablehlo.or %23, %24 : tensor<33000xui32>
    %26 = call @_where_0(%20, %25, %11) : (tensor<33000xi1>, tensor<33000xui32>, tensor<33000xui32>) -> tensor<33000xui32>
    %27 = call @_where_0(%15, %17, %26) : (tensor<33000xi1>, tensor<33000xui32>, tensor<33000xui32>) -> tensor<33000xui32>
    %28 = stablehlo.bitcast_convert %27 : (tensor<33000xui32>) -> tensor<33000xf32>
    %29 = call @sort(%28) : (tensor<33000xf32>) -> tensor<33000xf32>
    %30 = stablehlo.bitcast_convert %29 : (tensor<33000xf32>) -> tensor<33000xui32>
    %31:2 = "stablehlo.sort"(%28, %arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %36 = stablehlo.compare EQ, %arg1, %cst_11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %37 = stablehlo.select %36, %cst_12, %arg1 : tensor<i1>, tensor<f32>
      %38 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_13 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %39 = stablehlo.select %38, %cst_13, %37 : tensor<i1>, tensor<f32>
      %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %40 = stablehlo.compare EQ, %arg2, %cst_14, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %41 = stablehlo.select %40, %cst_15, %arg2 : tensor<i1>, tensor<f32>
      %42 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_16 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %43 = stablehlo.select %42, %cst_16, %41 : tensor<i1>, tensor<f32>
      %44 = stablehlo.compare LT, %39, %43, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %44 : tensor<i1>
    }) : (tensor<33000xf32>, tensor<33000xi32>) -> (tensor<33000xf32>, tensor<33000xi32>)
    %c_10 = stablehlo.constant dense<100> : tensor<i32>
    %32 = call @remainder_1(%arg0, %c_10) : (tensor<33000xi32>, tensor<i32>) -> tensor<33000xi32>
    %33 = call @argsort(%32) : (tensor<33000xi32>) -> tensor<33000xi32>
    %34 = stablehlo.bitcast_convert %28 : (tensor<33000xf32>) -> tensor<33000xui32>
    %35 = call @sort_3(%34) : (tensor<33000xui32>) -> tensor<33000xui32>
    return %30, %31#1, %33, %35 : tensor<33000xui32>, tensor<33000xi32>, tensor<33000xi32>, tensor<33000xui32>
  }
  func.func private @remainder(%arg0: tensor<33000xui32>, %arg1: tensor<i32>) -> tensor<33000xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %1 = stablehlo.compare EQ, %0, %c, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<33000xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<33000xui32>, tensor<33000xui32>) -> tensor<33000xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<33000xui32>, tensor<33000xui32>) -> tensor<33000xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui32>
    %9 = stablehlo.compare LT, %2, %c_3, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<33000xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<33000xi1>, tensor<33000xi1>) -> tensor<33000xi1>
    %12 = stablehlo.and %11, %6 : tensor<33000xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<33000xui32>
    %14 = stablehlo.add %4, %13 : tensor<33000xui32>
    %15 = stablehlo.select %12, %14, %4 : tensor<33000xi1>, tensor<33000xui32>
    return %15 : tensor<33000xui32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<ui32>, %arg2: tensor<ui32>) -> tensor<ui32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<ui32>
    return %0 : tensor<ui32>
  }
  func.func private @_where_0(%arg0: tensor<33000xi1>, %arg1: tensor<33000xui32>, %arg2: tensor<33000xui32>) -> tensor<33000xui32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<33000xi1>, tensor<33000xui32>
    return %0 : tensor<33000xui32>
  }
  func.func private @sort(%arg0: tensor<33000xf32>) -> tensor<33000xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<33000xf32>) -> tensor<33000xf32>
    return %0 : tensor<33000xf32>
  }
  func.func private @remainder_1(%arg0: tensor<33000xi32>, %arg1: tensor<i32>) -> tensor<33000xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_2(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<33000xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<33000xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<33000xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<33000xi32>, tensor<33000xi32>) -> tensor<33000xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<33000xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<33000xi32>, tensor<33000xi32>) -> tensor<33000xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<33000xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<33000xi1>, tensor<33000xi1>) -> tensor<33000xi1>
    %12 = stablehlo.and %11, %6 : tensor<33000xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<33000xi32>
    %14 = stablehlo.add %4, %13 : tensor<33000xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<33000xi1>, tensor<33000xi32>
    return %15 : tensor<33000xi32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @argsort(%arg0: tensor<33000xi32>) -> tensor<33000xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<33000xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %2 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<33000xi32>, tensor<33000xi32>) -> (tensor<33000xi32>, tensor<33000xi32>)
    return %1#1 : tensor<33000xi32>
  }
  func.func private @sort_3(%arg0: tensor<33000xui32>) -> tensor<33000xui32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<ui32>, %arg2: tensor<ui32>):
      %1 = stablehlo.compare LT, %arg1, %arg2, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<33000xui32>) -> tensor<33000xui32>
    return %0 : tensor<33000xui32>
  }
}
