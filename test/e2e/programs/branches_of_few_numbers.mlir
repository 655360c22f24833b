// Written by make_programs.py.
module @jit_branches_of_few_numbers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<2x2xf32>, %arg2: tensor<9xi32>, %arg3: tensor<9x3xf32>) -> (tensor<3xf32> {jax.result_info = "result[0][0]"}, tensor<2x2xf32> {jax.result_info = "result[0][1]"}, tensor<2xi32> {jax.result_info = "result[0][2]"}, tensor<9x3xf32> {jax.result_info = "result[1][0]"}, tensor<9xi1> {jax.result_info = "result[1][1]"}) {
    %c = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9x3xf32>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %2 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<9xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %3:9 = stablehlo.while(%iterArg = %arg2, %iterArg_3 = %arg3, %iterArg_4 = %c, %iterArg_5 = %c_2, %iterArg_6 = %arg0, %iterArg_7 = %arg1, %iterArg_8 = %0, %iterArg_9 = %1, %iterArg_10 = %2) : tensor<9xi32>, tensor<9x3xf32>, tensor<2xi32>, tensor<i32>, tensor<3xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<9x3xf32>, tensor<9xi1>
    cond {
      %c_11 = stablehlo.constant dense<9> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_5, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_5) : (tensor<9xi32>, tensor<i32>) -> tensor<i32>
      %5 = func.call @dynamic_index_in_dim_0(%iterArg_3, %iterArg_5) : (tensor<9x3xf32>, tensor<i32>) -> tensor<3xf32>
      %6:5 = func.call @closed_call(%iterArg_4, %iterArg_6, %iterArg_7, %iterArg_8, %4, %5) : (tensor<2xi32>, tensor<3xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<i32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<3xf32>, tensor<i1>)
      %7 = func.call @dynamic_update_index_in_dim(%iterArg_9, %6#3, %iterArg_5) : (tensor<9x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<9x3xf32>
      %8 = func.call @dynamic_update_index_in_dim_2(%iterArg_10, %6#4, %iterArg_5) : (tensor<9xi1>, tensor<i1>, tensor<i32>) -> tensor<9xi1>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg_5, %c_11 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_3, %iterArg_4, %9, %6#0, %6#1, %6#2, %7, %8 : tensor<9xi32>, tensor<9x3xf32>, tensor<2xi32>, tensor<i32>, tensor<3xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<9x3xf32>, tensor<9xi1>
    }
    return %3#4, %3#5, %3#6, %3#7, %3#8 : tensor<3xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<9x3xf32>, tensor<9xi1>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<9xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<9xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<9x3xf32>, %arg1: tensor<i32>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 3] : (tensor<9x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @closed_call(%arg0: tensor<2xi32>, %arg1: tensor<3xf32>, %arg2: tensor<2x2xf32>, %arg3: tensor<2xi32>, %arg4: tensor<i32>, %arg5: tensor<3xf32>) -> (tensor<3xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<3xf32>, tensor<i1>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.compare GT, %0, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.convert %1 : (tensor<i1>) -> tensor<i32>
    %3:2 = "stablehlo.case"(%2) ({
      %17 = stablehlo.add %arg1, %arg5 : tensor<3xf32>
      %18 = stablehlo.slice %arg1 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
      %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
      %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %21 = stablehlo.multiply %arg2, %20 : tensor<2x2xf32>
      %22 = stablehlo.slice %arg1 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
      %23 = stablehlo.reshape %22 : (tensor<1xf32>) -> tensor<f32>
      %24 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %25 = stablehlo.subtract %21, %24 : tensor<2x2xf32>
      stablehlo.return %17, %25 : tensor<3xf32>, tensor<2x2xf32>
    }, {
      %17 = stablehlo.reverse %arg1, dims = [0] : tensor<3xf32>
      %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %18 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %19 = stablehlo.multiply %17, %18 : tensor<3xf32>
      %20 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
      stablehlo.return %19, %20 : tensor<3xf32>, tensor<2x2xf32>
    }) : (tensor<i32>) -> (tensor<3xf32>, tensor<2x2xf32>)
    %c = stablehlo.constant dense<3> : tensor<i32>
    %4 = stablehlo.and %arg4, %c : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %5 = stablehlo.clamp %c_1, %4, %c_2 : tensor<i32>
    %6 = "stablehlo.case"(%5) ({
      stablehlo.return %3#0 : tensor<3xf32>
    }, {
      %17 = func.call @_roll_static(%3#0) : (tensor<3xf32>) -> tensor<3xf32>
      stablehlo.return %17 : tensor<3xf32>
    }, {
      %17 = stablehlo.negate %3#0 : tensor<3xf32>
      stablehlo.return %17 : tensor<3xf32>
    }, {
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %17 = stablehlo.reduce(%3#0 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
      %18 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %19 = stablehlo.multiply %3#0, %18 : tensor<3xf32>
      stablehlo.return %19 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %c_3 = stablehlo.constant dense<4> : tensor<i32>
    %7 = stablehlo.compare GT, %arg4, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %8 = stablehlo.convert %7 : (tensor<i1>) -> tensor<i32>
    %9 = "stablehlo.case"(%8) ({
      %17 = stablehlo.tanh %3#0 : tensor<3xf32>
      stablehlo.return %17 : tensor<3xf32>
    }, {
      %17 = stablehlo.convert %1 : (tensor<i1>) -> tensor<i32>
      %18 = "stablehlo.case"(%17) ({
        stablehlo.return %arg5 : tensor<3xf32>
      }, {
        %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %19 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
        %20 = stablehlo.multiply %6, %19 : tensor<3xf32>
        stablehlo.return %20 : tensor<3xf32>
      }) : (tensor<i32>) -> tensor<3xf32>
      stablehlo.return %18 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %c_4 = stablehlo.constant dense<2> : tensor<i32>
    %c_5 = stablehlo.constant dense<-2> : tensor<i32>
    %10 = call @clip(%6, %c_4, %c_5) : (tensor<3xf32>, tensor<i32>, tensor<i32>) -> tensor<3xf32>
    %c_6 = stablehlo.constant dense<2> : tensor<i32>
    %c_7 = stablehlo.constant dense<-2> : tensor<i32>
    %11 = call @clip_1(%3#1, %c_6, %c_7) : (tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %c_8 = stablehlo.constant dense<2> : tensor<i32>
    %12 = stablehlo.compare GT, %arg4, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %13 = stablehlo.convert %12 : (tensor<i1>) -> tensor<i32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %15 = stablehlo.multiply %arg0, %14 : tensor<2xi32>
    %16 = stablehlo.add %arg3, %15 : tensor<2xi32>
    return %10, %11, %16, %9, %1 : tensor<3xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<3xf32>, tensor<i1>
  }
  func.func private @_roll_static(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.slice %arg0 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %1 = stablehlo.slice %arg0 [0:2] : (tensor<3xf32>) -> tensor<2xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<2xf32>) -> tensor<3xf32>
    return %2 : tensor<3xf32>
  }
  func.func private @clip(%arg0: tensor<3xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<3xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<3xf32>
    %3 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<3xf32>
    return %5 : tensor<3xf32>
  }
  func.func private @clip_1(%arg0: tensor<2x2xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<2x2xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<2x2xf32>
    %3 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<2x2xf32>
    return %5 : tensor<2x2xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<9x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<i32>) -> tensor<9x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<9x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<9x3xf32>
    return %1 : tensor<9x3xf32>
  }
  func.func private @dynamic_update_index_in_dim_2(%arg0: tensor<9xi1>, %arg1: tensor<i1>, %arg2: tensor<i32>) -> tensor<9xi1> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<9xi1>, tensor<1xi1>, tensor<i32>) -> tensor<9xi1>
    return %1 : tensor<9xi1>
  }
}
