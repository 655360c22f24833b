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

// A stencil over the edges, whose neighbours are concatenations, which are read by mask: one of it takes longer than to
// store it, unless there are few elements.
// CHECK-LABEL: func.func @rolled_stencils
// CHECK: %[[ONCE:.*]] = tenon.fusion loop(%{{.*}} = %arg0)
// CHECK: %[[TWICE:.*]] = tenon.fusion loop(%{{.*}} = %[[ONCE]])
// CHECK: return %[[TWICE]]
func.func @rolled_stencils(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = stablehlo.slice %x [127:128, 0:128] : (tensor<128x128xf32>) -> tensor<1x128xf32>
  %1 = stablehlo.slice %x [0:127, 0:128] : (tensor<128x128xf32>) -> tensor<127x128xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x128xf32>, tensor<127x128xf32>) -> tensor<128x128xf32>
  %3 = stablehlo.slice %x [1:128, 0:128] : (tensor<128x128xf32>) -> tensor<127x128xf32>
  %4 = stablehlo.slice %x [0:1, 0:128] : (tensor<128x128xf32>) -> tensor<1x128xf32>
  %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<127x128xf32>, tensor<1x128xf32>) -> tensor<128x128xf32>
  %6 = stablehlo.slice %x [0:128, 127:128] : (tensor<128x128xf32>) -> tensor<128x1xf32>
  %7 = stablehlo.slice %x [0:128, 0:127] : (tensor<128x128xf32>) -> tensor<128x127xf32>
  %8 = stablehlo.concatenate %6, %7, dim = 1 : (tensor<128x1xf32>, tensor<128x127xf32>) -> tensor<128x128xf32>
  %9 = stablehlo.slice %x [0:128, 1:128] : (tensor<128x128xf32>) -> tensor<128x127xf32>
  %10 = stablehlo.slice %x [0:128, 0:1] : (tensor<128x128xf32>) -> tensor<128x1xf32>
  %11 = stablehlo.concatenate %9, %10, dim = 1 : (tensor<128x127xf32>, tensor<128x1xf32>) -> tensor<128x128xf32>
  %12 = stablehlo.add %2, %5 : tensor<128x128xf32>
  %13 = stablehlo.add %8, %11 : tensor<128x128xf32>
  %14 = stablehlo.add %12, %13 : tensor<128x128xf32>
  %15 = stablehlo.subtract %x, %14 : tensor<128x128xf32>
  %16 = stablehlo.slice %15 [127:128, 0:128] : (tensor<128x128xf32>) -> tensor<1x128xf32>
  %17 = stablehlo.slice %15 [0:127, 0:128] : (tensor<128x128xf32>) -> tensor<127x128xf32>
  %18 = stablehlo.concatenate %16, %17, dim = 0 : (tensor<1x128xf32>, tensor<127x128xf32>) -> tensor<128x128xf32>
  %19 = stablehlo.slice %15 [1:128, 0:128] : (tensor<128x128xf32>) -> tensor<127x128xf32>
  %20 = stablehlo.slice %15 [0:1, 0:128] : (tensor<128x128xf32>) -> tensor<1x128xf32>
  %21 = stablehlo.concatenate %19, %20, dim = 0 : (tensor<127x128xf32>, tensor<1x128xf32>) -> tensor<128x128xf32>
  %22 = stablehlo.slice %15 [0:128, 127:128] : (tensor<128x128xf32>) -> tensor<128x1xf32>
  %23 = stablehlo.slice %15 [0:128, 0:127] : (tensor<128x128xf32>) -> tensor<128x127xf32>
  %24 = stablehlo.concatenate %22, %23, dim = 1 : (tensor<128x1xf32>, tensor<128x127xf32>) -> tensor<128x128xf32>
  %25 = stablehlo.slice %15 [0:128, 1:128] : (tensor<128x128xf32>) -> tensor<128x127xf32>
  %26 = stablehlo.slice %15 [0:128, 0:1] : (tensor<128x128xf32>) -> tensor<128x1xf32>
  %27 = stablehlo.concatenate %25, %26, dim = 1 : (tensor<128x127xf32>, tensor<128x1xf32>) -> tensor<128x128xf32>
  %28 = stablehlo.add %18, %21 : tensor<128x128xf32>
  %29 = stablehlo.add %24, %27 : tensor<128x128xf32>
  %30 = stablehlo.add %28, %29 : tensor<128x128xf32>
  %31 = stablehlo.subtract %15, %30 : tensor<128x128xf32>
  return %31 : tensor<128x128xf32>
}
// CHECK-LABEL: func.func @few_rolled
// CHECK-COUNT-1: tenon.fusion loop
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @few_rolled(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = stablehlo.slice %x [15:16, 0:16] : (tensor<16x16xf32>) -> tensor<1x16xf32>
  %1 = stablehlo.slice %x [0:15, 0:16] : (tensor<16x16xf32>) -> tensor<15x16xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x16xf32>, tensor<15x16xf32>) -> tensor<16x16xf32>
  %3 = stablehlo.slice %x [1:16, 0:16] : (tensor<16x16xf32>) -> tensor<15x16xf32>
  %4 = stablehlo.slice %x [0:1, 0:16] : (tensor<16x16xf32>) -> tensor<1x16xf32>
  %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<15x16xf32>, tensor<1x16xf32>) -> tensor<16x16xf32>
  %6 = stablehlo.slice %x [0:16, 15:16] : (tensor<16x16xf32>) -> tensor<16x1xf32>
  %7 = stablehlo.slice %x [0:16, 0:15] : (tensor<16x16xf32>) -> tensor<16x15xf32>
  %8 = stablehlo.concatenate %6, %7, dim = 1 : (tensor<16x1xf32>, tensor<16x15xf32>) -> tensor<16x16xf32>
  %9 = stablehlo.slice %x [0:16, 1:16] : (tensor<16x16xf32>) -> tensor<16x15xf32>
  %10 = stablehlo.slice %x [0:16, 0:1] : (tensor<16x16xf32>) -> tensor<16x1xf32>
  %11 = stablehlo.concatenate %9, %10, dim = 1 : (tensor<16x15xf32>, tensor<16x1xf32>) -> tensor<16x16xf32>
  %12 = stablehlo.add %2, %5 : tensor<16x16xf32>
  %13 = stablehlo.add %8, %11 : tensor<16x16xf32>
  %14 = stablehlo.add %12, %13 : tensor<16x16xf32>
  %15 = stablehlo.subtract %x, %14 : tensor<16x16xf32>
  %16 = stablehlo.slice %15 [15:16, 0:16] : (tensor<16x16xf32>) -> tensor<1x16xf32>
  %17 = stablehlo.slice %15 [0:15, 0:16] : (tensor<16x16xf32>) -> tensor<15x16xf32>
  %18 = stablehlo.concatenate %16, %17, dim = 0 : (tensor<1x16xf32>, tensor<15x16xf32>) -> tensor<16x16xf32>
  %19 = stablehlo.slice %15 [1:16, 0:16] : (tensor<16x16xf32>) -> tensor<15x16xf32>
  %20 = stablehlo.slice %15 [0:1, 0:16] : (tensor<16x16xf32>) -> tensor<1x16xf32>
  %21 = stablehlo.concatenate %19, %20, dim = 0 : (tensor<15x16xf32>, tensor<1x16xf32>) -> tensor<16x16xf32>
  %22 = stablehlo.slice %15 [0:16, 15:16] : (tensor<16x16xf32>) -> tensor<16x1xf32>
  %23 = stablehlo.slice %15 [0:16, 0:15] : (tensor<16x16xf32>) -> tensor<16x15xf32>
  %24 = stablehlo.concatenate %22, %23, dim = 1 : (tensor<16x1xf32>, tensor<16x15xf32>) -> tensor<16x16xf32>
  %25 = stablehlo.slice %15 [0:16, 1:16] : (tensor<16x16xf32>) -> tensor<16x15xf32>
  %26 = stablehlo.slice %15 [0:16, 0:1] : (tensor<16x16xf32>) -> tensor<16x1xf32>
  %27 = stablehlo.concatenate %25, %26, dim = 1 : (tensor<16x15xf32>, tensor<16x1xf32>) -> tensor<16x16xf32>
  %28 = stablehlo.add %18, %21 : tensor<16x16xf32>
  %29 = stablehlo.add %24, %27 : tensor<16x16xf32>
  %30 = stablehlo.add %28, %29 : tensor<16x16xf32>
  %31 = stablehlo.subtract %15, %30 : tensor<16x16xf32>
  return %31 : tensor<16x16xf32>
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
