// Windows of a scatter that reach beyond the operand are left out as a whole: in vectors, in rows, with tasks that share
// the scattered dimension, and windows that fit nowhere. The indices are constants that only a run knows.
module {
  func.func @main(%x: tensor<9x70xf32>, %u: tensor<5x2x21xf32>, %seed: tensor<5x2xi32>, %large: tensor<4000x30xf32>,
                  %rows: tensor<600x40x30xf32>, %bytes: tensor<5x2xui8>)
      -> (tensor<9x70xf32>, tensor<4000x30xf32>, tensor<9x70xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<5x2xi32>
    %none = stablehlo.and %seed, %zero : tensor<5x2xi32>
    %at = stablehlo.constant dense<[[7, 49], [8, 3], [2, 50], [-1, 0], [0, -3]]> : tensor<5x2xi32>
    %indices = stablehlo.or %none, %at : tensor<5x2xi32>
    %0 = "stablehlo.scatter"(%x, %indices, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
        update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<9x70xf32>, tensor<5x2xi32>, tensor<5x2x21xf32>) -> tensor<9x70xf32>
    // 600 windows of 40 rows, 7 apart, from -100 on.
    %count = stablehlo.iota dim = 0 : tensor<600x1xi32>
    %seven = stablehlo.constant dense<7> : tensor<600x1xi32>
    %first = stablehlo.constant dense<-100> : tensor<600x1xi32>
    %apart = stablehlo.multiply %count, %seven : tensor<600x1xi32>
    %starts = stablehlo.add %apart, %first : tensor<600x1xi32>
    %1 = "stablehlo.scatter"(%large, %starts, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<
        update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %most = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %most : tensor<f32>
    }) : (tensor<4000x30xf32>, tensor<600x1xi32>, tensor<600x40x30xf32>) -> tensor<4000x30xf32>
    // Unsigned places, most of them beyond.
    %2 = "stablehlo.scatter"(%x, %bytes, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
        update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
    }) : (tensor<9x70xf32>, tensor<5x2xui8>, tensor<5x2x21xf32>) -> tensor<9x70xf32>
    return %0, %1, %2 : tensor<9x70xf32>, tensor<4000x30xf32>, tensor<9x70xf32>
  }
}
