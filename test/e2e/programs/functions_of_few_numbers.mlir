// Written by make_programs.py.
module @jit_functions_of_few_numbers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<6xf32>, %arg2: tensor<i32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}, tensor<3xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<9> : tensor<i32>
    %0 = call @clip(%arg2, %c, %c_0) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %1 = stablehlo.slice %arg1 [0:3] : (tensor<6xf32>) -> tensor<3xf32>
    %2 = stablehlo.slice %arg1 [3:6] : (tensor<6xf32>) -> tensor<3xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3:5 = stablehlo.while(%iterArg = %c_1, %iterArg_2 = %0, %iterArg_3 = %arg0, %iterArg_4 = %1, %iterArg_5 = %2) : tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %iterArg_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_6 : tensor<i32>
      %5 = stablehlo.negate %iterArg_4 : tensor<3xf32>
      %6 = stablehlo.multiply %5, %iterArg_4 : tensor<3xf32>
      %7 = stablehlo.exponential %6 : tensor<3xf32>
      %8 = stablehlo.reverse %iterArg_4, dims = [0] : tensor<3xf32>
      %cst = stablehlo.constant dense<1.000000e+03> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %10 = stablehlo.multiply %8, %9 : tensor<3xf32>
      %11 = stablehlo.tanh %10 : tensor<3xf32>
      %12 = stablehlo.add %7, %11 : tensor<3xf32>
      %13 = stablehlo.abs %iterArg_5 : tensor<3xf32>
      %14 = stablehlo.log %13 : tensor<3xf32>
      %cst_7 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %15 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %16 = stablehlo.multiply %14, %15 : tensor<3xf32>
      %cst_8 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %17 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %18 = stablehlo.multiply %iterArg_5, %17 : tensor<3xf32>
      %19 = func.call @round(%18) : (tensor<3xf32>) -> tensor<3xf32>
      %cst_9 = stablehlo.constant dense<1.000000e+06> : tensor<f32>
      %20 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %21 = stablehlo.multiply %19, %20 : tensor<3xf32>
      %22 = stablehlo.cosine %21 : tensor<3xf32>
      %23 = stablehlo.add %16, %22 : tensor<3xf32>
      %24 = stablehlo.slice %iterArg_3 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
      %25 = stablehlo.reshape %24 : (tensor<1xf32>) -> tensor<f32>
      %26 = stablehlo.slice %iterArg_3 [1:2] : (tensor<4xf32>) -> tensor<1xf32>
      %27 = stablehlo.reshape %26 : (tensor<1xf32>) -> tensor<f32>
      %28 = stablehlo.slice %iterArg_3 [2:3] : (tensor<4xf32>) -> tensor<1xf32>
      %29 = stablehlo.reshape %28 : (tensor<1xf32>) -> tensor<f32>
      %30 = stablehlo.slice %iterArg_3 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
      %31 = stablehlo.reshape %30 : (tensor<1xf32>) -> tensor<f32>
      %32 = stablehlo.subtract %25, %27 : tensor<f32>
      %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %33 = stablehlo.multiply %cst_10, %32 : tensor<f32>
      %34 = stablehlo.cosine %33 : tensor<f32>
      %cst_11 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %35 = stablehlo.subtract %cst_11, %34 : tensor<f32>
      %36 = stablehlo.sine %25 : tensor<f32>
      %cst_12 = stablehlo.constant dense<-3.000000e+00> : tensor<f32>
      %37 = stablehlo.multiply %cst_12, %36 : tensor<f32>
      %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %38 = stablehlo.multiply %cst_13, %27 : tensor<f32>
      %39 = stablehlo.subtract %25, %38 : tensor<f32>
      %40 = stablehlo.sine %39 : tensor<f32>
      %41 = stablehlo.subtract %37, %40 : tensor<f32>
      %42 = stablehlo.sine %32 : tensor<f32>
      %cst_14 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %43 = stablehlo.multiply %cst_14, %42 : tensor<f32>
      %44 = stablehlo.multiply %31, %31 : tensor<f32>
      %45 = stablehlo.multiply %29, %29 : tensor<f32>
      %46 = stablehlo.cosine %32 : tensor<f32>
      %47 = stablehlo.multiply %45, %46 : tensor<f32>
      %48 = stablehlo.add %44, %47 : tensor<f32>
      %49 = stablehlo.multiply %43, %48 : tensor<f32>
      %50 = stablehlo.subtract %41, %49 : tensor<f32>
      %51 = stablehlo.divide %50, %35 : tensor<f32>
      %52 = stablehlo.sine %32 : tensor<f32>
      %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %53 = stablehlo.multiply %cst_15, %52 : tensor<f32>
      %cst_16 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %54 = stablehlo.multiply %cst_16, %29 : tensor<f32>
      %55 = stablehlo.multiply %54, %29 : tensor<f32>
      %56 = stablehlo.cosine %25 : tensor<f32>
      %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %57 = stablehlo.multiply %cst_17, %56 : tensor<f32>
      %58 = stablehlo.add %55, %57 : tensor<f32>
      %59 = stablehlo.multiply %31, %31 : tensor<f32>
      %60 = stablehlo.cosine %32 : tensor<f32>
      %61 = stablehlo.multiply %59, %60 : tensor<f32>
      %62 = stablehlo.add %58, %61 : tensor<f32>
      %63 = stablehlo.multiply %53, %62 : tensor<f32>
      %64 = stablehlo.divide %63, %35 : tensor<f32>
      %65 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %66 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %67 = stablehlo.broadcast_in_dim %51, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %68 = stablehlo.broadcast_in_dim %64, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %69 = stablehlo.concatenate %65, %66, %67, %68, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
      %cst_18 = stablehlo.constant dense<5.000000e-03> : tensor<f32>
      %70 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %71 = stablehlo.multiply %70, %69 : tensor<4xf32>
      %72 = stablehlo.add %iterArg_3, %71 : tensor<4xf32>
      %73 = stablehlo.slice %72 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
      %74 = stablehlo.reshape %73 : (tensor<1xf32>) -> tensor<f32>
      %75 = stablehlo.slice %72 [1:2] : (tensor<4xf32>) -> tensor<1xf32>
      %76 = stablehlo.reshape %75 : (tensor<1xf32>) -> tensor<f32>
      %77 = stablehlo.slice %72 [2:3] : (tensor<4xf32>) -> tensor<1xf32>
      %78 = stablehlo.reshape %77 : (tensor<1xf32>) -> tensor<f32>
      %79 = stablehlo.slice %72 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
      %80 = stablehlo.reshape %79 : (tensor<1xf32>) -> tensor<f32>
      %81 = stablehlo.subtract %74, %76 : tensor<f32>
      %cst_19 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %82 = stablehlo.multiply %cst_19, %81 : tensor<f32>
      %83 = stablehlo.cosine %82 : tensor<f32>
      %cst_20 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %84 = stablehlo.subtract %cst_20, %83 : tensor<f32>
      %85 = stablehlo.sine %74 : tensor<f32>
      %cst_21 = stablehlo.constant dense<-3.000000e+00> : tensor<f32>
      %86 = stablehlo.multiply %cst_21, %85 : tensor<f32>
      %cst_22 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %87 = stablehlo.multiply %cst_22, %76 : tensor<f32>
      %88 = stablehlo.subtract %74, %87 : tensor<f32>
      %89 = stablehlo.sine %88 : tensor<f32>
      %90 = stablehlo.subtract %86, %89 : tensor<f32>
      %91 = stablehlo.sine %81 : tensor<f32>
      %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %92 = stablehlo.multiply %cst_23, %91 : tensor<f32>
      %93 = stablehlo.multiply %80, %80 : tensor<f32>
      %94 = stablehlo.multiply %78, %78 : tensor<f32>
      %95 = stablehlo.cosine %81 : tensor<f32>
      %96 = stablehlo.multiply %94, %95 : tensor<f32>
      %97 = stablehlo.add %93, %96 : tensor<f32>
      %98 = stablehlo.multiply %92, %97 : tensor<f32>
      %99 = stablehlo.subtract %90, %98 : tensor<f32>
      %100 = stablehlo.divide %99, %84 : tensor<f32>
      %101 = stablehlo.sine %81 : tensor<f32>
      %cst_24 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %102 = stablehlo.multiply %cst_24, %101 : tensor<f32>
      %cst_25 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %103 = stablehlo.multiply %cst_25, %78 : tensor<f32>
      %104 = stablehlo.multiply %103, %78 : tensor<f32>
      %105 = stablehlo.cosine %74 : tensor<f32>
      %cst_26 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %106 = stablehlo.multiply %cst_26, %105 : tensor<f32>
      %107 = stablehlo.add %104, %106 : tensor<f32>
      %108 = stablehlo.multiply %80, %80 : tensor<f32>
      %109 = stablehlo.cosine %81 : tensor<f32>
      %110 = stablehlo.multiply %108, %109 : tensor<f32>
      %111 = stablehlo.add %107, %110 : tensor<f32>
      %112 = stablehlo.multiply %102, %111 : tensor<f32>
      %113 = stablehlo.divide %112, %84 : tensor<f32>
      %114 = stablehlo.broadcast_in_dim %78, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %115 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %116 = stablehlo.broadcast_in_dim %100, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %117 = stablehlo.broadcast_in_dim %113, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %118 = stablehlo.concatenate %114, %115, %116, %117, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
      %cst_27 = stablehlo.constant dense<0.00999999977> : tensor<f32>
      %119 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %120 = stablehlo.multiply %119, %118 : tensor<4xf32>
      %121 = stablehlo.add %iterArg_3, %120 : tensor<4xf32>
      stablehlo.return %4, %iterArg_2, %121, %12, %23 : tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>
    }
    return %3#2, %3#3, %3#4 : tensor<4xf32>, tensor<3xf32>, tensor<3xf32>
  }
  func.func private @clip(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.maximum %0, %arg0 : tensor<i32>
    %2 = stablehlo.convert %arg2 : tensor<i32>
    %3 = stablehlo.minimum %2, %1 : tensor<i32>
    return %3 : tensor<i32>
  }
  func.func private @round(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
