// Found by fuzzing: the loops came to be one, whose value the computation of map could not use.
func.func @main(%x: tensor<11x11xi32>) -> (tensor<11x11xi32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %around = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      %more = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next : tensor<i32>
    }
  %mapped = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<i32>):
    %own = stablehlo.while(%i = %zero) : tensor<i32>
      cond {
        %more = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next : tensor<i32>
      }
    stablehlo.return %own : tensor<i32>
  }) : (tensor<11x11xi32>) -> tensor<11x11xi32>
  return %mapped, %around : tensor<11x11xi32>, tensor<i32>
}
