// A batch of matrices for LAPACK may have a size that only the run knows, the matrices may not.
// RUN: %opt %s --split-input-file --verify-diagnostics --tenon-refine-shapes | %check %s

// CHECK: func.func @main(%arg0: tensor<4x3x3xf32>, %arg1: tensor<i32>) -> (tensor<4x3x3xf32>, tensor<4xi32>, tensor<i32>
// CHECK: custom_call @lapack_spotrf_ffi(%arg0) {{.*}} : (tensor<4x3x3xf32>) -> (tensor<4x3x3xf32>, tensor<4xi32>)
func.func @main(%x: tensor<4x3x3xf32>, %n: tensor<i32>) -> (tensor<?x3x3xf32>, tensor<?xi32>) {
  %a = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4x3x3xf32>, tensor<i32>) -> tensor<?x3x3xf32, #stablehlo.bounds<4, ?, ?>>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %three, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a, %shape, %n1) {api_version = 4 : i32, indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<?x3x3xf32, #stablehlo.bounds<4, ?, ?>>, tensor<3xi32>, tensor<1xi32>) -> (tensor<?x3x3xf32>, tensor<?xi32>)
  return %0#0, %0#1 : tensor<?x3x3xf32>, tensor<?xi32>
}

// -----

func.func @main(%x: tensor<3x3xf32>, %n: tensor<i32>) -> (tensor<3x3xf32>, tensor<i32>) {
  %a = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<3x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<3, ?>>
  %shape = stablehlo.constant dense<3> : tensor<2xi32>
  %none = stablehlo.constant dense<> : tensor<0xi32>
  // expected-error @below {{'stablehlo.custom_call' op cannot be compiled with a size of dimension 0 that is only known when the program runs}}
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a, %shape, %none) {api_version = 4 : i32, indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<?x3xf32, #stablehlo.bounds<3, ?>>, tensor<2xi32>, tensor<0xi32>) -> (tensor<3x3xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<3x3xf32>, tensor<i32>
}
