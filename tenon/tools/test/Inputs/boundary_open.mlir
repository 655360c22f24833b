// The parts of the tuple have open sizes, and so has what is computed asynchronously.
func.func @main(%t: tuple<tensor<?x2xf32>, tensor<?xf32>>) -> (!stablehlo.future<tensor<?x2xf32>>, tuple<tensor<?xf32>>) {
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<?x2xf32>, tensor<?xf32>>) -> tensor<?x2xf32>
  %1 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<?x2xf32>, tensor<?xf32>>) -> tensor<?xf32>
  %2 = "stablehlo.async_start"(%0) ({
    ^bb0(%a: tensor<?x2xf32>):
      %3 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<0> : tensor<1x2xi64>} : (tensor<?x2xf32>) -> tensor<?x2xf32>
      stablehlo.return %3 : tensor<?x2xf32>
  }) : (tensor<?x2xf32>) -> !stablehlo.future<tensor<?x2xf32>>
  %4 = stablehlo.negate %1 : tensor<?xf32>
  %5 = stablehlo.tuple %4 : tuple<tensor<?xf32>>
  return %2, %5 : !stablehlo.future<tensor<?x2xf32>>, tuple<tensor<?xf32>>
}
