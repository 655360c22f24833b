// RUN: %opt %s --split-input-file --tenon-propagate-shardings --verify-diagnostics
sdy.mesh @mesh = <["x"=4, "y"=2]>
// expected-error @+1 {{impossible sharding: the mesh has no axis 'z'}}
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}) -> tensor<8x4xf32> {
  return %x : tensor<8x4xf32>
}

// -----
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{impossible sharding: axis 'x' is named twice}}
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {"x"}]> : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @again(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @again(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{function 'again' calls itself}}
  %0 = func.call @again(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
func.func @main(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  // expected-error @+1 {{a group's values have one shape}}
  sdy.sharding_group %y group_id=0 : tensor<4xf32>
  return
}
