// Approximate selections are exact ones, by top_k where that does less than a sort.
// RUN: %opt %s --tenon-expand-custom-calls | %check %s

// The greatest of f32 are those of top_k, to the sign of a zero.
// CHECK-LABEL: func.func @greatest
// CHECK-NOT: stablehlo.select
// CHECK: %[[TOP:.*]], %[[AT:.*]] = chlo.top_k(%{{.*}}, k = 2) : tensor<4x8xf32>
// CHECK: stablehlo.transpose %[[TOP]]
// CHECK: stablehlo.convert %[[AT]]
// CHECK-NOT: gather
// CHECK: return
func.func @greatest(%x: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %low, %none) {called_computations = [@greater], mhlo.backend_config = {reduction_dim = 1 : i64, top_k = 2 : i64}} : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
}

// Otherwise zeros are equal, and NaNs the greatest: the key is made so, and the elements are taken from the operands.
// CHECK-LABEL: func.func @least
// CHECK: stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x4xf16>) -> tensor<4x8xf16>
// CHECK-COUNT-2: stablehlo.select
// CHECK: %[[KEY:.*]] = stablehlo.negate
// CHECK: %[[AT:.*]] = chlo.top_k(%[[KEY]], k = 2)
// CHECK-COUNT-2: "stablehlo.gather"
// CHECK-NOT: stablehlo.sort
func.func @least(%x: tensor<8x4xf16>, %y: tensor<8x4xui8>) -> (tensor<2x4xf16>, tensor<2x4xui8>) {
  %high = stablehlo.constant dense<0x7C00> : tensor<f16>
  %none = stablehlo.constant dense<0> : tensor<ui8>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %y, %high, %none) {called_computations = [@less], mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 2 : i64}} : (tensor<8x4xf16>, tensor<8x4xui8>, tensor<f16>, tensor<ui8>) -> (tensor<2x4xf16>, tensor<2x4xui8>)
  return %0#0, %0#1 : tensor<2x4xf16>, tensor<2x4xui8>
}

// Many of few are sorted, and so is what top_k has no kernel for.
// CHECK-LABEL: func.func @many
// CHECK-NOT: chlo.top_k
// CHECK: stablehlo.sort
func.func @many(%x: tensor<4x8xf32>) -> tensor<4x3xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.custom_call @ApproxTopK(%x, %low) {called_computations = [@greater_one], mhlo.backend_config = {reduction_dim = 1 : i64, top_k = 3 : i64}} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
// CHECK-LABEL: func.func @wide
// CHECK-NOT: chlo.top_k
// CHECK: stablehlo.sort
func.func @wide(%x: tensor<80xf64>) -> tensor<2xf64> {
  %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %0 = stablehlo.custom_call @ApproxTopK(%x, %low) {called_computations = [@greater_wide], mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 2 : i64}} : (tensor<80xf64>, tensor<f64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @less(%a: tensor<f16>, %b: tensor<f16>, %i: tensor<ui8>, %j: tensor<ui8>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<f16>, tensor<f16>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @greater_one(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @greater_wide(%a: tensor<f64>, %b: tensor<f64>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %0 : tensor<i1>
}
