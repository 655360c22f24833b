// Arrays of one dimension are sorted in parts, or by one device of a process.
// RUN: %opt %s --split-input-file --tenon-partition 2>/dev/null | %check %s

// In parts each element is sorted twice, which devices have no more processors for.
// CHECK-LABEL: func.func @main
// CHECK: "stablehlo.all_gather"(%arg0) {{.*}} -> tensor<65536xf32>
// CHECK: "stablehlo.if"
// CHECK: "stablehlo.sort"
// CHECK: "stablehlo.collective_broadcast"
// CHECK-NOT: "stablehlo.sort"
// CHECK: return
module attributes {mhlo.num_partitions = 8 : i32, tenon.shares_memory} {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%x: tensor<65536xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<65536xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<65536xf32>) -> tensor<65536xf32>
    return %0 : tensor<65536xf32>
  }
}

// -----

// Larger ones would keep others waiting.
// CHECK-LABEL: func.func @main
// CHECK-NOT: "stablehlo.if"
// CHECK: "stablehlo.sort"
// CHECK: ragged_all_to_all
// CHECK-NOT: collective_broadcast
// CHECK: return
module attributes {mhlo.num_partitions = 8 : i32, tenon.shares_memory} {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%x: tensor<131072xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<131072xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<131072xf32>) -> tensor<131072xf32>
    return %0 : tensor<131072xf32>
  }
}

// -----

// Devices of several processes have processors of their own.
// CHECK-LABEL: func.func @main
// CHECK-NOT: "stablehlo.if"
// CHECK: "stablehlo.sort"
// CHECK: ragged_all_to_all
// CHECK-NOT: collective_broadcast
// CHECK: return
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%x: tensor<65536xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<65536xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<65536xf32>) -> tensor<65536xf32>
    return %0 : tensor<65536xf32>
  }
}
