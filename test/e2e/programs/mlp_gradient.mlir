// Written by make_programs.py.
module @jit_mlp_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x30xf32>, %arg1: tensor<30x20xf32>, %arg2: tensor<20xf32>, %arg3: tensor<8xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<30x20xf32> {jax.result_info = "result[1]"}, tensor<20xf32> {jax.result_info = "result[2]"}, tensor<30x20xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x30xf32>, tensor<30x20xf32>) -> tensor<8x20xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<20xf32>) -> tensor<1x20xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x20xf32>) -> tensor<8x20xf32>
    %3 = stablehlo.add %0, %2 : tensor<8x20xf32>
    %4 = call @relu(%3) : (tensor<8x20xf32>) -> tensor<8x20xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x20xf32>
    %6 = stablehlo.compare GT, %3, %5, FLOAT : (tensor<8x20xf32>, tensor<8x20xf32>) -> tensor<8x20xi1>
    %7:3 = call @log_softmax(%4) : (tensor<8x20xf32>) -> (tensor<8x20xf32>, tensor<8x20xf32>, tensor<8x1xf32>)
    %8 = call @_one_hot(%arg3) : (tensor<8xi32>) -> tensor<8x20xf32>
    %9 = stablehlo.multiply %7#0, %8 : tensor<8x20xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<8x20xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %12 = stablehlo.divide %11, %cst_2 : tensor<f32>
    %13 = stablehlo.negate %12 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.negate %cst_3 : tensor<f32>
    %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %15 = stablehlo.divide %14, %cst_4 : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<8xf32>) -> tensor<8x20xf32>
    %18 = stablehlo.multiply %17, %8 : tensor<8x20xf32>
    %19 = call @log_softmax_0(%7#1, %7#2, %18) : (tensor<8x20xf32>, tensor<8x1xf32>, tensor<8x20xf32>) -> tensor<8x20xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x20xf32>
    %21 = stablehlo.select %6, %19, %20 : tensor<8x20xi1>, tensor<8x20xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.reduce(%21 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<8x20xf32>, tensor<f32>) -> tensor<20xf32>
    %23 = stablehlo.reshape %22 : (tensor<20xf32>) -> tensor<1x20xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<1x20xf32>, tensor<f32>) -> tensor<20xf32>
    %25 = stablehlo.dot_general %21, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x20xf32>, tensor<8x30xf32>) -> tensor<20x30xf32>
    %26 = stablehlo.transpose %25, dims = [1, 0] : (tensor<20x30xf32>) -> tensor<30x20xf32>
    %cst_8 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<30x20xf32>
    %28 = stablehlo.multiply %27, %26 : tensor<30x20xf32>
    %29 = stablehlo.subtract %arg1, %28 : tensor<30x20xf32>
    return %13, %26, %24, %29 : tensor<f32>, tensor<30x20xf32>, tensor<20xf32>, tensor<30x20xf32>
  }
  func.func private @relu(%arg0: tensor<8x20xf32>) -> tensor<8x20xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x20xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x20xf32>
    return %1 : tensor<8x20xf32>
  }
  func.func private @log_softmax(%arg0: tensor<8x20xf32>) -> (tensor<8x20xf32>, tensor<8x20xf32>, tensor<8x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<8x20xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x20xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x20xf32>
    %6 = stablehlo.exponential %5 : tensor<8x20xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<8x20xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %9 = stablehlo.log %8 : tensor<8x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x20xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x20xf32>
    return %11, %6, %8 : tensor<8x20xf32>, tensor<8x20xf32>, tensor<8x1xf32>
  }
  func.func private @_one_hot(%arg0: tensor<8xi32>) -> tensor<8x20xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x20xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x1xi32>) -> tensor<8x20xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x20xi32>) -> tensor<8x20xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<8x20xi32>, tensor<8x20xi32>) -> tensor<8x20xi1>
    %5 = stablehlo.convert %4 : (tensor<8x20xi1>) -> tensor<8x20xf32>
    return %5 : tensor<8x20xf32>
  }
  func.func private @log_softmax_0(%arg0: tensor<8x20xf32>, %arg1: tensor<8x1xf32>, %arg2: tensor<8x20xf32>) -> tensor<8x20xf32> {
    %0 = stablehlo.negate %arg2 : tensor<8x20xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x20xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<8x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<8x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<8x1xf32>, tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<8xf32>) -> tensor<8x20xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<8x20xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<8x20xf32>
    return %7 : tensor<8x20xf32>
  }
}
