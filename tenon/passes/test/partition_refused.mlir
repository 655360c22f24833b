// Programs that cannot be cut stay whole, as they are, and say why.
// RUN: %opt %s --split-input-file --tenon-partition 2>/dev/null | %check %s
// RUN: %opt %s --split-input-file --tenon-partition 2>&1 >/dev/null | %check %s --check-prefix=REMARK
// CHECK: module attributes {{.*}}tenon.unpartitioned
// CHECK: func.func @main(%arg0: tensor<8xf32> {{.*}}) -> tensor<8xf32>
// CHECK: stablehlo.send
// REMARK: partition_refused.mlir:12:10: remark: the program is not partitioned: it has the op stablehlo.send outside of computations for single devices
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %o = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
    return %x : tensor<8xf32>
  }
}

// -----

// CHECK: tenon.unpartitioned
// REMARK: :23:11: remark: the program is not partitioned: it has the op stablehlo.partition_id outside of computations for single devices
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main() -> tensor<ui32> {
    %id = stablehlo.partition_id : tensor<ui32>
    return %id : tensor<ui32>
  }
}

// -----

// CHECK: tenon.unpartitioned
// REMARK: the program is not partitioned: it has arrays of sizes that are not known
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}
