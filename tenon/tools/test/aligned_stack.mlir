// Vectors that are wider than what a stack is aligned for are spilled to where kernels have aligned it.
// RUN: %tenon compile %s --cpu x86-64-v3 --dump-after llvm | %check %s --check-prefix=WIDE
// RUN: %tenon compile %s --cpu x86-64-v4 --dump-after llvm | %check %s --check-prefix=WIDE
// WIDE: "stackrealign"
// RUN: %tenon compile %s --cpu x86-64-v2 --dump-after llvm | %check %s --check-prefix=NARROW
// NARROW-NOT: "stackrealign"
func.func @main(%x: tensor<64xcomplex<f64>>) -> tensor<64xcomplex<f64>> {
  %0 = stablehlo.multiply %x, %x : tensor<64xcomplex<f64>>
  return %0 : tensor<64xcomplex<f64>>
}
