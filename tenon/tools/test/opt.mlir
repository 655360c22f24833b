// RUN: %tenon opt %s --canonicalize --cse | %check %s
// RUN: %tenon opt %s --tenon-simplify | %check %s
// RUN: not %tenon opt %s --no-such-pass 2>&1 | %check %s --check-prefix=UNKNOWN
// UNKNOWN: Unknown command line argument '--no-such-pass'

// CHECK: stablehlo.add %arg0, %arg1
// CHECK-NOT: stablehlo.add
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  %1 = stablehlo.add %x, %y : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
