// Gradients stay in the loops that stack them where batches are larger than weights, where places are not known to be
// written once each, where the batch is whole, where something else than new weights is computed of them, and where what
// is multiplied takes far more memory.
// RUN: %opt %s --split-input-file --tenon-partition | %check %s
// CHECK-NOT: batching_dims
// CHECK: stablehlo.while
// CHECK: dot_general
// CHECK: stablehlo.while
// CHECK: dot_general
// CHECK: stablehlo.while
// CHECK: dot_general
// CHECK: stablehlo.while
// CHECK: dot_general
// CHECK-NOT: dot_general
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%w: tensor<3x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>},
                  %large: tensor<3x1024x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %dlarge: tensor<1024x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %small: tensor<3x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %dsmall: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %whole: tensor<3x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %dwhole: tensor<256x256xf32>)
      -> (tensor<3x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<3x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<3x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<3x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<f32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %zeros = stablehlo.constant dense<0.0> : tensor<3x256x256xf32>
    %nothing = stablehlo.constant dense<0.0> : tensor<f32>
    %l1:4 = stablehlo.while(%i = %zero, %x = %large, %c = %dlarge, %stack = %zeros) : tensor<i32>, tensor<3x1024x256xf32>, tensor<1024x256xf32>, tensor<3x256x256xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %none = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %half = stablehlo.multiply %i, %none : tensor<i32>
      %s = stablehlo.dynamic_slice %x, %i, %none, %none, sizes = [1, 1024, 256] : (tensor<3x1024x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x256xf32>
      %a = stablehlo.reshape %s : (tensor<1x1024x256xf32>) -> tensor<1024x256xf32>
      %e = stablehlo.sine %c : tensor<1024x256xf32>
      %g = stablehlo.dot_general %a, %e, contracting_dims = [0] x [0] : (tensor<1024x256xf32>, tensor<1024x256xf32>) -> tensor<256x256xf32>
      %u = stablehlo.reshape %g : (tensor<256x256xf32>) -> tensor<1x256x256xf32>
      %next = stablehlo.dynamic_update_slice %stack, %u, %i, %none, %none : (tensor<3x256x256xf32>, tensor<1x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x256x256xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %x, %e, %next : tensor<i32>, tensor<3x1024x256xf32>, tensor<1024x256xf32>, tensor<3x256x256xf32>
    }
    %l2:4 = stablehlo.while(%i = %zero, %x = %small, %c = %dsmall, %stack = %zeros) : tensor<i32>, tensor<3x256x256xf32>, tensor<256x256xf32>, tensor<3x256x256xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %none = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %half = stablehlo.multiply %i, %none : tensor<i32>
      %s = stablehlo.dynamic_slice %x, %i, %none, %none, sizes = [1, 256, 256] : (tensor<3x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x256xf32>
      %a = stablehlo.reshape %s : (tensor<1x256x256xf32>) -> tensor<256x256xf32>
      %e = stablehlo.sine %c : tensor<256x256xf32>
      %g = stablehlo.dot_general %a, %e, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
      %u = stablehlo.reshape %g : (tensor<256x256xf32>) -> tensor<1x256x256xf32>
      %next = stablehlo.dynamic_update_slice %stack, %u, %half, %none, %none : (tensor<3x256x256xf32>, tensor<1x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x256x256xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %x, %e, %next : tensor<i32>, tensor<3x256x256xf32>, tensor<256x256xf32>, tensor<3x256x256xf32>
    }
    %l3:4 = stablehlo.while(%i = %zero, %x = %whole, %c = %dwhole, %stack = %zeros) : tensor<i32>, tensor<3x256x256xf32>, tensor<256x256xf32>, tensor<3x256x256xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %none = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %half = stablehlo.multiply %i, %none : tensor<i32>
      %s = stablehlo.dynamic_slice %x, %i, %none, %none, sizes = [1, 256, 256] : (tensor<3x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x256xf32>
      %a = stablehlo.reshape %s : (tensor<1x256x256xf32>) -> tensor<256x256xf32>
      %e = stablehlo.sine %c : tensor<256x256xf32>
      %g = stablehlo.dot_general %a, %e, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
      %u = stablehlo.reshape %g : (tensor<256x256xf32>) -> tensor<1x256x256xf32>
      %next = stablehlo.dynamic_update_slice %stack, %u, %i, %none, %none : (tensor<3x256x256xf32>, tensor<1x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x256x256xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %x, %e, %next : tensor<i32>, tensor<3x256x256xf32>, tensor<256x256xf32>, tensor<3x256x256xf32>
    }
    %l4:4 = stablehlo.while(%i = %zero, %x = %small, %c = %dsmall, %stack = %zeros) : tensor<i32>, tensor<3x256x256xf32>, tensor<256x256xf32>, tensor<3x256x256xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %none = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %half = stablehlo.multiply %i, %none : tensor<i32>
      %s = stablehlo.dynamic_slice %x, %i, %none, %none, sizes = [1, 256, 256] : (tensor<3x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x256xf32>
      %a = stablehlo.reshape %s : (tensor<1x256x256xf32>) -> tensor<256x256xf32>
      %e = stablehlo.sine %c : tensor<256x256xf32>
      %g = stablehlo.dot_general %a, %e, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
      %u = stablehlo.reshape %g : (tensor<256x256xf32>) -> tensor<1x256x256xf32>
      %next = stablehlo.dynamic_update_slice %stack, %u, %i, %none, %none : (tensor<3x256x256xf32>, tensor<1x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x256x256xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %x, %e, %next : tensor<i32>, tensor<3x256x256xf32>, tensor<256x256xf32>, tensor<3x256x256xf32>
    }
    %new1 = stablehlo.subtract %w, %l1#3 : tensor<3x256x256xf32>
    %new2 = stablehlo.subtract %w, %l2#3 : tensor<3x256x256xf32>
    %new3 = stablehlo.subtract %w, %l3#3 : tensor<3x256x256xf32>
    %new4 = stablehlo.subtract %w, %l4#3 : tensor<3x256x256xf32>
    %sum = stablehlo.reduce(%l4#3 init: %nothing) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x256x256xf32>, tensor<f32>) -> tensor<f32>
    return %new1, %new2, %new3, %new4, %sum : tensor<3x256x256xf32>, tensor<3x256x256xf32>, tensor<3x256x256xf32>, tensor<3x256x256xf32>, tensor<f32>
  }
}

// -----

// CHECK: func.func @main(%arg0: tensor<3x16x4096xf32>
// CHECK-NOT: batching_dims
// CHECK: dot_general
// CHECK-NOT: batching_dims
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%w: tensor<3x16x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>},
                  %xs: tensor<3x4096x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>},
                  %d: tensor<4096x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<3x16x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %zeros = stablehlo.constant dense<0.0> : tensor<3x16x4096xf32>
    %l:4 = stablehlo.while(%i = %zero, %x = %xs, %c = %d, %stack = %zeros) : tensor<i32>, tensor<3x4096x16xf32>, tensor<4096x4096xf32>, tensor<3x16x4096xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %none = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %s = stablehlo.dynamic_slice %x, %i, %none, %none, sizes = [1, 4096, 16] : (tensor<3x4096x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4096x16xf32>
      %a = stablehlo.reshape %s : (tensor<1x4096x16xf32>) -> tensor<4096x16xf32>
      %e = stablehlo.sine %c : tensor<4096x4096xf32>
      %g = stablehlo.dot_general %a, %e, contracting_dims = [0] x [0] : (tensor<4096x16xf32>, tensor<4096x4096xf32>) -> tensor<16x4096xf32>
      %u = stablehlo.reshape %g : (tensor<16x4096xf32>) -> tensor<1x16x4096xf32>
      %next = stablehlo.dynamic_update_slice %stack, %u, %i, %none, %none : (tensor<3x16x4096xf32>, tensor<1x16x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x4096xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %x, %e, %next : tensor<i32>, tensor<3x4096x16xf32>, tensor<4096x4096xf32>, tensor<3x16x4096xf32>
    }
    %new = stablehlo.subtract %w, %l#3 : tensor<3x16x4096xf32>
    return %new : tensor<3x16x4096xf32>
  }
}
