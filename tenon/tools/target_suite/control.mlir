// a loop that sums
func.func @main(%n: tensor<i32>, %x: tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %sum = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %sum, %x : tensor<3xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<3xf32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<3xf32>
}
// -----
// a loop that exchanges what it carries
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LE, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %1, %b, %a : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>
}
// -----
// loops in loops
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<i32>, tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1:2 = stablehlo.while(%j = %zero, %inner = %sum) : tensor<i32>, tensor<i32>
    cond {
      %2 = stablehlo.compare LT, %j, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %j, %one : tensor<i32>
      %3 = stablehlo.multiply %2, %i : tensor<i32>
      %4 = stablehlo.add %inner, %3 : tensor<i32>
      stablehlo.return %2, %4 : tensor<i32>, tensor<i32>
    }
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %1#1 : tensor<i32>, tensor<i32>
  }
  return %0#1 : tensor<i32>
}
// -----
// branches
func.func @main(%p: tensor<i1>, %k: tensor<i32>, %x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.add %x, %x : tensor<5xf32>
    stablehlo.return %1 : tensor<5xf32>
  }, {
    %1 = stablehlo.negate %x : tensor<5xf32>
    stablehlo.return %1 : tensor<5xf32>
  }) : (tensor<i1>) -> tensor<5xf32>
  %2 = "stablehlo.case"(%k) ({
    stablehlo.return %x : tensor<5xf32>
  }, {
    %3 = stablehlo.multiply %x, %0 : tensor<5xf32>
    stablehlo.return %3 : tensor<5xf32>
  }, {
    %3 = stablehlo.exponential %x : tensor<5xf32>
    stablehlo.return %3 : tensor<5xf32>
  }) : (tensor<i32>) -> tensor<5xf32>
  return %0, %2 : tensor<5xf32>, tensor<5xf32>
}
// -----
// slices at places that data says; beyond the edge they are moved inside
func.func @main(%x: tensor<6x5xf32>, %i: tensor<i32>, %u: tensor<2x2xf32>) -> (tensor<3x2xf32>, tensor<6x5xf32>, tensor<3x2xf32>) {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %far = stablehlo.constant dense<100> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %two, sizes = [3, 2] : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  %1 = stablehlo.dynamic_update_slice %x, %u, %two, %i : (tensor<6x5xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>
  %2 = stablehlo.dynamic_slice %x, %far, %i, sizes = [3, 2] : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  return %0, %1, %2 : tensor<3x2xf32>, tensor<6x5xf32>, tensor<3x2xf32>
}
// -----
// a loop that fills an array row by row
func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<4x3xf32>
  %row0 = stablehlo.constant dense<1.0> : tensor<1x3xf32>
  %0:3 = stablehlo.while(%i = %zero, %row = %row0, %rows = %empty) : tensor<i32>, tensor<1x3xf32>, tensor<4x3xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 3] : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %2 = stablehlo.multiply %1, %row : tensor<1x3xf32>
    %3 = stablehlo.add %2, %row : tensor<1x3xf32>
    %4 = stablehlo.dynamic_update_slice %rows, %3, %i, %zero : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %3, %4 : tensor<i32>, tensor<1x3xf32>, tensor<4x3xf32>
  }
  return %0#2 : tensor<4x3xf32>
}
// -----
// rows of a table
func.func @main(%table: tensor<10x4xf32>, %i: tensor<2x3xi32>) -> tensor<2x3x4xf32> {
  %0 = "stablehlo.gather"(%table, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 4>} : (tensor<10x4xf32>, tensor<2x3xi32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
// -----
// blocks of a table, at places in two dimensions
func.func @main(%table: tensor<9x8xf32>, %i: tensor<3x2xi64>) -> tensor<3x2x3xf32> {
  %0 = "stablehlo.gather"(%table, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 3>} : (tensor<9x8xf32>, tensor<3x2xi64>) -> tensor<3x2x3xf32>
  return %0 : tensor<3x2x3xf32>
}
