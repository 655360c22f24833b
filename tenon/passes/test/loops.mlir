// RUN: %opt %s --tenon-simplify --tenon-simplify-loops --tenon-simplify | %check %s

// The weights never change, the step is counted twice, and nobody reads %unread.
// CHECK-LABEL: func.func @scan
// CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %arg1) : tensor<i32>, tensor<40xf32>
// CHECK: stablehlo.multiply %{{.*}}, %arg0
// CHECK: return
func.func @scan(%weights: tensor<40xf32>, %x: tensor<40xf32>) -> tensor<40xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:5 = stablehlo.while(%i = %zero, %j = %zero, %w = %weights, %y = %x, %unread = %x) : tensor<i32>, tensor<i32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %i1 = stablehlo.add %i, %one : tensor<i32>
    %j1 = stablehlo.add %j, %one : tensor<i32>
    %y1 = stablehlo.multiply %y, %w : tensor<40xf32>
    %u1 = stablehlo.negate %unread : tensor<40xf32>
    stablehlo.return %i1, %j1, %w, %y1, %u1 : tensor<i32>, tensor<i32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
  }
  return %0#3 : tensor<40xf32>
}

// A matrix that is divided by its sums, for a product in each step: all of it leaves the loop, and so does an
// exponential. What is added to each element stays where it is read.
// CHECK-LABEL: func.func @invariants
// CHECK: %[[SUMS:.*]] = stablehlo.reduce(%arg0
// CHECK: %[[ALL:.*]] = stablehlo.broadcast_in_dim %[[SUMS]]
// CHECK: %[[STEP:.*]] = stablehlo.divide %arg0, %[[ALL]]
// CHECK: %[[DECAY:.*]] = stablehlo.exponential %arg1
// CHECK: stablehlo.while
// CHECK: do
// CHECK: stablehlo.dot_general %[[STEP]]
// CHECK: stablehlo.multiply %{{.*}}, %[[DECAY]]
// CHECK: %[[MORE:.*]] = stablehlo.add %arg1, %arg1
// CHECK: stablehlo.subtract %{{.*}}, %[[MORE]]
func.func @invariants(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>, %v: tensor<512xf32>) -> (tensor<512xf32>, tensor<512x512xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %v, %m = %a) : tensor<i32>, tensor<512xf32>, tensor<512x512xf32>
  cond {
    %n = stablehlo.constant dense<20> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %f0 = stablehlo.constant dense<0.0> : tensor<f32>
    %i1 = stablehlo.add %i, %one : tensor<i32>
    %sums = stablehlo.reduce(%a init: %f0) applies stablehlo.add across dimensions = [0] : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
    %all = stablehlo.broadcast_in_dim %sums, dims = [1] : (tensor<512xf32>) -> tensor<512x512xf32>
    %step = stablehlo.divide %a, %all : tensor<512x512xf32>
    %x1 = stablehlo.dot_general %step, %x, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512xf32>) -> tensor<512xf32>
    %decay = stablehlo.exponential %b : tensor<512x512xf32>
    %m1 = stablehlo.multiply %m, %decay : tensor<512x512xf32>
    %more = stablehlo.add %b, %b : tensor<512x512xf32>
    %m2 = stablehlo.subtract %m1, %more : tensor<512x512xf32>
    stablehlo.return %i1, %x1, %m2 : tensor<i32>, tensor<512xf32>, tensor<512x512xf32>
  }
  return %0#1, %0#2 : tensor<512xf32>, tensor<512x512xf32>
}

// The factors of a matrix that stays the same are found once, and so is what a loop of known length makes of the
// pivots. A call with an effect stays, and so do a call of what is not known and a loop that might not end.
// CHECK-LABEL: func.func @factors
// CHECK: stablehlo.custom_call @lapack_sgetrf_ffi(%arg0)
// CHECK: stablehlo.while
// CHECK: stablehlo.scatter
// CHECK: stablehlo.while
// CHECK: do
// CHECK-NOT: stablehlo.scatter
// CHECK: stablehlo.custom_call @lapack_sgeqrf_ffi
// CHECK: stablehlo.custom_call @other
// CHECK: stablehlo.while
// CHECK: stablehlo.gather
func.func @factors(%a: tensor<200x200xf32>, %v: tensor<200xf32>, %limit: tensor<i32>) -> (tensor<200xf32>, tensor<200xf32>, tensor<200x200xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:5 = stablehlo.while(%i = %zero, %x = %v, %tau = %v, %m = %a, %k = %zero) : tensor<i32>, tensor<200xf32>, tensor<200xf32>, tensor<200x200xf32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<20> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %i1 = stablehlo.add %i, %one : tensor<i32>
    %lu:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {api_version = 4 : i32, backend_config = {}} : (tensor<200x200xf32>) -> (tensor<200x200xf32>, tensor<200xi32>, tensor<i32>)
    %start = stablehlo.iota dim = 0 : tensor<200xi32>
    %order:2 = stablehlo.while(%j = %zero, %o = %start) : tensor<i32>, tensor<200xi32>
    cond {
      %n = stablehlo.constant dense<200> : tensor<i32>
      %p = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j1 = stablehlo.add %j, %one : tensor<i32>
      %place = stablehlo.dynamic_slice %lu#1, %j, sizes = [1] : (tensor<200xi32>, tensor<i32>) -> tensor<1xi32>
      %number = stablehlo.dynamic_slice %o, %j, sizes = [1] : (tensor<200xi32>, tensor<i32>) -> tensor<1xi32>
      %value = stablehlo.reshape %number : (tensor<1xi32>) -> tensor<i32>
      %o1 = "stablehlo.scatter"(%o, %place, %value) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
      ^bb0(%old: tensor<i32>, %new: tensor<i32>):
        stablehlo.return %new : tensor<i32>
      }) : (tensor<200xi32>, tensor<1xi32>, tensor<i32>) -> tensor<200xi32>
      stablehlo.return %j1, %o1 : tensor<i32>, tensor<200xi32>
    }
    %qr:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {api_version = 4 : i32, backend_config = {}, has_side_effect = true} : (tensor<200x200xf32>) -> (tensor<200x200xf32>, tensor<200xf32>)
    %m1 = stablehlo.custom_call @other(%a) : (tensor<200x200xf32>) -> tensor<200x200xf32>
    %m2 = stablehlo.add %m1, %lu#0 : tensor<200x200xf32>
    %k1 = stablehlo.while(%j = %zero) : tensor<i32>
    cond {
      %p = stablehlo.compare NE, %j, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j1 = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %j1 : tensor<i32>
    }
    %rows = stablehlo.reshape %order#1 : (tensor<200xi32>) -> tensor<200x1xi32>
    %x1 = "stablehlo.gather"(%x, %rows) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<200xf32>, tensor<200x1xi32>) -> tensor<200xf32>
    stablehlo.return %i1, %x1, %qr#1, %m2, %k1 : tensor<i32>, tensor<200xf32>, tensor<200xf32>, tensor<200x200xf32>, tensor<i32>
  }
  return %0#1, %0#2, %0#3, %0#4 : tensor<200xf32>, tensor<200xf32>, tensor<200x200xf32>, tensor<i32>
}
