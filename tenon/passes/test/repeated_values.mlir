// Values that a fusion would compute at several places for each point of its space.
// RUN: %opt %s --tenon-fuse | %check %s

// An exponential under the taps of a stencil is stored and read, four times instead of being computed four times.
// CHECK-LABEL: func.func @stencil
// CHECK: %[[EXP:.*]] = tenon.fusion loop(%{{.*}} = %arg0)
// CHECK-NEXT: stablehlo.exponential
// CHECK-NEXT: tenon.yield
// CHECK: %[[SUM:.*]] = tenon.fusion loop(%{{.*}} = %[[EXP]])
// CHECK-COUNT-4: stablehlo.slice
// CHECK: return %[[SUM]]
func.func @stencil(%x: tensor<512x512xf32>) -> tensor<510x510xf32> {
  %e = stablehlo.exponential %x : tensor<512x512xf32>
  %0 = stablehlo.slice %e [0:510, 1:511] : (tensor<512x512xf32>) -> tensor<510x510xf32>
  %1 = stablehlo.slice %e [2:512, 1:511] : (tensor<512x512xf32>) -> tensor<510x510xf32>
  %2 = stablehlo.slice %e [1:511, 0:510] : (tensor<512x512xf32>) -> tensor<510x510xf32>
  %3 = stablehlo.slice %e [1:511, 2:512] : (tensor<512x512xf32>) -> tensor<510x510xf32>
  %4 = stablehlo.add %0, %1 : tensor<510x510xf32>
  %5 = stablehlo.add %2, %3 : tensor<510x510xf32>
  %6 = stablehlo.add %4, %5 : tensor<510x510xf32>
  return %6 : tensor<510x510xf32>
}

// What is computed before it is stored with it: the sum of all that counts, and what is stored is the narrow array.
// CHECK-LABEL: func.func @bytes
// CHECK: %[[BYTES:.*]] = tenon.fusion loop({{.*}}) : ({{.*}}) -> tensor<514x64xui8>
// CHECK: stablehlo.pad
// CHECK: tenon.fusion loop(%{{.*}} = %[[BYTES]])
// CHECK: stablehlo.concatenate
func.func @bytes(%x: tensor<512x64xf32>) -> tensor<512x192xui8> {
  %zero = stablehlo.constant dense<0> : tensor<ui8>
  %scale = stablehlo.constant dense<0.3> : tensor<512x64xf32>
  %least = stablehlo.constant dense<0.0> : tensor<512x64xf32>
  %most = stablehlo.constant dense<255.0> : tensor<512x64xf32>
  %0 = stablehlo.divide %x, %scale : tensor<512x64xf32>
  %1 = stablehlo.round_nearest_even %0 : tensor<512x64xf32>
  %2 = stablehlo.maximum %1, %least : tensor<512x64xf32>
  %3 = stablehlo.minimum %2, %most : tensor<512x64xf32>
  %4 = stablehlo.convert %3 : (tensor<512x64xf32>) -> tensor<512x64xui8>
  %5 = stablehlo.pad %4, %zero, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<512x64xui8>, tensor<ui8>) -> tensor<514x64xui8>
  %6 = stablehlo.slice %5 [0:512, 0:64] : (tensor<514x64xui8>) -> tensor<512x64xui8>
  %7 = stablehlo.slice %5 [1:513, 0:64] : (tensor<514x64xui8>) -> tensor<512x64xui8>
  %8 = stablehlo.slice %5 [2:514, 0:64] : (tensor<514x64xui8>) -> tensor<512x64xui8>
  %9 = stablehlo.concatenate %6, %7, %8, dim = 1 : (tensor<512x64xui8>, tensor<512x64xui8>, tensor<512x64xui8>) -> tensor<512x192xui8>
  return %9 : tensor<512x192xui8>
}

// A product is as soon computed as read; nor is there a kernel for few elements, or for what is read at one place, be it
// that it is moved first, or twice.
// CHECK-LABEL: func.func @product
// CHECK-COUNT-1: tenon.fusion loop
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @product(%x: tensor<512x512xf32>) -> tensor<511x512xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<512x512xf32>
  %1 = stablehlo.slice %0 [0:511, 0:512] : (tensor<512x512xf32>) -> tensor<511x512xf32>
  %2 = stablehlo.slice %0 [1:512, 0:512] : (tensor<512x512xf32>) -> tensor<511x512xf32>
  %3 = stablehlo.subtract %1, %2 : tensor<511x512xf32>
  return %3 : tensor<511x512xf32>
}
// CHECK-LABEL: func.func @few
// CHECK-COUNT-1: tenon.fusion loop
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @few(%x: tensor<64xf32>) -> tensor<63xf32> {
  %0 = stablehlo.sine %x : tensor<64xf32>
  %1 = stablehlo.slice %0 [0:63] : (tensor<64xf32>) -> tensor<63xf32>
  %2 = stablehlo.slice %0 [1:64] : (tensor<64xf32>) -> tensor<63xf32>
  %3 = stablehlo.subtract %1, %2 : tensor<63xf32>
  return %3 : tensor<63xf32>
}
// CHECK-LABEL: func.func @one_place
// CHECK-COUNT-1: tenon.fusion loop
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @one_place(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.sine %x : tensor<512x512xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %2 = stablehlo.exponential %1 : tensor<512x512xf32>
  %3 = stablehlo.subtract %1, %2 : tensor<512x512xf32>
  return %3 : tensor<512x512xf32>
}
