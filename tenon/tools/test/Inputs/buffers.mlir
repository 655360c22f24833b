func.func @main() -> memref<2xf32> {
  %0 = stablehlo.custom_call @CreateBuffer() : () -> memref<2xf32>
  return %0 : memref<2xf32>
}
