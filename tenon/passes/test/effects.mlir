// RUN: %opt %s --tenon-inline --tenon-decompose --tenon-simplify --tenon-simplify-loops --tenon-simplify --tenon-fuse | %check %s

// What happens in the world happens in this order, and as often; fusions do not come between.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %one = stablehlo.constant dense<1.0> : tensor<64x64xf32>
  // CHECK: %[[EARLY:.*]] = tenon.fusion
  // CHECK: stablehlo.outfeed"(%[[EARLY]]
  %early = stablehlo.add %x, %one : tensor<64x64xf32>
  %0 = "stablehlo.outfeed"(%early, %t) : (tensor<64x64xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: stablehlo.infeed
  // CHECK-NEXT: stablehlo.infeed
  %a:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  %b:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  // CHECK: tenon.fusion
  // CHECK-NOT: tenon.fusion
  // CHECK: return
  %all = stablehlo.broadcast_in_dim %a#0, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
  %late = stablehlo.add %early, %all : tensor<64x64xf32>
  %later = stablehlo.multiply %early, %late : tensor<64x64xf32>
  return %later : tensor<64x64xf32>
}
