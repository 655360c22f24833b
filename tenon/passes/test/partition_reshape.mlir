// A dimension of a reshape that has no factor in common with one of the operand is computed whole, and cut after it.
// RUN: %opt %s --split-input-file --tenon-partition 2>/dev/null | %check %s
// CHECK: stablehlo.reshape %{{.*}} : (tensor<7x12xf32>) -> tensor<12x7xf32>
// CHECK: stablehlo.dynamic_slice %{{.*}} sizes = [6, 7]
// CHECK: stablehlo.transpose %{{.*}} : (tensor<6x7xf32>) -> tensor<7x6xf32>
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<7x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<7x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<7x12xf32> {
    %0 = stablehlo.reshape %b : (tensor<7x12xf32>) -> tensor<12x7xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<12x7xf32>) -> tensor<7x12xf32>
    %2 = stablehlo.add %1, %a : tensor<7x12xf32>
    return %2 : tensor<7x12xf32>
  }
}

// -----

// One that has stays cut.
// CHECK: func.func @main(%arg0: tensor<3x10xf32>
// CHECK-NEXT: stablehlo.reshape %arg0 : (tensor<3x10xf32>) -> tensor<1x3x5x2xf32>
// CHECK-NEXT: return
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<6x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<1x6x5x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}) {
    %0 = stablehlo.reshape %a : (tensor<6x10xf32>) -> tensor<1x6x5x2xf32>
    return %0 : tensor<1x6x5x2xf32>
  }
}
