// Written by make_programs.py.
module @jit_rotating_loop attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9xf32>, %arg1: tensor<9xf32>, %arg2: tensor<9xf32>) -> (tensor<9xf32> {jax.result_info = "result[0]"}, tensor<9xf32> {jax.result_info = "result[1]"}, tensor<9xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %arg2) : tensor<i32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
    cond {
      %c_3 = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:3 = func.call @closed_call(%iterArg_0, %iterArg_1, %iterArg_2) : (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>)
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      stablehlo.return %2, %1#0, %1#1, %1#2 : tensor<i32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
    }
    return %0#1, %0#2, %0#3 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
  }
  func.func private @closed_call(%arg0: tensor<9xf32>, %arg1: tensor<9xf32>, %arg2: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %1 = stablehlo.add %arg2, %0 : tensor<9xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %3 = stablehlo.multiply %arg0, %2 : tensor<9xf32>
    return %arg1, %1, %3 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
  }
}
