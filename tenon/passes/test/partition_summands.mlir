// Sums wait where their summands can be added to others first.
// RUN: %opt %s --tenon-partition --split-input-file 2>/dev/null | %check %s

// The sum of two products over a cut dimension is summed over devices once.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = stablehlo.dot_general %arg0, %arg0
// CHECK: %[[TURNED:.*]] = stablehlo.transpose %[[A]]
// CHECK: %[[B:.*]] = stablehlo.dot_general %arg1, %arg1
// CHECK: %[[BOTH:.*]] = stablehlo.subtract %[[TURNED]], %[[B]]
// CHECK: %[[SUM:.*]] = "stablehlo.all_reduce"(%[[BOTH]])
// CHECK-NOT: all_reduce
// CHECK: stablehlo.sine %[[SUM]]
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %y: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.dot_general %y, %y, contracting_dims = [0] x [0] : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.subtract %1, %2 : tensor<8x8xf32>
    %4 = stablehlo.sine %3 : tensor<8x8xf32>
    return %4 : tensor<8x8xf32>
  }
}

// -----
// Gradients of small batches are added up in a loop, and summed over devices behind it; of an array that is not zero at
// first only one device takes that.
// CHECK-LABEL: func.func @main
// CHECK: %[[FIRST:.*]] = stablehlo.select %{{.*}}, %arg1
// CHECK: %[[LOOP:.*]]:4 = stablehlo.while(%{{.*}}, %[[S:.*]] = %{{.*}}, %[[T:.*]] = %[[FIRST]]
// CHECK-NOT: all_reduce
// CHECK: %[[G:.*]] = stablehlo.dot_general
// CHECK: stablehlo.add %[[G]], %[[S]]
// CHECK: %[[H:.*]] = stablehlo.dot_general
// CHECK: stablehlo.subtract %[[T]], %[[H]]
// CHECK: stablehlo.return
// CHECK: "stablehlo.all_reduce"(%[[LOOP]]#1, %[[LOOP]]#2)
// CHECK-NOT: all_reduce
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %start: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<8x8xf32>
    %0:4 = stablehlo.while(%i = %zero, %s = %none, %t = %start, %v = %x) : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>
      cond {
        %1 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %1 = stablehlo.add %i, %one : tensor<i32>
        %2 = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0] : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
        %3 = stablehlo.add %2, %s : tensor<8x8xf32>
        %4 = stablehlo.sine %v : tensor<16x8xf32>
        %5 = stablehlo.dot_general %4, %v, contracting_dims = [0] x [0] : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
        %6 = stablehlo.subtract %t, %5 : tensor<8x8xf32>
        stablehlo.return %1, %3, %6, %4 : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>
      }
    return %0#1, %0#2 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}

// -----
// A loop that looks at what it adds up has sums in it.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.while
// CHECK: "stablehlo.all_reduce"
// CHECK: stablehlo.return
// CHECK-NOT: all_reduce
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<8x8xf32>
    %0:2 = stablehlo.while(%i = %zero, %s = %none) : tensor<i32>, tensor<8x8xf32>
      cond {
        %1 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %1 = stablehlo.add %i, %one : tensor<i32>
        %2 = stablehlo.sine %s : tensor<8x8xf32>
        %3 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
        %4 = stablehlo.add %s, %3 : tensor<8x8xf32>
        %5 = stablehlo.add %4, %2 : tensor<8x8xf32>
        stablehlo.return %1, %5 : tensor<i32>, tensor<8x8xf32>
      }
    return %0#1 : tensor<8x8xf32>
  }
}

// -----
// Rows that a loop computes one after the other are summed at once.
// CHECK-LABEL: func.func @main
// CHECK: %[[LOOP:.*]]:2 = stablehlo.while
// CHECK-NOT: all_reduce
// CHECK: stablehlo.dynamic_update_slice
// CHECK: stablehlo.return
// CHECK: "stablehlo.all_reduce"(%[[LOOP]]#1)
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<3x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                  %w: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<3x8xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<3x8xf32>
    %0:2 = stablehlo.while(%i = %zero, %s = %none) : tensor<i32>, tensor<3x8xf32>
      cond {
        %1 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %1 = stablehlo.add %i, %one : tensor<i32>
        %2 = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 16] : (tensor<3x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
        %r = stablehlo.reshape %2 : (tensor<1x16xf32>) -> tensor<16xf32>
        %d = stablehlo.dot_general %r, %w, contracting_dims = [0] x [0] : (tensor<16xf32>, tensor<16x8xf32>) -> tensor<8xf32>
        %3 = stablehlo.broadcast_in_dim %d, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
        %4 = stablehlo.dynamic_update_slice %s, %3, %i, %zero : (tensor<3x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
        stablehlo.return %1, %4 : tensor<i32>, tensor<3x8xf32>
      }
    return %0#1 : tensor<3x8xf32>
  }
}

// -----
// Weights that a loop needs whole and does not change are gathered before it.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = "stablehlo.all_gather"(%arg1)
// CHECK: stablehlo.while
// CHECK-NOT: all_gather
// CHECK: stablehlo.dot_general %{{.*}}, %[[W]]
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<4096x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4096x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %0:3 = stablehlo.while(%i = %zero, %v = %x, %u = %w) : tensor<i32>, tensor<4096x8xf32>, tensor<8x8xf32>
      cond {
        %1 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %1 = stablehlo.add %i, %one : tensor<i32>
        %2 = sdy.sharding_constraint %v <@mesh, [{"x"}, {}]> : tensor<4096x8xf32>
        %3 = stablehlo.dot_general %2, %u, contracting_dims = [1] x [0] : (tensor<4096x8xf32>, tensor<8x8xf32>) -> tensor<4096x8xf32>
        %4 = sdy.sharding_constraint %3 <@mesh, [{"x"}, {}]> : tensor<4096x8xf32>
        stablehlo.return %1, %4, %u : tensor<i32>, tensor<4096x8xf32>, tensor<8x8xf32>
      }
    return %0#1 : tensor<4096x8xf32>
  }
}

// -----
// But not where that keeps more than 64 MiB.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: %[[W:.*]] = "stablehlo.all_gather"(%arg1)
// CHECK: stablehlo.dot_general %{{.*}}, %[[W]]
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<1048576x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %w: tensor<8192x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<1048576x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %0:3 = stablehlo.while(%i = %zero, %v = %x, %u = %w) : tensor<i32>, tensor<1048576x8192xf32>, tensor<8192x8192xf32>
      cond {
        %1 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %1 = stablehlo.add %i, %one : tensor<i32>
        %2 = sdy.sharding_constraint %v <@mesh, [{"x"}, {}]> : tensor<1048576x8192xf32>
        %3 = stablehlo.dot_general %2, %u, contracting_dims = [1] x [0] : (tensor<1048576x8192xf32>, tensor<8192x8192xf32>) -> tensor<1048576x8192xf32>
        %4 = sdy.sharding_constraint %3 <@mesh, [{"x"}, {}]> : tensor<1048576x8192xf32>
        stablehlo.return %1, %4, %u : tensor<i32>, tensor<1048576x8192xf32>, tensor<8192x8192xf32>
      }
    return %0#1 : tensor<1048576x8192xf32>
  }
}

// -----
// Summands of floats of 16 bits are of f32 as long as they wait, in the loop too; the sum is rounded once. Of a maximum
// the initial value may count on all devices.
// CHECK-LABEL: func.func @main
// CHECK: %[[START:.*]] = stablehlo.convert %{{.*}} -> tensor<8x8xf32>
// CHECK: %[[LOOP:.*]]:4 = stablehlo.while(%{{.*}}, %[[S:.*]] = %[[START]], %[[M:.*]] = %arg1
// CHECK-NOT: all_reduce
// CHECK: %[[G:.*]] = stablehlo.dot_general {{.*}} -> tensor<8x8xf32>
// CHECK: stablehlo.add %[[G]], %[[S]] : tensor<8x8xf32>
// CHECK: %[[R:.*]] = stablehlo.reduce{{.*}} applies stablehlo.maximum {{.*}} -> tensor<8xbf16>
// CHECK: stablehlo.maximum %[[M]], %[[R]] : tensor<8xbf16>
// CHECK: stablehlo.return
// CHECK: %[[SUM:.*]] = "stablehlo.all_reduce"(%[[LOOP]]#1)
// CHECK: stablehlo.convert %[[SUM]] : (tensor<8x8xf32>) -> tensor<8x8xbf16>
// CHECK: "stablehlo.all_reduce"(%[[LOOP]]#2)
// CHECK: stablehlo.maximum
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<16x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %start: tensor<8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8x8xbf16>, tensor<8xbf16>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<8x8xbf16>
    %lowest = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %0:4 = stablehlo.while(%i = %zero, %s = %none, %m = %start, %v = %x) : tensor<i32>, tensor<8x8xbf16>, tensor<8xbf16>, tensor<16x8xbf16>
      cond {
        %1 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %1 = stablehlo.add %i, %one : tensor<i32>
        %2 = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0] : (tensor<16x8xbf16>, tensor<16x8xbf16>) -> tensor<8x8xbf16>
        %3 = stablehlo.add %2, %s : tensor<8x8xbf16>
        %4 = stablehlo.sine %v : tensor<16x8xbf16>
        %5 = stablehlo.reduce(%4 init: %lowest) applies stablehlo.maximum across dimensions = [0] : (tensor<16x8xbf16>, tensor<bf16>) -> tensor<8xbf16>
        %6 = stablehlo.maximum %m, %5 : tensor<8xbf16>
        stablehlo.return %1, %3, %6, %4 : tensor<i32>, tensor<8x8xbf16>, tensor<8xbf16>, tensor<16x8xbf16>
      }
    return %0#1, %0#2 : tensor<8x8xbf16>, tensor<8xbf16>
  }
}

// -----
// That devices have parts of a maximum can be said of values inside of a program.
// CHECK-LABEL: func.func @main
// CHECK: %[[M:.*]] = stablehlo.reduce{{.*}} applies stablehlo.maximum
// CHECK: "stablehlo.all_reduce"(%[[M]])
// CHECK-NEXT: ^bb0
// CHECK-NEXT: stablehlo.maximum
// CHECK-NOT: all_reduce
// CHECK: stablehlo.reshape
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<2x4xf32> {
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}], unreduced=max{"x"}> : tensor<8xf32>
    %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<2x4xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {}]> : tensor<2x4xf32>
    return %3 : tensor<2x4xf32>
  }
}
