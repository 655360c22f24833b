func.func @main(%x: tensor<4xf32>, %z: tensor<f32>) -> (tensor<f32>) {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %c = stablehlo.cholesky %p, lower = true : tensor<1x1xf32>
    %q = stablehlo.reshape %c : (tensor<1x1xf32>) -> tensor<f32>
    %s = stablehlo.add %a, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
