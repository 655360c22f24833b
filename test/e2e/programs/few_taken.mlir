// Tables of which few elements are taken: rows of columns, what arithmetic makes, and what is around it.
func.func @main(%x: tensor<40x30x3xf32>, %y: tensor<640x16xf32>, %z: tensor<640x16xf32>, %c: tensor<1000xcomplex<f32>>,
                %b: tensor<320x8xbf16>, %i: tensor<20xi32>, %j: tensor<9xi32>, %k: tensor<5x2xi32>)
    -> (tensor<20x9x3xf32>, tensor<9x16xf32>, tensor<5xf32>, tensor<9xcomplex<f32>>, tensor<20x8xf32>, tensor<9x16xf32>,
        tensor<9x16xf32>, tensor<9x16xi1>) {
  %rows = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 30, 3>}> : (tensor<40x30x3xf32>, tensor<20xi32>) -> tensor<20x30x3xf32>
  %columns = "stablehlo.gather"(%rows, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 20, 1, 3>}> : (tensor<20x30x3xf32>, tensor<9xi32>) -> tensor<20x9x3xf32>
  // Rows and elements of an array that arithmetic makes.
  %product = stablehlo.multiply %y, %z : tensor<640x16xf32>
  %sum = stablehlo.add %product, %y : tensor<640x16xf32>
  %taken = "stablehlo.gather"(%sum, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>}> : (tensor<640x16xf32>, tensor<9xi32>) -> tensor<9x16xf32>
  %tanh = stablehlo.tanh %z : tensor<640x16xf32>
  %single = "stablehlo.gather"(%tanh, %k) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<640x16xf32>, tensor<5x2xi32>) -> tensor<5xf32>
  %square = stablehlo.multiply %c, %c : tensor<1000xcomplex<f32>>
  %complex = "stablehlo.gather"(%square, %j) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<1000xcomplex<f32>>, tensor<9xi32>) -> tensor<9xcomplex<f32>>
  %wide = stablehlo.convert %b : (tensor<320x8xbf16>) -> tensor<320x8xf32>
  %floats = "stablehlo.gather"(%wide, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<320x8xf32>, tensor<20xi32>) -> tensor<20x8xf32>
  // Padded and reversed below the arithmetic; taken twice; compared.
  %zero = stablehlo.constant dense<0.5> : tensor<f32>
  %pad = stablehlo.pad %y, %zero, low = [3, 0], high = [-2, 0], interior = [0, 0] : (tensor<640x16xf32>, tensor<f32>) -> tensor<641x16xf32>
  %reverse = stablehlo.reverse %pad, dims = [0, 1] : tensor<641x16xf32>
  %absolute = stablehlo.abs %reverse : tensor<641x16xf32>
  %padded = "stablehlo.gather"(%absolute, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>}> : (tensor<641x16xf32>, tensor<9xi32>) -> tensor<9x16xf32>
  %other = stablehlo.multiply %j, %j : tensor<9xi32>
  %exponential = stablehlo.exponential %z : tensor<640x16xf32>
  %first = "stablehlo.gather"(%exponential, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>}> : (tensor<640x16xf32>, tensor<9xi32>) -> tensor<9x16xf32>
  %second = "stablehlo.gather"(%exponential, %other) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>}> : (tensor<640x16xf32>, tensor<9xi32>) -> tensor<9x16xf32>
  %difference = stablehlo.subtract %first, %second : tensor<9x16xf32>
  %compared = stablehlo.compare LT, %y, %z : (tensor<640x16xf32>, tensor<640x16xf32>) -> tensor<640x16xi1>
  %truths = "stablehlo.gather"(%compared, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>}> : (tensor<640x16xi1>, tensor<9xi32>) -> tensor<9x16xi1>
  return %columns, %taken, %single, %complex, %floats, %padded, %difference, %truths : tensor<20x9x3xf32>, tensor<9x16xf32>, tensor<5xf32>, tensor<9xcomplex<f32>>, tensor<20x8xf32>, tensor<9x16xf32>, tensor<9x16xf32>, tensor<9x16xi1>
}
