// RUN: %opt %s --split-input-file --tenon-import-shardings --verify-diagnostics
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error @+1 {{cannot read the sharding '{devices=[4]<=[4' at ''}}
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4"}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error @+1 {{cannot read a sharding that is a serialized xla.OpSharding}}
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "replicated"}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error @+1 {{the sharding '{devices=[2]<=[2]}' is not one of the program's 4 partitions}}
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error @+1 {{the sharding '{maximal device=4}' is not one of the program's 4 partitions}}
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{maximal device=4}"}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error @+1 {{the sharding '{devices=[4]0,1,1,2}' names a device twice}}
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4]0,1,1,2}"}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error @+1 {{the sharding '{devices=[2,2]<=[4]}' is not for an array of 1 dimensions}}
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  // expected-error @+1 {{an array has shardings of 2}}
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{{replicated}, {replicated}}"}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{has no dimension 1 that could be unspecified}}
    %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{has 1 results and shardings of 2}}
    %0 = stablehlo.negate %x {mhlo.sharding = "{{replicated}, {replicated}}"} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{no annotation says how the array lies}}
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
    %1 = stablehlo.custom_call @SPMDShardToFullShape(%0) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<2xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
    // expected-error @+1 {{takes what one device has for the whole array; SPMDShardToFullShape is missing}}
    return %0 : tensor<2xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}, %y: tensor<2xf32>) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
    // expected-error @+1 {{takes a whole array for what one device has; SPMDFullToShardShape is missing}}
    %1 = stablehlo.add %0, %y : tensor<2xf32>
    %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<2xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) -> tensor<8xf32> {
    // expected-error @+1 {{dimension 0 has 4 elements on each device, and 8 on 4}}
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @SPMDShardToFullShape(%0) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<4xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<8xf32>) -> tensor<4xf32>
    %1 = stablehlo.negate %0 {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated}}"} : tensor<4xf32>
    // expected-error @+1 {{what is manual here does not fit to the other borders of the computation}}
    %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<4xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
    %1 = stablehlo.custom_call @SPMDShardToFullShape(%0) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<2xf32>) -> tensor<8xf32>
    %2 = stablehlo.negate %1 {mhlo.sharding = "{devices=[4]<=[4]}"} : tensor<8xf32>
    // expected-error @+1 {{the computation's operand depends on its result}}
    %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
    %4 = stablehlo.add %0, %3 : tensor<2xf32>
    %5 = stablehlo.custom_call @SPMDShardToFullShape(%4) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<2xf32>) -> tensor<8xf32>
    return %5 : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=4]>
  func.func @main(%x: tensor<12xf32> loc("x"),
                  // expected-error @+1 {{the sharding of argument 1 needs 12 devices, the program has 8}}
                  %w: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> tensor<12xf32> {
    return %x : tensor<12xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  // expected-error @+1 {{the sharding of result 0 needs 4 devices, the program has 8}}
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return %x : tensor<8xf32>
  }
}

// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{the sharding of sdy.sharding_constraint needs 4 devices, the program has 8}}
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
