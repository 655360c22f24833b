// Found by fuzzing: a reduction of a CHLO constant had no native code.
module {
  func.func @main(%init: tensor<f6E2M3FN>, %x: tensor<2x3xf32>) -> (tensor<f6E2M3FN>, tensor<3xf32>) {
    %0 = chlo.constant dense<[7.5, 1.0, -7.5, 0.0, -0.0, 0.5]> : tensor<6xf6E2M3FN>
    %1 = stablehlo.reduce(%0 init: %init) applies stablehlo.multiply across dimensions = [0]
        : (tensor<6xf6E2M3FN>, tensor<f6E2M3FN>) -> tensor<f6E2M3FN>
    %2 = chlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %3 = stablehlo.add %2, %x : tensor<2x3xf32>
    %zero = chlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    return %1, %4 : tensor<f6E2M3FN>, tensor<3xf32>
  }
}
