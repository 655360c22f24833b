// RUN: %opt %s --split-input-file --verify-diagnostics --tenon-refine-shapes

// expected-error @below {{argument 0 has type 'tensor<?xf32>': its shape must be given before the program can be compiled}}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32> {tenon.shape = array<i64: 3>}, %y: tensor<?xf32> {tenon.shape = array<i64: 4>}) -> tensor<?xf32> {
  // expected-error @below {{'stablehlo.add' op}}
  %0 = stablehlo.add %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32> {tenon.shape = array<i64: 3>}) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %ok = stablehlo.compare GE, %n, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // expected-error @below {{needs at least 4 elements, got 3}}
  stablehlo.custom_call @shape_assertion(%ok, %four, %n) {error_message = "needs at least {0} elements, got {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  return
}

// -----

func.func @main(%n: tensor<1xi32>) -> tensor<?xf32> {
  // expected-error @below {{'stablehlo.dynamic_iota' op the size of dimension 0 of the result depends on data, and its type does not give a bound}}
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {
  %n = stablehlo.constant dense<5> : tensor<i32>
  // expected-error @below {{sets a dimension of size 4 to 5}}
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  %1 = stablehlo.abs %0 : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Each step would have its own size.
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>, %s: tensor<3xi32>) -> tensor<?x?xf32> {
  %0 = stablehlo.set_dimension_size %s, %n, dim = 0 : (tensor<3xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<3>>
  // expected-error @below {{'chlo.scan' op cannot be compiled with a size of dimension 1 that is only known when the program runs}}
  %1:2 = chlo.scan(%0) inits(%x) dimension=0 {
  ^bb0(%a: tensor<i32>, %b: tensor<4xf32>):
    %2 = stablehlo.set_dimension_size %b, %a, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
    stablehlo.return %2, %b : tensor<?xf32, #stablehlo.bounds<4>>, tensor<4xf32>
  } : (tensor<?xi32, #stablehlo.bounds<3>>, tensor<4xf32>) -> (tensor<?x?xf32>, tensor<4xf32>)
  return %1#0 : tensor<?x?xf32>
}

// -----

func.func @main(%x: tensor<4xf32>, %n: tensor<i32>, %s: tensor<3xi32>) -> tensor<4xf32> {
  %0 = stablehlo.set_dimension_size %s, %n, dim = 0 : (tensor<3xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<3>>
  // expected-error @below {{'chlo.scan' op dimension 0 of a carry must keep its size 4, got 5}}
  %1 = chlo.scan(%0) inits(%x) dimension=0 {
  ^bb0(%a: tensor<i32>, %b: tensor<?xf32>):
    %2 = stablehlo.constant dense<1.0> : tensor<1xf32>
    %3 = stablehlo.concatenate %b, %2, dim = 0 : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    stablehlo.return %3 : tensor<?xf32>
  } : (tensor<?xi32, #stablehlo.bounds<3>>, tensor<4xf32>) -> tensor<?xf32>
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<?xf32> {tenon.shape = array<i64: 2>}) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // expected-error @below {{'stablehlo.while' op dimension 0 of carried value 0 grows from one iteration to the next, and its type does not give a bound}}
  %r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<?xf32>, tensor<i32>
    cond {
      %more = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %b = stablehlo.concatenate %a, %a, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      stablehlo.return %b, %i : tensor<?xf32>, tensor<i32>
    }
  return %r#0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32> {tenon.shape = array<i64: 7>}) -> tensor<?x2xf32> {
  %shape = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
  // expected-error @below {{operand and result must have the same number of elements, got 7 and 6}}
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

func.func @main() -> tensor<4x?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %shape = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // expected-error @below {{a dimension of the result must have size 4, got 1}}
  %0 = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

// A shape that is computed, and the type, which inference could not compare.
func.func @main(%low: tensor<f32>, %high: tensor<f32>) -> tensor<4x1xf32> {
  %two = stablehlo.constant dense<2> : tensor<2xi32>
  %shape = stablehlo.add %two, %two : tensor<2xi32>
  // expected-error @below {{a dimension of the result must have size 1, got 4}}
  %0 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

// Sizes are not taken modulo 2^32.
func.func @main(%x: tensor<3x3xf32>) -> tensor<?xf32> {
  %shape = stablehlo.constant dense<4294967305> : tensor<1xi64>
  // expected-error @below {{operand and result must have the same number of elements, got 9 and 2147483647}}
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<3x3xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<1xf32>) -> tensor<?xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1xf32>) -> tensor<?xf32>
  // expected-error @below {{result 0 must have type 'tuple<tensor<8xf32>>', got 'tuple<tensor<1xf32>>'}}
  %1 = stablehlo.tuple %0 : (tensor<?xf32>) -> tuple<tensor<8xf32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<8xf32>>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// Lists have a number for each dimension.
func.func @main(%shape: tensor<?xi32> {tenon.shape = array<i64: 2>}) -> tensor<?x?x1xf32> {
  // expected-error @below {{dimension 0 must have size 3, got 2}}
  %0 = stablehlo.dynamic_iota %shape, dim = 2 : (tensor<?xi32>) -> tensor<?x?x1xf32>
  return %0 : tensor<?x?x1xf32>
}

// -----

func.func @main(%x: tensor<4xf32>, %zero: tensor<f32>, %low: tensor<?xi32> {tenon.shape = array<i64: 0>}, %high: tensor<1xi32>) -> tensor<?xf32> {
  // expected-error @below {{dimension 0 must have size 1, got 0}}
  %0 = stablehlo.dynamic_pad %x, %zero, %low, %high, %high : (tensor<4xf32>, tensor<f32>, tensor<?xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A number of numbers that only the run knows has a bound.
func.func @main(%shape: tensor<1xi32>, %n: tensor<i32>) -> tensor<?x?x1xf32> {
  %0 = stablehlo.set_dimension_size %shape, %n, dim = 0 : (tensor<1xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<1>>
  // expected-error @below {{dimension 0 must have size 3, got at most 1}}
  %1 = stablehlo.dynamic_iota %0, dim = 2 : (tensor<?xi32, #stablehlo.bounds<1>>) -> tensor<?x?x1xf32>
  return %1 : tensor<?x?x1xf32>
}
