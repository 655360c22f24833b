// RUN: %opt %s --tenon-lower-layouts --split-input-file --verify-diagnostics

// expected-error@+1 {{argument 0 has the layout '{1,0:T(8,128)}', which is no order of dimensions}}
func.func @main(%x: tensor<2x3xf32> {mhlo.layout_mode = "{1,0:T(8,128)}"}) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}

// -----

// expected-error@+1 {{result 0 has a layout that is not one of 'tensor<2x3xf32>'}}
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32> {mhlo.layout_mode = "{0}"}) {
  return %x : tensor<2x3xf32>
}

// -----

// expected-error@+1 {{argument 0 has a layout that is not one of 'tensor<2x3xf32>'}}
func.func @main(%x: tensor<2x3xf32> {tenon.layout = {minor_to_major = array<i64: 1, 0>, padded = array<i64: 2, 2>}}) {
  return
}

// -----

// expected-error@+1 {{argument 0 has a layout without minor_to_major}}
func.func @main(%x: tensor<2x3xf32> {tenon.layout = {}}) {
  return
}

// -----

// expected-error@+1 {{argument 0 has a layout, and is no array}}
func.func @main(%x: !stablehlo.token {mhlo.layout_mode = "{0}"}) {
  return
}
