// Parts of rows, of which each has code of its own, begin and end at whole vectors where that makes fewer of them and
// what is read in the vectors that are cut can be read by mask.

// Four vectors with AVX2 instead of three, four and two elements and two; two with AVX-512 instead of four.
// RUN: %tenon compile %s --entry rolled --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=ROLLED
// ROLLED: peel dim 1 at 8 24{{$}}
// RUN: %tenon compile %s --entry rolled --cpu x86-64-v4 --dump-after plan | %check %s --check-prefix=WIDE
// WIDE: peel dim 1 at 16{{$}}
func.func @rolled(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %0 = stablehlo.slice %x [0:64, 31:32] : (tensor<64x32xf32>) -> tensor<64x1xf32>
  %1 = stablehlo.slice %x [0:64, 0:31] : (tensor<64x32xf32>) -> tensor<64x31xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<64x1xf32>, tensor<64x31xf32>) -> tensor<64x32xf32>
  %3 = stablehlo.slice %x [0:64, 1:32] : (tensor<64x32xf32>) -> tensor<64x31xf32>
  %4 = stablehlo.slice %x [0:64, 0:1] : (tensor<64x32xf32>) -> tensor<64x1xf32>
  %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<64x31xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>
  %6 = stablehlo.subtract %2, %5 : tensor<64x32xf32>
  return %6 : tensor<64x32xf32>
}

// As many vectors, of which two would be computed for both sides.
// RUN: %tenon compile %s --entry odd --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=ODD
// ODD: peel dim 1 at 1 67{{$}}
func.func @odd(%x: tensor<64x68xf32>) -> tensor<64x68xf32> {
  %0 = stablehlo.slice %x [0:64, 67:68] : (tensor<64x68xf32>) -> tensor<64x1xf32>
  %1 = stablehlo.slice %x [0:64, 0:67] : (tensor<64x68xf32>) -> tensor<64x67xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<64x1xf32>, tensor<64x67xf32>) -> tensor<64x68xf32>
  %3 = stablehlo.slice %x [0:64, 1:68] : (tensor<64x68xf32>) -> tensor<64x67xf32>
  %4 = stablehlo.slice %x [0:64, 0:1] : (tensor<64x68xf32>) -> tensor<64x1xf32>
  %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<64x67xf32>, tensor<64x1xf32>) -> tensor<64x68xf32>
  %6 = stablehlo.subtract %2, %5 : tensor<64x68xf32>
  return %6 : tensor<64x68xf32>
}

// There are no masks for bytes with AVX2.
// RUN: %tenon compile %s --entry bytes --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=BYTES
// BYTES: peel dim 1 at 1 127{{$}}
func.func @bytes(%x: tensor<64x128xi8>) -> tensor<64x128xi8> {
  %0 = stablehlo.slice %x [0:64, 127:128] : (tensor<64x128xi8>) -> tensor<64x1xi8>
  %1 = stablehlo.slice %x [0:64, 0:127] : (tensor<64x128xi8>) -> tensor<64x127xi8>
  %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<64x1xi8>, tensor<64x127xi8>) -> tensor<64x128xi8>
  %3 = stablehlo.slice %x [0:64, 1:128] : (tensor<64x128xi8>) -> tensor<64x127xi8>
  %4 = stablehlo.slice %x [0:64, 0:1] : (tensor<64x128xi8>) -> tensor<64x1xi8>
  %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<64x127xi8>, tensor<64x1xi8>) -> tensor<64x128xi8>
  %6 = stablehlo.subtract %2, %5 : tensor<64x128xi8>
  return %6 : tensor<64x128xi8>
}
