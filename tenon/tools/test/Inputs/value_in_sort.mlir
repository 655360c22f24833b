func.func @main(%x: tensor<9xf32>, %y: tensor<f32>) -> (tensor<9xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.multiply %b, %y : tensor<f32>
    %s = stablehlo.compare LT, %a, %m : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<9xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
