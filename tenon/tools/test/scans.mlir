// Cumulative windows are scans, with any computation that starts at the first element.
// RUN: %tenon compile %s --report=json | %check %s
// CHECK-COUNT-2: "kind": "scan"
// CHECK-NOT: "kind": "loop"
func.func @main(%x: tensor<400xf32>, %z: tensor<f32>) -> (tensor<400xf32>, tensor<400xf32>) {
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 400>, padding = dense<[[399, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.exponential %a : tensor<f32>
    %2 = stablehlo.add %1, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<400xf32>, tensor<f32>) -> tensor<400xf32>
  // The initial value need not be neutral.
  %3 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 400>, padding = dense<[[0, 399]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<400xf32>, tensor<f32>) -> tensor<400xf32>
  return %0, %3 : tensor<400xf32>, tensor<400xf32>
}
