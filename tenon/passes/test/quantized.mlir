// RUN: %opt %s --tenon-lower-quantized --split-input-file | %check %s --implicit-check-not='!quant' --implicit-check-not=unrealized

// Values of quantized types are the integers that they are stored in, in the signature, too.
// CHECK-LABEL: func.func @moving(%{{.*}}: tensor<2x3xi8>, %{{.*}}: tensor<2x3xui4>) -> (tensor<3x2xi8>, tensor<3x2xui4>)
// CHECK-NEXT: stablehlo.transpose %{{.*}} : (tensor<2x3xi8>) -> tensor<3x2xi8>
// CHECK-NEXT: stablehlo.transpose %{{.*}} : (tensor<2x3xui4>) -> tensor<3x2xui4>
// CHECK-NEXT: return
func.func @moving(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<2x3x!quant.uniform<u4:f32:0, {0.5, 0.25}>>) -> (tensor<3x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x!quant.uniform<u4:f32:1, {0.5, 0.25}>>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.transpose %y, dims = [1, 0] : (tensor<2x3x!quant.uniform<u4:f32:0, {0.5, 0.25}>>) -> tensor<3x2x!quant.uniform<u4:f32:1, {0.5, 0.25}>>
  return %0, %1 : tensor<3x2x!quant.uniform<i8:f32, 0.5>>, tensor<3x2x!quant.uniform<u4:f32:1, {0.5, 0.25}>>
}

// -----

// Constants of unsigned storage are written in signless types.
// CHECK-LABEL: func.func @constant
// CHECK: stablehlo.constant dense<[1, 255]> : tensor<2xui8>
func.func @constant() -> tensor<2xui8> {
  %0 = stablehlo.constant() {value = dense<[1, -1]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<u8:f32, 0.5>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x!quant.uniform<u8:f32, 0.5>>) -> tensor<2xui8>
  return %1 : tensor<2xui8>
}

// -----

// CHECK-LABEL: func.func @dequantize
// CHECK: %[[WIDE:.*]] = stablehlo.convert %arg0 : (tensor<2xi8>) -> tensor<2xi32>
// CHECK: %[[ZERO_POINTS:.*]] = stablehlo.constant dense<[-30, -20]> : tensor<2xi32>
// CHECK: %[[DIFFERENCE:.*]] = stablehlo.subtract %[[WIDE]]
// CHECK: %[[REAL:.*]] = stablehlo.convert %[[DIFFERENCE]] : (tensor<2xi32>) -> tensor<2xf32>
// CHECK: stablehlo.constant dense<[1.000000e-01, 5.000000e-01]> : tensor<2xf32>
// CHECK: stablehlo.multiply %[[REAL]]
func.func @dequantize(%x: tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>) -> tensor<2xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// NaN becomes 0, which is outside of the range here: the integers are clipped again.
// CHECK-LABEL: func.func @quantize
// CHECK: stablehlo.divide %arg0
// CHECK: stablehlo.add
// CHECK: stablehlo.maximum
// CHECK: stablehlo.minimum
// CHECK: stablehlo.round_nearest_even
// CHECK: stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xui8>
// CHECK: stablehlo.clamp
func.func @quantize(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<u8<1:200>:f32, 0.5:7>> {
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<u8<1:200>:f32, 0.5:7>>
  return %0 : tensor<4x!quant.uniform<u8<1:200>:f32, 0.5:7>>
}

// -----

// Elementary functions are computed in f64 and rounded once.
// CHECK-LABEL: func.func @elementary
// CHECK: %[[X:.*]] = stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xf64>
// CHECK: %[[Y:.*]] = stablehlo.tanh %[[X]] : tensor<4xf64>
// CHECK: stablehlo.convert %[[Y]] : (tensor<4xf64>) -> tensor<4xf32>
func.func @elementary(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>) -> tensor<4x!quant.uniform<i8:f32, 0.1>> {
  %0 = stablehlo.tanh %x : tensor<4x!quant.uniform<i8:f32, 0.1>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.1>>
}

// -----

// Choosing and comparing need no arithmetic where the expressed type tells all stored integers apart: f32 does, bf16 of
// eight bits does not.
// CHECK-LABEL: func.func @choosing
// CHECK-NEXT: stablehlo.maximum %arg0, %arg0 : tensor<4xi8>
// CHECK-NEXT: stablehlo.compare LT, %arg0, %{{.*}} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
// CHECK: stablehlo.minimum %{{.*}} : tensor<4xbf16>
func.func @choosing(%x: tensor<4x!quant.uniform<i8:f32, 0.1:4>>, %y: tensor<4x!quant.uniform<i8:bf16, 0.1:4>>) -> (tensor<4xi1>, tensor<4x!quant.uniform<i8:bf16, 0.1:4>>) {
  %0 = stablehlo.maximum %x, %x : tensor<4x!quant.uniform<i8:f32, 0.1:4>>
  %1 = stablehlo.compare LT, %x, %0, FLOAT : (tensor<4x!quant.uniform<i8:f32, 0.1:4>>, tensor<4x!quant.uniform<i8:f32, 0.1:4>>) -> tensor<4xi1>
  %2 = stablehlo.minimum %y, %y : tensor<4x!quant.uniform<i8:bf16, 0.1:4>>
  return %1, %2 : tensor<4xi1>, tensor<4x!quant.uniform<i8:bf16, 0.1:4>>
}

// -----

// Products of values whose scales are powers of two are sums of integers.
// CHECK-LABEL: func.func @integer_product
// CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x8xi8>, tensor<8x3xi8>) -> tensor<2x3xi32>
// CHECK: stablehlo.convert %{{.*}} : (tensor<2x3xi32>) -> tensor<2x3xf64>
// CHECK: stablehlo.constant dense<1.250000e-01> : tensor<f64>
func.func @integer_product(%x: tensor<2x8x!quant.uniform<i8:f32, 0.5>>, %y: tensor<8x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x3x!quant.uniform<i8:f32, 1.0>> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x8x!quant.uniform<i8:f32, 0.5>>, tensor<8x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x3x!quant.uniform<i8:f32, 1.0>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32, 1.0>>
}

// -----

// With other scales dequantizing rounds: the products are summed in f64.
// CHECK-LABEL: func.func @product
// CHECK: stablehlo.dot_general %{{.*}} : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf64>
func.func @product(%x: tensor<2x8x!quant.uniform<i8:f32, 0.1>>, %y: tensor<8x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x3x!quant.uniform<i8:f32, 1.0>> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x8x!quant.uniform<i8:f32, 0.1>>, tensor<8x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x3x!quant.uniform<i8:f32, 1.0>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32, 1.0>>
}

// -----

// A float operand with quantized weights computes in floats.
// CHECK-LABEL: func.func @hybrid
// CHECK: stablehlo.dot_general %arg0, %{{.*}} : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32>
func.func @hybrid(%x: tensor<2x8xf32>, %y: tensor<8x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x3xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Regions compute on scalars in the same way.
// CHECK-LABEL: func.func @reduction
// CHECK: stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.maximum across dimensions = [0] : (tensor<9xi8>, tensor<i8>) -> tensor<i8>
func.func @reduction(%x: tensor<9x!quant.uniform<i8:f32, 0.25>>) -> tensor<!quant.uniform<i8:f32, 0.25>> {
  %0 = stablehlo.constant() {value = dense<-128> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 0.25>>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.maximum across dimensions = [0] : (tensor<9x!quant.uniform<i8:f32, 0.25>>, tensor<!quant.uniform<i8:f32, 0.25>>) -> tensor<!quant.uniform<i8:f32, 0.25>>
  return %1 : tensor<!quant.uniform<i8:f32, 0.25>>
}
