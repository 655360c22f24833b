// What fusion refuses: the second program of docs/fusion.md.
func.func @main(%x: tensor<256x512xf32>, %scale: tensor<512xf32>, %w: tensor<512x64xf32>) -> tensor<64x256xf32> {
  %exp = stablehlo.exponential %scale : tensor<512xf32>
  %scales = stablehlo.broadcast_in_dim %exp, dims = [1] : (tensor<512xf32>) -> tensor<256x512xf32>
  %scaled = stablehlo.multiply %x, %scales : tensor<256x512xf32>
  %product = stablehlo.dot_general %scaled, %w, contracting_dims = [1] x [0]
      : (tensor<256x512xf32>, tensor<512x64xf32>) -> tensor<256x64xf32>
  %tanh = stablehlo.tanh %product : tensor<256x64xf32>
  %result = stablehlo.transpose %tanh, dims = [1, 0] : (tensor<256x64xf32>) -> tensor<64x256xf32>
  return %result : tensor<64x256xf32>
}
