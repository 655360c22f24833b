// Elementwise ops and ops that move elements, on sizes that only a run knows.
// RUN: %compare %tenon %s 0 1 2 3 4 5 6 | %check %s
// CHECK: 7 seeds, {{[4-7]}} shapes
func.func @main(%x: tensor<8x3xi32>, %y: tensor<8x3xi32>, %n: tensor<i32>, %m: tensor<i32>)
    -> (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<3x?xi32, #stablehlo.bounds<?, 8>>, tensor<?x3xi32>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32>, tensor<?x3xi32>, tensor<2x?x3xi32, #stablehlo.bounds<?, 8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi1, #stablehlo.bounds<8, ?>>, tensor<i32>, tensor<?x3x1xi32, #stablehlo.bounds<8, ?, ?>>, tensor<?xi32, #stablehlo.bounds<24>>) {
  %zero = stablehlo.constant dense<7> : tensor<i32>
  %a = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8x3xi32>, tensor<i32>) -> tensor<?x3xi32, #stablehlo.bounds<8, ?>>
  %b = stablehlo.set_dimension_size %y, %n, dim = 0 : (tensor<8x3xi32>, tensor<i32>) -> tensor<?x3xi32, #stablehlo.bounds<8, ?>>
  %c = stablehlo.set_dimension_size %y, %m, dim = 0 : (tensor<8x3xi32>, tensor<i32>) -> tensor<?x3xi32, #stablehlo.bounds<8, ?>>
  %sum = stablehlo.add %a, %b : tensor<?x3xi32, #stablehlo.bounds<8, ?>>
  %transposed = stablehlo.transpose %a, dims = [1, 0] : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>) -> tensor<3x?xi32, #stablehlo.bounds<?, 8>>
  %joined = stablehlo.concatenate %a, %c, %a, dim = 0 : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>) -> tensor<?x3xi32>
  %reversed = stablehlo.reverse %a, dims = [0, 1] : tensor<?x3xi32, #stablehlo.bounds<8, ?>>
  %padded = stablehlo.pad %a, %zero, low = [1, 0], high = [3, 0], interior = [1, 0] : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<i32>) -> tensor<?x3xi32>
  %more = stablehlo.pad %a, %zero, low = [2, 0], high = [-1, 0], interior = [0, 0] : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<i32>) -> tensor<?x3xi32>
  %spread = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>) -> tensor<2x?x3xi32, #stablehlo.bounds<?, 8, ?>>
  %flag = stablehlo.compare LT, %n, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %chosen = stablehlo.select %flag, %a, %b : tensor<i1>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>
  %less = stablehlo.compare LT, %a, %b : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>) -> tensor<?x3xi1, #stablehlo.bounds<8, ?>>
  %size = stablehlo.get_dimension_size %joined, dim = 0 : (tensor<?x3xi32>) -> tensor<i32>
  %column = stablehlo.reshape %a : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>) -> tensor<?x3x1xi32, #stablehlo.bounds<8, ?, ?>>
  %flat = stablehlo.reshape %transposed : (tensor<3x?xi32, #stablehlo.bounds<?, 8>>) -> tensor<?xi32, #stablehlo.bounds<24>>
  return %sum, %transposed, %joined, %reversed, %padded, %more, %spread, %chosen, %less, %size, %column, %flat : tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<3x?xi32, #stablehlo.bounds<?, 8>>, tensor<?x3xi32>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32>, tensor<?x3xi32>, tensor<2x?x3xi32, #stablehlo.bounds<?, 8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi1, #stablehlo.bounds<8, ?>>, tensor<i32>, tensor<?x3x1xi32, #stablehlo.bounds<8, ?, ?>>, tensor<?xi32, #stablehlo.bounds<24>>
}
