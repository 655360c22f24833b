// Written by make_programs.py.
module @jit_elementwise_chain attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x37xf32>, %arg1: tensor<37xf32>) -> (tensor<5x37xf32> {jax.result_info = "result[0]"}, tensor<5x37xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<37xf32>) -> tensor<1x37xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x37xf32>) -> tensor<5x37xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<5x37xf32>
    %3 = stablehlo.tanh %2 : tensor<5x37xf32>
    %4 = stablehlo.abs %arg0 : tensor<5x37xf32>
    %5 = stablehlo.negate %4 : tensor<5x37xf32>
    %6 = stablehlo.exponential %5 : tensor<5x37xf32>
    %7 = stablehlo.add %3, %6 : tensor<5x37xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x37xf32>
    %9 = stablehlo.compare GT, %7, %8, FLOAT : (tensor<5x37xf32>, tensor<5x37xf32>) -> tensor<5x37xi1>
    %10 = call @_where(%9, %7, %arg0) : (tensor<5x37xi1>, tensor<5x37xf32>, tensor<5x37xf32>) -> tensor<5x37xf32>
    %11 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<37xf32>) -> tensor<1x37xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x37xf32>) -> tensor<5x37xf32>
    %13 = stablehlo.subtract %10, %12 : tensor<5x37xf32>
    return %7, %13 : tensor<5x37xf32>, tensor<5x37xf32>
  }
  func.func private @_where(%arg0: tensor<5x37xi1>, %arg1: tensor<5x37xf32>, %arg2: tensor<5x37xf32>) -> tensor<5x37xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<5x37xi1>, tensor<5x37xf32>
    return %0 : tensor<5x37xf32>
  }
}
