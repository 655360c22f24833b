// A sum over a cut dimension in each of five iterations, and a sort along it.
module @loop attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xf32>, tensor<16xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %five = stablehlo.constant dense<5> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<16xf32>
    cond {
      %more = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %sum = stablehlo.reduce(%a init: %none) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
      %sums = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %b = stablehlo.subtract %a, %sums : tensor<16xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %b : tensor<i32>, tensor<16xf32>
    }
    %1 = "stablehlo.sort"(%0#1) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<16xf32>) -> tensor<16xf32>
    return %0#1, %1 : tensor<16xf32>, tensor<16xf32>
  }
}
