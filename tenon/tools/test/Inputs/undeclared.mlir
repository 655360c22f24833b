func.func @main() {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return
}
