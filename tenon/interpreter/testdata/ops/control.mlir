// Control flow, calls, futures, tuples, shardings and custom calls.

func.func @while_without_iterations() -> tensor<i32> {
  %0 = stablehlo.constant dense<7> : tensor<i32>
  %1 = stablehlo.while(%x = %0) : tensor<i32>
    cond {
      %2 = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      stablehlo.return %0 : tensor<i32>
    }
  return %1 : tensor<i32>
}
// EXPECT: dense<7> : tensor<i32>

// The body writes to an array it captures nothing of; the first value stays.
func.func @nested_whiles() -> (tensor<4xi32>, tensor<4xi32>) {
  %a = stablehlo.constant dense<0> : tensor<4xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %0:2 = stablehlo.while(%i = %z, %x = %a) : tensor<i32>, tensor<4xi32>
    cond {
      %1 = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      // Adds 1 to element i as many times as i says.
      %2:2 = stablehlo.while(%j = %z, %y = %x) : tensor<i32>, tensor<4xi32>
        cond {
          %3 = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %3 : tensor<i1>
        } do {
          %4 = stablehlo.dynamic_slice %y, %i, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
          %5 = stablehlo.reshape %one : (tensor<i32>) -> tensor<1xi32>
          %6 = stablehlo.add %4, %5 : tensor<1xi32>
          %7 = stablehlo.dynamic_update_slice %y, %6, %i : (tensor<4xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4xi32>
          %8 = stablehlo.add %j, %one : tensor<i32>
          stablehlo.return %8, %7 : tensor<i32>, tensor<4xi32>
        }
      %9 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %9, %2#1 : tensor<i32>, tensor<4xi32>
    }
  return %a, %0#1 : tensor<4xi32>, tensor<4xi32>
}
// EXPECT: dense<0> : tensor<4xi32>
// EXPECT: dense<[0, 1, 2, 3]> : tensor<4xi32>

func.func @case_out_of_range() -> (tensor<i32>, tensor<i32>) {
  %i = stablehlo.constant dense<7> : tensor<i32>
  %j = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %i : tensor<i32>
  }, {
    %1 = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  %2 = "stablehlo.case"(%j) ({
    stablehlo.return %i : tensor<i32>
  }, {
    stablehlo.return %j : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0, %2 : tensor<i32>, tensor<i32>
}
// EXPECT: dense<14> : tensor<i32>
// EXPECT: dense<7> : tensor<i32>

func.func private @double(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.add %x, %x : tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @calls() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = func.call @double(%x) : (tensor<2xi32>) -> tensor<2xi32>
  %1 = stablehlo.composite "my.double" %0 {decomposition = @double} : (tensor<2xi32>) -> tensor<2xi32>
  %2 = tenon.fusion loop(%a = %1, %b = %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32> {
    %3 = stablehlo.add %a, %b : tensor<2xi32>
    %4 = stablehlo.negate %3 : tensor<2xi32>
    tenon.yield %4 : tensor<2xi32>
  }
  return %0, %1, %2 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}
// EXPECT: dense<[2, 4]> : tensor<2xi32>
// EXPECT: dense<[4, 8]> : tensor<2xi32>
// EXPECT: dense<[-5, -10]> : tensor<2xi32>

func.func private @forever(%x: tensor<i32>) -> tensor<i32> {
  %0 = func.call @forever(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @recursion_ends() -> tensor<i32> {
  %x = stablehlo.constant dense<1> : tensor<i32>
  %0 = func.call @forever(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// EXPECT-ERROR: nest too deeply

// Collectives of a process that is alone.
func.func @collectives_of_one() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %9 : tensor<f32>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}
      : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>}
      : (tensor<2xf32>) -> tensor<2xf32>
  // Nobody sends to process 0.
  %3 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<> : tensor<0x2xi64>}
      : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
// EXPECT: dense<[1.0, 2.0]> : tensor<2xf32>
// EXPECT: dense<[1.0, 2.0]> : tensor<2xf32>
// EXPECT: dense<[1.0, 2.0]> : tensor<2xf32>
// EXPECT: dense<[0.0, 0.0]> : tensor<2xf32>

func.func @send_to_itself() -> (tensor<2xf32>, !stablehlo.token) {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}
      : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %1:2 = "stablehlo.recv"(%0) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}
      : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %1#0, %1#1 : tensor<2xf32>, !stablehlo.token
}
// EXPECT: dense<[1.0, 2.0]> : tensor<2xf32>
// EXPECT-TEXT: token

func.func @custom_calls() -> (tensor<2xf32>, tensor<2xf32>) {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.custom_call @Sharding(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.custom_call @annotate_device_placement(%0) {has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
// EXPECT: dense<[1.0, 2.0]> : tensor<2xf32>
// EXPECT: dense<[1.0, 2.0]> : tensor<2xf32>

func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @approximate_top_k() -> (tensor<2xf32>, tensor<2xi32>) {
  %x = stablehlo.constant dense<[1.0, 5.0, 3.0, 4.0]> : tensor<4xf32>
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %f = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %j = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %f, %j) {
    called_computations = [@greater],
    mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 2 : i64, recall_target = 0.9 : f32}
  } : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}
// EXPECT: dense<[5.0, 4.0]> : tensor<2xf32>
// EXPECT: dense<[1, 3]> : tensor<2xi32>

func.func @shape_assertion() -> tensor<i1> {
  %0 = stablehlo.constant dense<false> : tensor<i1>
  stablehlo.custom_call @shape_assertion(%0) {error_message = "b must be 4", has_side_effect = true} : (tensor<i1>) -> ()
  return %0 : tensor<i1>
}
// EXPECT-ERROR: b must be 4

func.func @chlo_broadcasting() -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x2xi1>, tensor<2xf32>) {
  %m = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %v = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %0 = chlo.broadcast_add %m, %v : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %w = stablehlo.constant dense<[100, 200]> : tensor<2xi32>
  %1 = chlo.broadcast_subtract %w, %m {broadcast_dimensions = array<i64: 0>}
      : (tensor<2xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %c = stablehlo.constant dense<[[100], [200]]> : tensor<2x1xi32>
  %2 = chlo.broadcast_compare %c, %w {comparison_direction = #chlo<comparison_direction GE>}
      : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi1>
  %3 = "chlo.constant_like"(%w) {value = 2.5 : f32} : (tensor<2xi32>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x2xi1>, tensor<2xf32>
}
// EXPECT: dense<[[11, 22, 33], [14, 25, 36]]> : tensor<2x3xi32>
// EXPECT: dense<[[99, 98, 97], [196, 195, 194]]> : tensor<2x3xi32>
// EXPECT: dense<[[true, false], [true, true]]> : tensor<2x2xi1>
// EXPECT: dense<[2.5, 2.5]> : tensor<2xf32>

func.func @chlo_scan() -> (tensor<3x2xi32>, tensor<2xi32>, tensor<3x2xi32>, tensor<2xi32>) {
  %m = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %z = stablehlo.constant dense<0> : tensor<2xi32>
  %0:2 = chlo.scan(%m) inits(%z) dimension=0 {
    ^bb0(%x: tensor<2xi32>, %c: tensor<2xi32>):
      %1 = stablehlo.add %x, %c : tensor<2xi32>
      stablehlo.return %1, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<3x2xi32>, tensor<2xi32>) -> (tensor<3x2xi32>, tensor<2xi32>)
  %2:2 = chlo.scan(%m) inits(%z) dimension=0 attributes {is_reverse = true} {
    ^bb0(%x: tensor<2xi32>, %c: tensor<2xi32>):
      %1 = stablehlo.add %x, %c : tensor<2xi32>
      stablehlo.return %1, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<3x2xi32>, tensor<2xi32>) -> (tensor<3x2xi32>, tensor<2xi32>)
  return %0#0, %0#1, %2#0, %2#1 : tensor<3x2xi32>, tensor<2xi32>, tensor<3x2xi32>, tensor<2xi32>
}
// EXPECT: dense<[[1, 2], [4, 6], [9, 12]]> : tensor<3x2xi32>
// EXPECT: dense<[9, 12]> : tensor<2xi32>
// EXPECT: dense<[[9, 12], [8, 10], [5, 6]]> : tensor<3x2xi32>
// EXPECT: dense<[9, 12]> : tensor<2xi32>

func.func @asynchronous() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = "stablehlo.async_start"(%x) ({
    ^bb0(%a: tensor<2xf32>):
      %1 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}
          : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
// EXPECT: dense<[1.0, 2.0]> : tensor<2xf32>

func.func @barrier_and_tokens() -> (tensor<i32>, !stablehlo.token) {
  %x = stablehlo.constant dense<5> : tensor<i32>
  %t = stablehlo.after_all : !stablehlo.token
  %0:2 = "stablehlo.optimization_barrier"(%x, %t) : (tensor<i32>, !stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  return %0#0, %0#1 : tensor<i32>, !stablehlo.token
}
// EXPECT: dense<5> : tensor<i32>
// EXPECT-TEXT: token

// Every element of a condition has to hold; of no elements, each does.
func.func @shape_assertion_of_many() -> tensor<i1> {
  %0 = stablehlo.constant dense<true> : tensor<2x2xi1>
  stablehlo.custom_call @shape_assertion(%0) {error_message = "all", has_side_effect = true} : (tensor<2x2xi1>) -> ()
  %1 = stablehlo.constant dense<> : tensor<0xi1>
  stablehlo.custom_call @shape_assertion(%1) {error_message = "none", has_side_effect = true} : (tensor<0xi1>) -> ()
  %2 = stablehlo.constant dense<true> : tensor<i1>
  return %2 : tensor<i1>
}
// EXPECT: dense<true> : tensor<i1>

func.func @shape_assertion_of_many_fails() {
  %0 = stablehlo.constant dense<[true, true, false, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<-7> : tensor<i8>
  %2 = stablehlo.constant dense<200> : tensor<1xui8>
  %3 = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @shape_assertion(%0, %1, %2, %3) {error_message = "got {0}, {1} and {2}", has_side_effect = true} : (tensor<4xi1>, tensor<i8>, tensor<1xui8>, tensor<i1>) -> ()
  return
}
// EXPECT-ERROR: got -7, 200 and 1
