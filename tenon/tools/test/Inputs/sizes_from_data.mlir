// Sums of the first %n elements of each row.
module @sizes attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %n: tensor<i32>) -> tensor<8xf32> {
    %s = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<8x16xf32>, tensor<i32>) -> tensor<8x?xf32, #stablehlo.bounds<?, 16>>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [1] : (tensor<8x?xf32, #stablehlo.bounds<?, 16>>, tensor<f32>) -> tensor<8xf32>
    return %r : tensor<8xf32>
  }
}
