// Written by make_programs.py.
module @jit_loops_of_few_numbers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<2x2xf32>, %arg2: tensor<i32>, %arg3: tensor<2xcomplex<f32>>, %arg4: tensor<3xbf16>) -> (tensor<4xf32> {jax.result_info = "result[0][0]"}, tensor<2x2xf32> {jax.result_info = "result[0][1]"}, tensor<2xcomplex<f32>> {jax.result_info = "result[0][2]"}, tensor<3xbf16> {jax.result_info = "result[0][3]"}, tensor<3xi1> {jax.result_info = "result[0][4]"}, tensor<4xf32> {jax.result_info = "result[1][0]"}, tensor<2x2xf32> {jax.result_info = "result[1][1]"}, tensor<2xcomplex<f32>> {jax.result_info = "result[1][2]"}, tensor<3xbf16> {jax.result_info = "result[1][3]"}, tensor<3xi1> {jax.result_info = "result[1][4]"}) {
    %c = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %c_0 = stablehlo.constant dense<7> : tensor<i32>
    %0 = stablehlo.and %arg2, %c_0 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.minimum %0, %c_1 : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %2:7 = stablehlo.while(%iterArg = %c_2, %iterArg_4 = %1, %iterArg_5 = %arg0, %iterArg_6 = %arg1, %iterArg_7 = %arg3, %iterArg_8 = %arg4, %iterArg_9 = %c) : tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xcomplex<f32>>, tensor<3xbf16>, tensor<3xi1>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %iterArg_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_10 : tensor<i32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.reduce(%iterArg_5 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %cst_11 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %6 = stablehlo.divide %5, %cst_11 : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %8 = stablehlo.compare GT, %iterArg_5, %7, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %10 = stablehlo.multiply %iterArg_5, %9 : tensor<4xf32>
      %11 = func.call @_roll_static(%iterArg_5) : (tensor<4xf32>) -> tensor<4xf32>
      %12 = stablehlo.convert %iterArg : (tensor<i32>) -> tensor<f32>
      %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %14 = stablehlo.subtract %11, %13 : tensor<4xf32>
      %15 = func.call @_where(%8, %10, %14) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %16 = stablehlo.transpose %iterArg_6, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %17 = stablehlo.dot_general %iterArg_6, %16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      %18 = stablehlo.slice %15 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
      %19 = stablehlo.slice %15 [2:4] : (tensor<4xf32>) -> tensor<2xf32>
      %20 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
      %21 = stablehlo.broadcast_in_dim %19, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
      %22 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x2xf32>
      %23 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<1x2xf32>) -> tensor<2x2xf32>
      %24 = stablehlo.multiply %22, %23 : tensor<2x2xf32>
      %25 = stablehlo.add %17, %24 : tensor<2x2xf32>
      %cst_13 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %26 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %27 = stablehlo.multiply %25, %26 : tensor<2x2xf32>
      %28 = stablehlo.real %iterArg_7 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
      %29 = stablehlo.convert %28 : (tensor<2xf32>) -> tensor<2xcomplex<f32>>
      %cst_14 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
      %30 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
      %31 = stablehlo.multiply %30, %29 : tensor<2xcomplex<f32>>
      %32 = stablehlo.exponential %31 : tensor<2xcomplex<f32>>
      %33 = stablehlo.multiply %iterArg_7, %32 : tensor<2xcomplex<f32>>
      %34 = stablehlo.slice %27 [0:2, 0:1] : (tensor<2x2xf32>) -> tensor<2x1xf32>
      %35 = stablehlo.reshape %34 : (tensor<2x1xf32>) -> tensor<2xf32>
      %36 = stablehlo.reverse %iterArg_7, dims = [0] : tensor<2xcomplex<f32>>
      %37 = stablehlo.convert %35 : (tensor<2xf32>) -> tensor<2xcomplex<f32>>
      %38 = stablehlo.multiply %37, %36 : tensor<2xcomplex<f32>>
      %39 = stablehlo.add %33, %38 : tensor<2xcomplex<f32>>
      %40 = stablehlo.slice %iterArg_8 [1:2] : (tensor<3xbf16>) -> tensor<1xbf16>
      %41 = stablehlo.reshape %40 : (tensor<1xbf16>) -> tensor<bf16>
      %42 = stablehlo.broadcast_in_dim %41, dims = [] : (tensor<bf16>) -> tensor<3xbf16>
      %43 = stablehlo.add %iterArg_8, %42 : tensor<3xbf16>
      %cst_15 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
      %44 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<bf16>) -> tensor<3xbf16>
      %45 = stablehlo.multiply %43, %44 : tensor<3xbf16>
      %46 = stablehlo.slice %iterArg_9 [1:2] : (tensor<3xi1>) -> tensor<1xi1>
      %47 = stablehlo.reshape %46 : (tensor<1xi1>) -> tensor<i1>
      %48 = stablehlo.slice %iterArg_9 [0:1] : (tensor<3xi1>) -> tensor<1xi1>
      %49 = stablehlo.reshape %48 : (tensor<1xi1>) -> tensor<i1>
      %50 = stablehlo.not %49 : tensor<i1>
      %51 = stablehlo.slice %15 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
      %52 = stablehlo.reshape %51 : (tensor<1xf32>) -> tensor<f32>
      %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %53 = stablehlo.compare GT, %52, %cst_16, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %54 = stablehlo.broadcast_in_dim %47, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %55 = stablehlo.broadcast_in_dim %50, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %56 = stablehlo.broadcast_in_dim %53, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %57 = stablehlo.concatenate %54, %55, %56, dim = 0 : (tensor<1xi1>, tensor<1xi1>, tensor<1xi1>) -> tensor<3xi1>
      stablehlo.return %4, %iterArg_4, %15, %27, %39, %45, %57 : tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xcomplex<f32>>, tensor<3xbf16>, tensor<3xi1>
    }
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %3:7 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %0, %iterArg_5 = %arg0, %iterArg_6 = %arg1, %iterArg_7 = %arg3, %iterArg_8 = %arg4, %iterArg_9 = %c) : tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xcomplex<f32>>, tensor<3xbf16>, tensor<3xi1>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %iterArg_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_10 : tensor<i32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.reduce(%iterArg_5 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %cst_11 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %6 = stablehlo.divide %5, %cst_11 : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %8 = stablehlo.compare GT, %iterArg_5, %7, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %10 = stablehlo.multiply %iterArg_5, %9 : tensor<4xf32>
      %11 = func.call @_roll_static(%iterArg_5) : (tensor<4xf32>) -> tensor<4xf32>
      %12 = stablehlo.convert %iterArg : (tensor<i32>) -> tensor<f32>
      %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %14 = stablehlo.subtract %11, %13 : tensor<4xf32>
      %15 = func.call @_where(%8, %10, %14) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %16 = stablehlo.transpose %iterArg_6, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %17 = stablehlo.dot_general %iterArg_6, %16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      %18 = stablehlo.slice %15 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
      %19 = stablehlo.slice %15 [2:4] : (tensor<4xf32>) -> tensor<2xf32>
      %20 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
      %21 = stablehlo.broadcast_in_dim %19, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
      %22 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x2xf32>
      %23 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<1x2xf32>) -> tensor<2x2xf32>
      %24 = stablehlo.multiply %22, %23 : tensor<2x2xf32>
      %25 = stablehlo.add %17, %24 : tensor<2x2xf32>
      %cst_13 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %26 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %27 = stablehlo.multiply %25, %26 : tensor<2x2xf32>
      %28 = stablehlo.real %iterArg_7 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
      %29 = stablehlo.convert %28 : (tensor<2xf32>) -> tensor<2xcomplex<f32>>
      %cst_14 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
      %30 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
      %31 = stablehlo.multiply %30, %29 : tensor<2xcomplex<f32>>
      %32 = stablehlo.exponential %31 : tensor<2xcomplex<f32>>
      %33 = stablehlo.multiply %iterArg_7, %32 : tensor<2xcomplex<f32>>
      %34 = stablehlo.slice %27 [0:2, 0:1] : (tensor<2x2xf32>) -> tensor<2x1xf32>
      %35 = stablehlo.reshape %34 : (tensor<2x1xf32>) -> tensor<2xf32>
      %36 = stablehlo.reverse %iterArg_7, dims = [0] : tensor<2xcomplex<f32>>
      %37 = stablehlo.convert %35 : (tensor<2xf32>) -> tensor<2xcomplex<f32>>
      %38 = stablehlo.multiply %37, %36 : tensor<2xcomplex<f32>>
      %39 = stablehlo.add %33, %38 : tensor<2xcomplex<f32>>
      %40 = stablehlo.slice %iterArg_8 [1:2] : (tensor<3xbf16>) -> tensor<1xbf16>
      %41 = stablehlo.reshape %40 : (tensor<1xbf16>) -> tensor<bf16>
      %42 = stablehlo.broadcast_in_dim %41, dims = [] : (tensor<bf16>) -> tensor<3xbf16>
      %43 = stablehlo.add %iterArg_8, %42 : tensor<3xbf16>
      %cst_15 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
      %44 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<bf16>) -> tensor<3xbf16>
      %45 = stablehlo.multiply %43, %44 : tensor<3xbf16>
      %46 = stablehlo.slice %iterArg_9 [1:2] : (tensor<3xi1>) -> tensor<1xi1>
      %47 = stablehlo.reshape %46 : (tensor<1xi1>) -> tensor<i1>
      %48 = stablehlo.slice %iterArg_9 [0:1] : (tensor<3xi1>) -> tensor<1xi1>
      %49 = stablehlo.reshape %48 : (tensor<1xi1>) -> tensor<i1>
      %50 = stablehlo.not %49 : tensor<i1>
      %51 = stablehlo.slice %15 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
      %52 = stablehlo.reshape %51 : (tensor<1xf32>) -> tensor<f32>
      %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %53 = stablehlo.compare GT, %52, %cst_16, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %54 = stablehlo.broadcast_in_dim %47, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %55 = stablehlo.broadcast_in_dim %50, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %56 = stablehlo.broadcast_in_dim %53, dims = [] : (tensor<i1>) -> tensor<1xi1>
      %57 = stablehlo.concatenate %54, %55, %56, dim = 0 : (tensor<1xi1>, tensor<1xi1>, tensor<1xi1>) -> tensor<3xi1>
      stablehlo.return %4, %iterArg_4, %15, %27, %39, %45, %57 : tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xcomplex<f32>>, tensor<3xbf16>, tensor<3xi1>
    }
    return %2#2, %2#3, %2#4, %2#5, %2#6, %3#2, %3#3, %3#4, %3#5, %3#6 : tensor<4xf32>, tensor<2x2xf32>, tensor<2xcomplex<f32>>, tensor<3xbf16>, tensor<3xi1>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xcomplex<f32>>, tensor<3xbf16>, tensor<3xi1>
  }
  func.func private @_roll_static(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.slice %arg0 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
    %1 = stablehlo.slice %arg0 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
  func.func private @_where(%arg0: tensor<4xi1>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
