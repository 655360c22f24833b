// artifact versions: 0.9.0 1.0.0 1.11.0 1.12.0 1.17.0
module @control attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, test.list = [1, "two", [3.5 : f64]]} {
  func.func public @main(%x: tensor<4xf32> {jax.arg_info = "x", tf.aliasing_output = 0 : i32}, %n: tensor<i32>, %p: tensor<i1>) -> (tensor<4xf32> {jax.result_info = "result"}, tensor<i32>) {
    %0:2 = stablehlo.while(%a = %x, %i = %n) : tensor<4xf32>, tensor<i32>
    cond {
      %4 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = func.call @helper(%a) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %4, %i : tensor<4xf32>, tensor<i32>
    }
    %1 = "stablehlo.if"(%p) ({
      stablehlo.return %0#0 : tensor<4xf32>
    }, {
      stablehlo.return %x : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    %2:2 = "stablehlo.case"(%n) ({
      stablehlo.return %1, %n : tensor<4xf32>, tensor<i32>
    }, {
      stablehlo.return %x, %n : tensor<4xf32>, tensor<i32>
    }, {
      stablehlo.return %1, %0#1 : tensor<4xf32>, tensor<i32>
    }) : (tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
    %3:2 = stablehlo.optimization_barrier %2#0, %2#1 : tensor<4xf32>, tensor<i32>
    return %3#0, %3#1 : tensor<4xf32>, tensor<i32>
  }
  func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %x, %x {mhlo.frontend_attributes = {kind = "x"}} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @calls(%x: tensor<4xf32>, %y: tensor<2x3xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @plain(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @everything(%0, %y) {
      api_version = 2 : i32, backend_config = "options", called_computations = [@helper], has_side_effect = true,
      mhlo.backend_config = {alpha = 1.5 : f32, count = 3 : i64, names = ["a", "b"]},
      operand_layouts = [dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>],
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
    } : (tensor<4xf32>, tensor<2x3xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func @tuples(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.tuple %x, %i : tuple<tensor<4xf32>, tensor<i32>>
    %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func @tokens(%t: !stablehlo.token, %x: tensor<4xf32>) -> !stablehlo.token {
    %0 = stablehlo.create_token : !stablehlo.token
    %1 = stablehlo.after_all %t, %0 : !stablehlo.token
    %2:2 = "stablehlo.infeed"(%1) <{infeed_config = "config", layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %3 = "stablehlo.outfeed"(%2#0, %2#1) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %4 = "stablehlo.send"(%x, %3) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %5:2 = "stablehlo.recv"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    return %5#1 : !stablehlo.token
  }
}
