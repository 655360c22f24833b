// Groups that would keep too many large arrays of other kernels are divided (passes/fuse/wide_groups.cpp).
// RUN: %opt %s --tenon-fuse | %check %s

// Each product is added to the sum so far by its own kernel: the sum is passed on, the product is not.
// CHECK-LABEL: func.func @products
// CHECK: %[[A:.*]] = tenon.fusion dot(%{{.*}} = %arg0, %{{.*}} = %arg0) :
// CHECK: %[[B:.*]] = tenon.fusion dot(%{{.*}} = %arg0, %{{.*}} = %arg1, %{{.*}} = %[[A]])
// CHECK: %[[C:.*]] = tenon.fusion dot(%{{.*}} = %arg1, %{{.*}} = %arg0, %{{.*}} = %[[B]])
// CHECK: %[[D:.*]] = tenon.fusion dot(%{{.*}} = %arg1, %{{.*}} = %arg1, %{{.*}} = %[[C]])
// CHECK: %[[E:.*]] = tenon.fusion dot(%{{.*}} = %arg1, %{{.*}} = %arg2, %{{.*}} = %[[D]])
// CHECK-NOT: tenon.fusion
// CHECK: return %[[E]]
func.func @products(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>, %z: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %b = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %d = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %e = stablehlo.dot_general %y, %z, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %ta = stablehlo.tanh %a : tensor<512x512xf32>
  %tb = stablehlo.tanh %b : tensor<512x512xf32>
  %tc = stablehlo.tanh %c : tensor<512x512xf32>
  %td = stablehlo.tanh %d : tensor<512x512xf32>
  %te = stablehlo.tanh %e : tensor<512x512xf32>
  %ab = stablehlo.add %ta, %tb : tensor<512x512xf32>
  %abc = stablehlo.add %ab, %tc : tensor<512x512xf32>
  %abcd = stablehlo.add %abc, %td : tensor<512x512xf32>
  %abcde = stablehlo.add %abcd, %te : tensor<512x512xf32>
  return %abcde : tensor<512x512xf32>
}

// Other results are written anyway, so that passing on the sum has to be worth it: seven at a time.
// CHECK-LABEL: func.func @transforms
// CHECK: %[[SUM:.*]] = tenon.fusion loop(%{{.*}} = %1, %{{.*}} = %0, %{{.*}} = %2, %{{.*}} = %3, %{{.*}} = %4, %{{.*}} = %5, %{{.*}} = %6) :
// CHECK: tenon.fusion loop(%{{.*}} = %7, %{{.*}} = %[[SUM]], %{{.*}} = %8) :
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @transforms(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<512x512xf32>
  %1 = stablehlo.cholesky %0, lower = true : tensor<512x512xf32>
  %2 = stablehlo.cholesky %1, lower = true : tensor<512x512xf32>
  %3 = stablehlo.cholesky %2, lower = true : tensor<512x512xf32>
  %4 = stablehlo.cholesky %3, lower = true : tensor<512x512xf32>
  %5 = stablehlo.cholesky %4, lower = true : tensor<512x512xf32>
  %6 = stablehlo.cholesky %5, lower = true : tensor<512x512xf32>
  %7 = stablehlo.cholesky %6, lower = true : tensor<512x512xf32>
  %8 = stablehlo.cholesky %7, lower = true : tensor<512x512xf32>
  %s1 = stablehlo.add %1, %0 : tensor<512x512xf32>
  %s2 = stablehlo.add %2, %s1 : tensor<512x512xf32>
  %s3 = stablehlo.add %3, %s2 : tensor<512x512xf32>
  %s4 = stablehlo.add %4, %s3 : tensor<512x512xf32>
  %s5 = stablehlo.add %5, %s4 : tensor<512x512xf32>
  %s6 = stablehlo.add %6, %s5 : tensor<512x512xf32>
  %s7 = stablehlo.add %7, %s6 : tensor<512x512xf32>
  %s8 = stablehlo.add %8, %s7 : tensor<512x512xf32>
  return %s8 : tensor<512x512xf32>
}

// What is read last is there first, kept for the first: passing on anything would only cost.
// CHECK-LABEL: func.func @kept
// CHECK: tenon.fusion loop(
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @kept(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<512x512xf32>
  %1 = stablehlo.cholesky %0, lower = true : tensor<512x512xf32>
  %2 = stablehlo.cholesky %1, lower = true : tensor<512x512xf32>
  %3 = stablehlo.cholesky %2, lower = true : tensor<512x512xf32>
  %4 = stablehlo.cholesky %3, lower = true : tensor<512x512xf32>
  %5 = stablehlo.cholesky %4, lower = true : tensor<512x512xf32>
  %6 = stablehlo.cholesky %5, lower = true : tensor<512x512xf32>
  %7 = stablehlo.cholesky %6, lower = true : tensor<512x512xf32>
  %8 = stablehlo.cholesky %7, lower = true : tensor<512x512xf32>
  %s7 = stablehlo.add %8, %7 : tensor<512x512xf32>
  %s6 = stablehlo.add %s7, %6 : tensor<512x512xf32>
  %s5 = stablehlo.add %s6, %5 : tensor<512x512xf32>
  %s4 = stablehlo.add %s5, %4 : tensor<512x512xf32>
  %s3 = stablehlo.add %s4, %3 : tensor<512x512xf32>
  %s2 = stablehlo.add %s3, %2 : tensor<512x512xf32>
  %s1 = stablehlo.add %s2, %1 : tensor<512x512xf32>
  %s0 = stablehlo.add %s1, %0 : tensor<512x512xf32>
  return %s0 : tensor<512x512xf32>
}

// Four of them, or small ones, are not worth a kernel more.
// CHECK-LABEL: func.func @few
// CHECK: tenon.fusion dot(
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @few(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %b = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %d = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %ab = stablehlo.add %a, %b : tensor<512x512xf32>
  %abc = stablehlo.add %ab, %c : tensor<512x512xf32>
  %abcd = stablehlo.add %abc, %d : tensor<512x512xf32>
  %t = stablehlo.tanh %abcd : tensor<512x512xf32>
  return %t : tensor<512x512xf32>
}

// CHECK-LABEL: func.func @small
// CHECK: tenon.fusion dot(
// CHECK-NOT: tenon.fusion
// CHECK: return
func.func @small(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %z: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = stablehlo.dot_general %y, %z, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %ab = stablehlo.add %a, %b : tensor<64x64xf32>
  %abc = stablehlo.add %ab, %c : tensor<64x64xf32>
  %abcd = stablehlo.add %abc, %d : tensor<64x64xf32>
  %abcde = stablehlo.add %abcd, %e : tensor<64x64xf32>
  return %abcde : tensor<64x64xf32>
}
