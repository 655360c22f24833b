// Tasks of a product whose sums are too short for the widest vectors have whole ones of results all the same: those
// behind the last whole vector of a task are no rest of the row, and were not written.
// RUN: %tenon compile %s --cpu x86-64-v3 --dump-after plan | %check %s --check-prefix=PLAN
// PLAN: dot f32 1x1x1000x11 swapped tile 1x4x4 block 8x504x1
// RUN: %tenon check %s | %check %s --check-prefix=RIGHT
// RIGHT: the result is right
func.func @main(%x: tensor<1x1x1000xf32>, %k: tensor<1x1x11xf32>) -> tensor<1x1x1000xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[5, 5]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x1000xf32>, tensor<1x1x11xf32>) -> tensor<1x1x1000xf32>
  return %0 : tensor<1x1x1000xf32>
}
