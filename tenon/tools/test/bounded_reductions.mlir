// Ops that combine elements must not see those beyond the size.
// RUN: %compare %tenon %s 0 1 2 3 4 5 6 | %check %s
// CHECK: 7 seeds, {{[4-7]}} shapes
func.func @main(%x: tensor<8x3xi32>, %y: tensor<8x3xf32>, %n: tensor<i32>)
    -> (tensor<3xi32>, tensor<?xi32, #stablehlo.bounds<8>>, tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3x3xi32>, tensor<?x?xi32, #stablehlo.bounds<8, 8>>, tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32>, tensor<f32>, tensor<?x3xi32>, tensor<?x3xi32>) {
  %a = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8x3xi32>, tensor<i32>) -> tensor<?x3xi32, #stablehlo.bounds<8, ?>>
  %f = stablehlo.set_dimension_size %y, %n, dim = 0 : (tensor<8x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<8, ?>>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<i32>) -> tensor<3xi32>
  %rows = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<8>>
  %max = stablehlo.reduce(%f init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<f32>) -> tensor<3xf32>
  %highest = stablehlo.reduce(%f init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<f32>) -> tensor<f32>
  // The last element that is not -1, which is no op of one instruction.
  %last = "stablehlo.reduce"(%a, %none) <{dimensions = array<i64: 0>}> ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %missing = stablehlo.compare EQ, %r, %none : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %kept = stablehlo.select %missing, %l, %r : tensor<i1>, tensor<i32>
    stablehlo.return %kept : tensor<i32>
  }) : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<i32>) -> tensor<3xi32>
  // argmax: two inputs at once.
  %places = stablehlo.iota dim = 0 : tensor<8x3xi32>
  %p = stablehlo.set_dimension_size %places, %n, dim = 0 : (tensor<8x3xi32>, tensor<i32>) -> tensor<?x3xi32, #stablehlo.bounds<8, ?>>
  %arg:2 = "stablehlo.reduce"(%f, %p, %low, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%v: tensor<f32>, %i: tensor<i32>, %w: tensor<f32>, %j: tensor<i32>):
    %greater = stablehlo.compare GE, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %best = stablehlo.select %greater, %v, %w : tensor<i1>, tensor<f32>
    %place = stablehlo.select %greater, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %best, %place : tensor<f32>, tensor<i32>
  }) : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  %inner = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>) -> tensor<3x3xi32>
  %outer = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>) -> tensor<?x?xi32, #stablehlo.bounds<8, 8>>
  %sorted:2 = "stablehlo.sort"(%f, %a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%v: tensor<f32>, %w: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
    %before = stablehlo.compare LT, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %before : tensor<i1>
  }) : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>) -> (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>)
  %windows = "stablehlo.reduce_window"(%a, %zero) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.add %l, %r : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<i32>) -> tensor<?x3xi32>
  // Beyond the size is as beyond the edge: left out, also where the initial value is not neutral.
  %five = stablehlo.constant dense<5> : tensor<i32>
  %sums = "stablehlo.reduce_window"(%a, %five) <{window_dimensions = array<i64: 3, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.add %l, %r : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<i32>) -> tensor<?x3xi32>
  %differences = "stablehlo.reduce_window"(%a, %five) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.subtract %l, %r : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<i32>) -> tensor<?x3xi32>
  return %sum, %rows, %max, %last, %arg#1, %inner, %outer, %sorted#0, %sorted#1, %windows, %highest, %sums, %differences : tensor<3xi32>, tensor<?xi32, #stablehlo.bounds<8>>, tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3x3xi32>, tensor<?x?xi32, #stablehlo.bounds<8, 8>>, tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32, #stablehlo.bounds<8, ?>>, tensor<?x3xi32>, tensor<f32>, tensor<?x3xi32>, tensor<?x3xi32>
}
