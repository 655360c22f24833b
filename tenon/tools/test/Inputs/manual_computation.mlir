// Each of four devices has two rows of the array; all keep rows 5 and 6 of it.
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main() -> tensor<8x2xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<8x2xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>]
        manual_axes={"x"} (%part: tensor<2x2xf32>) {
      %2 = "stablehlo.all_gather"(%part) {
        all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids
      } : (tensor<2x2xf32>) -> tensor<8x2xf32>
      %3 = stablehlo.slice %2 [5:7, 0:2] : (tensor<8x2xf32>) -> tensor<2x2xf32>
      sdy.return %3 : tensor<2x2xf32>
    } : (tensor<8x2xf32>) -> tensor<8x2xf32>
    return %1 : tensor<8x2xf32>
  }
}
