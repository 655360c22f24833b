// RUN: %opt %s --tenon-expand-custom-calls --tenon-inline --tenon-decompose --tenon-strip-barriers | %check %s

// CHECK: func.func @main
// CHECK-NOT: call
// CHECK: stablehlo.maximum
// CHECK-NOT: optimization_barrier
// CHECK: stablehlo.sort
// CHECK: stablehlo.compare GT, %{{.*}}, %{{.*}}, TOTALORDER
// CHECK: stablehlo.slice
// CHECK: stablehlo.sqrt
// CHECK-NOT: batch_norm
// CHECK: return
// CHECK-NOT: func.func
func.func @main(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<2x8xf32>) {
  %0 = func.call @relu(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<4x8xf32>
  %i = stablehlo.iota dim = 0 : tensor<4x8xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %2:2 = stablehlo.custom_call @ApproxTopK(%1, %i, %low, %none) {called_computations = [@greater], mhlo.backend_config = {is_fallback = true, recall_target = 9.500000e-01 : f32, reduction_dim = 0 : i64, top_k = 2 : i64}} : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x8xf32>, tensor<2x8xi32>)
  %3 = "stablehlo.batch_norm_inference"(%1, %s, %s, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %3, %2#0 : tensor<4x8xf32>, tensor<2x8xf32>
}
func.func private @relu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<4x8xf32>
  %0 = stablehlo.maximum %x, %zero : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
