// Loops that shrink an array and branches of different sizes.
// RUN: %compare %tenon %s 0 1 2 3 4 5 6 | %check %s
// CHECK: 7 seeds, {{[4-7]}} shapes
func.func @main(%x: tensor<8xi32>, %n: tensor<i32>, %p: tensor<i1>)
    -> (tensor<?xi32, #stablehlo.bounds<8>>, tensor<i32>, tensor<?xi32, #stablehlo.bounds<8>>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %a = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<8>>
  // Sums of what is left, as the array loses its last element again and again.
  %r:2 = stablehlo.while(%b = %a, %total = %zero) : tensor<?xi32, #stablehlo.bounds<8>>, tensor<i32>
    cond {
      %size = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?xi32, #stablehlo.bounds<8>>) -> tensor<i32>
      %more = stablehlo.compare GT, %size, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %size = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?xi32, #stablehlo.bounds<8>>) -> tensor<i32>
      %less = stablehlo.subtract %size, %one : tensor<i32>
      %sum = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xi32, #stablehlo.bounds<8>>, tensor<i32>) -> tensor<i32>
      %next = stablehlo.add %total, %sum : tensor<i32>
      %c = stablehlo.set_dimension_size %b, %less, dim = 0 : (tensor<?xi32, #stablehlo.bounds<8>>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<8>>
      stablehlo.return %c, %next : tensor<?xi32, #stablehlo.bounds<8>>, tensor<i32>
    }
  %branch = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<?xi32, #stablehlo.bounds<8>>
  }, {
    %ones = stablehlo.constant dense<1> : tensor<5xi32>
    %dynamic = stablehlo.convert %ones : (tensor<5xi32>) -> tensor<?xi32, #stablehlo.bounds<8>>
    stablehlo.return %dynamic : tensor<?xi32, #stablehlo.bounds<8>>
  }) : (tensor<i1>) -> tensor<?xi32, #stablehlo.bounds<8>>
  return %r#0, %r#1, %branch : tensor<?xi32, #stablehlo.bounds<8>>, tensor<i32>, tensor<?xi32, #stablehlo.bounds<8>>
}
