// Arrays of 1 MiB that are needed until a result is there, as a network's activations until its gradient is: they lie in
// the memory of the results that come later. One of these is donated, another one comes out of a loop that exchanges
// two buffers.
func.func private @sums(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %quarter = stablehlo.constant dense<0.25> : tensor<512x512xf32>
  %sums = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}
      : (tensor<512x512xf32>, tensor<f32>) -> tensor<512x512xf32>
  %scaled = stablehlo.multiply %sums, %quarter : tensor<512x512xf32>
  return %scaled : tensor<512x512xf32>
}
func.func @main(%x: tensor<512x512xf32>, %y: tensor<512x512xf32> {tf.aliasing_output = 1 : i32}, %n: tensor<i32>)
    -> (tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xi8>, tensor<512x512xf32>) {
  %h1 = func.call @sums(%x) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %h2 = func.call @sums(%h1) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %h3 = func.call @sums(%h2) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %h4 = func.call @sums(%h3) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %g4 = stablehlo.add %h4, %y : tensor<512x512xf32>
  %m4 = stablehlo.multiply %g4, %h3 : tensor<512x512xf32>
  %r4 = func.call @sums(%m4) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %g3 = func.call @sums(%g4) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %m3 = stablehlo.multiply %g3, %h2 : tensor<512x512xf32>
  %r3 = func.call @sums(%m3) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %g2 = func.call @sums(%g3) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %m2 = stablehlo.multiply %g2, %h1 : tensor<512x512xf32>
  %r2 = func.call @sums(%m2) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %l:3 = stablehlo.while(%i = %zero, %a = %g2, %b = %r2) : tensor<i32>, tensor<512x512xf32>, tensor<512x512xf32>
  cond {
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %s = func.call @sums(%a) : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %t = stablehlo.subtract %s, %b : tensor<512x512xf32>
    stablehlo.return %next, %t, %a : tensor<i32>, tensor<512x512xf32>, tensor<512x512xf32>
  }
  %signs = stablehlo.sign %l#1 : tensor<512x512xf32>
  %bytes = stablehlo.convert %signs : (tensor<512x512xf32>) -> tensor<512x512xi8>
  %last = func.call @sums(%l#2) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  return %r4, %r3, %r2, %bytes, %last
      : tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xi8>, tensor<512x512xf32>
}
