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
      %cst_8 = stablehlo.constant dense<1.000000e+07> : tensor<f32>
      %17 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %18 = stablehlo.multiply %iterArg_5, %17 : tensor<3xf32>
      %19 = stablehlo.cosine %18 : tensor<3xf32>
      %20 = stablehlo.add %16, %19 : tensor<3xf32>
      %21 = stablehlo.slice %iterArg_3 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
      %22 = stablehlo.reshape %21 : (tensor<1xf32>) -> tensor<f32>
      %23 = stablehlo.slice %iterArg_3 [1:2] : (tensor<4xf32>) -> tensor<1xf32>
      %24 = stablehlo.reshape %23 : (tensor<1xf32>) -> tensor<f32>
      %25 = stablehlo.slice %iterArg_3 [2:3] : (tensor<4xf32>) -> tensor<1xf32>
      %26 = stablehlo.reshape %25 : (tensor<1xf32>) -> tensor<f32>
      %27 = stablehlo.slice %iterArg_3 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
      %28 = stablehlo.reshape %27 : (tensor<1xf32>) -> tensor<f32>
      %29 = stablehlo.subtract %22, %24 : tensor<f32>
      %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %30 = stablehlo.multiply %cst_9, %29 : tensor<f32>
      %31 = stablehlo.cosine %30 : tensor<f32>
      %cst_10 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %32 = stablehlo.subtract %cst_10, %31 : tensor<f32>
      %33 = stablehlo.sine %22 : tensor<f32>
      %cst_11 = stablehlo.constant dense<-3.000000e+00> : tensor<f32>
      %34 = stablehlo.multiply %cst_11, %33 : tensor<f32>
      %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %35 = stablehlo.multiply %cst_12, %24 : tensor<f32>
      %36 = stablehlo.subtract %22, %35 : tensor<f32>
      %37 = stablehlo.sine %36 : tensor<f32>
      %38 = stablehlo.subtract %34, %37 : tensor<f32>
      %39 = stablehlo.sine %29 : tensor<f32>
      %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %40 = stablehlo.multiply %cst_13, %39 : tensor<f32>
      %41 = stablehlo.multiply %28, %28 : tensor<f32>
      %42 = stablehlo.multiply %26, %26 : tensor<f32>
      %43 = stablehlo.cosine %29 : tensor<f32>
      %44 = stablehlo.multiply %42, %43 : tensor<f32>
      %45 = stablehlo.add %41, %44 : tensor<f32>
      %46 = stablehlo.multiply %40, %45 : tensor<f32>
      %47 = stablehlo.subtract %38, %46 : tensor<f32>
      %48 = stablehlo.divide %47, %32 : tensor<f32>
      %49 = stablehlo.sine %29 : tensor<f32>
      %cst_14 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %50 = stablehlo.multiply %cst_14, %49 : tensor<f32>
      %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %51 = stablehlo.multiply %cst_15, %26 : tensor<f32>
      %52 = stablehlo.multiply %51, %26 : tensor<f32>
      %53 = stablehlo.cosine %22 : tensor<f32>
      %cst_16 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %54 = stablehlo.multiply %cst_16, %53 : tensor<f32>
      %55 = stablehlo.add %52, %54 : tensor<f32>
      %56 = stablehlo.multiply %28, %28 : tensor<f32>
      %57 = stablehlo.cosine %29 : tensor<f32>
      %58 = stablehlo.multiply %56, %57 : tensor<f32>
      %59 = stablehlo.add %55, %58 : tensor<f32>
      %60 = stablehlo.multiply %50, %59 : tensor<f32>
      %61 = stablehlo.divide %60, %32 : tensor<f32>
      %62 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %63 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %64 = stablehlo.broadcast_in_dim %48, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %65 = stablehlo.broadcast_in_dim %61, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %66 = stablehlo.concatenate %62, %63, %64, %65, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
      %cst_17 = stablehlo.constant dense<5.000000e-03> : tensor<f32>
      %67 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %68 = stablehlo.multiply %67, %66 : tensor<4xf32>
      %69 = stablehlo.add %iterArg_3, %68 : tensor<4xf32>
      %70 = stablehlo.slice %69 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
      %71 = stablehlo.reshape %70 : (tensor<1xf32>) -> tensor<f32>
      %72 = stablehlo.slice %69 [1:2] : (tensor<4xf32>) -> tensor<1xf32>
      %73 = stablehlo.reshape %72 : (tensor<1xf32>) -> tensor<f32>
      %74 = stablehlo.slice %69 [2:3] : (tensor<4xf32>) -> tensor<1xf32>
      %75 = stablehlo.reshape %74 : (tensor<1xf32>) -> tensor<f32>
      %76 = stablehlo.slice %69 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
      %77 = stablehlo.reshape %76 : (tensor<1xf32>) -> tensor<f32>
      %78 = stablehlo.subtract %71, %73 : tensor<f32>
      %cst_18 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %79 = stablehlo.multiply %cst_18, %78 : tensor<f32>
      %80 = stablehlo.cosine %79 : tensor<f32>
      %cst_19 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %81 = stablehlo.subtract %cst_19, %80 : tensor<f32>
      %82 = stablehlo.sine %71 : tensor<f32>
      %cst_20 = stablehlo.constant dense<-3.000000e+00> : tensor<f32>
      %83 = stablehlo.multiply %cst_20, %82 : tensor<f32>
      %cst_21 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %84 = stablehlo.multiply %cst_21, %73 : tensor<f32>
      %85 = stablehlo.subtract %71, %84 : tensor<f32>
      %86 = stablehlo.sine %85 : tensor<f32>
      %87 = stablehlo.subtract %83, %86 : tensor<f32>
      %88 = stablehlo.sine %78 : tensor<f32>
      %cst_22 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %89 = stablehlo.multiply %cst_22, %88 : tensor<f32>
      %90 = stablehlo.multiply %77, %77 : tensor<f32>
      %91 = stablehlo.multiply %75, %75 : tensor<f32>
      %92 = stablehlo.cosine %78 : tensor<f32>
      %93 = stablehlo.multiply %91, %92 : tensor<f32>
      %94 = stablehlo.add %90, %93 : tensor<f32>
      %95 = stablehlo.multiply %89, %94 : tensor<f32>
      %96 = stablehlo.subtract %87, %95 : tensor<f32>
      %97 = stablehlo.divide %96, %81 : tensor<f32>
      %98 = stablehlo.sine %78 : tensor<f32>
      %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %99 = stablehlo.multiply %cst_23, %98 : tensor<f32>
      %cst_24 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %100 = stablehlo.multiply %cst_24, %75 : tensor<f32>
      %101 = stablehlo.multiply %100, %75 : tensor<f32>
      %102 = stablehlo.cosine %71 : tensor<f32>
      %cst_25 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %103 = stablehlo.multiply %cst_25, %102 : tensor<f32>
      %104 = stablehlo.add %101, %103 : tensor<f32>
      %105 = stablehlo.multiply %77, %77 : tensor<f32>
      %106 = stablehlo.cosine %78 : tensor<f32>
      %107 = stablehlo.multiply %105, %106 : tensor<f32>
      %108 = stablehlo.add %104, %107 : tensor<f32>
      %109 = stablehlo.multiply %99, %108 : tensor<f32>
      %110 = stablehlo.divide %109, %81 : tensor<f32>
      %111 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %112 = stablehlo.broadcast_in_dim %77, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %113 = stablehlo.broadcast_in_dim %97, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %114 = stablehlo.broadcast_in_dim %110, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %115 = stablehlo.concatenate %111, %112, %113, %114, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
      %cst_26 = stablehlo.constant dense<0.00999999977> : tensor<f32>
      %116 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %117 = stablehlo.multiply %116, %115 : tensor<4xf32>
      %118 = stablehlo.add %iterArg_3, %117 : tensor<4xf32>
      stablehlo.return %4, %iterArg_2, %118, %12, %20 : tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>
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
}
