// Written by make_programs.py.
module @jit_nested_loops_of_few_numbers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<5xi32>, %arg2: tensor<i32>) -> (tensor<3xf32> {jax.result_info = "result[0][0]"}, tensor<4xi32> {jax.result_info = "result[0][1]"}, tensor<3xf32> {jax.result_info = "result[0][2]"}, tensor<5xi32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2:7 = stablehlo.while(%iterArg = %arg1, %iterArg_2 = %arg2, %iterArg_3 = %c_1, %iterArg_4 = %arg0, %iterArg_5 = %0, %iterArg_6 = %arg0, %iterArg_7 = %1) : tensor<5xi32>, tensor<i32>, tensor<i32>, tensor<3xf32>, tensor<4xi32>, tensor<3xf32>, tensor<5xi32>
    cond {
      %c_8 = stablehlo.constant dense<5> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_3, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_3) : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
      %4:4 = func.call @closed_call(%iterArg_2, %iterArg_4, %iterArg_5, %iterArg_6, %3) : (tensor<i32>, tensor<3xf32>, tensor<4xi32>, tensor<3xf32>, tensor<i32>) -> (tensor<3xf32>, tensor<4xi32>, tensor<3xf32>, tensor<i32>)
      %5 = func.call @dynamic_update_index_in_dim(%iterArg_7, %4#3, %iterArg_3) : (tensor<5xi32>, tensor<i32>, tensor<i32>) -> tensor<5xi32>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.add %iterArg_3, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %6, %4#0, %4#1, %4#2, %5 : tensor<5xi32>, tensor<i32>, tensor<i32>, tensor<3xf32>, tensor<4xi32>, tensor<3xf32>, tensor<5xi32>
    }
    return %2#3, %2#4, %2#5, %2#6 : tensor<3xf32>, tensor<4xi32>, tensor<3xf32>, tensor<5xi32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<5xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<3xf32>, %arg2: tensor<4xi32>, %arg3: tensor<3xf32>, %arg4: tensor<i32>) -> (tensor<3xf32>, tensor<4xi32>, tensor<3xf32>, tensor<i32>) {
    %0:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg2) : tensor<3xf32>, tensor<4xi32>
    cond {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.reduce(%iterArg_0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<20> : tensor<i32>
      %9 = stablehlo.compare LT, %8, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %10 = stablehlo.abs %iterArg : tensor<3xf32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %11 = stablehlo.reduce(%10 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
      %cst_2 = stablehlo.constant dense<0.00999999977> : tensor<f32>
      %12 = stablehlo.compare GT, %11, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %13 = stablehlo.and %9, %12 : tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<7.500000e-01> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %9 = stablehlo.multiply %8, %iterArg : tensor<3xf32>
      %10 = stablehlo.slice %iterArg_0 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
      %11 = stablehlo.reshape %10 : (tensor<1xi32>) -> tensor<i32>
      %c = stablehlo.constant dense<1> : tensor<i32>
      %12 = stablehlo.and %11, %c : tensor<i32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %13 = stablehlo.compare LT, %12, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_2 = stablehlo.constant dense<3> : tensor<i32>
      %14 = stablehlo.add %12, %c_2 : tensor<i32>
      %15 = stablehlo.select %13, %14, %12 : tensor<i1>, tensor<i32>
      %16 = stablehlo.dynamic_slice %iterArg, %15, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
      %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<1xf32>) -> tensor<3xf32>
      %18 = stablehlo.add %9, %17 : tensor<3xf32>
      %19 = stablehlo.slice %iterArg_0 [1:2] : (tensor<4xi32>) -> tensor<1xi32>
      %20 = stablehlo.reshape %19 : (tensor<1xi32>) -> tensor<i32>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %21 = stablehlo.and %20, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %22 = stablehlo.compare LT, %21, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_5 = stablehlo.constant dense<4> : tensor<i32>
      %23 = stablehlo.add %21, %c_5 : tensor<i32>
      %24 = stablehlo.select %22, %23, %21 : tensor<i1>, tensor<i32>
      %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %26 = "stablehlo.scatter"(%iterArg_0, %25, %c_6) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
      ^bb0(%arg5: tensor<i32>, %arg6: tensor<i32>):
        %27 = stablehlo.add %arg5, %arg6 : tensor<i32>
        stablehlo.return %27 : tensor<i32>
      }) : (tensor<4xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4xi32>
      stablehlo.return %18, %26 : tensor<3xf32>, tensor<4xi32>
    }
    %1 = stablehlo.compare GT, %arg4, %arg0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.convert %1 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %8 = stablehlo.multiply %0#0, %0#0 : tensor<3xf32>
      stablehlo.return %8 : tensor<3xf32>
    }, {
      %8 = stablehlo.reverse %0#0, dims = [0] : tensor<3xf32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %10 = stablehlo.add %8, %9 : tensor<3xf32>
      stablehlo.return %10 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %4 = stablehlo.compare GT, %3, %arg3, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %5 = call @_where(%4, %3, %arg3) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %6 = stablehlo.subtract %0#1, %0#1 : tensor<4xi32>
    %7 = call @argmax(%3) : (tensor<3xf32>) -> tensor<i32>
    return %3, %6, %5, %7 : tensor<3xf32>, tensor<4xi32>, tensor<3xf32>, tensor<i32>
  }
  func.func private @_where(%arg0: tensor<3xi1>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @argmax(%arg0: tensor<3xf32>) -> tensor<i32> {
    %0 = stablehlo.iota dim = 0 : tensor<3xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<i32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<5xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<5xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5xi32>
    return %1 : tensor<5xi32>
  }
}
