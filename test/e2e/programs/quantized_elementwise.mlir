// Written by make_programs.py.
func.func @main(%arg0: tensor<261xi8>, %arg1: tensor<261xi8>) -> (tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi1>, tensor<261xi8>, tensor<261xi8>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi8>, tensor<261xi8>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<261xi32>
  %1 = "stablehlo.constant"() {value = dense<1> : tensor<261xi32>} : () -> tensor<261xi32>
  %2 = "stablehlo.multiply"(%0, %1) : (tensor<261xi32>, tensor<261xi32>) -> tensor<261xi32>
  %3 = "stablehlo.convert"(%2) : (tensor<261xi32>) -> tensor<261xi8>
  %4 = "stablehlo.reshape"(%3) : (tensor<261xi8>) -> tensor<261xi8>
  %5 = "stablehlo.add"(%4, %arg0) : (tensor<261xi8>, tensor<261xi8>) -> tensor<261xi8>
  %6 = "stablehlo.bitcast_convert"(%5) : (tensor<261xi8>) -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %7 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<261xi32>
  %8 = "stablehlo.constant"() {value = dense<37> : tensor<261xi32>} : () -> tensor<261xi32>
  %9 = "stablehlo.multiply"(%7, %8) : (tensor<261xi32>, tensor<261xi32>) -> tensor<261xi32>
  %10 = "stablehlo.convert"(%9) : (tensor<261xi32>) -> tensor<261xi8>
  %11 = "stablehlo.reshape"(%10) : (tensor<261xi8>) -> tensor<261xi8>
  %12 = "stablehlo.add"(%11, %arg1) : (tensor<261xi8>, tensor<261xi8>) -> tensor<261xi8>
  %13 = "stablehlo.bitcast_convert"(%12) : (tensor<261xi8>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %14 = "stablehlo.abs"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %15 = "stablehlo.cbrt"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %16 = "stablehlo.ceil"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %17 = "stablehlo.cosine"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %18 = "stablehlo.exponential"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %19 = "stablehlo.exponential_minus_one"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %20 = "stablehlo.floor"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %21 = "stablehlo.log"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %22 = "stablehlo.log_plus_one"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %23 = "stablehlo.logistic"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %24 = "stablehlo.negate"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %25 = "stablehlo.round_nearest_afz"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %26 = "stablehlo.round_nearest_even"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %27 = "stablehlo.rsqrt"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %28 = "stablehlo.sign"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %29 = "stablehlo.sine"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %30 = "stablehlo.sqrt"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %31 = "stablehlo.tan"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %32 = "stablehlo.tanh"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %33 = "stablehlo.bitcast_convert"(%14) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %34 = "stablehlo.bitcast_convert"(%15) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %35 = "stablehlo.bitcast_convert"(%16) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %36 = "stablehlo.bitcast_convert"(%17) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %37 = "stablehlo.bitcast_convert"(%18) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %38 = "stablehlo.bitcast_convert"(%19) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %39 = "stablehlo.bitcast_convert"(%20) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %40 = "stablehlo.bitcast_convert"(%21) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %41 = "stablehlo.bitcast_convert"(%22) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %42 = "stablehlo.bitcast_convert"(%23) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %43 = "stablehlo.bitcast_convert"(%24) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %44 = "stablehlo.bitcast_convert"(%25) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %45 = "stablehlo.bitcast_convert"(%26) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %46 = "stablehlo.bitcast_convert"(%27) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %47 = "stablehlo.bitcast_convert"(%28) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %48 = "stablehlo.bitcast_convert"(%29) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %49 = "stablehlo.bitcast_convert"(%30) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %50 = "stablehlo.bitcast_convert"(%31) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %51 = "stablehlo.bitcast_convert"(%32) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %52 = "stablehlo.add"(%6, %13) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %53 = "stablehlo.atan2"(%6, %13) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %54 = "stablehlo.divide"(%6, %13) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %55 = "stablehlo.maximum"(%6, %13) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %56 = "stablehlo.minimum"(%6, %13) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %57 = "stablehlo.multiply"(%6, %13) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %58 = "stablehlo.power"(%6, %13) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %59 = "stablehlo.remainder"(%6, %13) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %60 = "stablehlo.subtract"(%6, %13) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %61 = "stablehlo.bitcast_convert"(%52) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi8>
  %62 = "stablehlo.bitcast_convert"(%53) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi8>
  %63 = "stablehlo.bitcast_convert"(%54) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi8>
  %64 = "stablehlo.bitcast_convert"(%55) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi8>
  %65 = "stablehlo.bitcast_convert"(%56) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi8>
  %66 = "stablehlo.bitcast_convert"(%57) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi8>
  %67 = "stablehlo.bitcast_convert"(%58) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi8>
  %68 = "stablehlo.bitcast_convert"(%59) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi8>
  %69 = "stablehlo.bitcast_convert"(%60) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi8>
  %70 = "stablehlo.is_finite"(%6) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi1>
  %71 = "stablehlo.reduce_precision"(%6) {exponent_bits = 5 : i32, mantissa_bits = 2 : i32} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %72 = "stablehlo.bitcast_convert"(%71) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi8>
  %73 = "stablehlo.constant"() {value = dense<-9> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %74 = "stablehlo.constant"() {value = dense<90> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %75 = "stablehlo.clamp"(%73, %6, %74) : (tensor<!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>, tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %76 = "stablehlo.bitcast_convert"(%75) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %77 = "stablehlo.compare"(%6, %13) {comparison_direction = #stablehlo<comparison_direction EQ>} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi1>
  %78 = "stablehlo.constant"() {value = dense<7> : tensor<261xi8>} : () -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %79 = "stablehlo.compare"(%6, %78) {comparison_direction = #stablehlo<comparison_direction EQ>} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi1>
  %80 = "stablehlo.compare"(%6, %13) {comparison_direction = #stablehlo<comparison_direction NE>} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi1>
  %81 = "stablehlo.constant"() {value = dense<7> : tensor<261xi8>} : () -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %82 = "stablehlo.compare"(%6, %81) {comparison_direction = #stablehlo<comparison_direction NE>} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi1>
  %83 = "stablehlo.compare"(%6, %13) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi1>
  %84 = "stablehlo.constant"() {value = dense<7> : tensor<261xi8>} : () -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %85 = "stablehlo.compare"(%6, %84) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi1>
  %86 = "stablehlo.compare"(%6, %13) {comparison_direction = #stablehlo<comparison_direction LE>} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi1>
  %87 = "stablehlo.constant"() {value = dense<7> : tensor<261xi8>} : () -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %88 = "stablehlo.compare"(%6, %87) {comparison_direction = #stablehlo<comparison_direction LE>} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi1>
  %89 = "stablehlo.compare"(%6, %13) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi1>
  %90 = "stablehlo.constant"() {value = dense<7> : tensor<261xi8>} : () -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %91 = "stablehlo.compare"(%6, %90) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi1>
  %92 = "stablehlo.compare"(%6, %13) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi1>
  %93 = "stablehlo.constant"() {value = dense<7> : tensor<261xi8>} : () -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %94 = "stablehlo.compare"(%6, %93) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi1>
  %95 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %96 = "stablehlo.bitcast_convert"(%95) : (tensor<261x!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261xi8>
  %97 = "stablehlo.constant"() {value = dense<90> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>
  %98 = "chlo.broadcast_subtract"(%6, %97) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>, tensor<!quant.uniform<i8:f32, 2.99999999999999989e-02:-10>>) -> tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>
  %99 = "stablehlo.bitcast_convert"(%98) : (tensor<261x!quant.uniform<i8:f32, 6.25000000000000000e-02:3>>) -> tensor<261xi8>
  func.return %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %72, %76, %77, %79, %80, %82, %83, %85, %86, %88, %89, %91, %92, %94, %96, %99 : tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi8>, tensor<261xi1>, tensor<261xi8>, tensor<261xi8>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi1>, tensor<261xi8>, tensor<261xi8>
}
