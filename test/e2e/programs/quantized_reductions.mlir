// Written by make_programs.py.
func.func @main(%arg0: tensor<6x20xi8>, %arg1: tensor<3x18xi8>, %arg2: tensor<4x1xi32>, %arg3: tensor<4x20xi8>) -> (tensor<6xi32>, tensor<20xi32>, tensor<6xi8>, tensor<3x18xi32>, tensor<3x18xi8>, tensor<6x20xi8>, tensor<6x20xi8>, tensor<6x20xi8>, tensor<6x20xi8>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<120xi32>
  %1 = "stablehlo.constant"() {value = dense<7> : tensor<120xi32>} : () -> tensor<120xi32>
  %2 = "stablehlo.multiply"(%0, %1) : (tensor<120xi32>, tensor<120xi32>) -> tensor<120xi32>
  %3 = "stablehlo.convert"(%2) : (tensor<120xi32>) -> tensor<120xi8>
  %4 = "stablehlo.reshape"(%3) : (tensor<120xi8>) -> tensor<6x20xi8>
  %5 = "stablehlo.add"(%4, %arg0) : (tensor<6x20xi8>, tensor<6x20xi8>) -> tensor<6x20xi8>
  %6 = "stablehlo.bitcast_convert"(%5) : (tensor<6x20xi8>) -> tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
  %7 = "stablehlo.uniform_quantize"(%6) : (tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<6x20x!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>
  %8 = "stablehlo.constant"() {value = dense<-3> : tensor<i32>} : () -> tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>
  %9 = "stablehlo.constant"() {value = dense<-128> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
  %10 = "stablehlo.reduce"(%7, %8) ({
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>, %b: tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>):
    %c = "stablehlo.add"(%a, %b) : (tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>) -> tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>
    "stablehlo.return"(%c) : (tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<6x20x!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>) -> tensor<6x!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>
  %11 = "stablehlo.bitcast_convert"(%10) : (tensor<6x!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>) -> tensor<6xi32>
  %12 = "stablehlo.reduce"(%7, %8) ({
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>, %b: tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>):
    %c = "stablehlo.add"(%a, %b) : (tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>) -> tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>
    "stablehlo.return"(%c) : (tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<6x20x!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>) -> tensor<20x!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>
  %13 = "stablehlo.bitcast_convert"(%12) : (tensor<20x!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>) -> tensor<20xi32>
  %14 = "stablehlo.reduce"(%6, %9) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, %b: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
    "stablehlo.return"(%c) : (tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<6x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
  %15 = "stablehlo.bitcast_convert"(%14) : (tensor<6x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<6xi8>
  %16 = "stablehlo.reduce_window"(%7, %8) ({
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>, %b: tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>):
    %c = "stablehlo.add"(%a, %b) : (tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>) -> tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>
    "stablehlo.return"(%c) : (tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>) -> ()
  }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>} : (tensor<6x20x!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>) -> tensor<3x18x!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>
  %17 = "stablehlo.bitcast_convert"(%16) : (tensor<3x18x!quant.uniform<i32:f32, 5.00000000000000028e-02:-3>>) -> tensor<3x18xi32>
  %18 = "stablehlo.reduce_window"(%6, %9) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, %b: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
    "stablehlo.return"(%c) : (tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> ()
  }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>} : (tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<3x18x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
  %19 = "stablehlo.bitcast_convert"(%18) : (tensor<3x18x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<3x18xi8>
  %20 = "stablehlo.sort"(%6) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, %b: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>):
    %c = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) {dimension = 1 : i64, is_stable = true} : (tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
  %21 = "stablehlo.bitcast_convert"(%20) : (tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<6x20xi8>
  %22 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<54xi32>
  %23 = "stablehlo.constant"() {value = dense<3> : tensor<54xi32>} : () -> tensor<54xi32>
  %24 = "stablehlo.multiply"(%22, %23) : (tensor<54xi32>, tensor<54xi32>) -> tensor<54xi32>
  %25 = "stablehlo.convert"(%24) : (tensor<54xi32>) -> tensor<54xi8>
  %26 = "stablehlo.reshape"(%25) : (tensor<54xi8>) -> tensor<3x18xi8>
  %27 = "stablehlo.add"(%26, %arg1) : (tensor<3x18xi8>, tensor<3x18xi8>) -> tensor<3x18xi8>
  %28 = "stablehlo.bitcast_convert"(%27) : (tensor<3x18xi8>) -> tensor<3x18x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
  %29 = "stablehlo.constant"() {value = dense<-3> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
  %30 = "stablehlo.select_and_scatter"(%6, %28, %29) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, %b: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>):
    %c = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, %b: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>):
    %c = "stablehlo.add"(%a, %b) : (tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
    "stablehlo.return"(%c) : (tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> ()
  }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>} : (tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<3x18x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
  %31 = "stablehlo.bitcast_convert"(%30) : (tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<6x20xi8>
  %32 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<80xi32>
  %33 = "stablehlo.constant"() {value = dense<1> : tensor<80xi32>} : () -> tensor<80xi32>
  %34 = "stablehlo.multiply"(%32, %33) : (tensor<80xi32>, tensor<80xi32>) -> tensor<80xi32>
  %35 = "stablehlo.convert"(%34) : (tensor<80xi32>) -> tensor<80xi8>
  %36 = "stablehlo.reshape"(%35) : (tensor<80xi8>) -> tensor<4x20xi8>
  %37 = "stablehlo.add"(%36, %arg3) : (tensor<4x20xi8>, tensor<4x20xi8>) -> tensor<4x20xi8>
  %38 = "stablehlo.bitcast_convert"(%37) : (tensor<4x20xi8>) -> tensor<4x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
  %39 = "stablehlo.scatter"(%6, %arg2, %38) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, %b: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
    "stablehlo.return"(%c) : (tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<4x1xi32>, tensor<4x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
  %40 = "stablehlo.bitcast_convert"(%39) : (tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<6x20xi8>
  %41 = "stablehlo.map"(%6, %6) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, %b: tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>):
    %c = "stablehlo.add"(%a, %b) : (tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
    "stablehlo.return"(%c) : (tensor<!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>, tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>
  %42 = "stablehlo.bitcast_convert"(%41) : (tensor<6x20x!quant.uniform<i8:f32, 5.00000000000000028e-02:-3>>) -> tensor<6x20xi8>
  func.return %11, %13, %15, %17, %19, %21, %31, %40, %42 : tensor<6xi32>, tensor<20xi32>, tensor<6xi8>, tensor<3x18xi32>, tensor<3x18xi8>, tensor<6x20xi8>, tensor<6x20xi8>, tensor<6x20xi8>, tensor<6x20xi8>
}
