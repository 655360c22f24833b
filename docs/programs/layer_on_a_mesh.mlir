// A transformer layer, without its normalisations, for 2 x 4 devices: the batch is cut by "data", heads and hidden units
// by "model".
module @layer attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]>
  func.func @main(
      %x: tensor<8x256x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>} loc("x"),
      %qkv: tensor<512x3x8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>} loc("qkv"),
      %out: tensor<8x64x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>} loc("out"),
      %up: tensor<512x2048xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>} loc("up"),
      %down: tensor<2048x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>} loc("down"))
      -> (tensor<8x256x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    // Queries, keys and values of each head.
    %0 = stablehlo.dot_general %x, %qkv, contracting_dims = [2] x [0] : (tensor<8x256x512xf32>, tensor<512x3x8x64xf32>) -> tensor<8x256x3x8x64xf32>
    %1 = stablehlo.slice %0 [0:8, 0:256, 0:1, 0:8, 0:64] : (tensor<8x256x3x8x64xf32>) -> tensor<8x256x1x8x64xf32>
    %2 = stablehlo.slice %0 [0:8, 0:256, 1:2, 0:8, 0:64] : (tensor<8x256x3x8x64xf32>) -> tensor<8x256x1x8x64xf32>
    %3 = stablehlo.slice %0 [0:8, 0:256, 2:3, 0:8, 0:64] : (tensor<8x256x3x8x64xf32>) -> tensor<8x256x1x8x64xf32>
    %q = stablehlo.reshape %1 : (tensor<8x256x1x8x64xf32>) -> tensor<8x256x8x64xf32>
    %k = stablehlo.reshape %2 : (tensor<8x256x1x8x64xf32>) -> tensor<8x256x8x64xf32>
    %v = stablehlo.reshape %3 : (tensor<8x256x1x8x64xf32>) -> tensor<8x256x8x64xf32>
    // What each place attends to.
    %4 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<8x256x8x64xf32>, tensor<8x256x8x64xf32>) -> tensor<8x8x256x256xf32>
    %5 = stablehlo.reduce(%4 init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<8x8x256x256xf32>, tensor<f32>) -> tensor<8x8x256xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<8x8x256xf32>) -> tensor<8x8x256x256xf32>
    %7 = stablehlo.subtract %4, %6 : tensor<8x8x256x256xf32>
    %8 = stablehlo.exponential %7 : tensor<8x8x256x256xf32>
    %9 = stablehlo.reduce(%8 init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<8x8x256x256xf32>, tensor<f32>) -> tensor<8x8x256xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<8x8x256xf32>) -> tensor<8x8x256x256xf32>
    %11 = stablehlo.divide %8, %10 : tensor<8x8x256x256xf32>
    %12 = stablehlo.dot_general %11, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<8x8x256x256xf32>, tensor<8x256x8x64xf32>) -> tensor<8x8x256x64xf32>
    // Of all heads, a sum.
    %13 = stablehlo.dot_general %12, %out, contracting_dims = [1, 3] x [0, 1] : (tensor<8x8x256x64xf32>, tensor<8x64x512xf32>) -> tensor<8x256x512xf32>
    %14 = stablehlo.add %x, %13 : tensor<8x256x512xf32>
    // Hidden units, and their sum.
    %15 = stablehlo.dot_general %14, %up, contracting_dims = [2] x [0] : (tensor<8x256x512xf32>, tensor<512x2048xf32>) -> tensor<8x256x2048xf32>
    %16 = stablehlo.tanh %15 : tensor<8x256x2048xf32>
    %17 = stablehlo.dot_general %16, %down, contracting_dims = [2] x [0] : (tensor<8x256x2048xf32>, tensor<2048x512xf32>) -> tensor<8x256x512xf32>
    %18 = stablehlo.add %14, %17 : tensor<8x256x512xf32>
    return %18 : tensor<8x256x512xf32>
  }
}
