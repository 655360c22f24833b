// Written by make_programs.py.
module @jit_cache_update_loop attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x40x8xf32>, %arg1: tensor<6x12x8xf32>, %arg2: tensor<i32>) -> (tensor<12x40x8xf32> {jax.result_info = "result[0]"}, tensor<12x8xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:6 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %arg2, %iterArg_2 = %c_0, %iterArg_3 = %c, %iterArg_4 = %arg0, %iterArg_5 = %0) : tensor<6x12x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<12x40x8xf32>, tensor<12x8xf32>
    cond {
      %c_6 = stablehlo.constant dense<6> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_2, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:3 = func.call @closed_call(%iterArg, %iterArg_1, %iterArg_3, %iterArg_4, %iterArg_5) : (tensor<6x12x8xf32>, tensor<i32>, tensor<i32>, tensor<12x40x8xf32>, tensor<12x8xf32>) -> (tensor<i32>, tensor<12x40x8xf32>, tensor<12x8xf32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg_2, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_1, %3, %2#0, %2#1, %2#2 : tensor<6x12x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<12x40x8xf32>, tensor<12x8xf32>
    }
    return %1#4, %1#5 : tensor<12x40x8xf32>, tensor<12x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<6x12x8xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<12x40x8xf32>, %arg4: tensor<12x8xf32>) -> (tensor<i32>, tensor<12x40x8xf32>, tensor<12x8xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg2, %c : tensor<i32>
    %1 = stablehlo.convert %arg2 : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.compare LT, %1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_1 = stablehlo.constant dense<6> : tensor<i32>
    %3 = stablehlo.add %1, %c_1 : tensor<i32>
    %4 = stablehlo.select %2, %3, %1 : tensor<i1>, tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %c_2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %c_5 = stablehlo.constant dense<12> : tensor<i32>
    %6 = stablehlo.add %c_4, %c_5 : tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.select %5, %6, %c_6 : tensor<i1>, tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.compare LT, %c_7, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %c_10 = stablehlo.constant dense<8> : tensor<i32>
    %9 = stablehlo.add %c_9, %c_10 : tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.select %8, %9, %c_11 : tensor<i1>, tensor<i32>
    %11 = stablehlo.dynamic_slice %arg0, %4, %7, %10, sizes = [1, 12, 8] : (tensor<6x12x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x12x8xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x12x8xf32>) -> tensor<12x8xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 2] : (tensor<12x8xf32>) -> tensor<12x1x8xf32>
    %14 = stablehlo.convert %arg2 : tensor<i32>
    %15 = stablehlo.add %arg1, %14 : tensor<i32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.compare LT, %15, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_13 = stablehlo.constant dense<40> : tensor<i32>
    %17 = stablehlo.add %15, %c_13 : tensor<i32>
    %18 = stablehlo.select %16, %17, %15 : tensor<i1>, tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.dynamic_update_slice %arg3, %13, %c_14, %18, %c_15 : (tensor<12x40x8xf32>, tensor<12x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<12x40x8xf32>
    %20 = stablehlo.convert %arg2 : tensor<i32>
    %21 = stablehlo.add %arg1, %20 : tensor<i32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.compare LT, %c_16, %c_17, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %c_19 = stablehlo.constant dense<12> : tensor<i32>
    %23 = stablehlo.add %c_18, %c_19 : tensor<i32>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.select %22, %23, %c_20 : tensor<i1>, tensor<i32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %25 = stablehlo.compare LT, %21, %c_21, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_22 = stablehlo.constant dense<40> : tensor<i32>
    %26 = stablehlo.add %21, %c_22 : tensor<i32>
    %27 = stablehlo.select %25, %26, %21 : tensor<i1>, tensor<i32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %c_24 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.compare LT, %c_23, %c_24, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_25 = stablehlo.constant dense<0> : tensor<i32>
    %c_26 = stablehlo.constant dense<8> : tensor<i32>
    %29 = stablehlo.add %c_25, %c_26 : tensor<i32>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %30 = stablehlo.select %28, %29, %c_27 : tensor<i1>, tensor<i32>
    %31 = stablehlo.dynamic_slice %19, %24, %27, %30, sizes = [12, 1, 8] : (tensor<12x40x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<12x1x8xf32>
    %32 = stablehlo.reshape %31 : (tensor<12x1x8xf32>) -> tensor<12x8xf32>
    %33 = stablehlo.add %arg4, %32 : tensor<12x8xf32>
    return %0, %19, %33 : tensor<i32>, tensor<12x40x8xf32>, tensor<12x8xf32>
  }
}
