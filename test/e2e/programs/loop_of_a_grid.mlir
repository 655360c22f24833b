// A loop over so many elements that GPUs go through it with a block on each multiprocessor, all at work at once.
module {
  func.func @main(%x: tensor<120000xi32>, %y: tensor<120000xi32>) -> (tensor<120000xi32>, tensor<120000xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %turns = stablehlo.constant dense<4> : tensor<i32>
    %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<120000xi32>, tensor<120000xi32>
      cond {
        %p = stablehlo.compare LT, %i, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %c = stablehlo.reverse %b, dims = [0] : tensor<120000xi32>
        %d = stablehlo.multiply %a, %c : tensor<120000xi32>
        %e = stablehlo.add %d, %a : tensor<120000xi32>
        stablehlo.return %j, %e, %a : tensor<i32>, tensor<120000xi32>, tensor<120000xi32>
      }
    return %0#1, %0#2 : tensor<120000xi32>, tensor<120000xi32>
  }
}
