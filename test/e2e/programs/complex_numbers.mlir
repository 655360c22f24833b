// Written by make_programs.py.
module @jit_complex_numbers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xcomplex<f32>>, %arg1: tensor<5x3xcomplex<f32>>) -> (tensor<4x3xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<4x5xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<4x5xf32> {jax.result_info = "result[2]"}, tensor<4x5xcomplex<f32>> {jax.result_info = "result[3]"}, tensor<4x5xcomplex<f32>> {jax.result_info = "result[4]"}, tensor<4x5xf32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x5xcomplex<f32>>, tensor<5x3xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
    %1 = stablehlo.exponential %arg0 : tensor<4x5xcomplex<f32>>
    %2 = stablehlo.abs %arg0 : (tensor<4x5xcomplex<f32>>) -> tensor<4x5xf32>
    %3 = stablehlo.real %arg0 : (tensor<4x5xcomplex<f32>>) -> tensor<4x5xf32>
    %4 = stablehlo.imag %arg0 : (tensor<4x5xcomplex<f32>>) -> tensor<4x5xf32>
    %5 = stablehlo.negate %4 : tensor<4x5xf32>
    %6 = stablehlo.complex %3, %5 : tensor<4x5xcomplex<f32>>
    %7 = stablehlo.multiply %arg0, %6 : tensor<4x5xcomplex<f32>>
    %8 = stablehlo.sqrt %arg0 : tensor<4x5xcomplex<f32>>
    %9 = stablehlo.reverse %arg0, dims = [0] : tensor<4x5xcomplex<f32>>
    %10 = stablehlo.real %9 : (tensor<4x5xcomplex<f32>>) -> tensor<4x5xf32>
    return %0, %1, %2, %7, %8, %10 : tensor<4x3xcomplex<f32>>, tensor<4x5xcomplex<f32>>, tensor<4x5xf32>, tensor<4x5xcomplex<f32>>, tensor<4x5xcomplex<f32>>, tensor<4x5xf32>
  }
}
