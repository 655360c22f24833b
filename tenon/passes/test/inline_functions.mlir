// Functions that travel as composites become the operations that their names say; what is no function stays its
// decomposition.
// RUN: %opt %s --tenon-inline | %check %s

// CHECK: func.func @main
// CHECK: chlo.square
// CHECK: stablehlo.log_plus_one
// CHECK: chlo.atan
// CHECK: stablehlo.negate
// CHECK-NOT: stablehlo.composite
// CHECK-NOT: stablehlo.reverse
// CHECK: return
func.func @main(%x: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) {
  %y = chlo.square %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %0 = stablehlo.composite "stablehlo.log_plus_one" %y {decomposition = @impl} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %1 = stablehlo.composite "chlo.atan" %x {decomposition = @impl} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %2 = stablehlo.composite "stablehlo.reverse" %x {composite_attributes = {dimensions = array<i64: 0>}, decomposition = @impl} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0, %1, %2 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
}
func.func private @impl(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.negate %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
