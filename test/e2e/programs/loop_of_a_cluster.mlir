// A loop over so many elements that GPUs which have clusters go through it with the blocks of one.
module {
  func.func @main(%x: tensor<8192xi32>, %y: tensor<8192xi32>) -> (tensor<8192xi32>, tensor<8192xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %turns = stablehlo.constant dense<9> : tensor<i32>
    %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<8192xi32>, tensor<8192xi32>
      cond {
        %p = stablehlo.compare LT, %i, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %c = stablehlo.reverse %b, dims = [0] : tensor<8192xi32>
        %d = stablehlo.multiply %a, %c : tensor<8192xi32>
        %e = stablehlo.add %d, %a : tensor<8192xi32>
        stablehlo.return %j, %e, %a : tensor<i32>, tensor<8192xi32>, tensor<8192xi32>
      }
    return %0#1, %0#2 : tensor<8192xi32>, tensor<8192xi32>
  }
}
