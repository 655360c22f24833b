// Indices of types that do not hold the sizes.
// RUN: %compare %tenon %s 0 1 2 3 4 5 6 | %check %s
// CHECK: 7 seeds, {{[4-7]}} shapes
func.func @main(%x: tensor<300xi32>, %k: tensor<5x1xi8>, %u: tensor<5x1xui8>, %s: tensor<i8>, %m: tensor<i32>)
    -> (tensor<5x1xi32>, tensor<7xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<5xi32>) {
  %base = stablehlo.constant dense<280> : tensor<i32>
  %n = stablehlo.add %m, %base : tensor<i32>
  %ones = stablehlo.constant dense<1> : tensor<5xi32>
  %c4 = stablehlo.constant dense<4> : tensor<i32>
  %a = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<300xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<300>>
  %gathered = "stablehlo.gather"(%a, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<?xi32, #stablehlo.bounds<300>>, tensor<5x1xi8>) -> tensor<5x1xi32>
  %slice = stablehlo.dynamic_slice %a, %s, sizes = [7] : (tensor<?xi32, #stablehlo.bounds<300>>, tensor<i8>) -> tensor<7xi32>
  %updated = stablehlo.dynamic_update_slice %a, %slice, %s : (tensor<?xi32, #stablehlo.bounds<300>>, tensor<7xi32>, tensor<i8>) -> tensor<?xi32>
  %added = "stablehlo.scatter"(%a, %k, %ones) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %sum = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<?xi32, #stablehlo.bounds<300>>, tensor<5x1xi8>, tensor<5xi32>) -> tensor<?xi32>
  // Updates that do not count must not reach an index that there is: 255 is one.
  %few = stablehlo.remainder %m, %c4 : tensor<i32>
  %v = stablehlo.set_dimension_size %u, %few, dim = 0 : (tensor<5x1xui8>, tensor<i32>) -> tensor<?x1xui8, #stablehlo.bounds<5, ?>>
  %w = stablehlo.set_dimension_size %ones, %few, dim = 0 : (tensor<5xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<5>>
  %some = "stablehlo.scatter"(%a, %v, %w) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %sum = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<?xi32, #stablehlo.bounds<300>>, tensor<?x1xui8, #stablehlo.bounds<5, ?>>, tensor<?xi32, #stablehlo.bounds<5>>) -> tensor<?xi32>
  %flat = stablehlo.reshape %k : (tensor<5x1xi8>) -> tensor<5xi8>
  %selected = "stablehlo.torch_index_select"(%a, %flat) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<?xi32, #stablehlo.bounds<300>>, tensor<5xi8>) -> tensor<5xi32>
  return %gathered, %slice, %updated, %added, %some, %selected : tensor<5x1xi32>, tensor<7xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<5xi32>
}
