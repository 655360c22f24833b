// Rows of a table in the place of a product with a one-hot matrix: positions outside of the table give zeros, -0 becomes
// what a sum that began with 0 is, and infinity and NaN spread over their column.
// RUN: %compare %tenon %s 0 1 | %check %s
// CHECK: 2 seeds, 1 shapes
func.func @main(%table: tensor<300x32xf32>) -> (tensor<512x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>) {
  %i = stablehlo.iota dim = 0 : tensor<512xi32>
  %shift = stablehlo.constant dense<-7> : tensor<512xi32>
  %at = stablehlo.add %i, %shift : tensor<512xi32>
  %a = stablehlo.broadcast_in_dim %at, dims = [0] : (tensor<512xi32>) -> tensor<512x300xi32>
  %b = stablehlo.iota dim = 1 : tensor<512x300xi32>
  %is = stablehlo.compare EQ, %a, %b : (tensor<512x300xi32>, tensor<512x300xi32>) -> tensor<512x300xi1>
  %one = stablehlo.convert %is : (tensor<512x300xi1>) -> tensor<512x300xf32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %minus_zero = stablehlo.constant dense<-0.0> : tensor<1x1xf32>
  %minus_infinity = stablehlo.constant dense<0xFF800000> : tensor<1x1xf32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<1x1xf32>
  %finite = stablehlo.dynamic_update_slice %table, %minus_zero, %five, %five : (tensor<300x32xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<300x32xf32>
  %infinite = stablehlo.dynamic_update_slice %table, %minus_infinity, %five, %five : (tensor<300x32xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<300x32xf32>
  %unknown = stablehlo.dynamic_update_slice %table, %nan, %five, %five : (tensor<300x32xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<300x32xf32>
  %0 = stablehlo.dot_general %one, %finite, contracting_dims = [1] x [0] : (tensor<512x300xf32>, tensor<300x32xf32>) -> tensor<512x32xf32>
  %1 = stablehlo.dot_general %one, %infinite, contracting_dims = [1] x [0] : (tensor<512x300xf32>, tensor<300x32xf32>) -> tensor<512x32xf32>
  %2 = stablehlo.dot_general %one, %unknown, contracting_dims = [1] x [0] : (tensor<512x300xf32>, tensor<300x32xf32>) -> tensor<512x32xf32>
  return %0, %1, %2 : tensor<512x32xf32>, tensor<512x32xf32>, tensor<512x32xf32>
}
