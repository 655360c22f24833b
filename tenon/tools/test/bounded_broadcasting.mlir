// Sizes that are one, and stretched, in some runs only.
// RUN: %compare %tenon %s 0 1 2 3 4 5 6 7 | %check %s
// CHECK: 8 seeds, {{[4-8]}} shapes
func.func @main(%x: tensor<9x4xi32>, %y: tensor<9x4xi32>, %z: tensor<4xi32>, %r: tensor<i32>, %m: tensor<i32>)
    -> (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x?xi32>, tensor<?x?xi32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %n = stablehlo.add %r, %one : tensor<i32>
  %parity = stablehlo.remainder %m, %two : tensor<i32>
  %flag = stablehlo.compare EQ, %parity, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %n_or_1 = stablehlo.select %flag, %one, %n : tensor<i1>, tensor<i32>
  %four_or_1 = stablehlo.select %flag, %one, %four : tensor<i1>, tensor<i32>
  %a = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<9x4xi32>, tensor<i32>) -> tensor<?x4xi32, #stablehlo.bounds<9, ?>>
  %b = stablehlo.set_dimension_size %y, %n_or_1, dim = 0 : (tensor<9x4xi32>, tensor<i32>) -> tensor<?x4xi32, #stablehlo.bounds<9, ?>>
  %c = stablehlo.set_dimension_size %z, %four_or_1, dim = 0 : (tensor<4xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<4>>
  // Either of two may be the one that is stretched.
  %ab = chlo.broadcast_add %a, %b : (tensor<?x4xi32, #stablehlo.bounds<9, ?>>, tensor<?x4xi32, #stablehlo.bounds<9, ?>>) -> tensor<?x4xi32>
  %ba = chlo.broadcast_subtract %b, %a : (tensor<?x4xi32, #stablehlo.bounds<9, ?>>, tensor<?x4xi32, #stablehlo.bounds<9, ?>>) -> tensor<?x4xi32>
  // To a length that the program says.
  %ac = chlo.broadcast_multiply %a, %c : (tensor<?x4xi32, #stablehlo.bounds<9, ?>>, tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<?x4xi32>
  // A length that is one wherever it runs, beside one that only the run knows.
  %w = stablehlo.reshape %z : (tensor<4xi32>) -> tensor<1x4xi32>
  %wc = "chlo.broadcast_maximum"(%c, %w) <{broadcast_dimensions = array<i64: 0>}> : (tensor<?xi32, #stablehlo.bounds<4>>, tensor<1x4xi32>) -> tensor<?x?xi32>
  %less = chlo.broadcast_compare %a, %c {comparison_direction = #chlo<comparison_direction LT>} : (tensor<?x4xi32, #stablehlo.bounds<9, ?>>, tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<?x4xi1>
  %chosen = "chlo.broadcast_select"(%less, %a, %b) : (tensor<?x4xi1>, tensor<?x4xi32, #stablehlo.bounds<9, ?>>, tensor<?x4xi32, #stablehlo.bounds<9, ?>>) -> tensor<?x?xi32>
  return %ab, %ba, %ac, %wc, %chosen : tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x?xi32>, tensor<?x?xi32>
}
