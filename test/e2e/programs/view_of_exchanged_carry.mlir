// The result of a loop whose carried array alternates between two buffers, read under another type long after: both
// buffers must be kept until then, since only the run tells which of them holds the result.
module {
  func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %z: tensor<16x3xf32>)
      -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %even_turns = stablehlo.constant dense<32> : tensor<i32>
    %odd_turns = stablehlo.constant dense<33> : tensor<i32>
    %odd:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<4x4xf32>
      cond {
        %p = stablehlo.compare LT, %i, %odd_turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %d = stablehlo.transpose %c, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
        stablehlo.return %j, %d : tensor<i32>, tensor<4x4xf32>
      }
    %even:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<4x4xf32>
      cond {
        %p = stablehlo.compare LT, %i, %even_turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %d = stablehlo.transpose %c, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
        stablehlo.return %j, %d : tensor<i32>, tensor<4x4xf32>
      }
    %odd_row = stablehlo.reshape %odd#1 : (tensor<4x4xf32>) -> tensor<1x16xf32>
    %even_row = stablehlo.reshape %even#1 : (tensor<4x4xf32>) -> tensor<1x16xf32>
    %a = stablehlo.dot %y, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %b = stablehlo.dot %a, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %c = stablehlo.dot %b, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %d = stablehlo.dot %c, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %0 = stablehlo.dot %odd_row, %z : (tensor<1x16xf32>, tensor<16x3xf32>) -> tensor<1x3xf32>
    %1 = stablehlo.dot %even_row, %z : (tensor<1x16xf32>, tensor<16x3xf32>) -> tensor<1x3xf32>
    return %0, %1, %c, %d : tensor<1x3xf32>, tensor<1x3xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
}
