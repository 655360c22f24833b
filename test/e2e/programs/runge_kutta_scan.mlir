// Written by make_programs.py.
module @jit_runge_kutta_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<12x3xf32>) -> (tensor<3xf32> {jax.result_info = "result[0]"}, tensor<12x3xf32> {jax.result_info = "result[1][0]"}, tensor<12xf32> {jax.result_info = "result[1][1]"}, tensor<12x3xf32> {jax.result_info = "result[1][2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3:6 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %c, %iterArg_3 = %arg0, %iterArg_4 = %0, %iterArg_5 = %1, %iterArg_6 = %2) : tensor<12x3xf32>, tensor<i32>, tensor<3xf32>, tensor<12x3xf32>, tensor<12xf32>, tensor<12x3xf32>
    cond {
      %c_7 = stablehlo.constant dense<12> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_2, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_2) : (tensor<12x3xf32>, tensor<i32>) -> tensor<3xf32>
      %5:4 = func.call @closed_call(%iterArg_3, %4) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_4, %5#1, %iterArg_2) : (tensor<12x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<12x3xf32>
      %7 = func.call @dynamic_update_index_in_dim_0(%iterArg_5, %5#2, %iterArg_2) : (tensor<12xf32>, tensor<f32>, tensor<i32>) -> tensor<12xf32>
      %8 = func.call @dynamic_update_index_in_dim(%iterArg_6, %5#3, %iterArg_2) : (tensor<12x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<12x3xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg_2, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %9, %5#0, %6, %7, %8 : tensor<12x3xf32>, tensor<i32>, tensor<3xf32>, tensor<12x3xf32>, tensor<12xf32>, tensor<12x3xf32>
    }
    return %3#2, %3#3, %3#4, %3#5 : tensor<3xf32>, tensor<12x3xf32>, tensor<12xf32>, tensor<12x3xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<12x3xf32>, %arg1: tensor<i32>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 3] : (tensor<12x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @closed_call(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>) {
    %0 = stablehlo.slice %arg0 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    %2 = stablehlo.slice %arg0 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
    %4 = stablehlo.subtract %1, %3 : tensor<f32>
    %cst = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %5 = stablehlo.multiply %cst, %4 : tensor<f32>
    %6 = stablehlo.slice %arg0 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = stablehlo.slice %arg0 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %9 = stablehlo.reshape %8 : (tensor<1xf32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<2.800000e+01> : tensor<f32>
    %10 = stablehlo.subtract %cst_0, %9 : tensor<f32>
    %11 = stablehlo.multiply %7, %10 : tensor<f32>
    %12 = stablehlo.slice %arg0 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = stablehlo.subtract %11, %13 : tensor<f32>
    %15 = stablehlo.slice %arg0 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = stablehlo.slice %arg0 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %18 = stablehlo.reshape %17 : (tensor<1xf32>) -> tensor<f32>
    %19 = stablehlo.multiply %16, %18 : tensor<f32>
    %20 = stablehlo.slice %arg0 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %21 = stablehlo.reshape %20 : (tensor<1xf32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<2.66666675> : tensor<f32>
    %22 = stablehlo.multiply %21, %cst_1 : tensor<f32>
    %23 = stablehlo.subtract %19, %22 : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %25 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %26 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %27 = stablehlo.concatenate %24, %25, %26, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-03> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %29 = stablehlo.multiply %28, %27 : tensor<3xf32>
    %30 = stablehlo.add %arg0, %29 : tensor<3xf32>
    %31 = stablehlo.slice %30 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %32 = stablehlo.reshape %31 : (tensor<1xf32>) -> tensor<f32>
    %33 = stablehlo.slice %30 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %34 = stablehlo.reshape %33 : (tensor<1xf32>) -> tensor<f32>
    %35 = stablehlo.subtract %32, %34 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %36 = stablehlo.multiply %cst_3, %35 : tensor<f32>
    %37 = stablehlo.slice %30 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %38 = stablehlo.reshape %37 : (tensor<1xf32>) -> tensor<f32>
    %39 = stablehlo.slice %30 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %40 = stablehlo.reshape %39 : (tensor<1xf32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<2.800000e+01> : tensor<f32>
    %41 = stablehlo.subtract %cst_4, %40 : tensor<f32>
    %42 = stablehlo.multiply %38, %41 : tensor<f32>
    %43 = stablehlo.slice %30 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %44 = stablehlo.reshape %43 : (tensor<1xf32>) -> tensor<f32>
    %45 = stablehlo.subtract %42, %44 : tensor<f32>
    %46 = stablehlo.slice %30 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %47 = stablehlo.reshape %46 : (tensor<1xf32>) -> tensor<f32>
    %48 = stablehlo.slice %30 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %49 = stablehlo.reshape %48 : (tensor<1xf32>) -> tensor<f32>
    %50 = stablehlo.multiply %47, %49 : tensor<f32>
    %51 = stablehlo.slice %30 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %52 = stablehlo.reshape %51 : (tensor<1xf32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<2.66666675> : tensor<f32>
    %53 = stablehlo.multiply %52, %cst_5 : tensor<f32>
    %54 = stablehlo.subtract %50, %53 : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %56 = stablehlo.broadcast_in_dim %45, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %57 = stablehlo.broadcast_in_dim %54, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %58 = stablehlo.concatenate %55, %56, %57, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    %cst_6 = stablehlo.constant dense<5.000000e-03> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %60 = stablehlo.multiply %59, %58 : tensor<3xf32>
    %61 = stablehlo.add %arg0, %60 : tensor<3xf32>
    %62 = stablehlo.slice %61 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %63 = stablehlo.reshape %62 : (tensor<1xf32>) -> tensor<f32>
    %64 = stablehlo.slice %61 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %65 = stablehlo.reshape %64 : (tensor<1xf32>) -> tensor<f32>
    %66 = stablehlo.subtract %63, %65 : tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %67 = stablehlo.multiply %cst_7, %66 : tensor<f32>
    %68 = stablehlo.slice %61 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %69 = stablehlo.reshape %68 : (tensor<1xf32>) -> tensor<f32>
    %70 = stablehlo.slice %61 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %71 = stablehlo.reshape %70 : (tensor<1xf32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<2.800000e+01> : tensor<f32>
    %72 = stablehlo.subtract %cst_8, %71 : tensor<f32>
    %73 = stablehlo.multiply %69, %72 : tensor<f32>
    %74 = stablehlo.slice %61 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %75 = stablehlo.reshape %74 : (tensor<1xf32>) -> tensor<f32>
    %76 = stablehlo.subtract %73, %75 : tensor<f32>
    %77 = stablehlo.slice %61 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %78 = stablehlo.reshape %77 : (tensor<1xf32>) -> tensor<f32>
    %79 = stablehlo.slice %61 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %80 = stablehlo.reshape %79 : (tensor<1xf32>) -> tensor<f32>
    %81 = stablehlo.multiply %78, %80 : tensor<f32>
    %82 = stablehlo.slice %61 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %83 = stablehlo.reshape %82 : (tensor<1xf32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<2.66666675> : tensor<f32>
    %84 = stablehlo.multiply %83, %cst_9 : tensor<f32>
    %85 = stablehlo.subtract %81, %84 : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %67, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %87 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %88 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %89 = stablehlo.concatenate %86, %87, %88, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    %cst_10 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %91 = stablehlo.multiply %90, %89 : tensor<3xf32>
    %92 = stablehlo.add %arg0, %91 : tensor<3xf32>
    %93 = stablehlo.slice %92 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %94 = stablehlo.reshape %93 : (tensor<1xf32>) -> tensor<f32>
    %95 = stablehlo.slice %92 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %96 = stablehlo.reshape %95 : (tensor<1xf32>) -> tensor<f32>
    %97 = stablehlo.subtract %94, %96 : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %98 = stablehlo.multiply %cst_11, %97 : tensor<f32>
    %99 = stablehlo.slice %92 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %100 = stablehlo.reshape %99 : (tensor<1xf32>) -> tensor<f32>
    %101 = stablehlo.slice %92 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %102 = stablehlo.reshape %101 : (tensor<1xf32>) -> tensor<f32>
    %cst_12 = stablehlo.constant dense<2.800000e+01> : tensor<f32>
    %103 = stablehlo.subtract %cst_12, %102 : tensor<f32>
    %104 = stablehlo.multiply %100, %103 : tensor<f32>
    %105 = stablehlo.slice %92 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %106 = stablehlo.reshape %105 : (tensor<1xf32>) -> tensor<f32>
    %107 = stablehlo.subtract %104, %106 : tensor<f32>
    %108 = stablehlo.slice %92 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %109 = stablehlo.reshape %108 : (tensor<1xf32>) -> tensor<f32>
    %110 = stablehlo.slice %92 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %111 = stablehlo.reshape %110 : (tensor<1xf32>) -> tensor<f32>
    %112 = stablehlo.multiply %109, %111 : tensor<f32>
    %113 = stablehlo.slice %92 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %114 = stablehlo.reshape %113 : (tensor<1xf32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<2.66666675> : tensor<f32>
    %115 = stablehlo.multiply %114, %cst_13 : tensor<f32>
    %116 = stablehlo.subtract %112, %115 : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %98, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %118 = stablehlo.broadcast_in_dim %107, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %119 = stablehlo.broadcast_in_dim %116, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %120 = stablehlo.concatenate %117, %118, %119, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    %cst_14 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %122 = stablehlo.multiply %121, %58 : tensor<3xf32>
    %123 = stablehlo.add %27, %122 : tensor<3xf32>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %125 = stablehlo.multiply %124, %89 : tensor<3xf32>
    %126 = stablehlo.add %123, %125 : tensor<3xf32>
    %127 = stablehlo.add %126, %120 : tensor<3xf32>
    %cst_16 = stablehlo.constant dense<6.000000e+02> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %129 = stablehlo.divide %127, %128 : tensor<3xf32>
    %130 = stablehlo.add %arg0, %129 : tensor<3xf32>
    %cst_17 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %132 = stablehlo.multiply %131, %arg1 : tensor<3xf32>
    %133 = stablehlo.add %130, %132 : tensor<3xf32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %134 = stablehlo.reduce(%133 init: %cst_18) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %135 = stablehlo.reverse %133, dims = [0] : tensor<3xf32>
    return %133, %133, %134, %135 : tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<12x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<i32>) -> tensor<12x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<12x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<12x3xf32>
    return %1 : tensor<12x3xf32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<12xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<12xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<12xf32>, tensor<1xf32>, tensor<i32>) -> tensor<12xf32>
    return %1 : tensor<12xf32>
  }
}
