// Impossible shardings say nothing, and the arrays are what they are.
// RUN: %opt %s --tenon-inline --verify-diagnostics | %check %s
// CHECK: -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
// CHECK-NEXT: return
sdy.mesh @mesh = <["x"=4]>
// expected-warning @+1 {{shardings do not spread: impossible sharding: the mesh has no axis 'z'}}
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"z"}]> : tensor<8xf32>
  return %0, %x : tensor<8xf32>, tensor<8xf32>
}
