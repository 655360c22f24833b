func.func @main(%t: tuple<tensor<f32>>) -> tuple<tensor<f32>> {
  return %t : tuple<tensor<f32>>
}
func.func @other(%t: tuple<tensor<f32>>) -> tuple<tensor<f32>> {
  %0 = call @main(%t) : (tuple<tensor<f32>>) -> tuple<tensor<f32>>
  return %0 : tuple<tensor<f32>>
}
