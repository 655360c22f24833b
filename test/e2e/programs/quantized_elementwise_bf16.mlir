// Written by make_programs.py.
func.func @main(%arg0: tensor<257xui8>, %arg1: tensor<257xui8>) -> (tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<257xi32>
  %1 = "stablehlo.constant"() {value = dense<1> : tensor<257xi32>} : () -> tensor<257xi32>
  %2 = "stablehlo.multiply"(%0, %1) : (tensor<257xi32>, tensor<257xi32>) -> tensor<257xi32>
  %3 = "stablehlo.convert"(%2) : (tensor<257xi32>) -> tensor<257xui8>
  %4 = "stablehlo.reshape"(%3) : (tensor<257xui8>) -> tensor<257xui8>
  %5 = "stablehlo.add"(%4, %arg0) : (tensor<257xui8>, tensor<257xui8>) -> tensor<257xui8>
  %6 = "stablehlo.bitcast_convert"(%5) : (tensor<257xui8>) -> tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>
  %7 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<257xi32>
  %8 = "stablehlo.constant"() {value = dense<29> : tensor<257xi32>} : () -> tensor<257xi32>
  %9 = "stablehlo.multiply"(%7, %8) : (tensor<257xi32>, tensor<257xi32>) -> tensor<257xi32>
  %10 = "stablehlo.convert"(%9) : (tensor<257xi32>) -> tensor<257xui8>
  %11 = "stablehlo.reshape"(%10) : (tensor<257xui8>) -> tensor<257xui8>
  %12 = "stablehlo.add"(%11, %arg1) : (tensor<257xui8>, tensor<257xui8>) -> tensor<257xui8>
  %13 = "stablehlo.bitcast_convert"(%12) : (tensor<257xui8>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %14 = "stablehlo.abs"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %15 = "stablehlo.cbrt"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %16 = "stablehlo.ceil"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %17 = "stablehlo.cosine"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %18 = "stablehlo.exponential"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %19 = "stablehlo.exponential_minus_one"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %20 = "stablehlo.floor"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %21 = "stablehlo.log"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %22 = "stablehlo.log_plus_one"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %23 = "stablehlo.logistic"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %24 = "stablehlo.negate"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %25 = "stablehlo.round_nearest_afz"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %26 = "stablehlo.round_nearest_even"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %27 = "stablehlo.rsqrt"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %28 = "stablehlo.sign"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %29 = "stablehlo.sine"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %30 = "stablehlo.sqrt"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %31 = "stablehlo.tan"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %32 = "stablehlo.tanh"(%6) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>
  %33 = "stablehlo.bitcast_convert"(%14) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %34 = "stablehlo.bitcast_convert"(%15) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %35 = "stablehlo.bitcast_convert"(%16) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %36 = "stablehlo.bitcast_convert"(%17) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %37 = "stablehlo.bitcast_convert"(%18) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %38 = "stablehlo.bitcast_convert"(%19) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %39 = "stablehlo.bitcast_convert"(%20) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %40 = "stablehlo.bitcast_convert"(%21) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %41 = "stablehlo.bitcast_convert"(%22) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %42 = "stablehlo.bitcast_convert"(%23) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %43 = "stablehlo.bitcast_convert"(%24) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %44 = "stablehlo.bitcast_convert"(%25) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %45 = "stablehlo.bitcast_convert"(%26) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %46 = "stablehlo.bitcast_convert"(%27) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %47 = "stablehlo.bitcast_convert"(%28) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %48 = "stablehlo.bitcast_convert"(%29) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %49 = "stablehlo.bitcast_convert"(%30) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %50 = "stablehlo.bitcast_convert"(%31) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %51 = "stablehlo.bitcast_convert"(%32) : (tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257xui8>
  %52 = "stablehlo.add"(%6, %13) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>, tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>
  %53 = "stablehlo.atan2"(%6, %13) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>, tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>
  %54 = "stablehlo.divide"(%6, %13) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>, tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>
  %55 = "stablehlo.maximum"(%6, %13) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>, tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>
  %56 = "stablehlo.minimum"(%6, %13) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>, tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>
  %57 = "stablehlo.multiply"(%6, %13) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>, tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>
  %58 = "stablehlo.power"(%6, %13) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>, tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>
  %59 = "stablehlo.remainder"(%6, %13) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>, tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>
  %60 = "stablehlo.subtract"(%6, %13) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>, tensor<257x!quant.uniform<u8:bf16, 1.00000000000000002e-02:20>>) -> tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>
  %61 = "stablehlo.bitcast_convert"(%52) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257xui8>
  %62 = "stablehlo.bitcast_convert"(%53) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257xui8>
  %63 = "stablehlo.bitcast_convert"(%54) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257xui8>
  %64 = "stablehlo.bitcast_convert"(%55) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257xui8>
  %65 = "stablehlo.bitcast_convert"(%56) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257xui8>
  %66 = "stablehlo.bitcast_convert"(%57) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257xui8>
  %67 = "stablehlo.bitcast_convert"(%58) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257xui8>
  %68 = "stablehlo.bitcast_convert"(%59) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257xui8>
  %69 = "stablehlo.bitcast_convert"(%60) : (tensor<257x!quant.uniform<u8:bf16, 3.12500000000000000e-02:100>>) -> tensor<257xui8>
  func.return %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %61, %62, %63, %64, %65, %66, %67, %68, %69 : tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>, tensor<257xui8>
}
