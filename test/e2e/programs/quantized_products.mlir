// Written by make_programs.py.
func.func @main(%arg0: tensor<7x40xi8>, %arg1: tensor<40x9xi8>, %arg2: tensor<7x40xui8>, %arg3: tensor<40x9xui8>, %arg4: tensor<7x40xi8>, %arg5: tensor<40x9xi8>, %arg6: tensor<7x40xi8>, %arg7: tensor<40x9xi8>, %arg8: tensor<7x40xi4>, %arg9: tensor<40x9xi4>, %arg10: tensor<7x40xui16>, %arg11: tensor<40x9xui16>, %arg12: tensor<7x40xi8>, %arg13: tensor<40x9xi8>, %arg14: tensor<7x40xui8>, %arg15: tensor<40x9xui8>, %arg16: tensor<7x40xi8>, %arg17: tensor<40x9xi8>, %arg18: tensor<7x40xui4>, %arg19: tensor<40x9xui4>, %arg20: tensor<7x40xi16>, %arg21: tensor<40x9xi16>, %arg22: tensor<2x3x8xi8>, %arg23: tensor<2x8x4xi8>, %arg24: tensor<3x16xf32>, %arg25: tensor<16x4xi8>) -> (tensor<7x9xi8>, tensor<7x9xi32>, tensor<7x9xi8>, tensor<7x9xi32>, tensor<7x9xi4>, tensor<7x9xi16>, tensor<7x9xi8>, tensor<7x9xi32>, tensor<7x9xi8>, tensor<7x9xi16>, tensor<7x9xi16>, tensor<2x3x4xi8>, tensor<3x4xf32>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<280xi32>
  %1 = "stablehlo.constant"() {value = dense<23> : tensor<280xi32>} : () -> tensor<280xi32>
  %2 = "stablehlo.multiply"(%0, %1) : (tensor<280xi32>, tensor<280xi32>) -> tensor<280xi32>
  %3 = "stablehlo.convert"(%2) : (tensor<280xi32>) -> tensor<280xi8>
  %4 = "stablehlo.reshape"(%3) : (tensor<280xi8>) -> tensor<7x40xi8>
  %5 = "stablehlo.add"(%4, %arg0) : (tensor<7x40xi8>, tensor<7x40xi8>) -> tensor<7x40xi8>
  %6 = "stablehlo.bitcast_convert"(%5) : (tensor<7x40xi8>) -> tensor<7x40x!quant.uniform<i8:f32, 6.25000000000000000e-02:0>>
  %7 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<360xi32>
  %8 = "stablehlo.constant"() {value = dense<19> : tensor<360xi32>} : () -> tensor<360xi32>
  %9 = "stablehlo.multiply"(%7, %8) : (tensor<360xi32>, tensor<360xi32>) -> tensor<360xi32>
  %10 = "stablehlo.convert"(%9) : (tensor<360xi32>) -> tensor<360xi8>
  %11 = "stablehlo.reshape"(%10) : (tensor<360xi8>) -> tensor<40x9xi8>
  %12 = "stablehlo.add"(%11, %arg1) : (tensor<40x9xi8>, tensor<40x9xi8>) -> tensor<40x9xi8>
  %13 = "stablehlo.bitcast_convert"(%12) : (tensor<40x9xi8>) -> tensor<40x9x!quant.uniform<i8:f32, 3.12500000000000000e-02:0>>
  %14 = "stablehlo.dot_general"(%6, %13) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<7x40x!quant.uniform<i8:f32, 6.25000000000000000e-02:0>>, tensor<40x9x!quant.uniform<i8:f32, 3.12500000000000000e-02:0>>) -> tensor<7x9x!quant.uniform<i8:f32, 5.00000000000000000e-01:-4>>
  %15 = "stablehlo.bitcast_convert"(%14) : (tensor<7x9x!quant.uniform<i8:f32, 5.00000000000000000e-01:-4>>) -> tensor<7x9xi8>
  %16 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<280xi32>
  %17 = "stablehlo.constant"() {value = dense<23> : tensor<280xi32>} : () -> tensor<280xi32>
  %18 = "stablehlo.multiply"(%16, %17) : (tensor<280xi32>, tensor<280xi32>) -> tensor<280xi32>
  %19 = "stablehlo.convert"(%18) : (tensor<280xi32>) -> tensor<280xui8>
  %20 = "stablehlo.reshape"(%19) : (tensor<280xui8>) -> tensor<7x40xui8>
  %21 = "stablehlo.add"(%20, %arg2) : (tensor<7x40xui8>, tensor<7x40xui8>) -> tensor<7x40xui8>
  %22 = "stablehlo.bitcast_convert"(%21) : (tensor<7x40xui8>) -> tensor<7x40x!quant.uniform<u8:f32, 6.25000000000000000e-02:128>>
  %23 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<360xi32>
  %24 = "stablehlo.constant"() {value = dense<19> : tensor<360xi32>} : () -> tensor<360xi32>
  %25 = "stablehlo.multiply"(%23, %24) : (tensor<360xi32>, tensor<360xi32>) -> tensor<360xi32>
  %26 = "stablehlo.convert"(%25) : (tensor<360xi32>) -> tensor<360xui8>
  %27 = "stablehlo.reshape"(%26) : (tensor<360xui8>) -> tensor<40x9xui8>
  %28 = "stablehlo.add"(%27, %arg3) : (tensor<40x9xui8>, tensor<40x9xui8>) -> tensor<40x9xui8>
  %29 = "stablehlo.bitcast_convert"(%28) : (tensor<40x9xui8>) -> tensor<40x9x!quant.uniform<u8:f32, 3.12500000000000000e-02:0>>
  %30 = "stablehlo.dot_general"(%22, %29) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<7x40x!quant.uniform<u8:f32, 6.25000000000000000e-02:128>>, tensor<40x9x!quant.uniform<u8:f32, 3.12500000000000000e-02:0>>) -> tensor<7x9x!quant.uniform<i32:f32, 2.44140625000000000e-04:0>>
  %31 = "stablehlo.bitcast_convert"(%30) : (tensor<7x9x!quant.uniform<i32:f32, 2.44140625000000000e-04:0>>) -> tensor<7x9xi32>
  %32 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<280xi32>
  %33 = "stablehlo.constant"() {value = dense<23> : tensor<280xi32>} : () -> tensor<280xi32>
  %34 = "stablehlo.multiply"(%32, %33) : (tensor<280xi32>, tensor<280xi32>) -> tensor<280xi32>
  %35 = "stablehlo.convert"(%34) : (tensor<280xi32>) -> tensor<280xi8>
  %36 = "stablehlo.reshape"(%35) : (tensor<280xi8>) -> tensor<7x40xi8>
  %37 = "stablehlo.add"(%36, %arg4) : (tensor<7x40xi8>, tensor<7x40xi8>) -> tensor<7x40xi8>
  %38 = "stablehlo.bitcast_convert"(%37) : (tensor<7x40xi8>) -> tensor<7x40x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %39 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<360xi32>
  %40 = "stablehlo.constant"() {value = dense<19> : tensor<360xi32>} : () -> tensor<360xi32>
  %41 = "stablehlo.multiply"(%39, %40) : (tensor<360xi32>, tensor<360xi32>) -> tensor<360xi32>
  %42 = "stablehlo.convert"(%41) : (tensor<360xi32>) -> tensor<360xi8>
  %43 = "stablehlo.reshape"(%42) : (tensor<360xi8>) -> tensor<40x9xi8>
  %44 = "stablehlo.add"(%43, %arg5) : (tensor<40x9xi8>, tensor<40x9xi8>) -> tensor<40x9xi8>
  %45 = "stablehlo.bitcast_convert"(%44) : (tensor<40x9xi8>) -> tensor<40x9x!quant.uniform<i8:f32:1, {1.56250000000000000e-02:0, 3.12500000000000000e-02:0, 6.25000000000000000e-02:0, 1.25000000000000000e-01:0, 1.56250000000000000e-02:0, 3.12500000000000000e-02:0, 6.25000000000000000e-02:0, 1.25000000000000000e-01:0, 1.56250000000000000e-02:0}>>
  %46 = "stablehlo.dot_general"(%38, %45) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<7x40x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<40x9x!quant.uniform<i8:f32:1, {1.56250000000000000e-02:0, 3.12500000000000000e-02:0, 6.25000000000000000e-02:0, 1.25000000000000000e-01:0, 1.56250000000000000e-02:0, 3.12500000000000000e-02:0, 6.25000000000000000e-02:0, 1.25000000000000000e-01:0, 1.56250000000000000e-02:0}>>) -> tensor<7x9x!quant.uniform<i8:f32, 5.00000000000000000e-01:0>>
  %47 = "stablehlo.bitcast_convert"(%46) : (tensor<7x9x!quant.uniform<i8:f32, 5.00000000000000000e-01:0>>) -> tensor<7x9xi8>
  %48 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<280xi32>
  %49 = "stablehlo.constant"() {value = dense<23> : tensor<280xi32>} : () -> tensor<280xi32>
  %50 = "stablehlo.multiply"(%48, %49) : (tensor<280xi32>, tensor<280xi32>) -> tensor<280xi32>
  %51 = "stablehlo.convert"(%50) : (tensor<280xi32>) -> tensor<280xi8>
  %52 = "stablehlo.reshape"(%51) : (tensor<280xi8>) -> tensor<7x40xi8>
  %53 = "stablehlo.add"(%52, %arg6) : (tensor<7x40xi8>, tensor<7x40xi8>) -> tensor<7x40xi8>
  %54 = "stablehlo.bitcast_convert"(%53) : (tensor<7x40xi8>) -> tensor<7x40x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %55 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<360xi32>
  %56 = "stablehlo.constant"() {value = dense<19> : tensor<360xi32>} : () -> tensor<360xi32>
  %57 = "stablehlo.multiply"(%55, %56) : (tensor<360xi32>, tensor<360xi32>) -> tensor<360xi32>
  %58 = "stablehlo.convert"(%57) : (tensor<360xi32>) -> tensor<360xi8>
  %59 = "stablehlo.reshape"(%58) : (tensor<360xi8>) -> tensor<40x9xi8>
  %60 = "stablehlo.add"(%59, %arg7) : (tensor<40x9xi8>, tensor<40x9xi8>) -> tensor<40x9xi8>
  %61 = "stablehlo.bitcast_convert"(%60) : (tensor<40x9xi8>) -> tensor<40x9x!quant.uniform<i8:f32:1, {1.56250000000000000e-02:0, 3.12500000000000000e-02:0, 6.25000000000000000e-02:0, 1.25000000000000000e-01:0, 1.56250000000000000e-02:0, 3.12500000000000000e-02:0, 6.25000000000000000e-02:0, 1.25000000000000000e-01:0, 1.56250000000000000e-02:0}>>
  %62 = "stablehlo.dot_general"(%54, %61) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<7x40x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<40x9x!quant.uniform<i8:f32:1, {1.56250000000000000e-02:0, 3.12500000000000000e-02:0, 6.25000000000000000e-02:0, 1.25000000000000000e-01:0, 1.56250000000000000e-02:0, 3.12500000000000000e-02:0, 6.25000000000000000e-02:0, 1.25000000000000000e-01:0, 1.56250000000000000e-02:0}>>) -> tensor<7x9x!quant.uniform<i32:f32:1, {9.76562500000000000e-04:0, 1.95312500000000000e-03:0, 3.90625000000000000e-03:0, 7.81250000000000000e-03:0, 9.76562500000000000e-04:0, 1.95312500000000000e-03:0, 3.90625000000000000e-03:0, 7.81250000000000000e-03:0, 9.76562500000000000e-04:0}>>
  %63 = "stablehlo.bitcast_convert"(%62) : (tensor<7x9x!quant.uniform<i32:f32:1, {9.76562500000000000e-04:0, 1.95312500000000000e-03:0, 3.90625000000000000e-03:0, 7.81250000000000000e-03:0, 9.76562500000000000e-04:0, 1.95312500000000000e-03:0, 3.90625000000000000e-03:0, 7.81250000000000000e-03:0, 9.76562500000000000e-04:0}>>) -> tensor<7x9xi32>
  %64 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<280xi32>
  %65 = "stablehlo.constant"() {value = dense<23> : tensor<280xi32>} : () -> tensor<280xi32>
  %66 = "stablehlo.multiply"(%64, %65) : (tensor<280xi32>, tensor<280xi32>) -> tensor<280xi32>
  %67 = "stablehlo.convert"(%66) : (tensor<280xi32>) -> tensor<280xi4>
  %68 = "stablehlo.reshape"(%67) : (tensor<280xi4>) -> tensor<7x40xi4>
  %69 = "stablehlo.add"(%68, %arg8) : (tensor<7x40xi4>, tensor<7x40xi4>) -> tensor<7x40xi4>
  %70 = "stablehlo.bitcast_convert"(%69) : (tensor<7x40xi4>) -> tensor<7x40x!quant.uniform<i4:bf16, 5.00000000000000000e-01:1>>
  %71 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<360xi32>
  %72 = "stablehlo.constant"() {value = dense<19> : tensor<360xi32>} : () -> tensor<360xi32>
  %73 = "stablehlo.multiply"(%71, %72) : (tensor<360xi32>, tensor<360xi32>) -> tensor<360xi32>
  %74 = "stablehlo.convert"(%73) : (tensor<360xi32>) -> tensor<360xi4>
  %75 = "stablehlo.reshape"(%74) : (tensor<360xi4>) -> tensor<40x9xi4>
  %76 = "stablehlo.add"(%75, %arg9) : (tensor<40x9xi4>, tensor<40x9xi4>) -> tensor<40x9xi4>
  %77 = "stablehlo.bitcast_convert"(%76) : (tensor<40x9xi4>) -> tensor<40x9x!quant.uniform<i4:bf16, 2.50000000000000000e-01:0>>
  %78 = "stablehlo.dot_general"(%70, %77) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<7x40x!quant.uniform<i4:bf16, 5.00000000000000000e-01:1>>, tensor<40x9x!quant.uniform<i4:bf16, 2.50000000000000000e-01:0>>) -> tensor<7x9x!quant.uniform<i4:bf16, 1.60000000000000000e+01:0>>
  %79 = "stablehlo.bitcast_convert"(%78) : (tensor<7x9x!quant.uniform<i4:bf16, 1.60000000000000000e+01:0>>) -> tensor<7x9xi4>
  %80 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<280xi32>
  %81 = "stablehlo.constant"() {value = dense<23> : tensor<280xi32>} : () -> tensor<280xi32>
  %82 = "stablehlo.multiply"(%80, %81) : (tensor<280xi32>, tensor<280xi32>) -> tensor<280xi32>
  %83 = "stablehlo.convert"(%82) : (tensor<280xi32>) -> tensor<280xui16>
  %84 = "stablehlo.reshape"(%83) : (tensor<280xui16>) -> tensor<7x40xui16>
  %85 = "stablehlo.add"(%84, %arg10) : (tensor<7x40xui16>, tensor<7x40xui16>) -> tensor<7x40xui16>
  %86 = "stablehlo.bitcast_convert"(%85) : (tensor<7x40xui16>) -> tensor<7x40x!quant.uniform<u16:f64, 7.50000000000000000e-01:9>>
  %87 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<360xi32>
  %88 = "stablehlo.constant"() {value = dense<19> : tensor<360xi32>} : () -> tensor<360xi32>
  %89 = "stablehlo.multiply"(%87, %88) : (tensor<360xi32>, tensor<360xi32>) -> tensor<360xi32>
  %90 = "stablehlo.convert"(%89) : (tensor<360xi32>) -> tensor<360xui16>
  %91 = "stablehlo.reshape"(%90) : (tensor<360xui16>) -> tensor<40x9xui16>
  %92 = "stablehlo.add"(%91, %arg11) : (tensor<40x9xui16>, tensor<40x9xui16>) -> tensor<40x9xui16>
  %93 = "stablehlo.bitcast_convert"(%92) : (tensor<40x9xui16>) -> tensor<40x9x!quant.uniform<u16:f64, 2.99999999999999989e-01:0>>
  %94 = "stablehlo.dot_general"(%86, %93) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<7x40x!quant.uniform<u16:f64, 7.50000000000000000e-01:9>>, tensor<40x9x!quant.uniform<u16:f64, 2.99999999999999989e-01:0>>) -> tensor<7x9x!quant.uniform<i16:f64, 8.00000000000000000e+00:0>>
  %95 = "stablehlo.bitcast_convert"(%94) : (tensor<7x9x!quant.uniform<i16:f64, 8.00000000000000000e+00:0>>) -> tensor<7x9xi16>
  %96 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<280xi32>
  %97 = "stablehlo.constant"() {value = dense<23> : tensor<280xi32>} : () -> tensor<280xi32>
  %98 = "stablehlo.multiply"(%96, %97) : (tensor<280xi32>, tensor<280xi32>) -> tensor<280xi32>
  %99 = "stablehlo.convert"(%98) : (tensor<280xi32>) -> tensor<280xi8>
  %100 = "stablehlo.reshape"(%99) : (tensor<280xi8>) -> tensor<7x40xi8>
  %101 = "stablehlo.add"(%100, %arg12) : (tensor<7x40xi8>, tensor<7x40xi8>) -> tensor<7x40xi8>
  %102 = "stablehlo.bitcast_convert"(%101) : (tensor<7x40xi8>) -> tensor<7x40x!quant.uniform<i8:f32, 1.00000000000000006e-01:3>>
  %103 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<360xi32>
  %104 = "stablehlo.constant"() {value = dense<19> : tensor<360xi32>} : () -> tensor<360xi32>
  %105 = "stablehlo.multiply"(%103, %104) : (tensor<360xi32>, tensor<360xi32>) -> tensor<360xi32>
  %106 = "stablehlo.convert"(%105) : (tensor<360xi32>) -> tensor<360xi8>
  %107 = "stablehlo.reshape"(%106) : (tensor<360xi8>) -> tensor<40x9xi8>
  %108 = "stablehlo.add"(%107, %arg13) : (tensor<40x9xi8>, tensor<40x9xi8>) -> tensor<40x9xi8>
  %109 = "stablehlo.bitcast_convert"(%108) : (tensor<40x9xi8>) -> tensor<40x9x!quant.uniform<i8:f32, 7.00000000000000067e-02:0>>
  %110 = "stablehlo.dot_general"(%102, %109) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<7x40x!quant.uniform<i8:f32, 1.00000000000000006e-01:3>>, tensor<40x9x!quant.uniform<i8:f32, 7.00000000000000067e-02:0>>) -> tensor<7x9x!quant.uniform<i8:f32, 9.00000000000000022e-01:-4>>
  %111 = "stablehlo.bitcast_convert"(%110) : (tensor<7x9x!quant.uniform<i8:f32, 9.00000000000000022e-01:-4>>) -> tensor<7x9xi8>
  %112 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<280xi32>
  %113 = "stablehlo.constant"() {value = dense<23> : tensor<280xi32>} : () -> tensor<280xi32>
  %114 = "stablehlo.multiply"(%112, %113) : (tensor<280xi32>, tensor<280xi32>) -> tensor<280xi32>
  %115 = "stablehlo.convert"(%114) : (tensor<280xi32>) -> tensor<280xui8>
  %116 = "stablehlo.reshape"(%115) : (tensor<280xui8>) -> tensor<7x40xui8>
  %117 = "stablehlo.add"(%116, %arg14) : (tensor<7x40xui8>, tensor<7x40xui8>) -> tensor<7x40xui8>
  %118 = "stablehlo.bitcast_convert"(%117) : (tensor<7x40xui8>) -> tensor<7x40x!quant.uniform<u8:f32, 1.00000000000000006e-01:100>>
  %119 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<360xi32>
  %120 = "stablehlo.constant"() {value = dense<19> : tensor<360xi32>} : () -> tensor<360xi32>
  %121 = "stablehlo.multiply"(%119, %120) : (tensor<360xi32>, tensor<360xi32>) -> tensor<360xi32>
  %122 = "stablehlo.convert"(%121) : (tensor<360xi32>) -> tensor<360xui8>
  %123 = "stablehlo.reshape"(%122) : (tensor<360xui8>) -> tensor<40x9xui8>
  %124 = "stablehlo.add"(%123, %arg15) : (tensor<40x9xui8>, tensor<40x9xui8>) -> tensor<40x9xui8>
  %125 = "stablehlo.bitcast_convert"(%124) : (tensor<40x9xui8>) -> tensor<40x9x!quant.uniform<u8:f32:1, {1.00000000000000002e-02:0, 2.00000000000000004e-02:0, 2.99999999999999989e-02:0, 4.00000000000000008e-02:0, 5.00000000000000028e-02:0, 5.99999999999999978e-02:0, 7.00000000000000067e-02:0, 8.00000000000000017e-02:0, 8.99999999999999967e-02:0}>>
  %126 = "stablehlo.dot_general"(%118, %125) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<7x40x!quant.uniform<u8:f32, 1.00000000000000006e-01:100>>, tensor<40x9x!quant.uniform<u8:f32:1, {1.00000000000000002e-02:0, 2.00000000000000004e-02:0, 2.99999999999999989e-02:0, 4.00000000000000008e-02:0, 5.00000000000000028e-02:0, 5.99999999999999978e-02:0, 7.00000000000000067e-02:0, 8.00000000000000017e-02:0, 8.99999999999999967e-02:0}>>) -> tensor<7x9x!quant.uniform<i32:f32:1, {1.00000000000000002e-03:0, 2.00000000000000004e-03:0, 3.00000000000000006e-03:0, 4.00000000000000008e-03:0, 5.00000000000000010e-03:0, 6.00000000000000012e-03:0, 7.00000000000000015e-03:0, 8.00000000000000017e-03:0, 9.00000000000000105e-03:0}>>
  %127 = "stablehlo.bitcast_convert"(%126) : (tensor<7x9x!quant.uniform<i32:f32:1, {1.00000000000000002e-03:0, 2.00000000000000004e-03:0, 3.00000000000000006e-03:0, 4.00000000000000008e-03:0, 5.00000000000000010e-03:0, 6.00000000000000012e-03:0, 7.00000000000000015e-03:0, 8.00000000000000017e-03:0, 9.00000000000000105e-03:0}>>) -> tensor<7x9xi32>
  %128 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<280xi32>
  %129 = "stablehlo.constant"() {value = dense<23> : tensor<280xi32>} : () -> tensor<280xi32>
  %130 = "stablehlo.multiply"(%128, %129) : (tensor<280xi32>, tensor<280xi32>) -> tensor<280xi32>
  %131 = "stablehlo.convert"(%130) : (tensor<280xi32>) -> tensor<280xi8>
  %132 = "stablehlo.reshape"(%131) : (tensor<280xi8>) -> tensor<7x40xi8>
  %133 = "stablehlo.add"(%132, %arg16) : (tensor<7x40xi8>, tensor<7x40xi8>) -> tensor<7x40xi8>
  %134 = "stablehlo.bitcast_convert"(%133) : (tensor<7x40xi8>) -> tensor<7x40x!quant.uniform<i8:bf16, 1.00000000000000006e-01:0>>
  %135 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<360xi32>
  %136 = "stablehlo.constant"() {value = dense<19> : tensor<360xi32>} : () -> tensor<360xi32>
  %137 = "stablehlo.multiply"(%135, %136) : (tensor<360xi32>, tensor<360xi32>) -> tensor<360xi32>
  %138 = "stablehlo.convert"(%137) : (tensor<360xi32>) -> tensor<360xi8>
  %139 = "stablehlo.reshape"(%138) : (tensor<360xi8>) -> tensor<40x9xi8>
  %140 = "stablehlo.add"(%139, %arg17) : (tensor<40x9xi8>, tensor<40x9xi8>) -> tensor<40x9xi8>
  %141 = "stablehlo.bitcast_convert"(%140) : (tensor<40x9xi8>) -> tensor<40x9x!quant.uniform<i8:bf16, 7.00000000000000067e-02:0>>
  %142 = "stablehlo.dot_general"(%134, %141) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<7x40x!quant.uniform<i8:bf16, 1.00000000000000006e-01:0>>, tensor<40x9x!quant.uniform<i8:bf16, 7.00000000000000067e-02:0>>) -> tensor<7x9x!quant.uniform<i8:bf16, 2.00000000000000000e+00:0>>
  %143 = "stablehlo.bitcast_convert"(%142) : (tensor<7x9x!quant.uniform<i8:bf16, 2.00000000000000000e+00:0>>) -> tensor<7x9xi8>
  %144 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<280xi32>
  %145 = "stablehlo.constant"() {value = dense<23> : tensor<280xi32>} : () -> tensor<280xi32>
  %146 = "stablehlo.multiply"(%144, %145) : (tensor<280xi32>, tensor<280xi32>) -> tensor<280xi32>
  %147 = "stablehlo.convert"(%146) : (tensor<280xi32>) -> tensor<280xui4>
  %148 = "stablehlo.reshape"(%147) : (tensor<280xui4>) -> tensor<7x40xui4>
  %149 = "stablehlo.add"(%148, %arg18) : (tensor<7x40xui4>, tensor<7x40xui4>) -> tensor<7x40xui4>
  %150 = "stablehlo.bitcast_convert"(%149) : (tensor<7x40xui4>) -> tensor<7x40x!quant.uniform<u4:f16, 1.00000000000000006e-01:3>>
  %151 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<360xi32>
  %152 = "stablehlo.constant"() {value = dense<19> : tensor<360xi32>} : () -> tensor<360xi32>
  %153 = "stablehlo.multiply"(%151, %152) : (tensor<360xi32>, tensor<360xi32>) -> tensor<360xi32>
  %154 = "stablehlo.convert"(%153) : (tensor<360xi32>) -> tensor<360xui4>
  %155 = "stablehlo.reshape"(%154) : (tensor<360xui4>) -> tensor<40x9xui4>
  %156 = "stablehlo.add"(%155, %arg19) : (tensor<40x9xui4>, tensor<40x9xui4>) -> tensor<40x9xui4>
  %157 = "stablehlo.bitcast_convert"(%156) : (tensor<40x9xui4>) -> tensor<40x9x!quant.uniform<u4:f16, 7.00000000000000067e-02:0>>
  %158 = "stablehlo.dot_general"(%150, %157) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<7x40x!quant.uniform<u4:f16, 1.00000000000000006e-01:3>>, tensor<40x9x!quant.uniform<u4:f16, 7.00000000000000067e-02:0>>) -> tensor<7x9x!quant.uniform<i16:f16, 1.00000000000000006e-01:0>>
  %159 = "stablehlo.bitcast_convert"(%158) : (tensor<7x9x!quant.uniform<i16:f16, 1.00000000000000006e-01:0>>) -> tensor<7x9xi16>
  %160 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<280xi32>
  %161 = "stablehlo.constant"() {value = dense<23> : tensor<280xi32>} : () -> tensor<280xi32>
  %162 = "stablehlo.multiply"(%160, %161) : (tensor<280xi32>, tensor<280xi32>) -> tensor<280xi32>
  %163 = "stablehlo.convert"(%162) : (tensor<280xi32>) -> tensor<280xi16>
  %164 = "stablehlo.reshape"(%163) : (tensor<280xi16>) -> tensor<7x40xi16>
  %165 = "stablehlo.add"(%164, %arg20) : (tensor<7x40xi16>, tensor<7x40xi16>) -> tensor<7x40xi16>
  %166 = "stablehlo.bitcast_convert"(%165) : (tensor<7x40xi16>) -> tensor<7x40x!quant.uniform<i16:f32, 1.00000000000000006e-01:0>>
  %167 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<360xi32>
  %168 = "stablehlo.constant"() {value = dense<19> : tensor<360xi32>} : () -> tensor<360xi32>
  %169 = "stablehlo.multiply"(%167, %168) : (tensor<360xi32>, tensor<360xi32>) -> tensor<360xi32>
  %170 = "stablehlo.convert"(%169) : (tensor<360xi32>) -> tensor<360xi16>
  %171 = "stablehlo.reshape"(%170) : (tensor<360xi16>) -> tensor<40x9xi16>
  %172 = "stablehlo.add"(%171, %arg21) : (tensor<40x9xi16>, tensor<40x9xi16>) -> tensor<40x9xi16>
  %173 = "stablehlo.bitcast_convert"(%172) : (tensor<40x9xi16>) -> tensor<40x9x!quant.uniform<i16:f32, 7.00000000000000067e-02:0>>
  %174 = "stablehlo.dot_general"(%166, %173) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<7x40x!quant.uniform<i16:f32, 1.00000000000000006e-01:0>>, tensor<40x9x!quant.uniform<i16:f32, 7.00000000000000067e-02:0>>) -> tensor<7x9x!quant.uniform<i16:f32, 2.00000000000000000e+04:0>>
  %175 = "stablehlo.bitcast_convert"(%174) : (tensor<7x9x!quant.uniform<i16:f32, 2.00000000000000000e+04:0>>) -> tensor<7x9xi16>
  %176 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<48xi32>
  %177 = "stablehlo.constant"() {value = dense<23> : tensor<48xi32>} : () -> tensor<48xi32>
  %178 = "stablehlo.multiply"(%176, %177) : (tensor<48xi32>, tensor<48xi32>) -> tensor<48xi32>
  %179 = "stablehlo.convert"(%178) : (tensor<48xi32>) -> tensor<48xi8>
  %180 = "stablehlo.reshape"(%179) : (tensor<48xi8>) -> tensor<2x3x8xi8>
  %181 = "stablehlo.add"(%180, %arg22) : (tensor<2x3x8xi8>, tensor<2x3x8xi8>) -> tensor<2x3x8xi8>
  %182 = "stablehlo.bitcast_convert"(%181) : (tensor<2x3x8xi8>) -> tensor<2x3x8x!quant.uniform<i8:f32, 6.25000000000000000e-02:1>>
  %183 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<64xi32>
  %184 = "stablehlo.constant"() {value = dense<19> : tensor<64xi32>} : () -> tensor<64xi32>
  %185 = "stablehlo.multiply"(%183, %184) : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
  %186 = "stablehlo.convert"(%185) : (tensor<64xi32>) -> tensor<64xi8>
  %187 = "stablehlo.reshape"(%186) : (tensor<64xi8>) -> tensor<2x8x4xi8>
  %188 = "stablehlo.add"(%187, %arg23) : (tensor<2x8x4xi8>, tensor<2x8x4xi8>) -> tensor<2x8x4xi8>
  %189 = "stablehlo.bitcast_convert"(%188) : (tensor<2x8x4xi8>) -> tensor<2x8x4x!quant.uniform<i8:f32:0, {2.50000000000000000e-01:0, 5.00000000000000000e-01:0}>>
  %190 = "stablehlo.dot_general"(%182, %189) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>} : (tensor<2x3x8x!quant.uniform<i8:f32, 6.25000000000000000e-02:1>>, tensor<2x8x4x!quant.uniform<i8:f32:0, {2.50000000000000000e-01:0, 5.00000000000000000e-01:0}>>) -> tensor<2x3x4x!quant.uniform<i8:f32, 4.00000000000000000e+00:0>>
  %191 = "stablehlo.bitcast_convert"(%190) : (tensor<2x3x4x!quant.uniform<i8:f32, 4.00000000000000000e+00:0>>) -> tensor<2x3x4xi8>
  %192 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<64xi32>
  %193 = "stablehlo.constant"() {value = dense<19> : tensor<64xi32>} : () -> tensor<64xi32>
  %194 = "stablehlo.multiply"(%192, %193) : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
  %195 = "stablehlo.convert"(%194) : (tensor<64xi32>) -> tensor<64xi8>
  %196 = "stablehlo.reshape"(%195) : (tensor<64xi8>) -> tensor<16x4xi8>
  %197 = "stablehlo.add"(%196, %arg25) : (tensor<16x4xi8>, tensor<16x4xi8>) -> tensor<16x4xi8>
  %198 = "stablehlo.bitcast_convert"(%197) : (tensor<16x4xi8>) -> tensor<16x4x!quant.uniform<i8:f32, 1.00000000000000006e-01:0>>
  %199 = "stablehlo.dot_general"(%arg24, %198) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<3x16xf32>, tensor<16x4x!quant.uniform<i8:f32, 1.00000000000000006e-01:0>>) -> tensor<3x4xf32>
  func.return %15, %31, %47, %63, %79, %95, %111, %127, %143, %159, %175, %191, %199 : tensor<7x9xi8>, tensor<7x9xi32>, tensor<7x9xi8>, tensor<7x9xi32>, tensor<7x9xi4>, tensor<7x9xi16>, tensor<7x9xi8>, tensor<7x9xi32>, tensor<7x9xi8>, tensor<7x9xi16>, tensor<7x9xi16>, tensor<2x3x4xi8>, tensor<3x4xf32>
}
