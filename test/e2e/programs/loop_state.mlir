// A loop whose arrays are each computed from several of the last turn: one kernel that puts each of them in its place,
// though the results read one another's places. The loop counts from 1, since all turns of one from 0 are one kernel.
module {
  func.func @main(%x: tensor<5x13xf32>, %y: tensor<5x13xf32>, %z: tensor<5x13xf32>, %w: tensor<5x13xf32>)
      -> (tensor<5x13xf32>, tensor<5x13xf32>, tensor<5x13xf32>, tensor<5x13xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %turns = stablehlo.constant dense<8> : tensor<i32>
    %half = stablehlo.constant dense<0.5> : tensor<5x13xf32>
    %0:5 = stablehlo.while(%i = %one, %a = %x, %b = %y, %c = %z, %d = %w)
        : tensor<i32>, tensor<5x13xf32>, tensor<5x13xf32>, tensor<5x13xf32>, tensor<5x13xf32>
      cond {
        %p = stablehlo.compare LT, %i, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %scaled = stablehlo.multiply %b, %half : tensor<5x13xf32>
        %e = stablehlo.add %a, %scaled : tensor<5x13xf32>
        %f = stablehlo.subtract %b, %a : tensor<5x13xf32>
        %g = stablehlo.maximum %c, %d : tensor<5x13xf32>
        %remainder = stablehlo.remainder %i, %two : tensor<i32>
        %even = stablehlo.compare EQ, %remainder, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %halved = stablehlo.multiply %a, %half : tensor<5x13xf32>
        %h = stablehlo.select %even, %d, %halved : tensor<i1>, tensor<5x13xf32>
        stablehlo.return %j, %e, %f, %g, %h
            : tensor<i32>, tensor<5x13xf32>, tensor<5x13xf32>, tensor<5x13xf32>, tensor<5x13xf32>
      }
    return %0#1, %0#2, %0#3, %0#4 : tensor<5x13xf32>, tensor<5x13xf32>, tensor<5x13xf32>, tensor<5x13xf32>
  }
}
