// Calls are cut along dimensions that operands and results have in common. Nothing tells a call which part of its own
// dimensions is wanted: it gives these whole, and each device keeps its part.
// RUN: %opt %s --tenon-partition | %check %s
// CHECK: func.func @main(%arg0: tensor<1x4x4xf32>
// CHECK: %[[ROWS:.*]] = {{.*}}all_gather{{.*}} -> tensor<1x8x4xf32>
// CHECK: %[[OWN:.*]] = stablehlo.custom_call @factor(%[[ROWS]]) {{.*}}output_operand_alias{{.*}} : (tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
// CHECK: stablehlo.dynamic_slice %[[OWN]]{{.*}} -> tensor<1x4x4xf32>
// CHECK: %[[ALL:.*]] = stablehlo.custom_call @spread(%[[ROWS]]) {{.*}} : (tensor<1x8x4xf32>) -> tensor<1x6xf32>
// CHECK: stablehlo.dynamic_slice %[[ALL]]{{.*}} -> tensor<1x3xf32>
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%x: tensor<2x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}) -> (tensor<2x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, tensor<2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.custom_call @factor(%x) {api_version = 4 : i32, backend_config = {}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m]) {i=2, j=8, k=4, l=8, m=4}, custom>} : (tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    %1 = stablehlo.custom_call @spread(%x) {api_version = 4 : i32, backend_config = {}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l]) {i=2, j=8, k=4, l=6}, custom>} : (tensor<2x8x4xf32>) -> tensor<2x6xf32>
    return %0, %1 : tensor<2x8x4xf32>, tensor<2x6xf32>
  }
}
