module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @elementwise(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4xcomplex<f32>>, %arg3: tensor<4xi1>, %arg4: tensor<f32>) {
    %0 = stablehlo.abs %arg0 : tensor<4xf32>
    %1 = stablehlo.abs %arg2 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %2 = stablehlo.cbrt %arg0 : tensor<4xf32>
    %3 = stablehlo.ceil %arg0 : tensor<4xf32>
    %4 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xi8>
    %5 = stablehlo.cosine %arg0 : tensor<4xf32>
    %6 = stablehlo.count_leading_zeros %arg1 : tensor<4xi32>
    %7 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 4, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
    %8 = stablehlo.exponential_minus_one %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e+00, rtol = 2.500000e+00, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
    %9 = stablehlo.floor %arg0 : tensor<4xf32>
    %10 = stablehlo.imag %arg2 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %11 = stablehlo.is_finite %arg0 : (tensor<4xf32>) -> tensor<4xi1>
    %12 = stablehlo.log %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %13 = stablehlo.log_plus_one %arg0 : tensor<4xf32>
    %14 = stablehlo.logistic %arg0 : tensor<4xf32>
    %15 = stablehlo.negate %arg0 {some.note = "kept"} : tensor<4xf32>
    %16 = stablehlo.not %arg3 : tensor<4xi1>
    %17 = stablehlo.popcnt %arg1 : tensor<4xi32>
    %18 = stablehlo.real %arg2 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %19 = stablehlo.round_nearest_afz %arg0 : tensor<4xf32>
    %20 = stablehlo.round_nearest_even %arg0 : tensor<4xf32>
    %21 = stablehlo.rsqrt %arg0 : tensor<4xf32>
    %22 = stablehlo.sign %arg0 : tensor<4xf32>
    %23 = stablehlo.sine %arg0 : tensor<4xf32>
    %24 = stablehlo.sqrt %arg0 : tensor<4xf32>
    %25 = stablehlo.tan %arg0 : tensor<4xf32>
    %26 = stablehlo.tanh %arg0 : tensor<4xf32>
    %27 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<4xf32>
    %28 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    %29 = stablehlo.and %arg3, %arg3 : tensor<4xi1>
    %30 = stablehlo.atan2 %arg0, %arg0 : tensor<4xf32>
    %31 = stablehlo.divide %arg0, %arg0 : tensor<4xf32>
    %32 = stablehlo.maximum %arg0, %arg0 : tensor<4xf32>
    %33 = stablehlo.minimum %arg0, %arg0 : tensor<4xf32>
    %34 = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
    %35 = stablehlo.or %arg3, %arg3 : tensor<4xi1>
    %36 = stablehlo.power %arg0, %arg0 : tensor<4xf32>
    %37 = stablehlo.remainder %arg0, %arg0 : tensor<4xf32>
    %38 = stablehlo.shift_left %arg1, %arg1 : tensor<4xi32>
    %39 = stablehlo.shift_right_arithmetic %arg1, %arg1 : tensor<4xi32>
    %40 = stablehlo.shift_right_logical %arg1, %arg1 : tensor<4xi32>
    %41 = stablehlo.subtract %arg0, %arg0 : tensor<4xf32>
    %42 = stablehlo.xor %arg3, %arg3 : tensor<4xi1>
    %43 = stablehlo.complex %arg0, %arg0 : tensor<4xcomplex<f32>>
    %44 = stablehlo.compare  LT, %arg0, %arg0,  TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %45 = stablehlo.compare  NE, %arg1, %arg1 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %46 = stablehlo.clamp %arg4, %arg0, %arg4 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %47 = stablehlo.select %arg3, %arg0, %arg0 : tensor<4xi1>, tensor<4xf32>
    return
  }
  func.func @quantized(%arg0: tensor<4xf32>, %arg1: tensor<4x!quant.uniform<i8:f32, 1.000000e+00:17>>, %arg2: tensor<4x2x!quant.uniform<i8<-127:127>:f32:1, {5.000000e-01,2.500000e-01}>>) {
    %0 = stablehlo.uniform_quantize %arg0 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 1.000000e+00:17>>
    %1 = stablehlo.uniform_dequantize %arg1 : (tensor<4x!quant.uniform<i8:f32, 1.000000e+00:17>>) -> tensor<4xf32>
    %2 = stablehlo.add %arg1, %arg1 : tensor<4x!quant.uniform<i8:f32, 1.000000e+00:17>>
    %3 = stablehlo.uniform_dequantize %arg2 : (tensor<4x2x!quant.uniform<i8<-127:127>:f32:1, {5.000000e-01,2.500000e-01}>>) -> tensor<4x2xf32>
    return
  }
  func.func @shape(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<2x1xi64>, %arg4: tensor<?x8xf32, #stablehlo.bounds<4, ?>>) {
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %cst = stablehlo.constant {some.note = "kept"} dense<(1.000000e+00,2.000000e+00)> : tensor<2xcomplex<f64>>
    %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %1 = stablehlo.bitcast_convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xi32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [2, 0] : (tensor<4x8xf32>) -> tensor<8x2x4xf32>
    %3 = stablehlo.broadcast %arg0, sizes = [2, 3] : (tensor<4x8xf32>) -> tensor<2x3x4x8xf32>
    %4 = stablehlo.concatenate %arg0, %arg0, dim = 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
    %5 = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<32xf32>
    %6 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<4x8xf32>
    %7 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %8 = stablehlo.pad %arg0, %arg1, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8x9xf32>
    %9 = stablehlo.slice %arg0 [0:4:2, 1:8] : (tensor<4x8xf32>) -> tensor<2x7xf32>
    %10 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [2, 2] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %11 = stablehlo.dynamic_update_slice %arg0, %10, %arg2, %arg2 : (tensor<4x8xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %12 = "stablehlo.gather"(%arg0, %arg3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<2x1xi64>) -> tensor<2x8xf32>
    %13 = stablehlo.get_dimension_size %arg4, dim = 0 : (tensor<?x8xf32, #stablehlo.bounds<4, ?>>) -> tensor<i32>
    %14 = stablehlo.set_dimension_size %arg0, %13, dim = 0 : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>>
    %15 = "stablehlo.torch_index_select"(%arg0, %arg3) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<4x8xf32>, tensor<2x1xi64>) -> tensor<2x1x8xf32>
    return
  }
  func.func @reduction(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>, %arg2: tensor<2x1xi64>, %arg3: tensor<2x8xf32>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %1:2 = stablehlo.reduce(%arg0 init: %arg1), (%arg0 init: %arg1) across dimensions = [0, 1] {some.note = "kept"} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<f32>, %arg7: tensor<f32>)  {
      %8 = stablehlo.add %arg4, %arg6 : tensor<f32>
      stablehlo.return %8, %arg5 : tensor<f32>, tensor<f32>
    }
    %2 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
     reducer(%arg4: tensor<f32>, %arg5: tensor<f32>)  {
      %8 = stablehlo.add %arg5, %arg4 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }
    %3 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %4 = "stablehlo.select_and_scatter"(%arg0, %3, %arg1) <{padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %8 = stablehlo.compare  GE, %arg4, %arg5 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }, {
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    %5 = "stablehlo.scatter"(%arg0, %arg2, %arg3) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      stablehlo.return %arg5 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<2x1xi64>, tensor<2x8xf32>) -> tensor<4x8xf32>
    %6 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %8 = stablehlo.compare  LT, %arg4, %arg5 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %7 = "stablehlo.map"(%arg0) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return
  }
  func.func @control(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<4xf32>, %arg3: !stablehlo.token) {
    %0 = "stablehlo.if"(%arg0) ({
      stablehlo.return %arg2 : tensor<4xf32>
    }, {
      stablehlo.return %arg2 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    "stablehlo.case"(%arg1) ({
      stablehlo.return 
    }, {
      stablehlo.return 
    }) : (tensor<i32>) -> ()
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg2) : tensor<i32>, tensor<4xf32> attributes {some.note = "kept"}
    cond {
      stablehlo.return %arg0 : tensor<i1>
    } do {
      stablehlo.return %iterArg, %iterArg_0 : tensor<i32>, tensor<4xf32>
    }
    %2:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg2) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<?xf32>)
    cond {
    ^bb0(%iterArg: tensor<i32>, %iterArg_0: tensor<?xf32>):
      stablehlo.return %arg0 : tensor<i1>
    } do {
    ^bb0(%iterArg: tensor<i32>, %iterArg_0: tensor<?xf32>):
      stablehlo.return %iterArg, %iterArg_0 : tensor<i32>, tensor<?xf32>
    }
    %3:2 = stablehlo.optimization_barrier %arg2, %arg1 : tensor<4xf32>, tensor<i32>
    stablehlo.optimization_barrier()
    %4 = stablehlo.optimization_barrier %arg2 : (tensor<4xf32>) -> tensor<?xf32>
    %5 = stablehlo.tuple %arg2 : (tensor<4xf32>) -> tuple<tensor<?xf32>>
    %6 = stablehlo.composite "my.thing" %arg2 {composite_attributes = {n = 1 : i64}, decomposition = @decomposition, version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    %7:2 = stablehlo.custom_call @target(%arg2, %arg1) {api_version = 4 : i32, backend_config = {x = 1 : i64}, called_computations = [@decomposition], has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
    stablehlo.custom_call @"no name"() {backend_config = "text"} : () -> ()
    %8 = stablehlo.create_token : !stablehlo.token
    %9 = stablehlo.after_all %arg3, %8 : !stablehlo.token
    %10 = stablehlo.tuple %arg2, %9 : tuple<tensor<4xf32>, !stablehlo.token>
    %11 = stablehlo.get_tuple_element %10[0] : (tuple<tensor<4xf32>, !stablehlo.token>) -> tensor<4xf32>
    %12:2 = "stablehlo.infeed"(%arg3) <{infeed_config = "foo", layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %13 = "stablehlo.outfeed"(%arg2, %arg3) <{outfeed_config = "bar"}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %14 = "stablehlo.send"(%arg2, %arg3) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %15:2 = "stablehlo.recv"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    return
  }
  func.func private @decomposition(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
  func.func @collective(%arg0: tensor<4x8xf32>) {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.partition_id : tensor<ui32>
    %2 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
    %3 = "stablehlo.all_reduce"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %12 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %12 : tensor<f32>
    }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %4 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      stablehlo.return %arg1 : tensor<f32>
    }) : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %5 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %6 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %7 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %8 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %9 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      stablehlo.return %arg1 : tensor<f32>
    }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %10 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%arg1: tensor<4x8xf32>):
      %12 = stablehlo.slice %arg1 [0:4, 0:8] : (tensor<4x8xf32>) -> tensor<4x8xf32>
      stablehlo.return %12 : tensor<4x8xf32>
    }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<4x8xf32>>
    %11 = "stablehlo.async_done"(%10) : (!stablehlo.future<tensor<4x8xf32>>) -> tensor<4x8xf32>
    return
  }
  func.func @linear_algebra(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>, %arg2: tensor<3x4xf32>, %arg3: tensor<4x3xf32>, %arg4: tensor<3x3xf32>, %arg5: tensor<1x8x8x4xf32>, %arg6: tensor<3x3x4x6xf32>, %arg7: tensor<4xcomplex<f32>>, %arg8: tensor<4xf32>, %arg9: tensor<f32>, %arg10: tensor<2xi64>, %arg11: tensor<2xui64>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
    %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [] x [] : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x4x4x3xf32>
    %3 = stablehlo.dot %arg2, %arg3, precision = [DEFAULT, HIGHEST] : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
    %4 = stablehlo.einsum %arg2, %arg3, config = "ab,bc->ac" : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
    %5 = stablehlo.unary_einsum %arg2, config = "ab->a" : (tensor<3x4xf32>) -> tensor<3xf32>
    %6 = stablehlo.convolution(%arg5, %arg6) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x4x4x6xf32>
    %7 = stablehlo.convolution(%arg5, %arg6) dim_numbers = [b, 1, 0, f]x[1, 0, i, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<6x6x1x6xf32>
    %8 = stablehlo.cholesky %arg4, lower = true : tensor<3x3xf32>
    %9 = "stablehlo.triangular_solve"(%arg4, %arg2) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %10 = stablehlo.fft %arg7, type =  FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg5, %arg8, %arg8, %arg8, %arg5) <{epsilon = 0.000000e+00 : f32, feature_index = 3 : i64}> : (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x8x8x4xf32>) -> (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>)
    %11 = "stablehlo.batch_norm_inference"(%arg5, %arg8, %arg8, %arg8, %arg8) <{epsilon = 0.000000e+00 : f32, feature_index = 3 : i64}> : (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg5, %arg8, %arg8) <{epsilon = 0.000000e+00 : f32, feature_index = 3 : i64}> : (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>)
    %12 = stablehlo.rng %arg9, %arg9, %arg10, distribution =  NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    %output_state, %output_0 = stablehlo.rng_bit_generator %arg11, algorithm =  PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xi8>)
    return
  }
  func.func @dynamic(%arg0: tensor<?x8xf32>, %arg1: tensor<2xindex>, %arg2: tensor<2xi32>, %arg3: tensor<f32>, %arg4: tensor<3x3x4x6xf32>, %arg5: tensor<1x8x8x4xf32>, %arg6: tensor<2x2xi64>, %arg7: tensor<2x1xi64>) {
    %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>} : (tensor<?x8xf32>, tensor<2xindex>) -> tensor<?x8xf32>
    %1 = "stablehlo.dynamic_conv"(%arg5, %arg4, %arg6) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<1x?x?x6xf32>
    %2 = "stablehlo.dynamic_gather"(%arg0, %arg7, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<?x8xf32>, tensor<2x1xi64>, tensor<2xi32>) -> tensor<2x?xf32>
    %3 = stablehlo.dynamic_iota %arg1, dim = 1 : (tensor<2xindex>) -> tensor<?x?xi32>
    %4 = stablehlo.dynamic_pad %arg0, %arg3, %arg2, %arg2, %arg2 : (tensor<?x8xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    %5 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?x8xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    %6 = stablehlo.real_dynamic_slice %arg0, %arg2, %arg2, %arg2 : (tensor<?x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    return
  }
  func.func @of_nothing(%arg0: tensor<f32>) {
    %0 = stablehlo.dynamic_slice %arg0,  sizes = [] : (tensor<f32>) -> tensor<f32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %c = stablehlo.constant dense<> : tensor<3x0xi1>
    return
  }
}
