// RUN: not %opt %s --tenon-inline 2>&1 | %check %s
// CHECK: error: function 'main' calls itself; recursion is not supported
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @main(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
