// A sharding that comes to a value late does not reach functions that were called with it before, as in Shardy.
// RUN: %opt %s --tenon-propagate-shardings | %check %s
// CHECK: func.func @main
// CHECK-SAME: -> (tensor<7x6xf32>, tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"p"}]>})
sdy.mesh @mesh = <["p"=2]>
func.func @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"p"}]>}, %v: tensor<7x6xf32>) -> (tensor<7x6xf32>, tensor<7x6xf32>) {
  %t = stablehlo.tanh %v : tensor<7x6xf32>
  %s = func.call @f(%t) : (tensor<7x6xf32>) -> tensor<7x6xf32>
  %b = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<6xf32>) -> tensor<7x6xf32>
  %u = stablehlo.add %t, %b : tensor<7x6xf32>
  return %s, %u : tensor<7x6xf32>, tensor<7x6xf32>
}
func.func private @f(%x: tensor<7x6xf32>) -> tensor<7x6xf32> {
  %r = stablehlo.tanh %x : tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}
