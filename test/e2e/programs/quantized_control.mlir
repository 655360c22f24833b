// Written by make_programs.py.
func.func @main(%arg0: tensor<12xi8>, %arg1: tensor<i32>) -> (tensor<12xi8>, tensor<12xi8>, tensor<12xi8>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<12xi32>
  %1 = "stablehlo.constant"() {value = dense<9> : tensor<12xi32>} : () -> tensor<12xi32>
  %2 = "stablehlo.multiply"(%0, %1) : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi32>
  %3 = "stablehlo.convert"(%2) : (tensor<12xi32>) -> tensor<12xi8>
  %4 = "stablehlo.reshape"(%3) : (tensor<12xi8>) -> tensor<12xi8>
  %5 = "stablehlo.add"(%4, %arg0) : (tensor<12xi8>, tensor<12xi8>) -> tensor<12xi8>
  %6 = "stablehlo.bitcast_convert"(%5) : (tensor<12xi8>) -> tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  %7 = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %8 = "stablehlo.constant"() {value = dense<5> : tensor<i32>} : () -> tensor<i32>
  %9 = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %10:2 = "stablehlo.while"(%7, %6) ({
  ^bb0(%k: tensor<i32>, %v: tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>):
    %go = stablehlo.compare LT, %k, %8 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }, {
  ^bb0(%k: tensor<i32>, %v: tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>):
    %next = stablehlo.add %k, %9 : tensor<i32>
    %w = stablehlo.reverse %v, dims = [0] : tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
    %sum = stablehlo.add %v, %w : tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
    stablehlo.return %next, %sum : tensor<i32>, tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  }) : (tensor<i32>, tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> (tensor<i32>, tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>)
  %11 = "stablehlo.bitcast_convert"(%10#1) : (tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> tensor<12xi8>
  %12 = "stablehlo.case"(%arg1) ({
    stablehlo.return %6 : tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  }, {
    %n = stablehlo.negate %6 : tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
    stablehlo.return %n : tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  }) : (tensor<i32>) -> tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  %13 = "stablehlo.bitcast_convert"(%12) : (tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> tensor<12xi8>
  %14 = "stablehlo.compare"(%arg1, %9) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %15 = "stablehlo.if"(%14) ({
    stablehlo.return %6 : tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  }, {
    %n = stablehlo.negate %6 : tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
    stablehlo.return %n : tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  }) : (tensor<i1>) -> tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>
  %16 = "stablehlo.bitcast_convert"(%15) : (tensor<12x!quant.uniform<i8:f32, 5.00000000000000028e-02:4>>) -> tensor<12xi8>
  func.return %11, %13, %16 : tensor<12xi8>, tensor<12xi8>, tensor<12xi8>
}
