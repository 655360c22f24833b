// Written by make_programs.py.
func.func @main(%arg0: tensor<261xi8>, %arg1: tensor<261xf32>, %arg2: tensor<261xui8>, %arg3: tensor<261xf32>, %arg4: tensor<261xi8>, %arg5: tensor<261xf32>, %arg6: tensor<261xui8>, %arg7: tensor<261xf32>, %arg8: tensor<261xi8>, %arg9: tensor<261xf32>, %arg10: tensor<261xi8>, %arg11: tensor<261xf32>, %arg12: tensor<261xui8>, %arg13: tensor<261xf32>) -> (tensor<261xi32>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi1>, tensor<261xi8>, tensor<261xi32>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xi1>, tensor<261xui8>, tensor<261xi32>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi1>, tensor<261xi8>, tensor<261xi32>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xi1>, tensor<261xui8>, tensor<261xi16>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi1>, tensor<261xi8>, tensor<261xi16>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi1>, tensor<261xi8>, tensor<261xi64>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xi1>, tensor<261xui8>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<261xi32>
  %1 = "stablehlo.constant"() {value = dense<1> : tensor<261xi32>} : () -> tensor<261xi32>
  %2 = "stablehlo.multiply"(%0, %1) : (tensor<261xi32>, tensor<261xi32>) -> tensor<261xi32>
  %3 = "stablehlo.convert"(%2) : (tensor<261xi32>) -> tensor<261xi8>
  %4 = "stablehlo.reshape"(%3) : (tensor<261xi8>) -> tensor<261xi8>
  %5 = "stablehlo.add"(%4, %arg0) : (tensor<261xi8>, tensor<261xi8>) -> tensor<261xi8>
  %6 = "stablehlo.bitcast_convert"(%5) : (tensor<261xi8>) -> tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>
  %7 = "stablehlo.reverse"(%6) {dimensions = array<i64: 0>} : (tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>) -> tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>
  %8 = "stablehlo.uniform_dequantize"(%6) : (tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>) -> tensor<261xf32>
  %9 = "stablehlo.bitcast_convert"(%8) : (tensor<261xf32>) -> tensor<261xi32>
  %10 = "stablehlo.uniform_quantize"(%6) : (tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>) -> tensor<261x!quant.uniform<i8:f32, 5.00000000000000028e-02:-30>>
  %11 = "stablehlo.bitcast_convert"(%10) : (tensor<261x!quant.uniform<i8:f32, 5.00000000000000028e-02:-30>>) -> tensor<261xi8>
  %12 = "stablehlo.convert"(%arg1) : (tensor<261xf32>) -> tensor<261xf32>
  %13 = "stablehlo.uniform_quantize"(%12) : (tensor<261xf32>) -> tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>
  %14 = "stablehlo.bitcast_convert"(%13) : (tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>) -> tensor<261xi8>
  %15 = "stablehlo.add"(%6, %7) : (tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>, tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>) -> tensor<261x!quant.uniform<i8:f32, 5.00000000000000028e-02:-30>>
  %16 = "stablehlo.multiply"(%6, %7) : (tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>, tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>) -> tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>
  %17 = "stablehlo.maximum"(%6, %7) : (tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>, tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>) -> tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>
  %18 = "stablehlo.bitcast_convert"(%15) : (tensor<261x!quant.uniform<i8:f32, 5.00000000000000028e-02:-30>>) -> tensor<261xi8>
  %19 = "stablehlo.bitcast_convert"(%16) : (tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>) -> tensor<261xi8>
  %20 = "stablehlo.bitcast_convert"(%17) : (tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>) -> tensor<261xi8>
  %21 = "stablehlo.compare"(%6, %7) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>, tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>) -> tensor<261xi1>
  %22 = "stablehlo.select"(%21, %6, %7) : (tensor<261xi1>, tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>, tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>) -> tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>
  %23 = "stablehlo.bitcast_convert"(%22) : (tensor<261x!quant.uniform<i8:f32, 7.84313770999999979e-03:3>>) -> tensor<261xi8>
  %24 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<261xi32>
  %25 = "stablehlo.constant"() {value = dense<1> : tensor<261xi32>} : () -> tensor<261xi32>
  %26 = "stablehlo.multiply"(%24, %25) : (tensor<261xi32>, tensor<261xi32>) -> tensor<261xi32>
  %27 = "stablehlo.convert"(%26) : (tensor<261xi32>) -> tensor<261xui8>
  %28 = "stablehlo.reshape"(%27) : (tensor<261xui8>) -> tensor<261xui8>
  %29 = "stablehlo.add"(%28, %arg2) : (tensor<261xui8>, tensor<261xui8>) -> tensor<261xui8>
  %30 = "stablehlo.bitcast_convert"(%29) : (tensor<261xui8>) -> tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>
  %31 = "stablehlo.reverse"(%30) {dimensions = array<i64: 0>} : (tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>) -> tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>
  %32 = "stablehlo.uniform_dequantize"(%30) : (tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>) -> tensor<261xf32>
  %33 = "stablehlo.bitcast_convert"(%32) : (tensor<261xf32>) -> tensor<261xi32>
  %34 = "stablehlo.uniform_quantize"(%30) : (tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>) -> tensor<261x!quant.uniform<u8:f32, 2.50000000000000000e-01:0>>
  %35 = "stablehlo.bitcast_convert"(%34) : (tensor<261x!quant.uniform<u8:f32, 2.50000000000000000e-01:0>>) -> tensor<261xui8>
  %36 = "stablehlo.convert"(%arg3) : (tensor<261xf32>) -> tensor<261xf32>
  %37 = "stablehlo.uniform_quantize"(%36) : (tensor<261xf32>) -> tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>
  %38 = "stablehlo.bitcast_convert"(%37) : (tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>) -> tensor<261xui8>
  %39 = "stablehlo.add"(%30, %31) : (tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>, tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>) -> tensor<261x!quant.uniform<u8:f32, 2.50000000000000000e-01:0>>
  %40 = "stablehlo.multiply"(%30, %31) : (tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>, tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>) -> tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>
  %41 = "stablehlo.maximum"(%30, %31) : (tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>, tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>) -> tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>
  %42 = "stablehlo.bitcast_convert"(%39) : (tensor<261x!quant.uniform<u8:f32, 2.50000000000000000e-01:0>>) -> tensor<261xui8>
  %43 = "stablehlo.bitcast_convert"(%40) : (tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>) -> tensor<261xui8>
  %44 = "stablehlo.bitcast_convert"(%41) : (tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>) -> tensor<261xui8>
  %45 = "stablehlo.compare"(%30, %31) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>, tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>) -> tensor<261xi1>
  %46 = "stablehlo.select"(%45, %30, %31) : (tensor<261xi1>, tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>, tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>) -> tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>
  %47 = "stablehlo.bitcast_convert"(%46) : (tensor<261x!quant.uniform<u8:f32, 5.00000000000000028e-02:128>>) -> tensor<261xui8>
  %48 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<261xi32>
  %49 = "stablehlo.constant"() {value = dense<1> : tensor<261xi32>} : () -> tensor<261xi32>
  %50 = "stablehlo.multiply"(%48, %49) : (tensor<261xi32>, tensor<261xi32>) -> tensor<261xi32>
  %51 = "stablehlo.convert"(%50) : (tensor<261xi32>) -> tensor<261xi8>
  %52 = "stablehlo.reshape"(%51) : (tensor<261xi8>) -> tensor<261xi8>
  %53 = "stablehlo.add"(%52, %arg4) : (tensor<261xi8>, tensor<261xi8>) -> tensor<261xi8>
  %54 = "stablehlo.bitcast_convert"(%53) : (tensor<261xi8>) -> tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>
  %55 = "stablehlo.reverse"(%54) {dimensions = array<i64: 0>} : (tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>) -> tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>
  %56 = "stablehlo.uniform_dequantize"(%54) : (tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>) -> tensor<261xf32>
  %57 = "stablehlo.bitcast_convert"(%56) : (tensor<261xf32>) -> tensor<261xi32>
  %58 = "stablehlo.uniform_quantize"(%54) : (tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>) -> tensor<261x!quant.uniform<i8<-127:127>:f32, 1.00000000000000006e-01:5>>
  %59 = "stablehlo.bitcast_convert"(%58) : (tensor<261x!quant.uniform<i8<-127:127>:f32, 1.00000000000000006e-01:5>>) -> tensor<261xi8>
  %60 = "stablehlo.convert"(%arg5) : (tensor<261xf32>) -> tensor<261xf32>
  %61 = "stablehlo.uniform_quantize"(%60) : (tensor<261xf32>) -> tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>
  %62 = "stablehlo.bitcast_convert"(%61) : (tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>) -> tensor<261xi8>
  %63 = "stablehlo.add"(%54, %55) : (tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>, tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>) -> tensor<261x!quant.uniform<i8<-127:127>:f32, 1.00000000000000006e-01:5>>
  %64 = "stablehlo.multiply"(%54, %55) : (tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>, tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>) -> tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>
  %65 = "stablehlo.maximum"(%54, %55) : (tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>, tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>) -> tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>
  %66 = "stablehlo.bitcast_convert"(%63) : (tensor<261x!quant.uniform<i8<-127:127>:f32, 1.00000000000000006e-01:5>>) -> tensor<261xi8>
  %67 = "stablehlo.bitcast_convert"(%64) : (tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>) -> tensor<261xi8>
  %68 = "stablehlo.bitcast_convert"(%65) : (tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>) -> tensor<261xi8>
  %69 = "stablehlo.compare"(%54, %55) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>, tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>) -> tensor<261xi1>
  %70 = "stablehlo.select"(%69, %54, %55) : (tensor<261xi1>, tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>, tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>) -> tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>
  %71 = "stablehlo.bitcast_convert"(%70) : (tensor<261x!quant.uniform<i8<-127:127>:f32, 5.00000000000000028e-02:0>>) -> tensor<261xi8>
  %72 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<261xi32>
  %73 = "stablehlo.constant"() {value = dense<1> : tensor<261xi32>} : () -> tensor<261xi32>
  %74 = "stablehlo.multiply"(%72, %73) : (tensor<261xi32>, tensor<261xi32>) -> tensor<261xi32>
  %75 = "stablehlo.convert"(%74) : (tensor<261xi32>) -> tensor<261xui8>
  %76 = "stablehlo.reshape"(%75) : (tensor<261xui8>) -> tensor<261xui8>
  %77 = "stablehlo.add"(%76, %arg6) : (tensor<261xui8>, tensor<261xui8>) -> tensor<261xui8>
  %78 = "stablehlo.bitcast_convert"(%77) : (tensor<261xui8>) -> tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>
  %79 = "stablehlo.reverse"(%78) {dimensions = array<i64: 0>} : (tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>) -> tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>
  %80 = "stablehlo.uniform_dequantize"(%78) : (tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>) -> tensor<261xf32>
  %81 = "stablehlo.bitcast_convert"(%80) : (tensor<261xf32>) -> tensor<261xi32>
  %82 = "stablehlo.uniform_quantize"(%78) : (tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>) -> tensor<261x!quant.uniform<u8<1:200>:f32, 1.00000000000000006e-01:5>>
  %83 = "stablehlo.bitcast_convert"(%82) : (tensor<261x!quant.uniform<u8<1:200>:f32, 1.00000000000000006e-01:5>>) -> tensor<261xui8>
  %84 = "stablehlo.convert"(%arg7) : (tensor<261xf32>) -> tensor<261xf32>
  %85 = "stablehlo.uniform_quantize"(%84) : (tensor<261xf32>) -> tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>
  %86 = "stablehlo.bitcast_convert"(%85) : (tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>) -> tensor<261xui8>
  %87 = "stablehlo.add"(%78, %79) : (tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>, tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>) -> tensor<261x!quant.uniform<u8<1:200>:f32, 1.00000000000000006e-01:5>>
  %88 = "stablehlo.multiply"(%78, %79) : (tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>, tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>) -> tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>
  %89 = "stablehlo.maximum"(%78, %79) : (tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>, tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>) -> tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>
  %90 = "stablehlo.bitcast_convert"(%87) : (tensor<261x!quant.uniform<u8<1:200>:f32, 1.00000000000000006e-01:5>>) -> tensor<261xui8>
  %91 = "stablehlo.bitcast_convert"(%88) : (tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>) -> tensor<261xui8>
  %92 = "stablehlo.bitcast_convert"(%89) : (tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>) -> tensor<261xui8>
  %93 = "stablehlo.compare"(%78, %79) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>, tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>) -> tensor<261xi1>
  %94 = "stablehlo.select"(%93, %78, %79) : (tensor<261xi1>, tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>, tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>) -> tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>
  %95 = "stablehlo.bitcast_convert"(%94) : (tensor<261x!quant.uniform<u8<1:200>:f32, 5.00000000000000028e-02:7>>) -> tensor<261xui8>
  %96 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<261xi32>
  %97 = "stablehlo.constant"() {value = dense<1> : tensor<261xi32>} : () -> tensor<261xi32>
  %98 = "stablehlo.multiply"(%96, %97) : (tensor<261xi32>, tensor<261xi32>) -> tensor<261xi32>
  %99 = "stablehlo.convert"(%98) : (tensor<261xi32>) -> tensor<261xi8>
  %100 = "stablehlo.reshape"(%99) : (tensor<261xi8>) -> tensor<261xi8>
  %101 = "stablehlo.add"(%100, %arg8) : (tensor<261xi8>, tensor<261xi8>) -> tensor<261xi8>
  %102 = "stablehlo.bitcast_convert"(%101) : (tensor<261xi8>) -> tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>
  %103 = "stablehlo.reverse"(%102) {dimensions = array<i64: 0>} : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>) -> tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>
  %104 = "stablehlo.uniform_dequantize"(%102) : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>) -> tensor<261xbf16>
  %105 = "stablehlo.bitcast_convert"(%104) : (tensor<261xbf16>) -> tensor<261xi16>
  %106 = "stablehlo.uniform_quantize"(%102) : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>) -> tensor<261x!quant.uniform<i8:bf16, 5.00000000000000000e-01:0>>
  %107 = "stablehlo.bitcast_convert"(%106) : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000000e-01:0>>) -> tensor<261xi8>
  %108 = "stablehlo.convert"(%arg9) : (tensor<261xf32>) -> tensor<261xbf16>
  %109 = "stablehlo.uniform_quantize"(%108) : (tensor<261xbf16>) -> tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>
  %110 = "stablehlo.bitcast_convert"(%109) : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>) -> tensor<261xi8>
  %111 = "stablehlo.add"(%102, %103) : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>, tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>) -> tensor<261x!quant.uniform<i8:bf16, 5.00000000000000000e-01:0>>
  %112 = "stablehlo.multiply"(%102, %103) : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>, tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>) -> tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>
  %113 = "stablehlo.maximum"(%102, %103) : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>, tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>) -> tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>
  %114 = "stablehlo.bitcast_convert"(%111) : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000000e-01:0>>) -> tensor<261xi8>
  %115 = "stablehlo.bitcast_convert"(%112) : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>) -> tensor<261xi8>
  %116 = "stablehlo.bitcast_convert"(%113) : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>) -> tensor<261xi8>
  %117 = "stablehlo.compare"(%102, %103) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>, tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>) -> tensor<261xi1>
  %118 = "stablehlo.select"(%117, %102, %103) : (tensor<261xi1>, tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>, tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>) -> tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>
  %119 = "stablehlo.bitcast_convert"(%118) : (tensor<261x!quant.uniform<i8:bf16, 5.00000000000000028e-02:17>>) -> tensor<261xi8>
  %120 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<261xi32>
  %121 = "stablehlo.constant"() {value = dense<1> : tensor<261xi32>} : () -> tensor<261xi32>
  %122 = "stablehlo.multiply"(%120, %121) : (tensor<261xi32>, tensor<261xi32>) -> tensor<261xi32>
  %123 = "stablehlo.convert"(%122) : (tensor<261xi32>) -> tensor<261xi8>
  %124 = "stablehlo.reshape"(%123) : (tensor<261xi8>) -> tensor<261xi8>
  %125 = "stablehlo.add"(%124, %arg10) : (tensor<261xi8>, tensor<261xi8>) -> tensor<261xi8>
  %126 = "stablehlo.bitcast_convert"(%125) : (tensor<261xi8>) -> tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>
  %127 = "stablehlo.reverse"(%126) {dimensions = array<i64: 0>} : (tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>) -> tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>
  %128 = "stablehlo.uniform_dequantize"(%126) : (tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>) -> tensor<261xf16>
  %129 = "stablehlo.bitcast_convert"(%128) : (tensor<261xf16>) -> tensor<261xi16>
  %130 = "stablehlo.uniform_quantize"(%126) : (tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>) -> tensor<261x!quant.uniform<i8:f16, 1.00000000000000000e+00:127>>
  %131 = "stablehlo.bitcast_convert"(%130) : (tensor<261x!quant.uniform<i8:f16, 1.00000000000000000e+00:127>>) -> tensor<261xi8>
  %132 = "stablehlo.convert"(%arg11) : (tensor<261xf32>) -> tensor<261xf16>
  %133 = "stablehlo.uniform_quantize"(%132) : (tensor<261xf16>) -> tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>
  %134 = "stablehlo.bitcast_convert"(%133) : (tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>) -> tensor<261xi8>
  %135 = "stablehlo.add"(%126, %127) : (tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>, tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>) -> tensor<261x!quant.uniform<i8:f16, 1.00000000000000000e+00:127>>
  %136 = "stablehlo.multiply"(%126, %127) : (tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>, tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>) -> tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>
  %137 = "stablehlo.maximum"(%126, %127) : (tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>, tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>) -> tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>
  %138 = "stablehlo.bitcast_convert"(%135) : (tensor<261x!quant.uniform<i8:f16, 1.00000000000000000e+00:127>>) -> tensor<261xi8>
  %139 = "stablehlo.bitcast_convert"(%136) : (tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>) -> tensor<261xi8>
  %140 = "stablehlo.bitcast_convert"(%137) : (tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>) -> tensor<261xi8>
  %141 = "stablehlo.compare"(%126, %127) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>, tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>) -> tensor<261xi1>
  %142 = "stablehlo.select"(%141, %126, %127) : (tensor<261xi1>, tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>, tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>) -> tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>
  %143 = "stablehlo.bitcast_convert"(%142) : (tensor<261x!quant.uniform<i8:f16, 3.00000000000000000e+02:-128>>) -> tensor<261xi8>
  %144 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<261xi32>
  %145 = "stablehlo.constant"() {value = dense<1> : tensor<261xi32>} : () -> tensor<261xi32>
  %146 = "stablehlo.multiply"(%144, %145) : (tensor<261xi32>, tensor<261xi32>) -> tensor<261xi32>
  %147 = "stablehlo.convert"(%146) : (tensor<261xi32>) -> tensor<261xui8>
  %148 = "stablehlo.reshape"(%147) : (tensor<261xui8>) -> tensor<261xui8>
  %149 = "stablehlo.add"(%148, %arg12) : (tensor<261xui8>, tensor<261xui8>) -> tensor<261xui8>
  %150 = "stablehlo.bitcast_convert"(%149) : (tensor<261xui8>) -> tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>
  %151 = "stablehlo.reverse"(%150) {dimensions = array<i64: 0>} : (tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>) -> tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>
  %152 = "stablehlo.uniform_dequantize"(%150) : (tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>) -> tensor<261xf64>
  %153 = "stablehlo.bitcast_convert"(%152) : (tensor<261xf64>) -> tensor<261xi64>
  %154 = "stablehlo.uniform_quantize"(%150) : (tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>) -> tensor<261x!quant.uniform<u8:f64, 2.99999999999999989e-01:1>>
  %155 = "stablehlo.bitcast_convert"(%154) : (tensor<261x!quant.uniform<u8:f64, 2.99999999999999989e-01:1>>) -> tensor<261xui8>
  %156 = "stablehlo.convert"(%arg13) : (tensor<261xf32>) -> tensor<261xf64>
  %157 = "stablehlo.uniform_quantize"(%156) : (tensor<261xf64>) -> tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>
  %158 = "stablehlo.bitcast_convert"(%157) : (tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>) -> tensor<261xui8>
  %159 = "stablehlo.add"(%150, %151) : (tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>, tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>) -> tensor<261x!quant.uniform<u8:f64, 2.99999999999999989e-01:1>>
  %160 = "stablehlo.multiply"(%150, %151) : (tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>, tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>) -> tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>
  %161 = "stablehlo.maximum"(%150, %151) : (tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>, tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>) -> tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>
  %162 = "stablehlo.bitcast_convert"(%159) : (tensor<261x!quant.uniform<u8:f64, 2.99999999999999989e-01:1>>) -> tensor<261xui8>
  %163 = "stablehlo.bitcast_convert"(%160) : (tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>) -> tensor<261xui8>
  %164 = "stablehlo.bitcast_convert"(%161) : (tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>) -> tensor<261xui8>
  %165 = "stablehlo.compare"(%150, %151) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>, tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>) -> tensor<261xi1>
  %166 = "stablehlo.select"(%165, %150, %151) : (tensor<261xi1>, tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>, tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>) -> tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>
  %167 = "stablehlo.bitcast_convert"(%166) : (tensor<261x!quant.uniform<u8:f64, 1.00000000000000006e-01:100>>) -> tensor<261xui8>
  func.return %9, %11, %14, %18, %19, %20, %21, %23, %33, %35, %38, %42, %43, %44, %45, %47, %57, %59, %62, %66, %67, %68, %69, %71, %81, %83, %86, %90, %91, %92, %93, %95, %105, %107, %110, %114, %115, %116, %117, %119, %129, %131, %134, %138, %139, %140, %141, %143, %153, %155, %158, %162, %163, %164, %165, %167 : tensor<261xi32>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi1>, tensor<261xi8>, tensor<261xi32>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xi1>, tensor<261xui8>, tensor<261xi32>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi1>, tensor<261xi8>, tensor<261xi32>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xi1>, tensor<261xui8>, tensor<261xi16>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi1>, tensor<261xi8>, tensor<261xi16>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi1>, tensor<261xi8>, tensor<261xi64>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xui8>, tensor<261xi1>, tensor<261xui8>
}
