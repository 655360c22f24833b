// Integers in as few bits as they need.
// RUN: %opt %s --tenon-narrow-integers | %check %s

// CHECK-LABEL: func.func @saturating
// CHECK-NOT: xi32
// CHECK: stablehlo.add %{{.*}} : tensor<64xi16>
// CHECK-NEXT: stablehlo.constant
// CHECK-NEXT: stablehlo.minimum %{{.*}} : tensor<64xi16>
// CHECK-NEXT: stablehlo.convert %{{.*}} : (tensor<64xi16>) -> tensor<64xui8>
// CHECK-NEXT: return
func.func @saturating(%x: tensor<64xui8>, %y: tensor<64xui8>) -> tensor<64xui8> {
  %c0 = stablehlo.constant dense<0> : tensor<64xi32>
  %c255 = stablehlo.constant dense<255> : tensor<64xi32>
  %0 = stablehlo.convert %x : (tensor<64xui8>) -> tensor<64xi32>
  %1 = stablehlo.convert %y : (tensor<64xui8>) -> tensor<64xi32>
  %2 = stablehlo.add %0, %1 : tensor<64xi32>
  %3 = stablehlo.maximum %2, %c0 : tensor<64xi32>
  %4 = stablehlo.minimum %3, %c255 : tensor<64xi32>
  %5 = stablehlo.convert %4 : (tensor<64xi32>) -> tensor<64xui8>
  return %5 : tensor<64xui8>
}

// What needs the whole range of 16 bits has no sign.
// CHECK-LABEL: func.func @weighted
// CHECK-NOT: xi32
// CHECK: stablehlo.multiply %{{.*}} : tensor<64xui16>
// CHECK: stablehlo.shift_right_logical %{{.*}} : tensor<64xui16>
// CHECK-NEXT: stablehlo.convert %{{.*}} : (tensor<64xui16>) -> tensor<64xui8>
func.func @weighted(%x: tensor<64xui8>) -> tensor<64xui8> {
  %c257 = stablehlo.constant dense<257> : tensor<64xi32>
  %c8 = stablehlo.constant dense<8> : tensor<64xi32>
  %0 = stablehlo.convert %x : (tensor<64xui8>) -> tensor<64xi32>
  %1 = stablehlo.multiply %0, %c257 : tensor<64xi32>
  %2 = stablehlo.shift_right_arithmetic %1, %c8 : tensor<64xi32>
  %3 = stablehlo.convert %2 : (tensor<64xi32>) -> tensor<64xui8>
  return %3 : tensor<64xui8>
}

// Comparisons and choices of bytes are those of bytes.
// CHECK-LABEL: func.func @choice
// CHECK-NOT: i32
// CHECK: stablehlo.compare  GT, %arg0, %{{.*}},  UNSIGNED : (tensor<64xui8>, tensor<64xui8>)
// CHECK: %[[R:.*]] = stablehlo.select %{{.*}} : tensor<64xi1>, tensor<64xui8>
// CHECK-NEXT: return %[[R]]
func.func @choice(%x: tensor<64xui8>) -> tensor<64xui8> {
  %c128 = stablehlo.constant dense<128> : tensor<64xi32>
  %c0 = stablehlo.constant dense<0> : tensor<64xi32>
  %c255 = stablehlo.constant dense<255> : tensor<64xi32>
  %0 = stablehlo.convert %x : (tensor<64xui8>) -> tensor<64xi32>
  %1 = stablehlo.compare GT, %0, %c128, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
  %2 = stablehlo.select %1, %c255, %c0 : tensor<64xi1>, tensor<64xi32>
  %3 = stablehlo.convert %2 : (tensor<64xi32>) -> tensor<64xui8>
  return %3 : tensor<64xui8>
}

// Not where a value does not fit, wraps in the wide type, is used as it is, or comes from a wide one.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: 16
// CHECK: return
func.func @wide(%x: tensor<64xui8>, %s: tensor<64xi8>, %w: tensor<64xi32>) -> (tensor<64xui8>, tensor<64xui8>, tensor<64xi32>, tensor<64xui8>) {
  %c1 = stablehlo.constant dense<1> : tensor<64xi32>
  %0 = stablehlo.convert %x : (tensor<64xui8>) -> tensor<64xi32>
  %1 = stablehlo.multiply %0, %0 : tensor<64xi32>
  %2 = stablehlo.multiply %1, %0 : tensor<64xi32>
  %3 = stablehlo.minimum %2, %1 : tensor<64xi32>
  %4 = stablehlo.convert %3 : (tensor<64xi32>) -> tensor<64xui8>
  %5 = stablehlo.convert %x : (tensor<64xui8>) -> tensor<64xui32>
  %6 = stablehlo.convert %s : (tensor<64xi8>) -> tensor<64xui32>
  %7 = stablehlo.minimum %5, %6 : tensor<64xui32>
  %8 = stablehlo.convert %7 : (tensor<64xui32>) -> tensor<64xui8>
  %9 = stablehlo.add %0, %c1 : tensor<64xi32>
  %10 = stablehlo.add %0, %w : tensor<64xi32>
  %11 = stablehlo.convert %10 : (tensor<64xi32>) -> tensor<64xui8>
  return %4, %8, %9, %11 : tensor<64xui8>, tensor<64xui8>, tensor<64xi32>, tensor<64xui8>
}
