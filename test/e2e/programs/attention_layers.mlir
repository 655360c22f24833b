// Layers that are each a product and a normalisation of its rows: what is one kernel ends with the product that another
// would begin with.
module {
  func.func @main(%x: tensor<20x18xf32>, %w: tensor<18x18xf32>) -> tensor<20x18xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %d0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<20x18xf32>, tensor<18x18xf32>) -> tensor<20x18xf32>
    %a0 = stablehlo.abs %d0 : tensor<20x18xf32>
    %r0 = stablehlo.reduce(%a0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<20x18xf32>, tensor<f32>) -> tensor<20xf32>
    %b0 = stablehlo.broadcast_in_dim %r0, dims = [0] : (tensor<20xf32>) -> tensor<20x18xf32>
    %s0 = stablehlo.divide %d0, %b0 : tensor<20x18xf32>
    %d1 = stablehlo.dot_general %s0, %w, contracting_dims = [1] x [0] : (tensor<20x18xf32>, tensor<18x18xf32>) -> tensor<20x18xf32>
    %a1 = stablehlo.abs %d1 : tensor<20x18xf32>
    %r1 = stablehlo.reduce(%a1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<20x18xf32>, tensor<f32>) -> tensor<20xf32>
    %b1 = stablehlo.broadcast_in_dim %r1, dims = [0] : (tensor<20xf32>) -> tensor<20x18xf32>
    %s1 = stablehlo.divide %d1, %b1 : tensor<20x18xf32>
    %d2 = stablehlo.dot_general %s1, %w, contracting_dims = [1] x [0] : (tensor<20x18xf32>, tensor<18x18xf32>) -> tensor<20x18xf32>
    %a2 = stablehlo.abs %d2 : tensor<20x18xf32>
    %r2 = stablehlo.reduce(%a2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<20x18xf32>, tensor<f32>) -> tensor<20xf32>
    %b2 = stablehlo.broadcast_in_dim %r2, dims = [0] : (tensor<20xf32>) -> tensor<20x18xf32>
    %s2 = stablehlo.divide %d2, %b2 : tensor<20x18xf32>
    %d3 = stablehlo.dot_general %s2, %w, contracting_dims = [1] x [0] : (tensor<20x18xf32>, tensor<18x18xf32>) -> tensor<20x18xf32>
    return %d3 : tensor<20x18xf32>
  }
}
