// Written by make_programs.py.
module @jit_small_products attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20x24xf32>, %arg1: tensor<24xf32>, %arg2: tensor<32x8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<9x31xi32>, %arg5: tensor<31xi32>, %arg6: tensor<17x16xbf16>, %arg7: tensor<16xbf16>, %arg8: tensor<12x22xcomplex<f32>>, %arg9: tensor<22xcomplex<f32>>) -> (tensor<20xf32> {jax.result_info = "result[0]"}, tensor<32xf32> {jax.result_info = "result[1]"}, tensor<9xi32> {jax.result_info = "result[2]"}, tensor<17xbf16> {jax.result_info = "result[3]"}, tensor<12xcomplex<f32>> {jax.result_info = "result[4]"}, tensor<24xf32> {jax.result_info = "result[5]"}, tensor<20xf16> {jax.result_info = "result[6]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<20x24xf32>, tensor<24xf32>) -> tensor<20xf32>
    %1 = stablehlo.tanh %0 : tensor<20xf32>
    %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x8xf32>, tensor<8xf32>) -> tensor<32xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<32xf32>
    %5 = stablehlo.dot_general %arg4, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x31xi32>, tensor<31xi32>) -> tensor<9xi32>
    %6 = stablehlo.dot_general %arg6, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<17x16xbf16>, tensor<16xbf16>) -> tensor<17xbf16>
    %7 = stablehlo.dot_general %arg8, %arg9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x22xcomplex<f32>>, tensor<22xcomplex<f32>>) -> tensor<12xcomplex<f32>>
    %8 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<20x24xf32>, tensor<24xf32>) -> tensor<20xf32>
    %9 = stablehlo.dot_general %8, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<20xf32>, tensor<20x24xf32>) -> tensor<24xf32>
    %10 = stablehlo.convert %arg0 : (tensor<20x24xf32>) -> tensor<20x24xf16>
    %11 = stablehlo.convert %arg1 : (tensor<24xf32>) -> tensor<24xf16>
    %12 = stablehlo.dot_general %10, %11, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<20x24xf16>, tensor<24xf16>) -> tensor<20xf16>
    return %1, %4, %5, %6, %7, %9, %12 : tensor<20xf32>, tensor<32xf32>, tensor<9xi32>, tensor<17xbf16>, tensor<12xcomplex<f32>>, tensor<24xf32>, tensor<20xf16>
  }
}
