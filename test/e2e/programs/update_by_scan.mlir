// What a loop has written part by part is written over a part of another array, at a place that is known only when the
// program runs and at one that is moved to where the part fits.
func.func @main(%array: tensor<50xf32>, %terms: tensor<40xf32>, %place: tensor<i32>) -> (tensor<50xf32>, tensor<40xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %steps = stablehlo.constant dense<40> : tensor<i64>
  %first = stablehlo.constant dense<0.0> : tensor<f32>
  %empty = stablehlo.broadcast_in_dim %first, dims = [] : (tensor<f32>) -> tensor<40xf32>
  %loop:3 = stablehlo.while(%i = %zero, %sums = %empty, %sum = %first) : tensor<i64>, tensor<40xf32>, tensor<f32>
    cond {
      %more = stablehlo.compare LT, %i, %steps : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %slice = stablehlo.dynamic_slice %terms, %i, sizes = [1] : (tensor<40xf32>, tensor<i64>) -> tensor<1xf32>
      %term = stablehlo.reshape %slice : (tensor<1xf32>) -> tensor<f32>
      %new = stablehlo.add %term, %sum : tensor<f32>
      %next = stablehlo.add %i, %one : tensor<i64>
      %part = stablehlo.reshape %new : (tensor<f32>) -> tensor<1xf32>
      %written = stablehlo.dynamic_update_slice %sums, %part, %i : (tensor<40xf32>, tensor<1xf32>, tensor<i64>) -> tensor<40xf32>
      stablehlo.return %next, %written, %new : tensor<i64>, tensor<40xf32>, tensor<f32>
    }
  %far = stablehlo.constant dense<3> : tensor<i32>
  %updated = stablehlo.dynamic_update_slice %array, %loop#1, %place : (tensor<50xf32>, tensor<40xf32>, tensor<i32>) -> tensor<50xf32>
  %whole = stablehlo.dynamic_update_slice %terms, %loop#1, %far : (tensor<40xf32>, tensor<40xf32>, tensor<i32>) -> tensor<40xf32>
  return %updated, %whole : tensor<50xf32>, tensor<40xf32>
}
