// Written by make_programs.py.
func.func @main(%arg0: tensor<4x3x5xi8>, %arg1: tensor<4x3x5xf32>, %arg2: tensor<4x3x5xi8>, %arg3: tensor<4x3x5xf32>, %arg4: tensor<4x3x5xi8>, %arg5: tensor<4x3x5xf32>) -> (tensor<4x3x5xi32>, tensor<4x3x5xi16>, tensor<4x3x5xi8>, tensor<4x3x5xi8>, tensor<4x3x5xui4>, tensor<4x3x5xi32>, tensor<4x3x5xi16>, tensor<4x3x5xi8>, tensor<4x3x5xi8>, tensor<4x3x5xui4>, tensor<4x3x5xi32>, tensor<4x3x5xi16>, tensor<4x3x5xi8>, tensor<4x3x5xi8>, tensor<4x3x5xui4>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<60xi32>
  %1 = "stablehlo.constant"() {value = dense<4> : tensor<60xi32>} : () -> tensor<60xi32>
  %2 = "stablehlo.multiply"(%0, %1) : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi32>
  %3 = "stablehlo.convert"(%2) : (tensor<60xi32>) -> tensor<60xi8>
  %4 = "stablehlo.reshape"(%3) : (tensor<60xi8>) -> tensor<4x3x5xi8>
  %5 = "stablehlo.add"(%4, %arg0) : (tensor<4x3x5xi8>, tensor<4x3x5xi8>) -> tensor<4x3x5xi8>
  %6 = "stablehlo.bitcast_convert"(%5) : (tensor<4x3x5xi8>) -> tensor<4x3x5x!quant.uniform<i8:f32:0, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12}>>
  %7 = "stablehlo.uniform_dequantize"(%6) : (tensor<4x3x5x!quant.uniform<i8:f32:0, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12}>>) -> tensor<4x3x5xf32>
  %8 = "stablehlo.uniform_quantize"(%6) : (tensor<4x3x5x!quant.uniform<i8:f32:0, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12}>>) -> tensor<4x3x5x!quant.uniform<i16:f32:0, {6.00000000000000012e-03:0, 9.00000000000000105e-03:0, 1.20000000000000002e-02:0, 1.49999999999999994e-02:0}>>
  %9 = "stablehlo.add"(%6, %6) : (tensor<4x3x5x!quant.uniform<i8:f32:0, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12}>>, tensor<4x3x5x!quant.uniform<i8:f32:0, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12}>>) -> tensor<4x3x5x!quant.uniform<i8:f32:0, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12}>>
  %10 = "stablehlo.bitcast_convert"(%7) : (tensor<4x3x5xf32>) -> tensor<4x3x5xi32>
  %11 = "stablehlo.bitcast_convert"(%8) : (tensor<4x3x5x!quant.uniform<i16:f32:0, {6.00000000000000012e-03:0, 9.00000000000000105e-03:0, 1.20000000000000002e-02:0, 1.49999999999999994e-02:0}>>) -> tensor<4x3x5xi16>
  %12 = "stablehlo.bitcast_convert"(%9) : (tensor<4x3x5x!quant.uniform<i8:f32:0, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12}>>) -> tensor<4x3x5xi8>
  %13 = "stablehlo.uniform_quantize"(%arg1) : (tensor<4x3x5xf32>) -> tensor<4x3x5x!quant.uniform<i8:f32:0, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12}>>
  %14 = "stablehlo.uniform_quantize"(%6) : (tensor<4x3x5x!quant.uniform<i8:f32:0, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12}>>) -> tensor<4x3x5x!quant.uniform<u4:f32, 2.99999999999999989e-01:5>>
  %15 = "stablehlo.bitcast_convert"(%13) : (tensor<4x3x5x!quant.uniform<i8:f32:0, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12}>>) -> tensor<4x3x5xi8>
  %16 = "stablehlo.bitcast_convert"(%14) : (tensor<4x3x5x!quant.uniform<u4:f32, 2.99999999999999989e-01:5>>) -> tensor<4x3x5xui4>
  %17 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<60xi32>
  %18 = "stablehlo.constant"() {value = dense<4> : tensor<60xi32>} : () -> tensor<60xi32>
  %19 = "stablehlo.multiply"(%17, %18) : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi32>
  %20 = "stablehlo.convert"(%19) : (tensor<60xi32>) -> tensor<60xi8>
  %21 = "stablehlo.reshape"(%20) : (tensor<60xi8>) -> tensor<4x3x5xi8>
  %22 = "stablehlo.add"(%21, %arg2) : (tensor<4x3x5xi8>, tensor<4x3x5xi8>) -> tensor<4x3x5xi8>
  %23 = "stablehlo.bitcast_convert"(%22) : (tensor<4x3x5xi8>) -> tensor<4x3x5x!quant.uniform<i8:f32:1, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5}>>
  %24 = "stablehlo.uniform_dequantize"(%23) : (tensor<4x3x5x!quant.uniform<i8:f32:1, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5}>>) -> tensor<4x3x5xf32>
  %25 = "stablehlo.uniform_quantize"(%23) : (tensor<4x3x5x!quant.uniform<i8:f32:1, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5}>>) -> tensor<4x3x5x!quant.uniform<i16:f32:1, {6.00000000000000012e-03:0, 9.00000000000000105e-03:0, 1.20000000000000002e-02:0}>>
  %26 = "stablehlo.add"(%23, %23) : (tensor<4x3x5x!quant.uniform<i8:f32:1, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5}>>, tensor<4x3x5x!quant.uniform<i8:f32:1, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5}>>) -> tensor<4x3x5x!quant.uniform<i8:f32:1, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5}>>
  %27 = "stablehlo.bitcast_convert"(%24) : (tensor<4x3x5xf32>) -> tensor<4x3x5xi32>
  %28 = "stablehlo.bitcast_convert"(%25) : (tensor<4x3x5x!quant.uniform<i16:f32:1, {6.00000000000000012e-03:0, 9.00000000000000105e-03:0, 1.20000000000000002e-02:0}>>) -> tensor<4x3x5xi16>
  %29 = "stablehlo.bitcast_convert"(%26) : (tensor<4x3x5x!quant.uniform<i8:f32:1, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5}>>) -> tensor<4x3x5xi8>
  %30 = "stablehlo.uniform_quantize"(%arg3) : (tensor<4x3x5xf32>) -> tensor<4x3x5x!quant.uniform<i8:f32:1, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5}>>
  %31 = "stablehlo.uniform_quantize"(%23) : (tensor<4x3x5x!quant.uniform<i8:f32:1, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5}>>) -> tensor<4x3x5x!quant.uniform<u4:f32, 2.99999999999999989e-01:5>>
  %32 = "stablehlo.bitcast_convert"(%30) : (tensor<4x3x5x!quant.uniform<i8:f32:1, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5}>>) -> tensor<4x3x5xi8>
  %33 = "stablehlo.bitcast_convert"(%31) : (tensor<4x3x5x!quant.uniform<u4:f32, 2.99999999999999989e-01:5>>) -> tensor<4x3x5xui4>
  %34 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<60xi32>
  %35 = "stablehlo.constant"() {value = dense<4> : tensor<60xi32>} : () -> tensor<60xi32>
  %36 = "stablehlo.multiply"(%34, %35) : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi32>
  %37 = "stablehlo.convert"(%36) : (tensor<60xi32>) -> tensor<60xi8>
  %38 = "stablehlo.reshape"(%37) : (tensor<60xi8>) -> tensor<4x3x5xi8>
  %39 = "stablehlo.add"(%38, %arg4) : (tensor<4x3x5xi8>, tensor<4x3x5xi8>) -> tensor<4x3x5xi8>
  %40 = "stablehlo.bitcast_convert"(%39) : (tensor<4x3x5xi8>) -> tensor<4x3x5x!quant.uniform<i8:f32:2, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12, 1.00000000000000006e-01:19}>>
  %41 = "stablehlo.uniform_dequantize"(%40) : (tensor<4x3x5x!quant.uniform<i8:f32:2, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12, 1.00000000000000006e-01:19}>>) -> tensor<4x3x5xf32>
  %42 = "stablehlo.uniform_quantize"(%40) : (tensor<4x3x5x!quant.uniform<i8:f32:2, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12, 1.00000000000000006e-01:19}>>) -> tensor<4x3x5x!quant.uniform<i16:f32:2, {6.00000000000000012e-03:0, 9.00000000000000105e-03:0, 1.20000000000000002e-02:0, 1.49999999999999994e-02:0, 1.80000000000000021e-02:0}>>
  %43 = "stablehlo.add"(%40, %40) : (tensor<4x3x5x!quant.uniform<i8:f32:2, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12, 1.00000000000000006e-01:19}>>, tensor<4x3x5x!quant.uniform<i8:f32:2, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12, 1.00000000000000006e-01:19}>>) -> tensor<4x3x5x!quant.uniform<i8:f32:2, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12, 1.00000000000000006e-01:19}>>
  %44 = "stablehlo.bitcast_convert"(%41) : (tensor<4x3x5xf32>) -> tensor<4x3x5xi32>
  %45 = "stablehlo.bitcast_convert"(%42) : (tensor<4x3x5x!quant.uniform<i16:f32:2, {6.00000000000000012e-03:0, 9.00000000000000105e-03:0, 1.20000000000000002e-02:0, 1.49999999999999994e-02:0, 1.80000000000000021e-02:0}>>) -> tensor<4x3x5xi16>
  %46 = "stablehlo.bitcast_convert"(%43) : (tensor<4x3x5x!quant.uniform<i8:f32:2, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12, 1.00000000000000006e-01:19}>>) -> tensor<4x3x5xi8>
  %47 = "stablehlo.uniform_quantize"(%arg5) : (tensor<4x3x5xf32>) -> tensor<4x3x5x!quant.uniform<i8:f32:2, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12, 1.00000000000000006e-01:19}>>
  %48 = "stablehlo.uniform_quantize"(%40) : (tensor<4x3x5x!quant.uniform<i8:f32:2, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12, 1.00000000000000006e-01:19}>>) -> tensor<4x3x5x!quant.uniform<u4:f32, 2.99999999999999989e-01:5>>
  %49 = "stablehlo.bitcast_convert"(%47) : (tensor<4x3x5x!quant.uniform<i8:f32:2, {2.00000000000000004e-02:-9, 4.00000000000000008e-02:-2, 5.99999999999999978e-02:5, 8.00000000000000017e-02:12, 1.00000000000000006e-01:19}>>) -> tensor<4x3x5xi8>
  %50 = "stablehlo.bitcast_convert"(%48) : (tensor<4x3x5x!quant.uniform<u4:f32, 2.99999999999999989e-01:5>>) -> tensor<4x3x5xui4>
  func.return %10, %11, %12, %15, %16, %27, %28, %29, %32, %33, %44, %45, %46, %49, %50 : tensor<4x3x5xi32>, tensor<4x3x5xi16>, tensor<4x3x5xi8>, tensor<4x3x5xi8>, tensor<4x3x5xui4>, tensor<4x3x5xi32>, tensor<4x3x5xi16>, tensor<4x3x5xi8>, tensor<4x3x5xi8>, tensor<4x3x5xui4>, tensor<4x3x5xi32>, tensor<4x3x5xi16>, tensor<4x3x5xi8>, tensor<4x3x5xi8>, tensor<4x3x5xui4>
}
