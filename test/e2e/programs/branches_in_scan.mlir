// Written by make_programs.py.
module @jit_branches_in_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<20xi1>) -> (tensor<16xf32> {jax.result_info = "result[0]"}, tensor<20xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %c, %iterArg_1 = %arg0, %iterArg_2 = %0) : tensor<20xi1>, tensor<i32>, tensor<16xf32>, tensor<20xf32>
    cond {
      %c_3 = stablehlo.constant dense<20> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_0) : (tensor<20xi1>, tensor<i32>) -> tensor<i1>
      %3:2 = func.call @closed_call(%iterArg_1, %2) : (tensor<16xf32>, tensor<i1>) -> (tensor<16xf32>, tensor<f32>)
      %4 = func.call @dynamic_update_index_in_dim(%iterArg_2, %3#1, %iterArg_0) : (tensor<20xf32>, tensor<f32>, tensor<i32>) -> tensor<20xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg_0, %c_3 : tensor<i32>
      stablehlo.return %iterArg, %5, %3#0, %4 : tensor<20xi1>, tensor<i32>, tensor<16xf32>, tensor<20xf32>
    }
    return %1#2, %1#3 : tensor<16xf32>, tensor<20xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<20xi1>, %arg1: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<20xi1>, tensor<i32>) -> tensor<1xi1>
    %1 = stablehlo.reshape %0 : (tensor<1xi1>) -> tensor<i1>
    return %1 : tensor<i1>
  }
  func.func private @closed_call(%arg0: tensor<16xf32>, %arg1: tensor<i1>) -> (tensor<16xf32>, tensor<f32>) {
    %0 = stablehlo.convert %arg1 : (tensor<i1>) -> tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %3 = stablehlo.negate %arg0 : tensor<16xf32>
      %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %5 = stablehlo.multiply %3, %4 : tensor<16xf32>
      stablehlo.return %5 : tensor<16xf32>
    }, {
      %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %4 = stablehlo.multiply %arg0, %3 : tensor<16xf32>
      %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %6 = stablehlo.add %4, %5 : tensor<16xf32>
      stablehlo.return %6 : tensor<16xf32>
    }) : (tensor<i32>) -> tensor<16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    return %1, %2 : tensor<16xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<20xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<20xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<20xf32>, tensor<1xf32>, tensor<i32>) -> tensor<20xf32>
    return %1 : tensor<20xf32>
  }
}
