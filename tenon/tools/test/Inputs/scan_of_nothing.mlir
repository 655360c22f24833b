// No slice says the size of the output, but their type does.
func.func @main(%x: tensor<2x0xf32>, %init: tensor<2xf32>) -> tensor<?x?xf32> {
  %0:2 = chlo.scan(%x) inits (%init) dimension=1 {
  ^bb0(%input: tensor<2xf32>, %carry: tensor<2xf32>):
    stablehlo.return %input, %carry : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x0xf32>, tensor<2xf32>) -> (tensor<?x?xf32>, tensor<?xf32>)
  return %0#0 : tensor<?x?xf32>
}
