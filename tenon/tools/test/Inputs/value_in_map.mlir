func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %p = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %s = "stablehlo.sort"(%p) <{dimension = 0 : i64}> ({
    ^bb0(%b: tensor<f32>, %c: tensor<f32>):
      %m = stablehlo.multiply %c, %a : tensor<f32>
      %t = stablehlo.compare LT, %b, %m : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %r = stablehlo.slice %s [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %q = stablehlo.reshape %r : (tensor<1xf32>) -> tensor<f32>
    stablehlo.return %q : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
