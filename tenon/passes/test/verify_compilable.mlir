// RUN: not %opt %s --tenon-decompose 2>&1 | %check %s
// CHECK: verify_compilable.mlir:9:12: error: data can't be exchanged with the host or other devices in a computation on single elements
func.func @main(%x: tensor<2xf32>) -> tensor<f32> {
  %t = stablehlo.create_token : !stablehlo.token
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    %2:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
    stablehlo.return %2#0 : tensor<f32>
  }) : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
