// Found by fuzzing: the loop over nothing sliced it. (Not among the programs of test/e2e: JAX does not read it.)
// RUN: %compare %tenon %s 0 1 | %check %s
// CHECK: 2 seeds, 1 shapes
module {
  func.func @main(%x: tensor<2x0xi32>, %init: tensor<3xi32>) -> (tensor<2x0xi32>, tensor<3xi32>) {
    %0:2 = chlo.scan(%x) inits(%init) dimension=1 attributes {is_reverse = true} {
    ^bb0(%input: tensor<2xi32>, %carry: tensor<3xi32>):
      %1 = stablehlo.add %input, %input : tensor<2xi32>
      %2 = stablehlo.add %carry, %carry : tensor<3xi32>
      stablehlo.return %1, %2 : tensor<2xi32>, tensor<3xi32>
    } : (tensor<2x0xi32>, tensor<3xi32>) -> (tensor<2x0xi32>, tensor<3xi32>)
    return %0#0, %0#1 : tensor<2x0xi32>, tensor<3xi32>
  }
}
