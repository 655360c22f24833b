// Parts of maxima are not added up: such a program stays whole.
// RUN: %opt %s --tenon-partition | %check %s
// CHECK: tenon.unpartitioned
// CHECK-NOT: all_reduce
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
