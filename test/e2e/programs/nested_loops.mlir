// Written by make_programs.py.
module @jit_nested_loops attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x11xf32>, %arg1: tensor<11xf32>, %arg2: tensor<i32>) -> (tensor<4x11xf32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg2, %iterArg_1 = %arg0, %iterArg_2 = %arg1) : tensor<i32>, tensor<i32>, tensor<4x11xf32>, tensor<11xf32>
    cond {
      %1 = stablehlo.compare LT, %iterArg, %iterArg_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %2 = stablehlo.convert %iterArg : (tensor<i32>) -> tensor<f32>
      %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<11xf32>
      %4 = stablehlo.add %iterArg_2, %3 : tensor<11xf32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %5:5 = stablehlo.while(%iterArg_6 = %iterArg_2, %iterArg_7 = %c_5, %iterArg_8 = %c_4, %iterArg_9 = %iterArg_2, %iterArg_10 = %4) : tensor<11xf32>, tensor<i32>, tensor<i32>, tensor<11xf32>, tensor<11xf32>
      cond {
        %c_11 = stablehlo.constant dense<3> : tensor<i32>
        %11 = stablehlo.compare LT, %iterArg_7, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %11 : tensor<i1>
      } do {
        %11:3 = func.call @closed_call(%iterArg_6, %iterArg_8, %iterArg_9, %iterArg_10) : (tensor<11xf32>, tensor<i32>, tensor<11xf32>, tensor<11xf32>) -> (tensor<i32>, tensor<11xf32>, tensor<11xf32>)
        %c_11 = stablehlo.constant dense<1> : tensor<i32>
        %12 = stablehlo.add %iterArg_7, %c_11 : tensor<i32>
        stablehlo.return %iterArg_6, %12, %11#0, %11#1, %11#2 : tensor<11xf32>, tensor<i32>, tensor<i32>, tensor<11xf32>, tensor<11xf32>
      }
      %6 = stablehlo.multiply %5#3, %5#4 : tensor<11xf32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<11xf32>) -> tensor<1x11xf32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x11xf32>) -> tensor<4x11xf32>
      %9 = stablehlo.add %iterArg_1, %8 : tensor<4x11xf32>
      %10 = stablehlo.subtract %5#3, %5#4 : tensor<11xf32>
      stablehlo.return %1, %iterArg_0, %9, %10 : tensor<i32>, tensor<i32>, tensor<4x11xf32>, tensor<11xf32>
    }
    return %0#2, %0#3 : tensor<4x11xf32>, tensor<11xf32>
  }
  func.func private @closed_call(%arg0: tensor<11xf32>, %arg1: tensor<i32>, %arg2: tensor<11xf32>, %arg3: tensor<11xf32>) -> (tensor<i32>, tensor<11xf32>, tensor<11xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = stablehlo.reverse %arg3, dims = [0] : tensor<11xf32>
    %2 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %4 = stablehlo.add %1, %3 : tensor<11xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.multiply %arg2, %5 : tensor<11xf32>
    %7 = stablehlo.add %6, %arg0 : tensor<11xf32>
    return %0, %4, %7 : tensor<i32>, tensor<11xf32>, tensor<11xf32>
  }
}
