func.func @main(%x: tensor<i1>, %y: tensor<i1>) -> tensor<i1> {
  %0 = "stablehlo.reduce"(%x, %y) <{dimensions = array<i64>}> ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %sum = stablehlo.add %x, %b : tensor<i1>
    stablehlo.return %sum : tensor<i1>
  }) : (tensor<i1>, tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}
