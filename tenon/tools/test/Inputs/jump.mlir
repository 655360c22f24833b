// What jumps where an elementary function's rounding may decide.
func.func @main(%x: tensor<99xf32>) -> (tensor<99xf32>, tensor<99xi1>) {
  %0 = stablehlo.tanh %x : tensor<99xf32>
  %1 = stablehlo.floor %0 : tensor<99xf32>
  %2 = stablehlo.compare LT, %0, %1 : (tensor<99xf32>, tensor<99xf32>) -> tensor<99xi1>
  return %1, %2 : tensor<99xf32>, tensor<99xi1>
}
