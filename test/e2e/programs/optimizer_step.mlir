// Written by make_programs.py.
module @jit_optimizer_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x48xf32>, %arg1: tensor<64x48xf32>, %arg2: tensor<64x48xf32>) -> (tensor<64x48xf32> {jax.result_info = "result[0]"}, tensor<64x48xf32> {jax.result_info = "result[1]"}, tensor<64x48xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<64x48xf32>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %3 = stablehlo.multiply %2, %arg2 : tensor<64x48xf32>
    %4 = stablehlo.add %1, %3 : tensor<64x48xf32>
    %5 = stablehlo.multiply %arg2, %arg2 : tensor<64x48xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<64x48xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %9 = stablehlo.multiply %8, %4 : tensor<64x48xf32>
    %10 = stablehlo.sqrt %7 : tensor<64x48xf32>
    %cst_3 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %12 = stablehlo.add %10, %11 : tensor<64x48xf32>
    %13 = stablehlo.divide %9, %12 : tensor<64x48xf32>
    %14 = stablehlo.subtract %arg0, %13 : tensor<64x48xf32>
    return %14, %4, %7 : tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xf32>
  }
}
