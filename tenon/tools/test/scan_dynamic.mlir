// Ops of dynamic shape in a scan's body.
// RUN: %compare %tenon %s 0 1 | %check %s
// CHECK: 2 seeds, 1 shapes
func.func @main(%x: tensor<3xf32>, %y: tensor<2xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
    %0:2 = chlo.scan(%x) inits (%y) dimension=0  attributes {is_reverse = false} {
  ^bb0(%input: tensor<f32>, %carry: tensor<2xf32>):
    %c = stablehlo.constant dense<1> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<1xi32>
    %p = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.dynamic_pad %carry, %p, %c_0, %c_0, %c_0 : (tensor<2xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
    stablehlo.return %input, %1 : tensor<f32>, tensor<2xf32>
  } : (tensor<3xf32>, tensor<2xf32>) -> (tensor<3xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<2xf32>
}
