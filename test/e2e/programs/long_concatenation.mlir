// Pieces much longer than a page: reading one at the indices of those before it is noticed.
module {
  func.func @main(%x: tensor<60001xi64>, %y: tensor<60003xi64>, %i: tensor<i32>) -> (tensor<240008xi64>, tensor<7xi64>) {
    %all = stablehlo.concatenate %x, %y, %x, %y, dim = 0 : (tensor<60001xi64>, tensor<60003xi64>, tensor<60001xi64>, tensor<60003xi64>) -> tensor<240008xi64>
    %negated = stablehlo.negate %all : tensor<240008xi64>
    %some = stablehlo.dynamic_slice %all, %i, sizes = [7] : (tensor<240008xi64>, tensor<i32>) -> tensor<7xi64>
    return %negated, %some : tensor<240008xi64>, tensor<7xi64>
  }
}
