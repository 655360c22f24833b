// Tuples, within tuples and empty, and futures, as arguments and results.
func.func @main(%x: tensor<4xf32> {jax.buffer_donor = true}, %t: tuple<tensor<2xi32>, tuple<tensor<f32>, tensor<3xi8>>>, %f: !stablehlo.future<tensor<2xf32>, tensor<i32>>) -> (tuple<tuple<tensor<f32>>, tensor<3xi8>>, tensor<4xf32>, !stablehlo.future<tensor<4xf32>>, tuple<>, tuple<tensor<2xf32>, tensor<i32>>) {
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xi32>, tuple<tensor<f32>, tensor<3xi8>>>) -> tuple<tensor<f32>, tensor<3xi8>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<f32>, tensor<3xi8>>) -> tensor<f32>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<f32>, tensor<3xi8>>) -> tensor<3xi8>
  %3 = stablehlo.tuple %1 : tuple<tensor<f32>>
  %4 = stablehlo.tuple %3, %2 : tuple<tuple<tensor<f32>>, tensor<3xi8>>
  %5 = stablehlo.add %x, %x : tensor<4xf32>
  %6 = "stablehlo.async_start"(%5) ({
    ^bb0(%a: tensor<4xf32>):
      %7 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %7 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %8 = "stablehlo.async_done"(%6) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  %9:2 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>, tensor<i32>>) -> (tensor<2xf32>, tensor<i32>)
  %10 = stablehlo.tuple : tuple<>
  %11 = stablehlo.tuple %9#0, %9#1 : tuple<tensor<2xf32>, tensor<i32>>
  return %4, %8, %6, %10, %11 : tuple<tuple<tensor<f32>>, tensor<3xi8>>, tensor<4xf32>, !stablehlo.future<tensor<4xf32>>, tuple<>, tuple<tensor<2xf32>, tensor<i32>>
}
