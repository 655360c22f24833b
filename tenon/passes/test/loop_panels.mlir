// Matrices that loops multiply with, in panels of 16 columns: where products run more than four times.
// RUN: %opt %s --tenon-pack-loop-operands | %check %s

// CHECK-LABEL: func.func @cell
// CHECK-SAME: %[[W:.*]]: tensor<24x64xf32>
// CHECK: %[[PARTED:.*]] = stablehlo.reshape %[[W]] : (tensor<24x64xf32>) -> tensor<24x4x16xf32>
// CHECK: %[[PANELS:.*]] = stablehlo.transpose %[[PARTED]], dims = [1, 0, 2] {{.*}} -> tensor<4x24x16xf32>
// CHECK: stablehlo.while
// CHECK: %[[SUMS:.*]] = stablehlo.dot_general %{{.*}}, %[[PANELS]], contracting_dims = [1] x [1]
// CHECK-SAME: -> tensor<8x4x16xf32>
// CHECK: stablehlo.reshape %[[SUMS]] : (tensor<8x4x16xf32>) -> tensor<8x64xf32>
// CHECK-NOT: stablehlo.slice %
func.func @cell(%w: tensor<24x64xf32>, %init: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<9> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %init) : tensor<i32>, tensor<8x24xf32>
  cond {
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x24xf32>, tensor<24x64xf32>) -> tensor<8x64xf32>
    %z = stablehlo.dynamic_slice %y, %zero, %i, sizes = [8, 24] : (tensor<8x64xf32>, tensor<i32>, tensor<i32>) -> tensor<8x24xf32>
    stablehlo.return %next, %z : tensor<i32>, tensor<8x24xf32>
  }
  return %0#1 : tensor<8x24xf32>
}

// In front of both loops, which together run it six times; the columns lie along the sums, and zeros are behind the
// last one. Two products read the same panels.
// CHECK-LABEL: func.func @inner
// CHECK-SAME: %[[W:.*]]: tensor<24x24xf32>
// CHECK: %[[PADDED:.*]] = stablehlo.pad %[[W]], %{{.*}}, low = [0, 0], high = [8, 0], interior = [0, 0]
// CHECK: %[[PARTED:.*]] = stablehlo.reshape %[[PADDED]] : (tensor<32x24xf32>) -> tensor<2x16x24xf32>
// CHECK: %[[PANELS:.*]] = stablehlo.transpose %[[PARTED]], dims = [0, 2, 1] {{.*}} -> tensor<2x24x16xf32>
// CHECK-NOT: stablehlo.transpose
// CHECK: stablehlo.while
// CHECK: stablehlo.while
// CHECK: %[[SUMS:.*]] = stablehlo.dot_general %{{.*}}, %[[PANELS]], contracting_dims = [1] x [1]
// CHECK: %[[WHOLE:.*]] = stablehlo.reshape %[[SUMS]] : (tensor<8x2x16xf32>) -> tensor<8x32xf32>
// CHECK: stablehlo.slice %[[WHOLE]] [0:8, 0:24]
// CHECK: stablehlo.dot_general %{{.*}}, %[[PANELS]], contracting_dims = [1] x [1]
func.func @inner(%w: tensor<24x24xf32>, %init: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %init) : tensor<i32>, tensor<8x24xf32>
  cond {
    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %1:2 = stablehlo.while(%j = %zero, %y = %x) : tensor<i32>, tensor<8x24xf32>
    cond {
      %more = stablehlo.compare LT, %j, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %last = stablehlo.add %j, %one : tensor<i32>
      %z = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<8x24xf32>, tensor<24x24xf32>) -> tensor<8x24xf32>
      %u = stablehlo.dot_general %z, %w, contracting_dims = [1] x [1] : (tensor<8x24xf32>, tensor<24x24xf32>) -> tensor<8x24xf32>
      stablehlo.return %last, %u : tensor<i32>, tensor<8x24xf32>
    }
    stablehlo.return %next, %1#1 : tensor<i32>, tensor<8x24xf32>
  }
  return %0#1 : tensor<8x24xf32>
}

// Too few runs; a loop of which nothing is known counts as one of four.
// CHECK-LABEL: func.func @seldom
// CHECK-NOT: stablehlo.transpose
// CHECK: return
func.func @seldom(%w: tensor<24x24xf32>, %init: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %limit = stablehlo.constant dense<9.0> : tensor<f32>
  %first = stablehlo.dot_general %init, %w, contracting_dims = [1] x [0] : (tensor<8x24xf32>, tensor<24x24xf32>) -> tensor<8x24xf32>
  %0 = stablehlo.while(%x = %first) : tensor<8x24xf32>
  cond {
    %corner = stablehlo.slice %x [0:1, 0:1] : (tensor<8x24xf32>) -> tensor<1x1xf32>
    %number = stablehlo.reshape %corner : (tensor<1x1xf32>) -> tensor<f32>
    %more = stablehlo.compare LT, %number, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x24xf32>, tensor<24x24xf32>) -> tensor<8x24xf32>
    stablehlo.return %y : tensor<8x24xf32>
  }
  return %0 : tensor<8x24xf32>
}

// A matrix that the loop changes, one that it computes, batches, and an array of more dimensions.
// CHECK-LABEL: func.func @others
// CHECK-NOT: stablehlo.transpose
// CHECK: return
func.func @others(%init: tensor<16x16xf32>, %batches: tensor<4x16x16xf32>, %first: tensor<4x8x16xf32>) -> (tensor<16x16xf32>, tensor<4x8x16xf32>, tensor<16x16xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<9> : tensor<i32>
  %0:4 = stablehlo.while(%i = %zero, %x = %init, %y = %first, %z = %init) : tensor<i32>, tensor<16x16xf32>, tensor<4x8x16xf32>, tensor<16x16xf32>
  cond {
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %1 = stablehlo.dot_general %init, %x, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %2 = stablehlo.dot_general %y, %batches, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x8x16xf32>, tensor<4x16x16xf32>) -> tensor<4x8x16xf32>
    %3 = stablehlo.dot_general %y, %batches, contracting_dims = [0, 2] x [0, 1] : (tensor<4x8x16xf32>, tensor<4x16x16xf32>) -> tensor<8x16xf32>
    %4 = stablehlo.dot_general %3, %3, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    stablehlo.return %next, %1, %2, %4 : tensor<i32>, tensor<16x16xf32>, tensor<4x8x16xf32>, tensor<16x16xf32>
  }
  return %0#1, %0#2, %0#3 : tensor<16x16xf32>, tensor<4x8x16xf32>, tensor<16x16xf32>
}

// A constant is packed when the program is compiled, whether there is a loop or not; zeros are behind its last column.
// CHECK-LABEL: func.func @constant
// CHECK: %[[PANELS:.*]] = tenon.fusion loop({{.*}}) attributes {tenon.folded} : (tensor<2x24xf32>) -> tensor<2x2x16xf32>
// CHECK: stablehlo.pad
// CHECK: stablehlo.reshape %{{.*}} : (tensor<2x32xf32>) -> tensor<2x2x16xf32>
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0, 2]
// CHECK: stablehlo.dot_general %arg0, %[[PANELS]], contracting_dims = [1] x [1]
func.func @constant(%x: tensor<8x2xf32>) -> tensor<8x24xf32> {
  %w = stablehlo.constant dense<"0x000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F00000040"> : tensor<2x24xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x24xf32>) -> tensor<8x24xf32>
  return %0 : tensor<8x24xf32>
}

// Not one that is read otherwise, too.
// CHECK-LABEL: func.func @read_twice
// CHECK-NOT: tenon.folded
// CHECK: return
func.func @read_twice(%x: tensor<8x2xf32>) -> (tensor<8x24xf32>, tensor<2x24xf32>) {
  %w = stablehlo.constant dense<"0x000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F0000004000004040000040C0000000C0000080BF000000000000803F00000040"> : tensor<2x24xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x24xf32>) -> tensor<8x24xf32>
  return %0, %w : tensor<8x24xf32>, tensor<2x24xf32>
}
