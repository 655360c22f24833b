// Computations of reduce and the like that loop, branch, and use arrays of their own.
func.func @main(%x: tensor<13x37xf32>, %n: tensor<13x37xi32>, %c: tensor<13x37xcomplex<f32>>, %h: tensor<13x37xf16>) -> (tensor<13x37xf32>, tensor<13xi32>, tensor<37xf32>, tensor<13x37xf32>, tensor<13x37xcomplex<f32>>, tensor<13x37xf16>, tensor<13x12xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zerof = stablehlo.constant dense<0.0> : tensor<f32>
  // The Collatz steps from a number, times another.
  %steps = "stablehlo.map"(%x, %n) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %i: tensor<i32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %zeroIn = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.add %i, %one : tensor<i32>
    %w:2 = stablehlo.while(%k = %start, %count = %zeroIn) : tensor<i32>, tensor<i32>
    cond {
      %more = stablehlo.compare NE, %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %odd = stablehlo.and %k, %one : tensor<i32>
      %next = "stablehlo.case"(%odd) ({
        %half = stablehlo.divide %k, %two : tensor<i32>
        stablehlo.return %half : tensor<i32>
      }, {
        %thrice = stablehlo.multiply %k, %three : tensor<i32>
        %plus = stablehlo.add %thrice, %one : tensor<i32>
        stablehlo.return %plus : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      %counted = stablehlo.add %count, %one : tensor<i32>
      stablehlo.return %next, %counted : tensor<i32>, tensor<i32>
    }
    %f = stablehlo.convert %w#1 : (tensor<i32>) -> tensor<f32>
    %r = stablehlo.multiply %a, %f : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<13x37xf32>, tensor<13x37xi32>) -> tensor<13x37xf32>
  // Greatest common divisors.
  %divisors = "stablehlo.reduce"(%n, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %zeroIn = stablehlo.constant dense<0> : tensor<i32>
    %w:2 = stablehlo.while(%p = %a, %q = %b) : tensor<i32>, tensor<i32>
    cond {
      %more = stablehlo.compare NE, %q, %zeroIn : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %rest = stablehlo.remainder %p, %q : tensor<i32>
      stablehlo.return %q, %rest : tensor<i32>, tensor<i32>
    }
    stablehlo.return %w#0 : tensor<i32>
  }) : (tensor<13x37xi32>, tensor<i32>) -> tensor<13xi32>
  // A polynomial through a table, its loop inside a loop.
  %polynomials = "stablehlo.reduce"(%x, %zerof) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %table = stablehlo.constant dense<[0.5, -0.25, 0.125]> : tensor<3xf32>
    %zeroIn = stablehlo.constant dense<0> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %w:2 = stablehlo.while(%k = %zeroIn, %v = %a) : tensor<i32>, tensor<f32>
    cond {
      %more = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %entry = stablehlo.dynamic_slice %table, %k, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
      %coefficient = stablehlo.reshape %entry : (tensor<1xf32>) -> tensor<f32>
      %product = stablehlo.multiply %coefficient, %b : tensor<f32>
      %row = stablehlo.broadcast_in_dim %product, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %largest = "stablehlo.reduce"(%row, %v) <{dimensions = array<i64: 0>}> ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %better = stablehlo.compare GT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %choice = "stablehlo.if"(%better) ({
          %i = stablehlo.iota dim = 0 : tensor<5xf32>
          %spread = stablehlo.broadcast_in_dim %l, dims = [] : (tensor<f32>) -> tensor<5xf32>
          %sum = stablehlo.maximum %i, %spread : tensor<5xf32>
          %zeroInner = stablehlo.constant dense<9.0> : tensor<f32>
          %least = stablehlo.reduce(%sum init: %zeroInner) applies stablehlo.minimum across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
          stablehlo.return %least : tensor<f32>
        }, {
          stablehlo.return %r : tensor<f32>
        }) : (tensor<i1>) -> tensor<f32>
        stablehlo.return %choice : tensor<f32>
      }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %next = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %next, %largest : tensor<i32>, tensor<f32>
    }
    stablehlo.return %w#1 : tensor<f32>
  }) : (tensor<13x37xf32>, tensor<f32>) -> tensor<37xf32>
  // Equal remainders by the second key, found in a loop.
  %sorted:2 = "stablehlo.sort"(%x, %n) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
    %three = stablehlo.constant dense<3> : tensor<i32>
    %w:2 = stablehlo.while(%p = %i, %q = %j) : tensor<i32>, tensor<i32>
    cond {
      %larger = stablehlo.maximum %p, %q : tensor<i32>
      %more = stablehlo.compare GE, %larger, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %pr = stablehlo.remainder %p, %three : tensor<i32>
      %qr = stablehlo.remainder %q, %three : tensor<i32>
      stablehlo.return %pr, %qr : tensor<i32>, tensor<i32>
    }
    %same = stablehlo.compare EQ, %w#0, %w#1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %first = stablehlo.compare LT, %w#0, %w#1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %second = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %less = stablehlo.select %same, %second, %first : tensor<i1>, tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<13x37xf32>, tensor<13x37xi32>) -> (tensor<13x37xf32>, tensor<13x37xi32>)
  // Powers of complex numbers and halves, by as many multiplications.
  %powers = "stablehlo.map"(%c, %n) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<complex<f32>>, %i: tensor<i32>):
    %zeroIn = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %w:2 = stablehlo.while(%k = %zeroIn, %v = %a) : tensor<i32>, tensor<complex<f32>>
    cond {
      %more = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %k, %one : tensor<i32>
      %product = stablehlo.multiply %v, %a : tensor<complex<f32>>
      stablehlo.return %next, %product : tensor<i32>, tensor<complex<f32>>
    }
    stablehlo.return %w#1 : tensor<complex<f32>>
  }) : (tensor<13x37xcomplex<f32>>, tensor<13x37xi32>) -> tensor<13x37xcomplex<f32>>
  %halves = "stablehlo.map"(%h, %n) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f16>, %i: tensor<i32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %which = stablehlo.and %i, %one : tensor<i32>
    %r = "stablehlo.case"(%which) ({
      %p = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f16>) -> tensor<7xf16>
      %i7 = stablehlo.iota dim = 0 : tensor<7xf16>
      %q = stablehlo.maximum %p, %i7 : tensor<7xf16>
      %v = stablehlo.reduce(%q init: %a) applies stablehlo.maximum across dimensions = [0] : (tensor<7xf16>, tensor<f16>) -> tensor<f16>
      stablehlo.return %v : tensor<f16>
    }, {
      stablehlo.return %a : tensor<f16>
    }) : (tensor<i32>) -> tensor<f16>
    stablehlo.return %r : tensor<f16>
  }) : (tensor<13x37xf16>, tensor<13x37xi32>) -> tensor<13x37xf16>
  %windows = "stablehlo.reduce_window"(%x, %zerof) <{window_dimensions = array<i64: 1, 4>, window_strides = array<i64: 1, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %negative = stablehlo.constant dense<0.0> : tensor<f32>
    %below = stablehlo.compare LT, %b, %negative : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %w = stablehlo.while(%v = %b) : tensor<f32>
    cond {
      %more = stablehlo.compare LT, %v, %negative : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %up = stablehlo.add %v, %two : tensor<f32>
      stablehlo.return %up : tensor<f32>
    }
    %larger = stablehlo.maximum %a, %w : tensor<f32>
    stablehlo.return %larger : tensor<f32>
  }) : (tensor<13x37xf32>, tensor<f32>) -> tensor<13x12xf32>
  return %steps, %divisors, %polynomials, %sorted#0, %powers, %halves, %windows : tensor<13x37xf32>, tensor<13xi32>, tensor<37xf32>, tensor<13x37xf32>, tensor<13x37xcomplex<f32>>, tensor<13x37xf16>, tensor<13x12xf32>
}
