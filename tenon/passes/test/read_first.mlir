// What reads an array comes before what updates it in place, where the order is open.
// RUN: %opt %s --split-input-file --tenon-fuse | %check %s

// The read goes with the index that it needs.
// CHECK-LABEL: func.func @read
// CHECK: stablehlo.add
// CHECK: stablehlo.dynamic_slice
// CHECK: stablehlo.dynamic_update_slice %{{.*}} : (tensor<1000xf32>
// CHECK: return
func.func @read(%x: tensor<1000xf32>, %v: tensor<1xf32>, %i: tensor<i32>) -> (tensor<1000xf32>, tensor<1xf32>) {
  %0 = stablehlo.dynamic_update_slice %x, %v, %i : (tensor<1000xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1000xf32>
  %1 = stablehlo.add %i, %i : tensor<i32>
  %2 = stablehlo.dynamic_slice %x, %1, sizes = [1] : (tensor<1000xf32>, tensor<i32>) -> tensor<1xf32>
  return %0, %2 : tensor<1000xf32>, tensor<1xf32>
}

// -----

// What needs the update itself stays, as does what would write into an array that the update reads.
// CHECK-LABEL: func.func @stay
// CHECK: stablehlo.dynamic_update_slice %{{.*}} : (tensor<1000xf32>
// CHECK: stablehlo.dynamic_slice
// CHECK: return
func.func @stay(%x: tensor<1000xf32>, %i: tensor<i32>) -> (tensor<1000xf32>, tensor<1xf32>) {
  %v = stablehlo.slice %x [3:4] : (tensor<1000xf32>) -> tensor<1xf32>
  %0 = stablehlo.dynamic_update_slice %x, %v, %i : (tensor<1000xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1000xf32>
  %1 = stablehlo.slice %0 [7:8] : (tensor<1000xf32>) -> tensor<1xf32>
  %2 = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<1000xf32>, tensor<i32>) -> tensor<1xf32>
  %3 = stablehlo.add %1, %2 : tensor<1xf32>
  return %0, %3 : tensor<1000xf32>, tensor<1xf32>
}

// -----

// So does a read whose result is as large as the array.
// CHECK-LABEL: func.func @large
// CHECK: stablehlo.dynamic_update_slice %{{.*}} : (tensor<1000xf32>
// CHECK: stablehlo.sort
// CHECK: return
func.func @large(%x: tensor<1000xf32>, %v: tensor<1xf32>, %i: tensor<i32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %0 = stablehlo.dynamic_update_slice %x, %v, %i : (tensor<1000xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1000xf32>
  %1 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<1000xf32>) -> tensor<1000xf32>
  return %0, %1 : tensor<1000xf32>, tensor<1000xf32>
}

// -----

// CHECK-LABEL: func.func @each_other
// CHECK: stablehlo.dynamic_update_slice %{{.*}} : (tensor<1000xf32>
// CHECK: stablehlo.dynamic_update_slice %{{.*}} : (tensor<2000xf32>
func.func @each_other(%x: tensor<1000xf32>, %y: tensor<2000xf32>, %i: tensor<i32>) -> (tensor<1000xf32>, tensor<2000xf32>) {
  %0 = stablehlo.slice %y [0:1] : (tensor<2000xf32>) -> tensor<1xf32>
  %1 = stablehlo.dynamic_update_slice %x, %0, %i : (tensor<1000xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1000xf32>
  %2 = stablehlo.slice %x [0:1] : (tensor<1000xf32>) -> tensor<1xf32>
  %3 = stablehlo.dynamic_update_slice %y, %2, %i : (tensor<2000xf32>, tensor<1xf32>, tensor<i32>) -> tensor<2000xf32>
  return %1, %3 : tensor<1000xf32>, tensor<2000xf32>
}
