// Written by make_programs.py.
func.func @main(%arg0: tensor<9xi2>, %arg1: tensor<9xf32>, %arg2: tensor<9xui2>, %arg3: tensor<9xf32>, %arg4: tensor<21xi4>, %arg5: tensor<21xf32>, %arg6: tensor<21xui4>, %arg7: tensor<21xf32>, %arg8: tensor<21xi4>, %arg9: tensor<21xf32>, %arg10: tensor<21xi4>, %arg11: tensor<21xf32>) -> (tensor<9xi32>, tensor<9xi2>, tensor<9xi2>, tensor<9xi2>, tensor<9xi2>, tensor<9xi2>, tensor<9xi1>, tensor<9xi2>, tensor<9xi16>, tensor<9xui2>, tensor<9xui2>, tensor<9xui2>, tensor<9xui2>, tensor<9xui2>, tensor<9xi1>, tensor<9xui2>, tensor<21xi32>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi1>, tensor<21xi4>, tensor<21xi16>, tensor<21xui4>, tensor<21xui4>, tensor<21xui4>, tensor<21xui4>, tensor<21xui4>, tensor<21xi1>, tensor<21xui4>, tensor<21xi8>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi1>, tensor<21xi4>, tensor<21xi16>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi1>, tensor<21xi4>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<9xi32>
  %1 = "stablehlo.constant"() {value = dense<1> : tensor<9xi32>} : () -> tensor<9xi32>
  %2 = "stablehlo.multiply"(%0, %1) : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
  %3 = "stablehlo.convert"(%2) : (tensor<9xi32>) -> tensor<9xi2>
  %4 = "stablehlo.reshape"(%3) : (tensor<9xi2>) -> tensor<9xi2>
  %5 = "stablehlo.add"(%4, %arg0) : (tensor<9xi2>, tensor<9xi2>) -> tensor<9xi2>
  %6 = "stablehlo.bitcast_convert"(%5) : (tensor<9xi2>) -> tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>
  %7 = "stablehlo.reverse"(%6) {dimensions = array<i64: 0>} : (tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>) -> tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>
  %8 = "stablehlo.uniform_dequantize"(%6) : (tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>) -> tensor<9xf32>
  %9 = "stablehlo.bitcast_convert"(%8) : (tensor<9xf32>) -> tensor<9xi32>
  %10 = "stablehlo.uniform_quantize"(%6) : (tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>) -> tensor<9x!quant.uniform<i2:f32, 1.10000000000000009e+00:-1>>
  %11 = "stablehlo.bitcast_convert"(%10) : (tensor<9x!quant.uniform<i2:f32, 1.10000000000000009e+00:-1>>) -> tensor<9xi2>
  %12 = "stablehlo.convert"(%arg1) : (tensor<9xf32>) -> tensor<9xf32>
  %13 = "stablehlo.uniform_quantize"(%12) : (tensor<9xf32>) -> tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>
  %14 = "stablehlo.bitcast_convert"(%13) : (tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>) -> tensor<9xi2>
  %15 = "stablehlo.add"(%6, %7) : (tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>, tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>) -> tensor<9x!quant.uniform<i2:f32, 1.10000000000000009e+00:-1>>
  %16 = "stablehlo.multiply"(%6, %7) : (tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>, tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>) -> tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>
  %17 = "stablehlo.maximum"(%6, %7) : (tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>, tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>) -> tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>
  %18 = "stablehlo.bitcast_convert"(%15) : (tensor<9x!quant.uniform<i2:f32, 1.10000000000000009e+00:-1>>) -> tensor<9xi2>
  %19 = "stablehlo.bitcast_convert"(%16) : (tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>) -> tensor<9xi2>
  %20 = "stablehlo.bitcast_convert"(%17) : (tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>) -> tensor<9xi2>
  %21 = "stablehlo.compare"(%6, %7) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>, tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>) -> tensor<9xi1>
  %22 = "stablehlo.select"(%21, %6, %7) : (tensor<9xi1>, tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>, tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>) -> tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>
  %23 = "stablehlo.bitcast_convert"(%22) : (tensor<9x!quant.uniform<i2:f32, 6.99999999999999956e-01:0>>) -> tensor<9xi2>
  %24 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<9xi32>
  %25 = "stablehlo.constant"() {value = dense<1> : tensor<9xi32>} : () -> tensor<9xi32>
  %26 = "stablehlo.multiply"(%24, %25) : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
  %27 = "stablehlo.convert"(%26) : (tensor<9xi32>) -> tensor<9xui2>
  %28 = "stablehlo.reshape"(%27) : (tensor<9xui2>) -> tensor<9xui2>
  %29 = "stablehlo.add"(%28, %arg2) : (tensor<9xui2>, tensor<9xui2>) -> tensor<9xui2>
  %30 = "stablehlo.bitcast_convert"(%29) : (tensor<9xui2>) -> tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>
  %31 = "stablehlo.reverse"(%30) {dimensions = array<i64: 0>} : (tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>) -> tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>
  %32 = "stablehlo.uniform_dequantize"(%30) : (tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>) -> tensor<9xbf16>
  %33 = "stablehlo.bitcast_convert"(%32) : (tensor<9xbf16>) -> tensor<9xi16>
  %34 = "stablehlo.uniform_quantize"(%30) : (tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>) -> tensor<9x!quant.uniform<u2:bf16, 2.50000000000000000e-01:0>>
  %35 = "stablehlo.bitcast_convert"(%34) : (tensor<9x!quant.uniform<u2:bf16, 2.50000000000000000e-01:0>>) -> tensor<9xui2>
  %36 = "stablehlo.convert"(%arg3) : (tensor<9xf32>) -> tensor<9xbf16>
  %37 = "stablehlo.uniform_quantize"(%36) : (tensor<9xbf16>) -> tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>
  %38 = "stablehlo.bitcast_convert"(%37) : (tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>) -> tensor<9xui2>
  %39 = "stablehlo.add"(%30, %31) : (tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>, tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>) -> tensor<9x!quant.uniform<u2:bf16, 2.50000000000000000e-01:0>>
  %40 = "stablehlo.multiply"(%30, %31) : (tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>, tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>) -> tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>
  %41 = "stablehlo.maximum"(%30, %31) : (tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>, tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>) -> tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>
  %42 = "stablehlo.bitcast_convert"(%39) : (tensor<9x!quant.uniform<u2:bf16, 2.50000000000000000e-01:0>>) -> tensor<9xui2>
  %43 = "stablehlo.bitcast_convert"(%40) : (tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>) -> tensor<9xui2>
  %44 = "stablehlo.bitcast_convert"(%41) : (tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>) -> tensor<9xui2>
  %45 = "stablehlo.compare"(%30, %31) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>, tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>) -> tensor<9xi1>
  %46 = "stablehlo.select"(%45, %30, %31) : (tensor<9xi1>, tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>, tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>) -> tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>
  %47 = "stablehlo.bitcast_convert"(%46) : (tensor<9x!quant.uniform<u2:bf16, 5.00000000000000000e-01:1>>) -> tensor<9xui2>
  %48 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<21xi32>
  %49 = "stablehlo.constant"() {value = dense<1> : tensor<21xi32>} : () -> tensor<21xi32>
  %50 = "stablehlo.multiply"(%48, %49) : (tensor<21xi32>, tensor<21xi32>) -> tensor<21xi32>
  %51 = "stablehlo.convert"(%50) : (tensor<21xi32>) -> tensor<21xi4>
  %52 = "stablehlo.reshape"(%51) : (tensor<21xi4>) -> tensor<21xi4>
  %53 = "stablehlo.add"(%52, %arg4) : (tensor<21xi4>, tensor<21xi4>) -> tensor<21xi4>
  %54 = "stablehlo.bitcast_convert"(%53) : (tensor<21xi4>) -> tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>
  %55 = "stablehlo.reverse"(%54) {dimensions = array<i64: 0>} : (tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>) -> tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>
  %56 = "stablehlo.uniform_dequantize"(%54) : (tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>) -> tensor<21xf32>
  %57 = "stablehlo.bitcast_convert"(%56) : (tensor<21xf32>) -> tensor<21xi32>
  %58 = "stablehlo.uniform_quantize"(%54) : (tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>) -> tensor<21x!quant.uniform<i4:f32, 7.00000000000000067e-02:-2>>
  %59 = "stablehlo.bitcast_convert"(%58) : (tensor<21x!quant.uniform<i4:f32, 7.00000000000000067e-02:-2>>) -> tensor<21xi4>
  %60 = "stablehlo.convert"(%arg5) : (tensor<21xf32>) -> tensor<21xf32>
  %61 = "stablehlo.uniform_quantize"(%60) : (tensor<21xf32>) -> tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>
  %62 = "stablehlo.bitcast_convert"(%61) : (tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>) -> tensor<21xi4>
  %63 = "stablehlo.add"(%54, %55) : (tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>, tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>) -> tensor<21x!quant.uniform<i4:f32, 7.00000000000000067e-02:-2>>
  %64 = "stablehlo.multiply"(%54, %55) : (tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>, tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>) -> tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>
  %65 = "stablehlo.maximum"(%54, %55) : (tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>, tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>) -> tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>
  %66 = "stablehlo.bitcast_convert"(%63) : (tensor<21x!quant.uniform<i4:f32, 7.00000000000000067e-02:-2>>) -> tensor<21xi4>
  %67 = "stablehlo.bitcast_convert"(%64) : (tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>) -> tensor<21xi4>
  %68 = "stablehlo.bitcast_convert"(%65) : (tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>) -> tensor<21xi4>
  %69 = "stablehlo.compare"(%54, %55) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>, tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>) -> tensor<21xi1>
  %70 = "stablehlo.select"(%69, %54, %55) : (tensor<21xi1>, tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>, tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>) -> tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>
  %71 = "stablehlo.bitcast_convert"(%70) : (tensor<21x!quant.uniform<i4:f32, 1.00000000000000006e-01:3>>) -> tensor<21xi4>
  %72 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<21xi32>
  %73 = "stablehlo.constant"() {value = dense<1> : tensor<21xi32>} : () -> tensor<21xi32>
  %74 = "stablehlo.multiply"(%72, %73) : (tensor<21xi32>, tensor<21xi32>) -> tensor<21xi32>
  %75 = "stablehlo.convert"(%74) : (tensor<21xi32>) -> tensor<21xui4>
  %76 = "stablehlo.reshape"(%75) : (tensor<21xui4>) -> tensor<21xui4>
  %77 = "stablehlo.add"(%76, %arg6) : (tensor<21xui4>, tensor<21xui4>) -> tensor<21xui4>
  %78 = "stablehlo.bitcast_convert"(%77) : (tensor<21xui4>) -> tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>
  %79 = "stablehlo.reverse"(%78) {dimensions = array<i64: 0>} : (tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>) -> tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>
  %80 = "stablehlo.uniform_dequantize"(%78) : (tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>) -> tensor<21xf16>
  %81 = "stablehlo.bitcast_convert"(%80) : (tensor<21xf16>) -> tensor<21xi16>
  %82 = "stablehlo.uniform_quantize"(%78) : (tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>) -> tensor<21x!quant.uniform<u4:f16, 2.99999999999999989e-01:0>>
  %83 = "stablehlo.bitcast_convert"(%82) : (tensor<21x!quant.uniform<u4:f16, 2.99999999999999989e-01:0>>) -> tensor<21xui4>
  %84 = "stablehlo.convert"(%arg7) : (tensor<21xf32>) -> tensor<21xf16>
  %85 = "stablehlo.uniform_quantize"(%84) : (tensor<21xf16>) -> tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>
  %86 = "stablehlo.bitcast_convert"(%85) : (tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>) -> tensor<21xui4>
  %87 = "stablehlo.add"(%78, %79) : (tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>, tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>) -> tensor<21x!quant.uniform<u4:f16, 2.99999999999999989e-01:0>>
  %88 = "stablehlo.multiply"(%78, %79) : (tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>, tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>) -> tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>
  %89 = "stablehlo.maximum"(%78, %79) : (tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>, tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>) -> tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>
  %90 = "stablehlo.bitcast_convert"(%87) : (tensor<21x!quant.uniform<u4:f16, 2.99999999999999989e-01:0>>) -> tensor<21xui4>
  %91 = "stablehlo.bitcast_convert"(%88) : (tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>) -> tensor<21xui4>
  %92 = "stablehlo.bitcast_convert"(%89) : (tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>) -> tensor<21xui4>
  %93 = "stablehlo.compare"(%78, %79) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>, tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>) -> tensor<21xi1>
  %94 = "stablehlo.select"(%93, %78, %79) : (tensor<21xi1>, tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>, tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>) -> tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>
  %95 = "stablehlo.bitcast_convert"(%94) : (tensor<21x!quant.uniform<u4:f16, 1.25000000000000000e-01:8>>) -> tensor<21xui4>
  %96 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<21xi32>
  %97 = "stablehlo.constant"() {value = dense<1> : tensor<21xi32>} : () -> tensor<21xi32>
  %98 = "stablehlo.multiply"(%96, %97) : (tensor<21xi32>, tensor<21xi32>) -> tensor<21xi32>
  %99 = "stablehlo.convert"(%98) : (tensor<21xi32>) -> tensor<21xi4>
  %100 = "stablehlo.reshape"(%99) : (tensor<21xi4>) -> tensor<21xi4>
  %101 = "stablehlo.add"(%100, %arg8) : (tensor<21xi4>, tensor<21xi4>) -> tensor<21xi4>
  %102 = "stablehlo.bitcast_convert"(%101) : (tensor<21xi4>) -> tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>
  %103 = "stablehlo.reverse"(%102) {dimensions = array<i64: 0>} : (tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>) -> tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>
  %104 = "stablehlo.uniform_dequantize"(%102) : (tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>) -> tensor<21xf8E4M3FN>
  %105 = "stablehlo.bitcast_convert"(%104) : (tensor<21xf8E4M3FN>) -> tensor<21xi8>
  %106 = "stablehlo.uniform_quantize"(%102) : (tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>) -> tensor<21x!quant.uniform<i4:f8E4M3FN, 5.00000000000000000e-01:0>>
  %107 = "stablehlo.bitcast_convert"(%106) : (tensor<21x!quant.uniform<i4:f8E4M3FN, 5.00000000000000000e-01:0>>) -> tensor<21xi4>
  %108 = "stablehlo.convert"(%arg9) : (tensor<21xf32>) -> tensor<21xf8E4M3FN>
  %109 = "stablehlo.uniform_quantize"(%108) : (tensor<21xf8E4M3FN>) -> tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>
  %110 = "stablehlo.bitcast_convert"(%109) : (tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>) -> tensor<21xi4>
  %111 = "stablehlo.add"(%102, %103) : (tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>, tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>) -> tensor<21x!quant.uniform<i4:f8E4M3FN, 5.00000000000000000e-01:0>>
  %112 = "stablehlo.multiply"(%102, %103) : (tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>, tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>) -> tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>
  %113 = "stablehlo.maximum"(%102, %103) : (tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>, tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>) -> tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>
  %114 = "stablehlo.bitcast_convert"(%111) : (tensor<21x!quant.uniform<i4:f8E4M3FN, 5.00000000000000000e-01:0>>) -> tensor<21xi4>
  %115 = "stablehlo.bitcast_convert"(%112) : (tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>) -> tensor<21xi4>
  %116 = "stablehlo.bitcast_convert"(%113) : (tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>) -> tensor<21xi4>
  %117 = "stablehlo.compare"(%102, %103) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>, tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>) -> tensor<21xi1>
  %118 = "stablehlo.select"(%117, %102, %103) : (tensor<21xi1>, tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>, tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>) -> tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>
  %119 = "stablehlo.bitcast_convert"(%118) : (tensor<21x!quant.uniform<i4:f8E4M3FN, 2.50000000000000000e-01:1>>) -> tensor<21xi4>
  %120 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<21xi32>
  %121 = "stablehlo.constant"() {value = dense<1> : tensor<21xi32>} : () -> tensor<21xi32>
  %122 = "stablehlo.multiply"(%120, %121) : (tensor<21xi32>, tensor<21xi32>) -> tensor<21xi32>
  %123 = "stablehlo.convert"(%122) : (tensor<21xi32>) -> tensor<21xi4>
  %124 = "stablehlo.reshape"(%123) : (tensor<21xi4>) -> tensor<21xi4>
  %125 = "stablehlo.add"(%124, %arg10) : (tensor<21xi4>, tensor<21xi4>) -> tensor<21xi4>
  %126 = "stablehlo.bitcast_convert"(%125) : (tensor<21xi4>) -> tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>
  %127 = "stablehlo.reverse"(%126) {dimensions = array<i64: 0>} : (tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>) -> tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>
  %128 = "stablehlo.uniform_dequantize"(%126) : (tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>) -> tensor<21xbf16>
  %129 = "stablehlo.bitcast_convert"(%128) : (tensor<21xbf16>) -> tensor<21xi16>
  %130 = "stablehlo.uniform_quantize"(%126) : (tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>) -> tensor<21x!quant.uniform<i4:bf16, 5.00000000000000000e-01:0>>
  %131 = "stablehlo.bitcast_convert"(%130) : (tensor<21x!quant.uniform<i4:bf16, 5.00000000000000000e-01:0>>) -> tensor<21xi4>
  %132 = "stablehlo.convert"(%arg11) : (tensor<21xf32>) -> tensor<21xbf16>
  %133 = "stablehlo.uniform_quantize"(%132) : (tensor<21xbf16>) -> tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>
  %134 = "stablehlo.bitcast_convert"(%133) : (tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>) -> tensor<21xi4>
  %135 = "stablehlo.add"(%126, %127) : (tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>, tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>) -> tensor<21x!quant.uniform<i4:bf16, 5.00000000000000000e-01:0>>
  %136 = "stablehlo.multiply"(%126, %127) : (tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>, tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>) -> tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>
  %137 = "stablehlo.maximum"(%126, %127) : (tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>, tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>) -> tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>
  %138 = "stablehlo.bitcast_convert"(%135) : (tensor<21x!quant.uniform<i4:bf16, 5.00000000000000000e-01:0>>) -> tensor<21xi4>
  %139 = "stablehlo.bitcast_convert"(%136) : (tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>) -> tensor<21xi4>
  %140 = "stablehlo.bitcast_convert"(%137) : (tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>) -> tensor<21xi4>
  %141 = "stablehlo.compare"(%126, %127) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>, tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>) -> tensor<21xi1>
  %142 = "stablehlo.select"(%141, %126, %127) : (tensor<21xi1>, tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>, tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>) -> tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>
  %143 = "stablehlo.bitcast_convert"(%142) : (tensor<21x!quant.uniform<i4:bf16, 6.25000000000000000e-02:2>>) -> tensor<21xi4>
  func.return %9, %11, %14, %18, %19, %20, %21, %23, %33, %35, %38, %42, %43, %44, %45, %47, %57, %59, %62, %66, %67, %68, %69, %71, %81, %83, %86, %90, %91, %92, %93, %95, %105, %107, %110, %114, %115, %116, %117, %119, %129, %131, %134, %138, %139, %140, %141, %143 : tensor<9xi32>, tensor<9xi2>, tensor<9xi2>, tensor<9xi2>, tensor<9xi2>, tensor<9xi2>, tensor<9xi1>, tensor<9xi2>, tensor<9xi16>, tensor<9xui2>, tensor<9xui2>, tensor<9xui2>, tensor<9xui2>, tensor<9xui2>, tensor<9xi1>, tensor<9xui2>, tensor<21xi32>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi1>, tensor<21xi4>, tensor<21xi16>, tensor<21xui4>, tensor<21xui4>, tensor<21xui4>, tensor<21xui4>, tensor<21xui4>, tensor<21xi1>, tensor<21xui4>, tensor<21xi8>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi1>, tensor<21xi4>, tensor<21xi16>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi4>, tensor<21xi1>, tensor<21xi4>
}
