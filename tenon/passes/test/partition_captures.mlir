// Computations on single elements may take values from outside, which every device has.
// RUN: %opt %s --tenon-partition | %check %s
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK: "stablehlo.sort"
// CHECK: stablehlo.add %{{.*}}, %[[ZERO]]
// CHECK: tensor<4x4xf32>
module attributes {mhlo.num_partitions = 2 : i32} {
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %z : tensor<f32>
      %less = stablehlo.compare LT, %c, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %4: tensor<8x4xf32>
}
}
