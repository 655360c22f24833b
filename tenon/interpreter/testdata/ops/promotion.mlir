// Reductions whose computation is in a wider type than their operands (is_promotable): results are of that type.

// 120 + 100 does not fit i8, nor twice 65504 f16, nor 255 + 254 ui8.
func.func @reduce_in_wider_types() -> (tensor<i32>, tensor<f32>, tensor<i16>) {
  %x0 = stablehlo.constant dense<[120, 100, -128, 7]> : tensor<4xi8>
  %z = stablehlo.constant dense<1> : tensor<i8>
  %0 = "stablehlo.reduce"(%x0, %z) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %3 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %3 : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<4xi8>, tensor<i8>) -> tensor<i32>
  %h0 = stablehlo.constant dense<[65504.0, 65504.0, 0.5]> : tensor<3xf16>
  %hz = stablehlo.constant dense<0.0> : tensor<f16>
  %1 = "stablehlo.reduce"(%h0, %hz) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %3 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %3 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3xf16>, tensor<f16>) -> tensor<f32>
  %u0 = stablehlo.constant dense<[255, 254]> : tensor<2xui8>
  %uz = stablehlo.constant dense<0> : tensor<ui8>
  %2 = "stablehlo.reduce"(%u0, %uz) ({
    ^bb0(%a: tensor<i16>, %b: tensor<i16>):
      %3 = stablehlo.add %a, %b : tensor<i16>
      stablehlo.return %3 : tensor<i16>
  }) {dimensions = array<i64: 0>} : (tensor<2xui8>, tensor<ui8>) -> tensor<i16>
  return %0, %1, %2 : tensor<i32>, tensor<f32>, tensor<i16>
}
// EXPECT: dense<100> : tensor<i32>
// EXPECT: dense<131008.5> : tensor<f32>
// EXPECT: dense<509> : tensor<i16>

// One of two inputs is promoted; of an empty dimension the initial value is.
func.func @reduce_of_two_and_of_nothing() -> (tensor<i64>, tensor<i32>, tensor<2xcomplex<f64>>) {
  %x = stablehlo.constant dense<[2147483647, 1]> : tensor<2xi32>
  %y = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %y, %z, %z) ({
    ^bb0(%a: tensor<i64>, %b: tensor<i32>, %c: tensor<i64>, %d: tensor<i32>):
      %2 = stablehlo.add %a, %c : tensor<i64>
      %3 = stablehlo.maximum %b, %d : tensor<i32>
      stablehlo.return %2, %3 : tensor<i64>, tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<2xi32>, tensor<2xi32>, tensor<i32>, tensor<i32>) -> (tensor<i64>, tensor<i32>)
  %e = stablehlo.constant dense<> : tensor<2x0xcomplex<f32>>
  %i = stablehlo.constant dense<(1.0, -0.0)> : tensor<complex<f32>>
  %1 = "stablehlo.reduce"(%e, %i) ({
    ^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):
      %2 = stablehlo.add %a, %b : tensor<complex<f64>>
      stablehlo.return %2 : tensor<complex<f64>>
  }) {dimensions = array<i64: 1>} : (tensor<2x0xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f64>>
  return %0#0, %0#1, %1 : tensor<i64>, tensor<i32>, tensor<2xcomplex<f64>>
}
// EXPECT: dense<2147483648> : tensor<i64>
// EXPECT: dense<6> : tensor<i32>
// EXPECT: dense<(1.0, -0.0)> : tensor<2xcomplex<f64>>

func.func @reduce_window_in_a_wider_type() -> tensor<3xi32> {
  %x = stablehlo.constant dense<[100, 100, -100, -100]> : tensor<4xi8>
  %z = stablehlo.constant dense<0> : tensor<i8>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %1 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %1 : tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi8>, tensor<i8>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// EXPECT: dense<[200, 0, -200]> : tensor<3xi32>

func.func @scatter_in_a_wider_type() -> tensor<3xi16> {
  %x = stablehlo.constant dense<[100, 1, 2]> : tensor<3xi8>
  %i = stablehlo.constant dense<[[0], [0], [5], [2]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<[100, 127, 3, -128]> : tensor<4xi8>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
    ^bb0(%a: tensor<i16>, %b: tensor<i16>):
      %1 = stablehlo.add %a, %b : tensor<i16>
      stablehlo.return %1 : tensor<i16>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3xi8>, tensor<4x1xi32>, tensor<4xi8>) -> tensor<3xi16>
  return %0 : tensor<3xi16>
}
// EXPECT: dense<[327, 1, -126]> : tensor<3xi16>

// `select` is in the operand's type, `scatter` in the wider one; bf16 does not hold what f16 does, so that a select
// on converted values would take the first of the two.
func.func @select_and_scatter_in_other_types() -> (tensor<4xi32>, tensor<2xbf16>) {
  %x = stablehlo.constant dense<[1, 5, 3, 2]> : tensor<4xi8>
  %s = stablehlo.constant dense<[100, 120, 90]> : tensor<3xi8>
  %z = stablehlo.constant dense<1> : tensor<i8>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
    ^bb0(%a: tensor<i8>, %b: tensor<i8>):
      %2 = stablehlo.compare GE, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
  }, {
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %2 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %2 : tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi8>, tensor<3xi8>, tensor<i8>) -> tensor<4xi32>
  %h = stablehlo.constant dense<[1.0, 1.00097656]> : tensor<2xf16>
  %hs = stablehlo.constant dense<[2.0]> : tensor<1xf16>
  %hz = stablehlo.constant dense<0.0> : tensor<f16>
  %1 = "stablehlo.select_and_scatter"(%h, %hs, %hz) ({
    ^bb0(%a: tensor<f16>, %b: tensor<f16>):
      %2 = stablehlo.compare GE, %a, %b : (tensor<f16>, tensor<f16>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
  }, {
    ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
      %2 = stablehlo.add %a, %b : tensor<bf16>
      stablehlo.return %2 : tensor<bf16>
  }) {window_dimensions = array<i64: 2>} : (tensor<2xf16>, tensor<1xf16>, tensor<f16>) -> tensor<2xbf16>
  return %0, %1 : tensor<4xi32>, tensor<2xbf16>
}
// EXPECT: dense<[1, 221, 91, 1]> : tensor<4xi32>
// EXPECT: dense<[0.0, 2.0]> : tensor<2xbf16>

// Quantized values are quantized anew: 2 * 60 = 120 steps of 0.5 are 240 steps of 0.25.
func.func @quantized_sum_in_wider_storage() -> (tensor<i16>, tensor<2xi16>) {
  %x = stablehlo.constant dense<60> : tensor<2xi8>
  %q = stablehlo.bitcast_convert %x : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %c = stablehlo.constant dense<0> : tensor<i8>
  %z = stablehlo.bitcast_convert %c : (tensor<i8>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  %0 = "stablehlo.reduce"(%q, %z) ({
    ^bb0(%a: tensor<!quant.uniform<i16:f32, 0.25:3>>, %b: tensor<!quant.uniform<i16:f32, 0.25:3>>):
      %1 = stablehlo.add %a, %b : tensor<!quant.uniform<i16:f32, 0.25:3>>
      stablehlo.return %1 : tensor<!quant.uniform<i16:f32, 0.25:3>>
  }) {dimensions = array<i64: 0>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i16:f32, 0.25:3>>
  %2 = stablehlo.bitcast_convert %0 : (tensor<!quant.uniform<i16:f32, 0.25:3>>) -> tensor<i16>
  %s = stablehlo.slice %q [0:1] : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x!quant.uniform<i8:f32, 0.5>>
  %3 = "stablehlo.select_and_scatter"(%q, %s, %z) ({
    ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
      %5 = stablehlo.compare GT, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
  }, {
    ^bb0(%a: tensor<!quant.uniform<i16:f32, 0.5>>, %b: tensor<!quant.uniform<i16:f32, 0.5>>):
      %5 = stablehlo.add %a, %b : tensor<!quant.uniform<i16:f32, 0.5>>
      %6 = stablehlo.add %5, %5 : tensor<!quant.uniform<i16:f32, 0.5>>
      %7 = stablehlo.add %6, %6 : tensor<!quant.uniform<i16:f32, 0.5>>
      stablehlo.return %7 : tensor<!quant.uniform<i16:f32, 0.5>>
  }) {window_dimensions = array<i64: 2>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<1x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i16:f32, 0.5>>
  %4 = stablehlo.bitcast_convert %3 : (tensor<2x!quant.uniform<i16:f32, 0.5>>) -> tensor<2xi16>
  return %2, %4 : tensor<i16>, tensor<2xi16>
}
// EXPECT: dense<243> : tensor<i16>
// EXPECT: dense<[0, 240]> : tensor<2xi16>

// `select` is in one scale and `scatter` in another: 1 + 50 + 60 is 444 steps of 0.25, and in steps of 0.7 it is
// 1 + 71 + 86, which the storage clips.
func.func @select_and_scatter_in_another_scale() -> (tensor<4xi16>, tensor<4xi8>) {
  %x = stablehlo.constant dense<[-128, 5, 3, 127]> : tensor<4xi8>
  %q = stablehlo.bitcast_convert %x : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  %y = stablehlo.constant dense<[100, 120, 90]> : tensor<3xi8>
  %s = stablehlo.bitcast_convert %y : (tensor<3xi8>) -> tensor<3x!quant.uniform<i8:f32, 0.5>>
  %c = stablehlo.constant dense<2> : tensor<i8>
  %z = stablehlo.bitcast_convert %c : (tensor<i8>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  %wide = "stablehlo.select_and_scatter"(%q, %s, %z) ({
    ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
      %p = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
  }, {
    ^bb0(%a: tensor<!quant.uniform<i16:f32, 0.25:3>>, %b: tensor<!quant.uniform<i16:f32, 0.25:3>>):
      %p = stablehlo.add %a, %b : tensor<!quant.uniform<i16:f32, 0.25:3>>
      stablehlo.return %p : tensor<!quant.uniform<i16:f32, 0.25:3>>
  }) {window_dimensions = array<i64: 2>} : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<3x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i16:f32, 0.25:3>>
  %widei = stablehlo.bitcast_convert %wide : (tensor<4x!quant.uniform<i16:f32, 0.25:3>>) -> tensor<4xi16>
  %narrow = "stablehlo.select_and_scatter"(%q, %s, %z) ({
    ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
      %p = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
  }, {
    ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.7:-5>>, %b: tensor<!quant.uniform<i8:f32, 0.7:-5>>):
      %p = stablehlo.add %a, %b : tensor<!quant.uniform<i8:f32, 0.7:-5>>
      stablehlo.return %p : tensor<!quant.uniform<i8:f32, 0.7:-5>>
  }) {window_dimensions = array<i64: 2>} : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<3x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.7:-5>>
  %narrowi = stablehlo.bitcast_convert %narrow : (tensor<4x!quant.uniform<i8:f32, 0.7:-5>>) -> tensor<4xi8>
  return %widei, %narrowi : tensor<4xi16>, tensor<4xi8>
}
// EXPECT: dense<[7, 447, 7, 187]> : tensor<4xi16>
// EXPECT: dense<[-4, 127, -4, 60]> : tensor<4xi8>

func.func @collectives_of_one_in_wider_types() -> (tensor<2xi32>, tensor<2xi16>, tensor<2xf32>) {
  %x = stablehlo.constant dense<[-128, 127]> : tensor<2xi8>
  %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %3 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %3 : tensor<i32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xi8>) -> tensor<2xi32>
  %1 = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%a: tensor<i16>, %b: tensor<i16>):
      %3 = stablehlo.add %a, %b : tensor<i16>
      stablehlo.return %3 : tensor<i16>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xi8>) -> tensor<2xi16>
  %h = stablehlo.constant dense<[0.5, 65504.0]> : tensor<2xf16>
  %r = stablehlo.constant dense<0> : tensor<1xi32>
  %2 = "stablehlo.collective_reduce"(%h, %r) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %3 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %3 : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>, has_dynamic_root} : (tensor<2xf16>, tensor<1xi32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xi32>, tensor<2xi16>, tensor<2xf32>
}
// EXPECT: dense<[-128, 127]> : tensor<2xi32>
// EXPECT: dense<[-128, 127]> : tensor<2xi16>
// EXPECT: dense<[0.5, 65504.0]> : tensor<2xf32>
