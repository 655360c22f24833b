module {
  func.func @f(%arg0: tensor<4xf32>, %arg1: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
    %0 = tenon.fusion loop(%in = %arg0) : (tensor<4xf32>) -> tensor<4xf32> {
      %2 = stablehlo.exponential %in : tensor<4xf32>
      tenon.yield %2 : tensor<4xf32>
    }
    %1:2 = tenon.fusion reduce(%in = %0, %in_0 = %arg1) attributes {some.note = "kept"} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
      %2 = stablehlo.reduce(%in init: %in_0) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      tenon.yield %in, %2 : tensor<4xf32>, tensor<f32>
    }
    tenon.fusion rows() : () -> () {
      tenon.yield
    }
    return %1#0, %1#1 : tensor<4xf32>, tensor<f32>
  }
}
