// A layer whose hidden units are cut: of its result, devices have summands. The constraint and the sort want whole rows.
module @layer attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]>
  func.func @main(%x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                  %up: tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
                  %down: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
      -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
    %1 = stablehlo.tanh %0 : tensor<64x128xf32>
    %2 = stablehlo.dot_general %1, %down, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
    %3 = stablehlo.add %x, %2 : tensor<64x32xf32>
    return %3, %3 : tensor<64x32xf32>, tensor<64x32xf32>
  }
}
