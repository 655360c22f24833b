// Written by make_programs.py.
func.func @main(%arg0: tensor<6x8xui8>, %arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<5x1xi32>, %arg4: tensor<6x8xi8>) -> (tensor<8x6xui8>, tensor<4x12xui8>, tensor<6x8xui8>, tensor<2x6x8xui8>, tensor<3x3xui8>, tensor<12x9xui8>, tensor<12x8xui8>, tensor<2x3xui8>, tensor<6x8xui8>, tensor<5x8xui8>, tensor<6x8xui8>, tensor<8x6xi8>, tensor<2x6x8xi8>) {
  %0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<48xi32>
  %1 = "stablehlo.constant"() {value = dense<11> : tensor<48xi32>} : () -> tensor<48xi32>
  %2 = "stablehlo.multiply"(%0, %1) : (tensor<48xi32>, tensor<48xi32>) -> tensor<48xi32>
  %3 = "stablehlo.convert"(%2) : (tensor<48xi32>) -> tensor<48xui8>
  %4 = "stablehlo.reshape"(%3) : (tensor<48xui8>) -> tensor<6x8xui8>
  %5 = "stablehlo.add"(%4, %arg0) : (tensor<6x8xui8>, tensor<6x8xui8>) -> tensor<6x8xui8>
  %6 = "stablehlo.bitcast_convert"(%5) : (tensor<6x8xui8>) -> tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %7 = "stablehlo.transpose"(%6) {permutation = array<i64: 1, 0>} : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<8x6x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %8 = "stablehlo.reshape"(%6) : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<4x12x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %9 = "stablehlo.reverse"(%6) {dimensions = array<i64: 1>} : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %10 = "stablehlo.bitcast_convert"(%7) : (tensor<8x6x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<8x6xui8>
  %11 = "stablehlo.bitcast_convert"(%8) : (tensor<4x12x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<4x12xui8>
  %12 = "stablehlo.bitcast_convert"(%9) : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<6x8xui8>
  %13 = "stablehlo.broadcast_in_dim"(%6) {broadcast_dimensions = array<i64: 1, 2>} : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<2x6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %14 = "stablehlo.bitcast_convert"(%13) : (tensor<2x6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<2x6x8xui8>
  %15 = "stablehlo.slice"(%6) {start_indices = array<i64: 1, 0>, limit_indices = array<i64: 4, 8>, strides = array<i64: 1, 3>} : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<3x3x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %16 = "stablehlo.bitcast_convert"(%15) : (tensor<3x3x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<3x3xui8>
  %17 = "stablehlo.constant"() {value = dense<200> : tensor<i8>} : () -> tensor<!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %18 = "stablehlo.pad"(%6, %17) {edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 0, 2>, interior_padding = array<i64: 1, 0>} : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>, tensor<!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<12x9x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %19 = "stablehlo.bitcast_convert"(%18) : (tensor<12x9x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<12x9xui8>
  %20 = "stablehlo.concatenate"(%6, %6) {dimension = 0 : i64} : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>, tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<12x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %21 = "stablehlo.bitcast_convert"(%20) : (tensor<12x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<12x8xui8>
  %22 = "stablehlo.dynamic_slice"(%6, %arg1, %arg2) {slice_sizes = array<i64: 2, 3>} : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>, tensor<i32>, tensor<i32>) -> tensor<2x3x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %23 = "stablehlo.dynamic_update_slice"(%6, %22, %arg2, %arg1) : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>, tensor<2x3x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>, tensor<i32>, tensor<i32>) -> tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %24 = "stablehlo.bitcast_convert"(%22) : (tensor<2x3x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<2x3xui8>
  %25 = "stablehlo.bitcast_convert"(%23) : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<6x8xui8>
  %26 = "stablehlo.gather"(%6, %arg3) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>, indices_are_sorted = false} : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>, tensor<5x1xi32>) -> tensor<5x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %27 = "stablehlo.bitcast_convert"(%26) : (tensor<5x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<5x8xui8>
  %28 = "stablehlo.optimization_barrier"(%6) : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %29 = "stablehlo.custom_call"(%28) {call_target_name = "annotate_device_placement"} : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>
  %30 = "stablehlo.bitcast_convert"(%29) : (tensor<6x8x!quant.uniform<u8:f32, 5.00000000000000028e-02:9>>) -> tensor<6x8xui8>
  %31 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<48xi32>
  %32 = "stablehlo.constant"() {value = dense<5> : tensor<48xi32>} : () -> tensor<48xi32>
  %33 = "stablehlo.multiply"(%31, %32) : (tensor<48xi32>, tensor<48xi32>) -> tensor<48xi32>
  %34 = "stablehlo.convert"(%33) : (tensor<48xi32>) -> tensor<48xi8>
  %35 = "stablehlo.reshape"(%34) : (tensor<48xi8>) -> tensor<6x8xi8>
  %36 = "stablehlo.add"(%35, %arg4) : (tensor<6x8xi8>, tensor<6x8xi8>) -> tensor<6x8xi8>
  %37 = "stablehlo.bitcast_convert"(%36) : (tensor<6x8xi8>) -> tensor<6x8x!quant.uniform<i8:f32:0, {1.00000000000000006e-01:-3, 1.50000000000000022e-01:-2, 2.00000000000000011e-01:-1, 2.50000000000000000e-01:0, 3.00000000000000044e-01:1, 3.49999999999999978e-01:2}>>
  %38 = "stablehlo.transpose"(%37) {permutation = array<i64: 1, 0>} : (tensor<6x8x!quant.uniform<i8:f32:0, {1.00000000000000006e-01:-3, 1.50000000000000022e-01:-2, 2.00000000000000011e-01:-1, 2.50000000000000000e-01:0, 3.00000000000000044e-01:1, 3.49999999999999978e-01:2}>>) -> tensor<8x6x!quant.uniform<i8:f32:1, {1.00000000000000006e-01:-3, 1.50000000000000022e-01:-2, 2.00000000000000011e-01:-1, 2.50000000000000000e-01:0, 3.00000000000000044e-01:1, 3.49999999999999978e-01:2}>>
  %39 = "stablehlo.bitcast_convert"(%38) : (tensor<8x6x!quant.uniform<i8:f32:1, {1.00000000000000006e-01:-3, 1.50000000000000022e-01:-2, 2.00000000000000011e-01:-1, 2.50000000000000000e-01:0, 3.00000000000000044e-01:1, 3.49999999999999978e-01:2}>>) -> tensor<8x6xi8>
  %40 = "stablehlo.broadcast_in_dim"(%37) {broadcast_dimensions = array<i64: 1, 2>} : (tensor<6x8x!quant.uniform<i8:f32:0, {1.00000000000000006e-01:-3, 1.50000000000000022e-01:-2, 2.00000000000000011e-01:-1, 2.50000000000000000e-01:0, 3.00000000000000044e-01:1, 3.49999999999999978e-01:2}>>) -> tensor<2x6x8x!quant.uniform<i8:f32:1, {1.00000000000000006e-01:-3, 1.50000000000000022e-01:-2, 2.00000000000000011e-01:-1, 2.50000000000000000e-01:0, 3.00000000000000044e-01:1, 3.49999999999999978e-01:2}>>
  %41 = "stablehlo.bitcast_convert"(%40) : (tensor<2x6x8x!quant.uniform<i8:f32:1, {1.00000000000000006e-01:-3, 1.50000000000000022e-01:-2, 2.00000000000000011e-01:-1, 2.50000000000000000e-01:0, 3.00000000000000044e-01:1, 3.49999999999999978e-01:2}>>) -> tensor<2x6x8xi8>
  func.return %10, %11, %12, %14, %16, %19, %21, %24, %25, %27, %30, %39, %41 : tensor<8x6xui8>, tensor<4x12xui8>, tensor<6x8xui8>, tensor<2x6x8xui8>, tensor<3x3xui8>, tensor<12x9xui8>, tensor<12x8xui8>, tensor<2x3xui8>, tensor<6x8xui8>, tensor<5x8xui8>, tensor<6x8xui8>, tensor<8x6xi8>, tensor<2x6x8xi8>
}
