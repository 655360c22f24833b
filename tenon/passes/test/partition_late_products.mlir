// Gradients that a loop stacks are multiplied after it, where devices would have summands of each: the loop stacks what
// it multiplies. What it reads from a stack in the same order is not stacked again.
// RUN: %opt %s --tenon-partition | %check %s
// CHECK: func.func @main
// CHECK: stablehlo.while
// CHECK-NOT: dot_general
// CHECK: stablehlo.return
// CHECK-NOT: stablehlo.while
// CHECK: stablehlo.dot_general
// CHECK-SAME: batching_dims = [0] x [0], contracting_dims = [1] x [1]
// CHECK-SAME: tensor<3x256x
// CHECK-NOT: all_reduce
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%w: tensor<3x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>},
                  %xs: tensor<3x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>},
                  %d: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<3x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %zeros = stablehlo.constant dense<0.0> : tensor<3x256x256xf32>
    %l:4 = stablehlo.while(%i = %zero, %x = %xs, %c = %d, %stack = %zeros) : tensor<i32>, tensor<3x256x256xf32>, tensor<256x256xf32>, tensor<3x256x256xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %none = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %at = stablehlo.subtract %two, %i : tensor<i32>
      %s = stablehlo.dynamic_slice %x, %at, %none, %none, sizes = [1, 256, 256] : (tensor<3x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x256xf32>
      %a = stablehlo.reshape %s : (tensor<1x256x256xf32>) -> tensor<256x256xf32>
      %e = stablehlo.sine %c : tensor<256x256xf32>
      %g = stablehlo.dot_general %a, %e, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
      %u = stablehlo.reshape %g : (tensor<256x256xf32>) -> tensor<1x256x256xf32>
      %next = stablehlo.dynamic_update_slice %stack, %u, %at, %none, %none : (tensor<3x256x256xf32>, tensor<1x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x256x256xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %x, %e, %next : tensor<i32>, tensor<3x256x256xf32>, tensor<256x256xf32>, tensor<3x256x256xf32>
    }
    %new = stablehlo.subtract %w, %l#3 : tensor<3x256x256xf32>
    return %new : tensor<3x256x256xf32>
  }
}
