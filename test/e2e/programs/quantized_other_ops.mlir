// Quantized values in the ops outside of the specification, and in those that only carry them.
!q = !quant.uniform<i8:f32, 0.1:3>
!r = !quant.uniform<i8:f32, 0.3:3>
!w = !quant.uniform<i8:f32, 0.1>
func.func @main(%s: tensor<4x6xi8>, %w: tensor<6x5xi8>, %n: tensor<3xi32>, %one: tensor<i32>) -> (tensor<4x5xi8>, tensor<4x5xi8>, tensor<4xi8>, tensor<6x4xi8>, tensor<5x8xi8>, tensor<5xi8>, tensor<2x4x6xi8>, tensor<2x3xi8>, tensor<3x6xi8>, tensor<4x2xi8>, tensor<4x2xi32>, tensor<4x6xi8>, tensor<4x6xi8>, tensor<2x12xi8>) {
  %i = stablehlo.iota dim = 1 : tensor<4x6xi8>
  %k = stablehlo.constant dense<37> : tensor<4x6xi8>
  %m = stablehlo.multiply %i, %k : tensor<4x6xi8>
  %a = stablehlo.add %m, %s : tensor<4x6xi8>
  %x = stablehlo.bitcast_convert %a : (tensor<4x6xi8>) -> tensor<4x6x!q>
  %y = stablehlo.bitcast_convert %w : (tensor<6x5xi8>) -> tensor<6x5x!w>
  %0 = "stablehlo.dot"(%x, %y) : (tensor<4x6x!q>, tensor<6x5x!w>) -> tensor<4x5x!r>
  %1 = "stablehlo.einsum"(%x, %y) {einsum_config = "ab,bc->ac"} : (tensor<4x6x!q>, tensor<6x5x!w>) -> tensor<4x5x!r>
  %2 = "stablehlo.unary_einsum"(%x) {einsum_config = "ab->a"} : (tensor<4x6x!q>) -> tensor<4x!r>
  %sh = stablehlo.constant dense<[6, 4]> : tensor<2xi32>
  %3 = stablehlo.dynamic_reshape %x, %sh : (tensor<4x6x!q>, tensor<2xi32>) -> tensor<6x4x!q>
  %p = stablehlo.constant() {value = dense<9> : tensor<i8>} : () -> tensor<!q>
  %lo = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %hi = stablehlo.constant dense<[0, 2]> : tensor<2xi32>
  %ze = stablehlo.constant dense<0> : tensor<2xi32>
  %4 = stablehlo.dynamic_pad %x, %p, %lo, %hi, %ze : (tensor<4x6x!q>, tensor<!q>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<5x8x!q>
  %s5 = stablehlo.constant dense<[5]> : tensor<1xi32>
  %5 = stablehlo.dynamic_iota %s5, dim = 0 : (tensor<1xi32>) -> tensor<5x!q>
  %s6 = stablehlo.constant dense<[2, 4, 6]> : tensor<3xi32>
  %6 = stablehlo.dynamic_broadcast_in_dim %x, %s6, dims = [1, 2] : (tensor<4x6x!q>, tensor<3xi32>) -> tensor<2x4x6x!q>
  %l7 = stablehlo.constant dense<[3, 3]> : tensor<2xi32>
  %st = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
  %7 = stablehlo.real_dynamic_slice %x, %lo, %l7, %st : (tensor<4x6x!q>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x3x!q>
  %8 = "stablehlo.torch_index_select"(%x, %n) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<4x6x!q>, tensor<3xi32>) -> tensor<3x6x!q>
  %9:2 = chlo.top_k(%x, k = 2) : tensor<4x6x!q> -> (tensor<4x2x!q>, tensor<4x2xi32>)
  %t = stablehlo.tuple %x, %9#1 : tuple<tensor<4x6x!q>, tensor<4x2xi32>>
  %10 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4x6x!q>, tensor<4x2xi32>>) -> tensor<4x6x!q>
  %11 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%pp: tensor<!q>, %q: tensor<!q>):
    %r = stablehlo.add %pp, %q : tensor<!q>
    stablehlo.return %r : tensor<!q>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<4x6x!q>) -> tensor<4x6x!q>
  %12 = stablehlo.composite "my.op" %x {decomposition = @body} : (tensor<4x6x!q>) -> tensor<2x12x!q>
  %b0 = stablehlo.bitcast_convert %0 : (tensor<4x5x!r>) -> tensor<4x5xi8>
  %b1 = stablehlo.bitcast_convert %1 : (tensor<4x5x!r>) -> tensor<4x5xi8>
  %b2 = stablehlo.bitcast_convert %2 : (tensor<4x!r>) -> tensor<4xi8>
  %b3 = stablehlo.bitcast_convert %3 : (tensor<6x4x!q>) -> tensor<6x4xi8>
  %b4 = stablehlo.bitcast_convert %4 : (tensor<5x8x!q>) -> tensor<5x8xi8>
  %b5 = stablehlo.bitcast_convert %5 : (tensor<5x!q>) -> tensor<5xi8>
  %b6 = stablehlo.bitcast_convert %6 : (tensor<2x4x6x!q>) -> tensor<2x4x6xi8>
  %b7 = stablehlo.bitcast_convert %7 : (tensor<2x3x!q>) -> tensor<2x3xi8>
  %b8 = stablehlo.bitcast_convert %8 : (tensor<3x6x!q>) -> tensor<3x6xi8>
  %b9 = stablehlo.bitcast_convert %9#0 : (tensor<4x2x!q>) -> tensor<4x2xi8>
  %b10 = stablehlo.bitcast_convert %10 : (tensor<4x6x!q>) -> tensor<4x6xi8>
  %b11 = stablehlo.bitcast_convert %11 : (tensor<4x6x!q>) -> tensor<4x6xi8>
  %b12 = stablehlo.bitcast_convert %12 : (tensor<2x12x!q>) -> tensor<2x12xi8>
  return %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7, %b8, %b9, %9#1, %b10, %b11, %b12 : tensor<4x5xi8>, tensor<4x5xi8>, tensor<4xi8>, tensor<6x4xi8>, tensor<5x8xi8>, tensor<5xi8>, tensor<2x4x6xi8>, tensor<2x3xi8>, tensor<3x6xi8>, tensor<4x2xi8>, tensor<4x2xi32>, tensor<4x6xi8>, tensor<4x6xi8>, tensor<2x12xi8>
}
func.func private @body(%x: tensor<4x6x!q>) -> tensor<2x12x!q> {
  %0 = stablehlo.reshape %x : (tensor<4x6x!q>) -> tensor<2x12x!q>
  return %0 : tensor<2x12x!q>
}
