// Products without sums: added to what is there, with batches, and of integers.
func.func @main(%row: tensor<1x70xf32>, %other: tensor<1x90xf32>, %sums: tensor<70x90xf32>, %batches: tensor<40x9xbf16>, %second: tensor<9x30xbf16>, %a: tensor<60x1xi8>, %b: tensor<1x50xi8>)
    -> (tensor<70x90xf32>, tensor<9x40x30xbf16>, tensor<60x50xi32>) {
  %0 = stablehlo.dot_general %row, %other, contracting_dims = [0] x [0] : (tensor<1x70xf32>, tensor<1x90xf32>) -> tensor<70x90xf32>
  %1 = stablehlo.add %sums, %0 : tensor<70x90xf32>
  %2 = stablehlo.dot_general %batches, %second, batching_dims = [1] x [0], contracting_dims = [] x [] : (tensor<40x9xbf16>, tensor<9x30xbf16>) -> tensor<9x40x30xbf16>
  %3 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<60x1xi8>, tensor<1x50xi8>) -> tensor<60x50xi32>
  return %1, %2, %3 : tensor<70x90xf32>, tensor<9x40x30xbf16>, tensor<60x50xi32>
}
