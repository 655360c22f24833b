// What is taken from a known place is a slice before shardings spread, as with XLA, so that it stays cut.
// RUN: %opt %s --split-input-file --tenon-partition 2>/dev/null | %check %s
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.add %two, %two : tensor<i32>
    %0 = stablehlo.dynamic_slice %a, %start, %zero, sizes = [4, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

// Out of the array, it is moved into it.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
// CHECK: stablehlo.constant dense<4> : tensor<i32>
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
    %far = stablehlo.constant dense<255> : tensor<ui8>
    %zero = stablehlo.constant dense<0> : tensor<ui8>
    %0 = stablehlo.dynamic_slice %a, %far, %zero, sizes = [4, 4] : (tensor<8x4xf32>, tensor<ui8>, tensor<ui8>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

// A place that only a run knows.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<4x4xf32> {
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %start: tensor<i32>) -> tensor<4x4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %a, %start, %zero, sizes = [4, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4xf32> {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %row = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %column = stablehlo.constant dense<3> : tensor<1xi32>
    %place = stablehlo.concatenate %row, %column, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %0 = "stablehlo.gather"(%a, %place) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [0, 1]>, slice_sizes = array<i64: 4, 1>}> : (tensor<8x4xf32>, tensor<2xi32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Two gathered places are two.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<2x4xf32> {
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<2x4xf32> {
    %places = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
    %0 = "stablehlo.gather"(%a, %places) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}

// -----

// A reshape of a reshape is one.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
// CHECK-NOT: all_gather
// CHECK: return %arg0
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x4xf32> {
    %0 = stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<32xf32>
    %1 = stablehlo.reshape %0 : (tensor<32xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}

// -----

// So is a slice of one of two arrays.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
// CHECK: return %arg1
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x4xf32> {
    %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
    %1 = stablehlo.slice %0 [8:16, 0:4] : (tensor<16x4xf32>) -> tensor<8x4xf32>
    %unused = stablehlo.slice %0 [0:16, 0:4] : (tensor<16x4xf32>) -> tensor<16x4xf32>
    return %1 : tensor<8x4xf32>
  }
}

// -----

// Arrays without elements are constants, which nothing cuts.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<0x4xf32> {
// CHECK-NEXT: stablehlo.constant dense<> : tensor<0x4xf32>
// CHECK-NEXT: return
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<0x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<0x4xf32> {
    %0 = stablehlo.add %a, %a : tensor<0x4xf32>
    return %0 : tensor<0x4xf32>
  }
}
