// Gradients of weights, products over the batch that is cut: in parts, of columns of one operand and all of the other,
// or as summands.
// RUN: %opt %s --split-input-file --tenon-partition 2>/dev/null | %check %s

// As many rows as the weights have. Within a process all of the other operand is there once, so that each device moves
// its rows of it.
// CHECK-LABEL: func.func @main
// CHECK-NOT: reduce
// CHECK-DAG: "stablehlo.all_to_all"(%arg{{[01]}}) {{.*}} -> tensor<256x32xf32>
// CHECK-DAG: "stablehlo.all_gather"(%arg{{[01]}}) {{.*}} -> tensor<256x256xf32>
// CHECK: stablehlo.dot_general {{.*}} -> tensor<32x256xf32>
// CHECK-NOT: reduce
module attributes {mhlo.num_partitions = 8 : i32, tenon.shares_memory} {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%x: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %y: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %w: tensor<256x256xf32>) -> tensor<256x256xf32> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %1 = stablehlo.subtract %w, %0 : tensor<256x256xf32>
    return %1 : tensor<256x256xf32>
  }
}

// -----

// Between processes each is sent all of it.
// CHECK-LABEL: func.func @main
// CHECK-NOT: all_to_all
// CHECK: stablehlo.dot_general %arg0, %arg1, {{.*}} -> tensor<256x256xf32>
// CHECK: "stablehlo.all_reduce"
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%x: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %y: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %w: tensor<256x256xf32>) -> tensor<256x256xf32> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %1 = stablehlo.subtract %w, %0 : tensor<256x256xf32>
    return %1 : tensor<256x256xf32>
  }
}

// -----

// Many more rows are not moved.
// CHECK-LABEL: func.func @main
// CHECK-NOT: all_to_all
// CHECK: stablehlo.dot_general %arg0, %arg1, {{.*}} -> tensor<256x256xf32>
// CHECK: "stablehlo.reduce_scatter"
module attributes {mhlo.num_partitions = 8 : i32, tenon.shares_memory} {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%x: tensor<4096x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %y: tensor<4096x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %w: tensor<256x256xf32>) -> tensor<256x256xf32> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4096x256xf32>, tensor<4096x256xf32>) -> tensor<256x256xf32>
    %1 = stablehlo.subtract %w, %0 : tensor<256x256xf32>
    return %1 : tensor<256x256xf32>
  }
}
