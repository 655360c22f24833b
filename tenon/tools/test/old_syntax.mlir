// RUN: %tenon run %s --random --target reference | %check %s
// RUN: %tenon run %s --random | %check %s
// CHECK: result 0: f32[2,1]
// CHECK: result 1: i32[1,2]
stablehlo.func @main(
  %x: tensor<1x2xf32>,
  %y: tensor<1x2xsi32>
) -> tensor<2x1xf32>, tensor<1x2xsi32> {
  %0 = "stablehlo.transpose"(%x) {
    permutation = dense<[1, 0]> : tensor<2xsi64>
  } : (tensor<1x2xf32>) -> tensor<2x1xf32>
  %1 = "stablehlo.constant"() { value = dense<1> : tensor<2x1xf32> } : () -> tensor<2x1xf32>
  %2 = "stablehlo.add"(%0, %1) : (tensor<2x1xf32>, tensor<2x1xf32>) -> (tensor<2x1xf32>)
  %3 = "stablehlo.reverse"(%y) { dimensions = dense<1> : tensor<1xi64> } : (tensor<1x2xsi32>) -> tensor<1x2xsi32>
  "stablehlo.return"(%2, %3): (tensor<2x1xf32>, tensor<1x2xsi32>) -> ()
}
