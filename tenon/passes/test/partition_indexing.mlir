// What is read or written at indices may be cut where the indices lead: nothing is gathered, and nothing is computed
// whole.
// RUN: %opt %s --tenon-partition | %check %s
// CHECK-NOT: tenon.fallbacks
// CHECK-NOT: all_gather
// Of a table of 1000 rows the device has 250. What it does not have is neutral in the sum.
// CHECK: func.func @main
// CHECK: stablehlo.gather
// CHECK-SAME: (tensor<250x16xf32>, tensor<6x1xi32>) -> tensor<6x16xf32>
// CHECK: stablehlo.select
// CHECK: all_reduce
// Other devices' rows are at -1, which nothing is written to.
// CHECK: "stablehlo.scatter"
// CHECK: (tensor<250x16xf32>, tensor<6x1xi32>, tensor<6x16xf32>) -> tensor<250x16xf32>
// Of a row that is written the device takes what is in its part.
// CHECK: stablehlo.dynamic_update_slice %{{.*}} : (tensor<8x4xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
// CHECK: return
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%table: tensor<1000x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %rows: tensor<6x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
                  %cache: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                  %step: tensor<1x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %at: tensor<i32>)
      -> (tensor<6x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
          tensor<1000x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
          tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>}> : (tensor<1000x16xf32>, tensor<6x1xi32>) -> tensor<6x16xf32>
    %1 = "stablehlo.scatter"(%table, %rows, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<1000x16xf32>, tensor<6x1xi32>, tensor<6x16xf32>) -> tensor<1000x16xf32>
    %2 = stablehlo.dynamic_update_slice %cache, %step, %at, %at : (tensor<8x16xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
    return %0, %1, %2 : tensor<6x16xf32>, tensor<1000x16xf32>, tensor<8x16xf32>
  }
}
