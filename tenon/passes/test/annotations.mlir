// Custom calls that only say where a value lives are their operand; memory that is allocated holds zeros; those that keep
// values, or say when to compute them, do nothing.
// RUN: %opt %s --tenon-strip-barriers --tenon-strip-sinks | %check %s
// CHECK: func.func @main(%[[X:.*]]: tensor<2xf32>)
// CHECK-NOT: custom_call
// CHECK: %[[ZERO:.*]] = stablehlo.broadcast_in_dim
// CHECK-NOT: custom_call
// CHECK: return %[[X]], %[[ZERO]]
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<3xi32>) {
  %0 = stablehlo.custom_call @MoveToHost(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %both:2 = stablehlo.custom_call @LayoutConstraint(%1, %x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %2 = stablehlo.custom_call @AllocateBuffer() : () -> tensor<3xi32>
  stablehlo.custom_call @dce_sink(%1) {has_side_effect = true} : (tensor<2xf32>) -> ()
  stablehlo.custom_call @control_dep(%1, %x) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return %both#0, %2 : tensor<2xf32>, tensor<3xi32>
}
