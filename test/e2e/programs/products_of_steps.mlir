// Written by make_programs.py.
module @jit_products_of_steps attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x3x40xf32>, %arg1: tensor<2x40x5xf32>, %arg2: tensor<3x5xf32>, %arg3: tensor<7x64xbf16>, %arg4: tensor<64x3xbf16>) -> (tensor<3x5xf32> {jax.result_info = "result[0][0]"}, tensor<7x3x3xf32> {jax.result_info = "result[0][1][0]"}, tensor<7x3xbf16> {jax.result_info = "result[0][1][1]"}, tensor<3x5xf32> {jax.result_info = "result[1][0]"}, tensor<7x3x3xf32> {jax.result_info = "result[1][1][0]"}, tensor<7x3xbf16> {jax.result_info = "result[1][1][1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7x3x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<7x3xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:8 = stablehlo.while(%iterArg = %arg0, %iterArg_4 = %arg3, %iterArg_5 = %arg1, %iterArg_6 = %arg4, %iterArg_7 = %c, %iterArg_8 = %arg2, %iterArg_9 = %0, %iterArg_10 = %1) : tensor<7x3x40xf32>, tensor<7x64xbf16>, tensor<2x40x5xf32>, tensor<64x3xbf16>, tensor<i32>, tensor<3x5xf32>, tensor<7x3x3xf32>, tensor<7x3xbf16>
    cond {
      %c_11 = stablehlo.constant dense<7> : tensor<i32>
      %6 = stablehlo.compare LT, %iterArg_7, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %6 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_7) : (tensor<7x3x40xf32>, tensor<i32>) -> tensor<3x40xf32>
      %7 = func.call @dynamic_index_in_dim_0(%iterArg_4, %iterArg_7) : (tensor<7x64xbf16>, tensor<i32>) -> tensor<64xbf16>
      %8:3 = func.call @closed_call(%iterArg_5, %iterArg_6, %iterArg_8, %6, %7) : (tensor<2x40x5xf32>, tensor<64x3xbf16>, tensor<3x5xf32>, tensor<3x40xf32>, tensor<64xbf16>) -> (tensor<3x5xf32>, tensor<3x3xf32>, tensor<3xbf16>)
      %9 = func.call @dynamic_update_index_in_dim(%iterArg_9, %8#1, %iterArg_7) : (tensor<7x3x3xf32>, tensor<3x3xf32>, tensor<i32>) -> tensor<7x3x3xf32>
      %10 = func.call @dynamic_update_index_in_dim_1(%iterArg_10, %8#2, %iterArg_7) : (tensor<7x3xbf16>, tensor<3xbf16>, tensor<i32>) -> tensor<7x3xbf16>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg_7, %c_11 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_4, %iterArg_5, %iterArg_6, %11, %8#0, %9, %10 : tensor<7x3x40xf32>, tensor<7x64xbf16>, tensor<2x40x5xf32>, tensor<64x3xbf16>, tensor<i32>, tensor<3x5xf32>, tensor<7x3x3xf32>, tensor<7x3xbf16>
    }
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7x3x3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<7x3xbf16>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %5:8 = stablehlo.while(%iterArg = %arg0, %iterArg_4 = %arg3, %iterArg_5 = %arg1, %iterArg_6 = %arg4, %iterArg_7 = %c_3, %iterArg_8 = %arg2, %iterArg_9 = %3, %iterArg_10 = %4) : tensor<7x3x40xf32>, tensor<7x64xbf16>, tensor<2x40x5xf32>, tensor<64x3xbf16>, tensor<i32>, tensor<3x5xf32>, tensor<7x3x3xf32>, tensor<7x3xbf16>
    cond {
      %c_11 = stablehlo.constant dense<7> : tensor<i32>
      %6 = stablehlo.compare LT, %iterArg_7, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %c_11 = stablehlo.constant dense<7> : tensor<i32>
      %6 = stablehlo.subtract %c_11, %iterArg_7 : tensor<i32>
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.subtract %6, %c_12 : tensor<i32>
      %8 = func.call @dynamic_index_in_dim(%iterArg, %7) : (tensor<7x3x40xf32>, tensor<i32>) -> tensor<3x40xf32>
      %9 = func.call @dynamic_index_in_dim_0(%iterArg_4, %7) : (tensor<7x64xbf16>, tensor<i32>) -> tensor<64xbf16>
      %10:3 = func.call @closed_call(%iterArg_5, %iterArg_6, %iterArg_8, %8, %9) : (tensor<2x40x5xf32>, tensor<64x3xbf16>, tensor<3x5xf32>, tensor<3x40xf32>, tensor<64xbf16>) -> (tensor<3x5xf32>, tensor<3x3xf32>, tensor<3xbf16>)
      %11 = func.call @dynamic_update_index_in_dim(%iterArg_9, %10#1, %7) : (tensor<7x3x3xf32>, tensor<3x3xf32>, tensor<i32>) -> tensor<7x3x3xf32>
      %12 = func.call @dynamic_update_index_in_dim_1(%iterArg_10, %10#2, %7) : (tensor<7x3xbf16>, tensor<3xbf16>, tensor<i32>) -> tensor<7x3xbf16>
      %c_13 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.add %iterArg_7, %c_13 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_4, %iterArg_5, %iterArg_6, %13, %10#0, %11, %12 : tensor<7x3x40xf32>, tensor<7x64xbf16>, tensor<2x40x5xf32>, tensor<64x3xbf16>, tensor<i32>, tensor<3x5xf32>, tensor<7x3x3xf32>, tensor<7x3xbf16>
    }
    return %2#5, %2#6, %2#7, %5#5, %5#6, %5#7 : tensor<3x5xf32>, tensor<7x3x3xf32>, tensor<7x3xbf16>, tensor<3x5xf32>, tensor<7x3x3xf32>, tensor<7x3xbf16>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<7x3x40xf32>, %arg1: tensor<i32>) -> tensor<3x40xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 3, 40] : (tensor<7x3x40xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x40xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3x40xf32>) -> tensor<3x40xf32>
    return %1 : tensor<3x40xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<7x64xbf16>, %arg1: tensor<i32>) -> tensor<64xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 64] : (tensor<7x64xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x64xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x64xbf16>) -> tensor<64xbf16>
    return %1 : tensor<64xbf16>
  }
  func.func private @closed_call(%arg0: tensor<2x40x5xf32>, %arg1: tensor<64x3xbf16>, %arg2: tensor<3x5xf32>, %arg3: tensor<3x40xf32>, %arg4: tensor<64xbf16>) -> (tensor<3x5xf32>, tensor<3x3xf32>, tensor<3xbf16>) {
    %0 = stablehlo.slice %arg0 [0:1, 0:40, 0:5] : (tensor<2x40x5xf32>) -> tensor<1x40x5xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x40x5xf32>) -> tensor<40x5xf32>
    %2 = stablehlo.dot_general %arg3, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x40xf32>, tensor<40x5xf32>) -> tensor<3x5xf32>
    %3 = stablehlo.slice %arg0 [1:2, 0:40, 0:5] : (tensor<2x40x5xf32>) -> tensor<1x40x5xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x40x5xf32>) -> tensor<40x5xf32>
    %5 = stablehlo.dot_general %4, %arg3, contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<40x5xf32>, tensor<3x40xf32>) -> tensor<5x3xf32>
    %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<5x3xf32>) -> tensor<3x5xf32>
    %7 = stablehlo.add %2, %6 : tensor<3x5xf32>
    %8 = stablehlo.add %arg2, %7 : tensor<3x5xf32>
    %9 = stablehlo.tanh %8 : tensor<3x5xf32>
    %10 = stablehlo.slice %7 [0:3, 0:5:2] : (tensor<3x5xf32>) -> tensor<3x3xf32>
    %11 = stablehlo.dot_general %arg4, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64xbf16>, tensor<64x3xbf16>) -> tensor<3xbf16>
    return %9, %10, %11 : tensor<3x5xf32>, tensor<3x3xf32>, tensor<3xbf16>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<7x3x3xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<i32>) -> tensor<7x3x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<7x3x3xf32>, tensor<1x3x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<7x3x3xf32>
    return %1 : tensor<7x3x3xf32>
  }
  func.func private @dynamic_update_index_in_dim_1(%arg0: tensor<7x3xbf16>, %arg1: tensor<3xbf16>, %arg2: tensor<i32>) -> tensor<7x3xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xbf16>) -> tensor<1x3xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<7x3xbf16>, tensor<1x3xbf16>, tensor<i32>, tensor<i32>) -> tensor<7x3xbf16>
    return %1 : tensor<7x3xbf16>
  }
}
