// Written by make_programs.py.
func.func @main(%arg0: tensor<2x7x6x4xi8>, %arg1: tensor<3x3x4x6xi8>, %arg2: tensor<2x7x6x4xui8>, %arg3: tensor<3x3x4x6xui8>, %arg4: tensor<2x7x6x4xi8>, %arg5: tensor<3x3x4x6xi8>, %arg6: tensor<2x7x6x4xui8>, %arg7: tensor<3x3x4x6xui8>, %arg8: tensor<2x7x6x4xi8>, %arg9: tensor<3x3x1x4xi8>, %arg10: tensor<2x7x6x4xf32>, %arg11: tensor<3x3x4x6xi8>) -> (tensor<2x4x6x6xi8>, tensor<2x4x6x6xi32>, tensor<2x4x6x6xi32>, tensor<2x4x6x6xui8>, tensor<2x4x6x4xi8>, tensor<2x4x6x6xf32>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<336xi32>
  %1 = "stablehlo.constant"() {value = dense<23> : tensor<336xi32>} : () -> tensor<336xi32>
  %2 = "stablehlo.multiply"(%0, %1) : (tensor<336xi32>, tensor<336xi32>) -> tensor<336xi32>
  %3 = "stablehlo.convert"(%2) : (tensor<336xi32>) -> tensor<336xi8>
  %4 = "stablehlo.reshape"(%3) : (tensor<336xi8>) -> tensor<2x7x6x4xi8>
  %5 = "stablehlo.add"(%4, %arg0) : (tensor<2x7x6x4xi8>, tensor<2x7x6x4xi8>) -> tensor<2x7x6x4xi8>
  %6 = "stablehlo.bitcast_convert"(%5) : (tensor<2x7x6x4xi8>) -> tensor<2x7x6x4x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %7 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<216xi32>
  %8 = "stablehlo.constant"() {value = dense<19> : tensor<216xi32>} : () -> tensor<216xi32>
  %9 = "stablehlo.multiply"(%7, %8) : (tensor<216xi32>, tensor<216xi32>) -> tensor<216xi32>
  %10 = "stablehlo.convert"(%9) : (tensor<216xi32>) -> tensor<216xi8>
  %11 = "stablehlo.reshape"(%10) : (tensor<216xi8>) -> tensor<3x3x4x6xi8>
  %12 = "stablehlo.add"(%11, %arg1) : (tensor<3x3x4x6xi8>, tensor<3x3x4x6xi8>) -> tensor<3x3x4x6xi8>
  %13 = "stablehlo.bitcast_convert"(%12) : (tensor<3x3x4x6xi8>) -> tensor<3x3x4x6x!quant.uniform<i8:f32, 3.12500000000000000e-02:0>>
  %14 = "stablehlo.convolution"(%6, %13) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x7x6x4x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<3x3x4x6x!quant.uniform<i8:f32, 3.12500000000000000e-02:0>>) -> tensor<2x4x6x6x!quant.uniform<i8:f32, 5.00000000000000000e-01:-4>>
  %15 = "stablehlo.bitcast_convert"(%14) : (tensor<2x4x6x6x!quant.uniform<i8:f32, 5.00000000000000000e-01:-4>>) -> tensor<2x4x6x6xi8>
  %16 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<336xi32>
  %17 = "stablehlo.constant"() {value = dense<23> : tensor<336xi32>} : () -> tensor<336xi32>
  %18 = "stablehlo.multiply"(%16, %17) : (tensor<336xi32>, tensor<336xi32>) -> tensor<336xi32>
  %19 = "stablehlo.convert"(%18) : (tensor<336xi32>) -> tensor<336xui8>
  %20 = "stablehlo.reshape"(%19) : (tensor<336xui8>) -> tensor<2x7x6x4xui8>
  %21 = "stablehlo.add"(%20, %arg2) : (tensor<2x7x6x4xui8>, tensor<2x7x6x4xui8>) -> tensor<2x7x6x4xui8>
  %22 = "stablehlo.bitcast_convert"(%21) : (tensor<2x7x6x4xui8>) -> tensor<2x7x6x4x!quant.uniform<u8:f32, 6.25000000000000000e-02:100>>
  %23 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<216xi32>
  %24 = "stablehlo.constant"() {value = dense<19> : tensor<216xi32>} : () -> tensor<216xi32>
  %25 = "stablehlo.multiply"(%23, %24) : (tensor<216xi32>, tensor<216xi32>) -> tensor<216xi32>
  %26 = "stablehlo.convert"(%25) : (tensor<216xi32>) -> tensor<216xui8>
  %27 = "stablehlo.reshape"(%26) : (tensor<216xui8>) -> tensor<3x3x4x6xui8>
  %28 = "stablehlo.add"(%27, %arg3) : (tensor<3x3x4x6xui8>, tensor<3x3x4x6xui8>) -> tensor<3x3x4x6xui8>
  %29 = "stablehlo.bitcast_convert"(%28) : (tensor<3x3x4x6xui8>) -> tensor<3x3x4x6x!quant.uniform<u8:f32:3, {1.56250000000000000e-02:0, 3.12500000000000000e-02:0, 6.25000000000000000e-02:0, 1.56250000000000000e-02:0, 3.12500000000000000e-02:0, 6.25000000000000000e-02:0}>>
  %30 = "stablehlo.convolution"(%22, %29) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x7x6x4x!quant.uniform<u8:f32, 6.25000000000000000e-02:100>>, tensor<3x3x4x6x!quant.uniform<u8:f32:3, {1.56250000000000000e-02:0, 3.12500000000000000e-02:0, 6.25000000000000000e-02:0, 1.56250000000000000e-02:0, 3.12500000000000000e-02:0, 6.25000000000000000e-02:0}>>) -> tensor<2x4x6x6x!quant.uniform<i32:f32, 9.76562500000000000e-04:0>>
  %31 = "stablehlo.bitcast_convert"(%30) : (tensor<2x4x6x6x!quant.uniform<i32:f32, 9.76562500000000000e-04:0>>) -> tensor<2x4x6x6xi32>
  %32 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<336xi32>
  %33 = "stablehlo.constant"() {value = dense<23> : tensor<336xi32>} : () -> tensor<336xi32>
  %34 = "stablehlo.multiply"(%32, %33) : (tensor<336xi32>, tensor<336xi32>) -> tensor<336xi32>
  %35 = "stablehlo.convert"(%34) : (tensor<336xi32>) -> tensor<336xi8>
  %36 = "stablehlo.reshape"(%35) : (tensor<336xi8>) -> tensor<2x7x6x4xi8>
  %37 = "stablehlo.add"(%36, %arg4) : (tensor<2x7x6x4xi8>, tensor<2x7x6x4xi8>) -> tensor<2x7x6x4xi8>
  %38 = "stablehlo.bitcast_convert"(%37) : (tensor<2x7x6x4xi8>) -> tensor<2x7x6x4x!quant.uniform<i8:f32, 1.00000000000000006e-01:3>>
  %39 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<216xi32>
  %40 = "stablehlo.constant"() {value = dense<19> : tensor<216xi32>} : () -> tensor<216xi32>
  %41 = "stablehlo.multiply"(%39, %40) : (tensor<216xi32>, tensor<216xi32>) -> tensor<216xi32>
  %42 = "stablehlo.convert"(%41) : (tensor<216xi32>) -> tensor<216xi8>
  %43 = "stablehlo.reshape"(%42) : (tensor<216xi8>) -> tensor<3x3x4x6xi8>
  %44 = "stablehlo.add"(%43, %arg5) : (tensor<3x3x4x6xi8>, tensor<3x3x4x6xi8>) -> tensor<3x3x4x6xi8>
  %45 = "stablehlo.bitcast_convert"(%44) : (tensor<3x3x4x6xi8>) -> tensor<3x3x4x6x!quant.uniform<i8:f32:3, {4.68749999999999983e-03:0, 9.37499999999999965e-03:0, 1.87499999999999993e-02:0, 4.68749999999999983e-03:0, 9.37499999999999965e-03:0, 1.87499999999999993e-02:0}>>
  %46 = "stablehlo.convolution"(%38, %45) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x7x6x4x!quant.uniform<i8:f32, 1.00000000000000006e-01:3>>, tensor<3x3x4x6x!quant.uniform<i8:f32:3, {4.68749999999999983e-03:0, 9.37499999999999965e-03:0, 1.87499999999999993e-02:0, 4.68749999999999983e-03:0, 9.37499999999999965e-03:0, 1.87499999999999993e-02:0}>>) -> tensor<2x4x6x6x!quant.uniform<i32:f32:3, {4.68749999999999983e-04:0, 9.37499999999999965e-04:0, 1.87499999999999993e-03:0, 4.68749999999999983e-04:0, 9.37499999999999965e-04:0, 1.87499999999999993e-03:0}>>
  %47 = "stablehlo.bitcast_convert"(%46) : (tensor<2x4x6x6x!quant.uniform<i32:f32:3, {4.68749999999999983e-04:0, 9.37499999999999965e-04:0, 1.87499999999999993e-03:0, 4.68749999999999983e-04:0, 9.37499999999999965e-04:0, 1.87499999999999993e-03:0}>>) -> tensor<2x4x6x6xi32>
  %48 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<336xi32>
  %49 = "stablehlo.constant"() {value = dense<23> : tensor<336xi32>} : () -> tensor<336xi32>
  %50 = "stablehlo.multiply"(%48, %49) : (tensor<336xi32>, tensor<336xi32>) -> tensor<336xi32>
  %51 = "stablehlo.convert"(%50) : (tensor<336xi32>) -> tensor<336xui8>
  %52 = "stablehlo.reshape"(%51) : (tensor<336xui8>) -> tensor<2x7x6x4xui8>
  %53 = "stablehlo.add"(%52, %arg6) : (tensor<2x7x6x4xui8>, tensor<2x7x6x4xui8>) -> tensor<2x7x6x4xui8>
  %54 = "stablehlo.bitcast_convert"(%53) : (tensor<2x7x6x4xui8>) -> tensor<2x7x6x4x!quant.uniform<u8:f32, 1.00000000000000006e-01:99>>
  %55 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<216xi32>
  %56 = "stablehlo.constant"() {value = dense<19> : tensor<216xi32>} : () -> tensor<216xi32>
  %57 = "stablehlo.multiply"(%55, %56) : (tensor<216xi32>, tensor<216xi32>) -> tensor<216xi32>
  %58 = "stablehlo.convert"(%57) : (tensor<216xi32>) -> tensor<216xui8>
  %59 = "stablehlo.reshape"(%58) : (tensor<216xui8>) -> tensor<3x3x4x6xui8>
  %60 = "stablehlo.add"(%59, %arg7) : (tensor<3x3x4x6xui8>, tensor<3x3x4x6xui8>) -> tensor<3x3x4x6xui8>
  %61 = "stablehlo.bitcast_convert"(%60) : (tensor<3x3x4x6xui8>) -> tensor<3x3x4x6x!quant.uniform<u8:f32, 7.00000000000000067e-02:2>>
  %62 = "stablehlo.convolution"(%54, %61) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x7x6x4x!quant.uniform<u8:f32, 1.00000000000000006e-01:99>>, tensor<3x3x4x6x!quant.uniform<u8:f32, 7.00000000000000067e-02:2>>) -> tensor<2x4x6x6x!quant.uniform<u8:f32, 9.00000000000000022e-01:128>>
  %63 = "stablehlo.bitcast_convert"(%62) : (tensor<2x4x6x6x!quant.uniform<u8:f32, 9.00000000000000022e-01:128>>) -> tensor<2x4x6x6xui8>
  %64 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<336xi32>
  %65 = "stablehlo.constant"() {value = dense<23> : tensor<336xi32>} : () -> tensor<336xi32>
  %66 = "stablehlo.multiply"(%64, %65) : (tensor<336xi32>, tensor<336xi32>) -> tensor<336xi32>
  %67 = "stablehlo.convert"(%66) : (tensor<336xi32>) -> tensor<336xi8>
  %68 = "stablehlo.reshape"(%67) : (tensor<336xi8>) -> tensor<2x7x6x4xi8>
  %69 = "stablehlo.add"(%68, %arg8) : (tensor<2x7x6x4xi8>, tensor<2x7x6x4xi8>) -> tensor<2x7x6x4xi8>
  %70 = "stablehlo.bitcast_convert"(%69) : (tensor<2x7x6x4xi8>) -> tensor<2x7x6x4x!quant.uniform<i8:f32, 1.25000000000000000e-01:3>>
  %71 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<36xi32>
  %72 = "stablehlo.constant"() {value = dense<19> : tensor<36xi32>} : () -> tensor<36xi32>
  %73 = "stablehlo.multiply"(%71, %72) : (tensor<36xi32>, tensor<36xi32>) -> tensor<36xi32>
  %74 = "stablehlo.convert"(%73) : (tensor<36xi32>) -> tensor<36xi8>
  %75 = "stablehlo.reshape"(%74) : (tensor<36xi8>) -> tensor<3x3x1x4xi8>
  %76 = "stablehlo.add"(%75, %arg9) : (tensor<3x3x1x4xi8>, tensor<3x3x1x4xi8>) -> tensor<3x3x1x4xi8>
  %77 = "stablehlo.bitcast_convert"(%76) : (tensor<3x3x1x4xi8>) -> tensor<3x3x1x4x!quant.uniform<i8:f32:3, {2.50000000000000000e-01:0, 5.00000000000000000e-01:0, 2.50000000000000000e-01:0, 1.25000000000000000e-01:0}>>
  %78 = "stablehlo.convolution"(%70, %77) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, feature_group_count = 4 : i64, batch_group_count = 1 : i64} : (tensor<2x7x6x4x!quant.uniform<i8:f32, 1.25000000000000000e-01:3>>, tensor<3x3x1x4x!quant.uniform<i8:f32:3, {2.50000000000000000e-01:0, 5.00000000000000000e-01:0, 2.50000000000000000e-01:0, 1.25000000000000000e-01:0}>>) -> tensor<2x4x6x4x!quant.uniform<i8:f32, 1.00000000000000000e+00:1>>
  %79 = "stablehlo.bitcast_convert"(%78) : (tensor<2x4x6x4x!quant.uniform<i8:f32, 1.00000000000000000e+00:1>>) -> tensor<2x4x6x4xi8>
  %80 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<216xi32>
  %81 = "stablehlo.constant"() {value = dense<1> : tensor<216xi32>} : () -> tensor<216xi32>
  %82 = "stablehlo.multiply"(%80, %81) : (tensor<216xi32>, tensor<216xi32>) -> tensor<216xi32>
  %83 = "stablehlo.convert"(%82) : (tensor<216xi32>) -> tensor<216xi8>
  %84 = "stablehlo.reshape"(%83) : (tensor<216xi8>) -> tensor<3x3x4x6xi8>
  %85 = "stablehlo.add"(%84, %arg11) : (tensor<3x3x4x6xi8>, tensor<3x3x4x6xi8>) -> tensor<3x3x4x6xi8>
  %86 = "stablehlo.bitcast_convert"(%85) : (tensor<3x3x4x6xi8>) -> tensor<3x3x4x6x!quant.uniform<i8:f32, 1.00000000000000006e-01:0>>
  %87 = "stablehlo.convolution"(%arg10, %86) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x7x6x4xf32>, tensor<3x3x4x6x!quant.uniform<i8:f32, 1.00000000000000006e-01:0>>) -> tensor<2x4x6x6xf32>
  func.return %15, %31, %47, %63, %79, %87 : tensor<2x4x6x6xi8>, tensor<2x4x6x6xi32>, tensor<2x4x6x6xi32>, tensor<2x4x6x6xui8>, tensor<2x4x6x4xi8>, tensor<2x4x6x6xf32>
}
