// What fails when it is compiled, by a known limit, between what does not: tenon_fuzz --reduce keeps the one.
func.func @main(%x: tensor<6xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<f32>) {
  %0 = stablehlo.tanh %y : tensor<2x3xf32>
  %1 = stablehlo.sine %x : tensor<6xf32>
  %2 = stablehlo.constant dense<1.0> : tensor<f32>
  %3 = "stablehlo.reduce"(%1, %2) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = stablehlo.reshape %b : (tensor<f32>) -> tensor<1x1xf32>
    %5 = stablehlo.cholesky %4 : tensor<1x1xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x1xf32>) -> tensor<f32>
    stablehlo.return %6 : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
  return %0, %3 : tensor<2x3xf32>, tensor<f32>
}
