// Written by make_programs.py.
func.func @main(%arg0: tensor<3x4xi8>, %arg1: tensor<3x4xi8>, %arg2: tensor<4xi8>, %arg3: tensor<4xi8>, %arg4: tensor<4xi8>, %arg5: tensor<4xi8>) -> (tensor<3x4xi8>, tensor<3x4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<3x4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<3x3xi8>, tensor<3x4xi8>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<12xi32>
  %1 = "stablehlo.constant"() {value = dense<21> : tensor<12xi32>} : () -> tensor<12xi32>
  %2 = "stablehlo.multiply"(%0, %1) : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
  %3 = "stablehlo.convert"(%2) : (tensor<12xi32>) -> tensor<12xi8>
  %4 = "stablehlo.reshape"(%3) : (tensor<12xi8>) -> tensor<3x4xi8>
  %5 = "stablehlo.add"(%4, %arg0) : (tensor<3x4xi8>, tensor<3x4xi8>) -> tensor<3x4xi8>
  %6 = "stablehlo.bitcast_convert"(%5) : (tensor<3x4xi8>) -> tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  %7 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<12xi32>
  %8 = "stablehlo.constant"() {value = dense<13> : tensor<12xi32>} : () -> tensor<12xi32>
  %9 = "stablehlo.multiply"(%7, %8) : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
  %10 = "stablehlo.convert"(%9) : (tensor<12xi32>) -> tensor<12xi8>
  %11 = "stablehlo.reshape"(%10) : (tensor<12xi8>) -> tensor<3x4xi8>
  %12 = "stablehlo.add"(%11, %arg1) : (tensor<3x4xi8>, tensor<3x4xi8>) -> tensor<3x4xi8>
  %13 = "stablehlo.bitcast_convert"(%12) : (tensor<3x4xi8>) -> tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  %14 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xi32>
  %15 = "stablehlo.constant"() {value = dense<3> : tensor<4xi32>} : () -> tensor<4xi32>
  %16 = "stablehlo.multiply"(%14, %15) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %17 = "stablehlo.convert"(%16) : (tensor<4xi32>) -> tensor<4xi8>
  %18 = "stablehlo.reshape"(%17) : (tensor<4xi8>) -> tensor<4xi8>
  %19 = "stablehlo.add"(%18, %arg2) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %20 = "stablehlo.bitcast_convert"(%19) : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  %21 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xi32>
  %22 = "stablehlo.constant"() {value = dense<3> : tensor<4xi32>} : () -> tensor<4xi32>
  %23 = "stablehlo.multiply"(%21, %22) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %24 = "stablehlo.convert"(%23) : (tensor<4xi32>) -> tensor<4xi8>
  %25 = "stablehlo.reshape"(%24) : (tensor<4xi8>) -> tensor<4xi8>
  %26 = "stablehlo.add"(%25, %arg3) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %27 = "stablehlo.bitcast_convert"(%26) : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  %28 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xi32>
  %29 = "stablehlo.constant"() {value = dense<3> : tensor<4xi32>} : () -> tensor<4xi32>
  %30 = "stablehlo.multiply"(%28, %29) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %31 = "stablehlo.convert"(%30) : (tensor<4xi32>) -> tensor<4xi8>
  %32 = "stablehlo.reshape"(%31) : (tensor<4xi8>) -> tensor<4xi8>
  %33 = "stablehlo.add"(%32, %arg4) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %34 = "stablehlo.bitcast_convert"(%33) : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  %35 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xi32>
  %36 = "stablehlo.constant"() {value = dense<3> : tensor<4xi32>} : () -> tensor<4xi32>
  %37 = "stablehlo.multiply"(%35, %36) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %38 = "stablehlo.convert"(%37) : (tensor<4xi32>) -> tensor<4xi8>
  %39 = "stablehlo.reshape"(%38) : (tensor<4xi8>) -> tensor<4xi8>
  %40 = "stablehlo.add"(%39, %arg5) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %41 = "stablehlo.bitcast_convert"(%40) : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 1.00000000000000006e-01:-128>>
  %42 = "stablehlo.batch_norm_inference"(%6, %20, %27, %34, %41) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 1.00000000000000006e-01:-128>>) -> tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  %43 = "stablehlo.bitcast_convert"(%42) : (tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> tensor<3x4xi8>
  %44:3 = "stablehlo.batch_norm_training"(%6, %20, %27) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> (tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>)
  %45 = "stablehlo.bitcast_convert"(%44#0) : (tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> tensor<3x4xi8>
  %46 = "stablehlo.bitcast_convert"(%44#1) : (tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> tensor<4xi8>
  %47 = "stablehlo.bitcast_convert"(%44#2) : (tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> tensor<4xi8>
  %48:3 = "stablehlo.batch_norm_grad"(%6, %20, %27, %41, %13) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 1.00000000000000006e-01:-128>>, tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> (tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>, tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>)
  %49 = "stablehlo.bitcast_convert"(%48#0) : (tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> tensor<3x4xi8>
  %50 = "stablehlo.bitcast_convert"(%48#1) : (tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> tensor<4xi8>
  %51 = "stablehlo.bitcast_convert"(%48#2) : (tensor<4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> tensor<4xi8>
  %52 = "stablehlo.constant"() {value = dense<[[40, 3, 5], [3, 50, 7], [5, 7, 60]]> : tensor<3x3xi8>} : () -> tensor<3x3x!quant.uniform<i8:f32, 1.00000000000000006e-01:0>>
  %53 = "stablehlo.cholesky"(%52) {lower = true} : (tensor<3x3x!quant.uniform<i8:f32, 1.00000000000000006e-01:0>>) -> tensor<3x3x!quant.uniform<i8:f32, 5.00000000000000028e-02:0>>
  %54 = "stablehlo.bitcast_convert"(%53) : (tensor<3x3x!quant.uniform<i8:f32, 5.00000000000000028e-02:0>>) -> tensor<3x3xi8>
  %55 = "stablehlo.triangular_solve"(%52, %6) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3x!quant.uniform<i8:f32, 1.00000000000000006e-01:0>>, tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:0>>
  %56 = "stablehlo.bitcast_convert"(%55) : (tensor<3x4x!quant.uniform<i8:f32, 5.00000000000000028e-02:0>>) -> tensor<3x4xi8>
  func.return %43, %45, %46, %47, %49, %50, %51, %54, %56 : tensor<3x4xi8>, tensor<3x4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<3x4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<3x3xi8>, tensor<3x4xi8>
}
