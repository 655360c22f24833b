// Written by make_programs.py.
func.func @main(%arg0: tensor<305xi16>, %arg1: tensor<305xf32>, %arg2: tensor<305xui16>, %arg3: tensor<305xf32>, %arg4: tensor<305xi16>, %arg5: tensor<305xf32>, %arg6: tensor<305xi32>, %arg7: tensor<305xf32>, %arg8: tensor<305xui32>, %arg9: tensor<305xf32>, %arg10: tensor<305xi32>, %arg11: tensor<305xf32>, %arg12: tensor<305xi32>, %arg13: tensor<305xf32>, %arg14: tensor<305xi32>, %arg15: tensor<305xf32>) -> (tensor<305xi32>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi1>, tensor<305xi16>, tensor<305xi32>, tensor<305xui16>, tensor<305xui16>, tensor<305xui16>, tensor<305xui16>, tensor<305xui16>, tensor<305xi1>, tensor<305xui16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi1>, tensor<305xi16>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi1>, tensor<305xi32>, tensor<305xi32>, tensor<305xui32>, tensor<305xui32>, tensor<305xui32>, tensor<305xui32>, tensor<305xui32>, tensor<305xi1>, tensor<305xui32>, tensor<305xi64>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi1>, tensor<305xi32>, tensor<305xi16>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi1>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi1>, tensor<305xi32>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<305xi32>
  %1 = "stablehlo.constant"() {value = dense<97> : tensor<305xi32>} : () -> tensor<305xi32>
  %2 = "stablehlo.multiply"(%0, %1) : (tensor<305xi32>, tensor<305xi32>) -> tensor<305xi32>
  %3 = "stablehlo.convert"(%2) : (tensor<305xi32>) -> tensor<305xi16>
  %4 = "stablehlo.reshape"(%3) : (tensor<305xi16>) -> tensor<305xi16>
  %5 = "stablehlo.add"(%4, %arg0) : (tensor<305xi16>, tensor<305xi16>) -> tensor<305xi16>
  %6 = "stablehlo.bitcast_convert"(%5) : (tensor<305xi16>) -> tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>
  %7 = "stablehlo.reverse"(%6) {dimensions = array<i64: 0>} : (tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>) -> tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>
  %8 = "stablehlo.uniform_dequantize"(%6) : (tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>) -> tensor<305xf32>
  %9 = "stablehlo.bitcast_convert"(%8) : (tensor<305xf32>) -> tensor<305xi32>
  %10 = "stablehlo.uniform_quantize"(%6) : (tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>) -> tensor<305x!quant.uniform<i16:f32, 3.00000000000000006e-03:100>>
  %11 = "stablehlo.bitcast_convert"(%10) : (tensor<305x!quant.uniform<i16:f32, 3.00000000000000006e-03:100>>) -> tensor<305xi16>
  %12 = "stablehlo.convert"(%arg1) : (tensor<305xf32>) -> tensor<305xf32>
  %13 = "stablehlo.uniform_quantize"(%12) : (tensor<305xf32>) -> tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>
  %14 = "stablehlo.bitcast_convert"(%13) : (tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>) -> tensor<305xi16>
  %15 = "stablehlo.add"(%6, %7) : (tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>, tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>) -> tensor<305x!quant.uniform<i16:f32, 3.00000000000000006e-03:100>>
  %16 = "stablehlo.multiply"(%6, %7) : (tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>, tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>) -> tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>
  %17 = "stablehlo.maximum"(%6, %7) : (tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>, tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>) -> tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>
  %18 = "stablehlo.bitcast_convert"(%15) : (tensor<305x!quant.uniform<i16:f32, 3.00000000000000006e-03:100>>) -> tensor<305xi16>
  %19 = "stablehlo.bitcast_convert"(%16) : (tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>) -> tensor<305xi16>
  %20 = "stablehlo.bitcast_convert"(%17) : (tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>) -> tensor<305xi16>
  %21 = "stablehlo.compare"(%6, %7) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>, tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>) -> tensor<305xi1>
  %22 = "stablehlo.select"(%21, %6, %7) : (tensor<305xi1>, tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>, tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>) -> tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>
  %23 = "stablehlo.bitcast_convert"(%22) : (tensor<305x!quant.uniform<i16:f32, 1.00000000000000002e-03:-7>>) -> tensor<305xi16>
  %24 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<305xi32>
  %25 = "stablehlo.constant"() {value = dense<97> : tensor<305xi32>} : () -> tensor<305xi32>
  %26 = "stablehlo.multiply"(%24, %25) : (tensor<305xi32>, tensor<305xi32>) -> tensor<305xi32>
  %27 = "stablehlo.convert"(%26) : (tensor<305xi32>) -> tensor<305xui16>
  %28 = "stablehlo.reshape"(%27) : (tensor<305xui16>) -> tensor<305xui16>
  %29 = "stablehlo.add"(%28, %arg2) : (tensor<305xui16>, tensor<305xui16>) -> tensor<305xui16>
  %30 = "stablehlo.bitcast_convert"(%29) : (tensor<305xui16>) -> tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>
  %31 = "stablehlo.reverse"(%30) {dimensions = array<i64: 0>} : (tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>) -> tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>
  %32 = "stablehlo.uniform_dequantize"(%30) : (tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>) -> tensor<305xf32>
  %33 = "stablehlo.bitcast_convert"(%32) : (tensor<305xf32>) -> tensor<305xi32>
  %34 = "stablehlo.uniform_quantize"(%30) : (tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>) -> tensor<305x!quant.uniform<u16:f32, 1.00000000000000005e-04:0>>
  %35 = "stablehlo.bitcast_convert"(%34) : (tensor<305x!quant.uniform<u16:f32, 1.00000000000000005e-04:0>>) -> tensor<305xui16>
  %36 = "stablehlo.convert"(%arg3) : (tensor<305xf32>) -> tensor<305xf32>
  %37 = "stablehlo.uniform_quantize"(%36) : (tensor<305xf32>) -> tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>
  %38 = "stablehlo.bitcast_convert"(%37) : (tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>) -> tensor<305xui16>
  %39 = "stablehlo.add"(%30, %31) : (tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>, tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>) -> tensor<305x!quant.uniform<u16:f32, 1.00000000000000005e-04:0>>
  %40 = "stablehlo.multiply"(%30, %31) : (tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>, tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>) -> tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>
  %41 = "stablehlo.maximum"(%30, %31) : (tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>, tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>) -> tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>
  %42 = "stablehlo.bitcast_convert"(%39) : (tensor<305x!quant.uniform<u16:f32, 1.00000000000000005e-04:0>>) -> tensor<305xui16>
  %43 = "stablehlo.bitcast_convert"(%40) : (tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>) -> tensor<305xui16>
  %44 = "stablehlo.bitcast_convert"(%41) : (tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>) -> tensor<305xui16>
  %45 = "stablehlo.compare"(%30, %31) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>, tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>) -> tensor<305xi1>
  %46 = "stablehlo.select"(%45, %30, %31) : (tensor<305xi1>, tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>, tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>) -> tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>
  %47 = "stablehlo.bitcast_convert"(%46) : (tensor<305x!quant.uniform<u16:f32, 3.00000000000000008e-05:32768>>) -> tensor<305xui16>
  %48 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<305xi32>
  %49 = "stablehlo.constant"() {value = dense<97> : tensor<305xi32>} : () -> tensor<305xi32>
  %50 = "stablehlo.multiply"(%48, %49) : (tensor<305xi32>, tensor<305xi32>) -> tensor<305xi32>
  %51 = "stablehlo.convert"(%50) : (tensor<305xi32>) -> tensor<305xi16>
  %52 = "stablehlo.reshape"(%51) : (tensor<305xi16>) -> tensor<305xi16>
  %53 = "stablehlo.add"(%52, %arg4) : (tensor<305xi16>, tensor<305xi16>) -> tensor<305xi16>
  %54 = "stablehlo.bitcast_convert"(%53) : (tensor<305xi16>) -> tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>
  %55 = "stablehlo.reverse"(%54) {dimensions = array<i64: 0>} : (tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>) -> tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>
  %56 = "stablehlo.uniform_dequantize"(%54) : (tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>) -> tensor<305xbf16>
  %57 = "stablehlo.bitcast_convert"(%56) : (tensor<305xbf16>) -> tensor<305xi16>
  %58 = "stablehlo.uniform_quantize"(%54) : (tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>) -> tensor<305x!quant.uniform<i16:bf16, 5.00000000000000000e-01:0>>
  %59 = "stablehlo.bitcast_convert"(%58) : (tensor<305x!quant.uniform<i16:bf16, 5.00000000000000000e-01:0>>) -> tensor<305xi16>
  %60 = "stablehlo.convert"(%arg5) : (tensor<305xf32>) -> tensor<305xbf16>
  %61 = "stablehlo.uniform_quantize"(%60) : (tensor<305xbf16>) -> tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>
  %62 = "stablehlo.bitcast_convert"(%61) : (tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>) -> tensor<305xi16>
  %63 = "stablehlo.add"(%54, %55) : (tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>, tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>) -> tensor<305x!quant.uniform<i16:bf16, 5.00000000000000000e-01:0>>
  %64 = "stablehlo.multiply"(%54, %55) : (tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>, tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>) -> tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>
  %65 = "stablehlo.maximum"(%54, %55) : (tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>, tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>) -> tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>
  %66 = "stablehlo.bitcast_convert"(%63) : (tensor<305x!quant.uniform<i16:bf16, 5.00000000000000000e-01:0>>) -> tensor<305xi16>
  %67 = "stablehlo.bitcast_convert"(%64) : (tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>) -> tensor<305xi16>
  %68 = "stablehlo.bitcast_convert"(%65) : (tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>) -> tensor<305xi16>
  %69 = "stablehlo.compare"(%54, %55) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>, tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>) -> tensor<305xi1>
  %70 = "stablehlo.select"(%69, %54, %55) : (tensor<305xi1>, tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>, tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>) -> tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>
  %71 = "stablehlo.bitcast_convert"(%70) : (tensor<305x!quant.uniform<i16:bf16, 1.00000000000000002e-03:300>>) -> tensor<305xi16>
  %72 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<305xi32>
  %73 = "stablehlo.constant"() {value = dense<88883> : tensor<305xi32>} : () -> tensor<305xi32>
  %74 = "stablehlo.multiply"(%72, %73) : (tensor<305xi32>, tensor<305xi32>) -> tensor<305xi32>
  %75 = "stablehlo.convert"(%74) : (tensor<305xi32>) -> tensor<305xi32>
  %76 = "stablehlo.reshape"(%75) : (tensor<305xi32>) -> tensor<305xi32>
  %77 = "stablehlo.add"(%76, %arg6) : (tensor<305xi32>, tensor<305xi32>) -> tensor<305xi32>
  %78 = "stablehlo.bitcast_convert"(%77) : (tensor<305xi32>) -> tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>
  %79 = "stablehlo.reverse"(%78) {dimensions = array<i64: 0>} : (tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>) -> tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>
  %80 = "stablehlo.uniform_dequantize"(%78) : (tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>) -> tensor<305xf32>
  %81 = "stablehlo.bitcast_convert"(%80) : (tensor<305xf32>) -> tensor<305xi32>
  %82 = "stablehlo.uniform_quantize"(%78) : (tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>) -> tensor<305x!quant.uniform<i32:f32, 1.00000000000000006e-01:-1000000>>
  %83 = "stablehlo.bitcast_convert"(%82) : (tensor<305x!quant.uniform<i32:f32, 1.00000000000000006e-01:-1000000>>) -> tensor<305xi32>
  %84 = "stablehlo.convert"(%arg7) : (tensor<305xf32>) -> tensor<305xf32>
  %85 = "stablehlo.uniform_quantize"(%84) : (tensor<305xf32>) -> tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>
  %86 = "stablehlo.bitcast_convert"(%85) : (tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>) -> tensor<305xi32>
  %87 = "stablehlo.add"(%78, %79) : (tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>, tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>) -> tensor<305x!quant.uniform<i32:f32, 1.00000000000000006e-01:-1000000>>
  %88 = "stablehlo.multiply"(%78, %79) : (tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>, tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>) -> tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>
  %89 = "stablehlo.maximum"(%78, %79) : (tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>, tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>) -> tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>
  %90 = "stablehlo.bitcast_convert"(%87) : (tensor<305x!quant.uniform<i32:f32, 1.00000000000000006e-01:-1000000>>) -> tensor<305xi32>
  %91 = "stablehlo.bitcast_convert"(%88) : (tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>) -> tensor<305xi32>
  %92 = "stablehlo.bitcast_convert"(%89) : (tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>) -> tensor<305xi32>
  %93 = "stablehlo.compare"(%78, %79) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>, tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>) -> tensor<305xi1>
  %94 = "stablehlo.select"(%93, %78, %79) : (tensor<305xi1>, tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>, tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>) -> tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>
  %95 = "stablehlo.bitcast_convert"(%94) : (tensor<305x!quant.uniform<i32:f32, 9.99999999999999955e-07:12345>>) -> tensor<305xi32>
  %96 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<305xi32>
  %97 = "stablehlo.constant"() {value = dense<88883> : tensor<305xi32>} : () -> tensor<305xi32>
  %98 = "stablehlo.multiply"(%96, %97) : (tensor<305xi32>, tensor<305xi32>) -> tensor<305xi32>
  %99 = "stablehlo.convert"(%98) : (tensor<305xi32>) -> tensor<305xui32>
  %100 = "stablehlo.reshape"(%99) : (tensor<305xui32>) -> tensor<305xui32>
  %101 = "stablehlo.add"(%100, %arg8) : (tensor<305xui32>, tensor<305xui32>) -> tensor<305xui32>
  %102 = "stablehlo.bitcast_convert"(%101) : (tensor<305xui32>) -> tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>
  %103 = "stablehlo.reverse"(%102) {dimensions = array<i64: 0>} : (tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>) -> tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>
  %104 = "stablehlo.uniform_dequantize"(%102) : (tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>) -> tensor<305xf32>
  %105 = "stablehlo.bitcast_convert"(%104) : (tensor<305xf32>) -> tensor<305xi32>
  %106 = "stablehlo.uniform_quantize"(%102) : (tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>) -> tensor<305x!quant.uniform<u32:f32, 1.00000000000000006e-01:0>>
  %107 = "stablehlo.bitcast_convert"(%106) : (tensor<305x!quant.uniform<u32:f32, 1.00000000000000006e-01:0>>) -> tensor<305xui32>
  %108 = "stablehlo.convert"(%arg9) : (tensor<305xf32>) -> tensor<305xf32>
  %109 = "stablehlo.uniform_quantize"(%108) : (tensor<305xf32>) -> tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>
  %110 = "stablehlo.bitcast_convert"(%109) : (tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>) -> tensor<305xui32>
  %111 = "stablehlo.add"(%102, %103) : (tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>, tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>) -> tensor<305x!quant.uniform<u32:f32, 1.00000000000000006e-01:0>>
  %112 = "stablehlo.multiply"(%102, %103) : (tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>, tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>) -> tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>
  %113 = "stablehlo.maximum"(%102, %103) : (tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>, tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>) -> tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>
  %114 = "stablehlo.bitcast_convert"(%111) : (tensor<305x!quant.uniform<u32:f32, 1.00000000000000006e-01:0>>) -> tensor<305xui32>
  %115 = "stablehlo.bitcast_convert"(%112) : (tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>) -> tensor<305xui32>
  %116 = "stablehlo.bitcast_convert"(%113) : (tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>) -> tensor<305xui32>
  %117 = "stablehlo.compare"(%102, %103) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>, tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>) -> tensor<305xi1>
  %118 = "stablehlo.select"(%117, %102, %103) : (tensor<305xi1>, tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>, tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>) -> tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>
  %119 = "stablehlo.bitcast_convert"(%118) : (tensor<305x!quant.uniform<u32:f32, 9.99999999999999955e-07:2147483648>>) -> tensor<305xui32>
  %120 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<305xi32>
  %121 = "stablehlo.constant"() {value = dense<88883> : tensor<305xi32>} : () -> tensor<305xi32>
  %122 = "stablehlo.multiply"(%120, %121) : (tensor<305xi32>, tensor<305xi32>) -> tensor<305xi32>
  %123 = "stablehlo.convert"(%122) : (tensor<305xi32>) -> tensor<305xi32>
  %124 = "stablehlo.reshape"(%123) : (tensor<305xi32>) -> tensor<305xi32>
  %125 = "stablehlo.add"(%124, %arg10) : (tensor<305xi32>, tensor<305xi32>) -> tensor<305xi32>
  %126 = "stablehlo.bitcast_convert"(%125) : (tensor<305xi32>) -> tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>
  %127 = "stablehlo.reverse"(%126) {dimensions = array<i64: 0>} : (tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>) -> tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>
  %128 = "stablehlo.uniform_dequantize"(%126) : (tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>) -> tensor<305xf64>
  %129 = "stablehlo.bitcast_convert"(%128) : (tensor<305xf64>) -> tensor<305xi64>
  %130 = "stablehlo.uniform_quantize"(%126) : (tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>) -> tensor<305x!quant.uniform<i32:f64, 1.00000000000000006e-01:-2147483648>>
  %131 = "stablehlo.bitcast_convert"(%130) : (tensor<305x!quant.uniform<i32:f64, 1.00000000000000006e-01:-2147483648>>) -> tensor<305xi32>
  %132 = "stablehlo.convert"(%arg11) : (tensor<305xf32>) -> tensor<305xf64>
  %133 = "stablehlo.uniform_quantize"(%132) : (tensor<305xf64>) -> tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>
  %134 = "stablehlo.bitcast_convert"(%133) : (tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>) -> tensor<305xi32>
  %135 = "stablehlo.add"(%126, %127) : (tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>, tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>) -> tensor<305x!quant.uniform<i32:f64, 1.00000000000000006e-01:-2147483648>>
  %136 = "stablehlo.multiply"(%126, %127) : (tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>, tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>) -> tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>
  %137 = "stablehlo.maximum"(%126, %127) : (tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>, tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>) -> tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>
  %138 = "stablehlo.bitcast_convert"(%135) : (tensor<305x!quant.uniform<i32:f64, 1.00000000000000006e-01:-2147483648>>) -> tensor<305xi32>
  %139 = "stablehlo.bitcast_convert"(%136) : (tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>) -> tensor<305xi32>
  %140 = "stablehlo.bitcast_convert"(%137) : (tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>) -> tensor<305xi32>
  %141 = "stablehlo.compare"(%126, %127) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>, tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>) -> tensor<305xi1>
  %142 = "stablehlo.select"(%141, %126, %127) : (tensor<305xi1>, tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>, tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>) -> tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>
  %143 = "stablehlo.bitcast_convert"(%142) : (tensor<305x!quant.uniform<i32:f64, 9.99999999999999955e-07:12345>>) -> tensor<305xi32>
  %144 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<305xi32>
  %145 = "stablehlo.constant"() {value = dense<88883> : tensor<305xi32>} : () -> tensor<305xi32>
  %146 = "stablehlo.multiply"(%144, %145) : (tensor<305xi32>, tensor<305xi32>) -> tensor<305xi32>
  %147 = "stablehlo.convert"(%146) : (tensor<305xi32>) -> tensor<305xi32>
  %148 = "stablehlo.reshape"(%147) : (tensor<305xi32>) -> tensor<305xi32>
  %149 = "stablehlo.add"(%148, %arg12) : (tensor<305xi32>, tensor<305xi32>) -> tensor<305xi32>
  %150 = "stablehlo.bitcast_convert"(%149) : (tensor<305xi32>) -> tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>
  %151 = "stablehlo.reverse"(%150) {dimensions = array<i64: 0>} : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>) -> tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>
  %152 = "stablehlo.uniform_dequantize"(%150) : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>) -> tensor<305xf16>
  %153 = "stablehlo.bitcast_convert"(%152) : (tensor<305xf16>) -> tensor<305xi16>
  %154 = "stablehlo.uniform_quantize"(%150) : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>) -> tensor<305x!quant.uniform<i32:f16, 1.00000000000000006e-01:5>>
  %155 = "stablehlo.bitcast_convert"(%154) : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000006e-01:5>>) -> tensor<305xi32>
  %156 = "stablehlo.convert"(%arg13) : (tensor<305xf32>) -> tensor<305xf16>
  %157 = "stablehlo.uniform_quantize"(%156) : (tensor<305xf16>) -> tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>
  %158 = "stablehlo.bitcast_convert"(%157) : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>) -> tensor<305xi32>
  %159 = "stablehlo.add"(%150, %151) : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>, tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>) -> tensor<305x!quant.uniform<i32:f16, 1.00000000000000006e-01:5>>
  %160 = "stablehlo.multiply"(%150, %151) : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>, tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>) -> tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>
  %161 = "stablehlo.maximum"(%150, %151) : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>, tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>) -> tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>
  %162 = "stablehlo.bitcast_convert"(%159) : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000006e-01:5>>) -> tensor<305xi32>
  %163 = "stablehlo.bitcast_convert"(%160) : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>) -> tensor<305xi32>
  %164 = "stablehlo.bitcast_convert"(%161) : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>) -> tensor<305xi32>
  %165 = "stablehlo.compare"(%150, %151) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>, tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>) -> tensor<305xi1>
  %166 = "stablehlo.select"(%165, %150, %151) : (tensor<305xi1>, tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>, tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>) -> tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>
  %167 = "stablehlo.bitcast_convert"(%166) : (tensor<305x!quant.uniform<i32:f16, 1.00000000000000002e-03:0>>) -> tensor<305xi32>
  %168 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<305xi32>
  %169 = "stablehlo.constant"() {value = dense<88883> : tensor<305xi32>} : () -> tensor<305xi32>
  %170 = "stablehlo.multiply"(%168, %169) : (tensor<305xi32>, tensor<305xi32>) -> tensor<305xi32>
  %171 = "stablehlo.convert"(%170) : (tensor<305xi32>) -> tensor<305xi32>
  %172 = "stablehlo.reshape"(%171) : (tensor<305xi32>) -> tensor<305xi32>
  %173 = "stablehlo.add"(%172, %arg14) : (tensor<305xi32>, tensor<305xi32>) -> tensor<305xi32>
  %174 = "stablehlo.bitcast_convert"(%173) : (tensor<305xi32>) -> tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>
  %175 = "stablehlo.reverse"(%174) {dimensions = array<i64: 0>} : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>) -> tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>
  %176 = "stablehlo.uniform_dequantize"(%174) : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>) -> tensor<305xf32>
  %177 = "stablehlo.bitcast_convert"(%176) : (tensor<305xf32>) -> tensor<305xi32>
  %178 = "stablehlo.uniform_quantize"(%174) : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>) -> tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 5.00000000000000000e-01:0>>
  %179 = "stablehlo.bitcast_convert"(%178) : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 5.00000000000000000e-01:0>>) -> tensor<305xi32>
  %180 = "stablehlo.convert"(%arg15) : (tensor<305xf32>) -> tensor<305xf32>
  %181 = "stablehlo.uniform_quantize"(%180) : (tensor<305xf32>) -> tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>
  %182 = "stablehlo.bitcast_convert"(%181) : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>) -> tensor<305xi32>
  %183 = "stablehlo.add"(%174, %175) : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>, tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>) -> tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 5.00000000000000000e-01:0>>
  %184 = "stablehlo.multiply"(%174, %175) : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>, tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>) -> tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>
  %185 = "stablehlo.maximum"(%174, %175) : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>, tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>) -> tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>
  %186 = "stablehlo.bitcast_convert"(%183) : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 5.00000000000000000e-01:0>>) -> tensor<305xi32>
  %187 = "stablehlo.bitcast_convert"(%184) : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>) -> tensor<305xi32>
  %188 = "stablehlo.bitcast_convert"(%185) : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>) -> tensor<305xi32>
  %189 = "stablehlo.compare"(%174, %175) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>, tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>) -> tensor<305xi1>
  %190 = "stablehlo.select"(%189, %174, %175) : (tensor<305xi1>, tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>, tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>) -> tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>
  %191 = "stablehlo.bitcast_convert"(%190) : (tensor<305x!quant.uniform<i32<-1000001:1000001>:f32, 9.99999999999999955e-07:0>>) -> tensor<305xi32>
  func.return %9, %11, %14, %18, %19, %20, %21, %23, %33, %35, %38, %42, %43, %44, %45, %47, %57, %59, %62, %66, %67, %68, %69, %71, %81, %83, %86, %90, %91, %92, %93, %95, %105, %107, %110, %114, %115, %116, %117, %119, %129, %131, %134, %138, %139, %140, %141, %143, %153, %155, %158, %162, %163, %164, %165, %167, %177, %179, %182, %186, %187, %188, %189, %191 : tensor<305xi32>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi1>, tensor<305xi16>, tensor<305xi32>, tensor<305xui16>, tensor<305xui16>, tensor<305xui16>, tensor<305xui16>, tensor<305xui16>, tensor<305xi1>, tensor<305xui16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi16>, tensor<305xi1>, tensor<305xi16>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi1>, tensor<305xi32>, tensor<305xi32>, tensor<305xui32>, tensor<305xui32>, tensor<305xui32>, tensor<305xui32>, tensor<305xui32>, tensor<305xi1>, tensor<305xui32>, tensor<305xi64>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi1>, tensor<305xi32>, tensor<305xi16>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi1>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi32>, tensor<305xi1>, tensor<305xi32>
}
