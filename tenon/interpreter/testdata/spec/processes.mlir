// The worked examples of ops that need other processes, a host or a library in the StableHLO specification. Here one
// process runs alone: it must refuse what needs more, and give the ids of a 1 x 1 grid. test/e2e/grid_test.cpp runs them
// with two.

func.func @partition_id_line_3629() -> tensor<ui32> {
  %result = "stablehlo.partition_id"() : () -> tensor<ui32>
  return %result : tensor<ui32>
}
// EXPECT: dense<0> : tensor<ui32>

func.func @replica_id_line_4173() -> tensor<ui32> {
  %result = "stablehlo.replica_id"() : () -> tensor<ui32>
  return %result : tensor<ui32>
}
// EXPECT: dense<0> : tensor<ui32>

func.func @all_gather_line_623() -> tensor<2x4xf32> {
  %operand = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %result = "stablehlo.all_gather"(%operand) {
    all_gather_dim = 1 : i64,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  } : (tensor<2x2xf32>) -> tensor<2x4xf32>
  return %result : tensor<2x4xf32>
}
// EXPECT-ERROR: but the grid has only 1 of these

func.func @all_reduce_line_706() -> tensor<4xf32> {
  %operand = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %result = "stablehlo.all_reduce"(%operand) ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%0) : (tensor<f32>) -> ()
  }) {
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %result : tensor<4xf32>
}
// EXPECT-ERROR: but the grid has only 1 of these

func.func @all_to_all_line_809() -> tensor<4x2xf32> {
  %operand = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %result = "stablehlo.all_to_all"(%operand) {
    split_dimension = 1 : i64,
    concat_dimension = 0 : i64,
    split_count = 2 : i64,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
  } : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return %result : tensor<4x2xf32>
}
// EXPECT-ERROR: but the grid has only 1 of these

// The document writes the pairs' type as tensor<2x2xi64>, which does not fit its literal.
func.func @collective_permute_line_1573() -> tensor<2x2xf32> {
  %operand = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %result = "stablehlo.collective_permute"(%operand) {
    source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  } : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %result : tensor<2x2xf32>
}
// EXPECT-ERROR: but the grid has only 1 of these

func.func @reduce_scatter_line_3988() -> tensor<2x2xf32> {
  %operand = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %result = "stablehlo.reduce_scatter"(%operand) ({
    ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%0) : (tensor<f32>) -> ()
  }) {
    scatter_dimension = 1 : i64,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
  } : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %result : tensor<2x2xf32>
}
// EXPECT-ERROR: but the grid has only 1 of these

func.func private @foo(tensor<f32>) -> tensor<f32>
func.func @custom_call_line_2145() -> tensor<f32> {
  %input0 = stablehlo.constant dense<1.0> : tensor<f32>
  %results = "stablehlo.custom_call"(%input0) {
    call_target_name = "foo",
    has_side_effect = false,
    backend_config = "bar",
    api_version = 1 : i32,
    called_computations = [@foo]
  } : (tensor<f32>) -> tensor<f32>
  return %results : tensor<f32>
}
// EXPECT-ERROR: calls 'foo', a target that the interpreter does not know

func.func @infeed_line_2971() -> (tensor<3x3x3xi32>, !stablehlo.token) {
  %token = stablehlo.create_token : !stablehlo.token
  %results0, %results1 = "stablehlo.infeed"(%token) {
    infeed_config = ""
  } : (!stablehlo.token) -> (tensor<3x3x3xi32>, !stablehlo.token)
  return %results0, %results1 : tensor<3x3x3xi32>, !stablehlo.token
}
// EXPECT-ERROR: no infeed

func.func @outfeed_line_3533() -> !stablehlo.token {
  %token = stablehlo.create_token : !stablehlo.token
  %input0 = stablehlo.constant dense<1> : tensor<3x3x3xi32>
  %result = "stablehlo.outfeed"(%input0, %token) {
    outfeed_config = ""
  } : (tensor<3x3x3xi32>, !stablehlo.token) -> !stablehlo.token
  return %result : !stablehlo.token
}
// EXPECT-ERROR: no outfeed

func.func @send_line_4814() -> !stablehlo.token {
  %token = stablehlo.create_token : !stablehlo.token
  %operand = stablehlo.constant dense<1> : tensor<3x4xi32>
  %result = "stablehlo.send"(%operand, %token) {
    channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>,
    is_host_transfer = true
  } : (tensor<3x4xi32>, !stablehlo.token) -> !stablehlo.token
  return %result : !stablehlo.token
}
// EXPECT-ERROR: no host

func.func @recv_line_3783() -> (tensor<3x4xi32>, !stablehlo.token) {
  %token = stablehlo.create_token : !stablehlo.token
  %results0, %results1 = "stablehlo.recv"(%token) {
    channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>,
    is_host_transfer = true
  } : (!stablehlo.token) -> (tensor<3x4xi32>, !stablehlo.token)
  return %results0, %results1 : tensor<3x4xi32>, !stablehlo.token
}
// EXPECT-ERROR: no host
