func.func @var_all_0(%a: !s, %b: !x) -> !s {
  %r = tenon.fusion reduce(%in = %a, %in_2 = %b) : (!s, !x) -> !s {
    %3 = stablehlo.reshape %in : (!s) -> !s11
    %cst_3 = stablehlo.constant dense<2.38418579E-7> : !s11
    %4 = stablehlo.$SCALE %3, %cst_3 : !s11
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (!s11) -> !x
    %6 = stablehlo.subtract %in_2, %5 : !x
    %7 = stablehlo.multiply %6, %6 : !x
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !s
    %8 = stablehlo.reduce(%7 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (!x, !s) -> !s
    tenon.yield %8 : !s
  }
  return %r : !s
}

func.func @var_rows_1(%a: !x) -> !r {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !r {
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !s
    %1 = stablehlo.reduce(%in init: %cst_2) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.reshape %1 : (!r) -> !r1
    %cst_3 = stablehlo.constant dense<9.765625E-4> : !r1
    %3 = stablehlo.$SCALE %2, %cst_3 : !r1
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (!r1) -> !x
    %5 = stablehlo.subtract %in, %4 : !x
    %6 = stablehlo.multiply %5, %5 : !x
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %cst_4 = stablehlo.constant dense<9.765625E-4> : !r
    %8 = stablehlo.$SCALE %7, %cst_4 : !r
    tenon.yield %8 : !r
  }
  return %r : !r
}

func.func @std_rows_2(%a: !x) -> !r {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !r {
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !s
    %1 = stablehlo.reduce(%in init: %cst_2) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.reshape %1 : (!r) -> !r1
    %cst_3 = stablehlo.constant dense<9.765625E-4> : !r1
    %3 = stablehlo.$SCALE %2, %cst_3 : !r1
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (!r1) -> !x
    %5 = stablehlo.subtract %in, %4 : !x
    %6 = stablehlo.multiply %5, %5 : !x
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %cst_4 = stablehlo.constant dense<9.765625E-4> : !r
    %8 = stablehlo.$SCALE %7, %cst_4 : !r
    %9 = stablehlo.sqrt %8 : !r
    tenon.yield %9 : !r
  }
  return %r : !r
}

func.func @var_cols_3(%a: !c, %b: !x) -> !c {
  %r = tenon.fusion reduce(%in = %a, %in_2 = %b) : (!c, !x) -> !c {
    %2 = stablehlo.reshape %in : (!c) -> !c1
    %cst_3 = stablehlo.constant dense<2.44140625E-4> : !c1
    %3 = stablehlo.multiply %2, %cst_3 : !c1
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (!c1) -> !x
    %5 = stablehlo.subtract %in_2, %4 : !x
    %6 = stablehlo.multiply %5, %5 : !x
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !s
    %7 = stablehlo.reduce(%6 init: %cst_4) applies stablehlo.add across dimensions = [0] : (!x, !s) -> !c
    %cst_5 = stablehlo.constant dense<2.44140625E-4> : !c
    %8 = stablehlo.multiply %7, %cst_5 : !c
    tenon.yield %8 : !c
  }
  return %r : !c
}

func.func @std_cols_4(%a: !c, %b: !x) -> !c {
  %r = tenon.fusion reduce(%in = %a, %in_2 = %b) : (!c, !x) -> !c {
    %2 = stablehlo.reshape %in : (!c) -> !c1
    %cst_3 = stablehlo.constant dense<2.44140625E-4> : !c1
    %3 = stablehlo.multiply %2, %cst_3 : !c1
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (!c1) -> !x
    %5 = stablehlo.subtract %in_2, %4 : !x
    %6 = stablehlo.multiply %5, %5 : !x
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !s
    %7 = stablehlo.reduce(%6 init: %cst_4) applies stablehlo.add across dimensions = [0] : (!x, !s) -> !c
    %cst_5 = stablehlo.constant dense<2.44140625E-4> : !c
    %8 = stablehlo.multiply %7, %cst_5 : !c
    %9 = stablehlo.sqrt %8 : !c
    tenon.yield %9 : !c
  }
  return %r : !c
}

func.func @argmax_5(%a: !x) -> !ir {
  %r = tenon.fusion reduce(%in = %a) : (!x) -> !ir {
    %1 = stablehlo.iota dim = 1 : !ix
    %cst_0 = stablehlo.constant dense<$LOW> : !s
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2:2 = stablehlo.reduce(%in init: %cst_0), (%1 init: %c_1) across dimensions = [1] : (!x, !ix, !s, tensor<i32>) -> (!r, !ir)
     reducer(%arg1: !s, %arg3: !s) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %3 = stablehlo.compare  GT, %arg1, %arg3,  FLOAT : (!s, !s) -> tensor<i1>
      %4 = stablehlo.compare  NE, %arg1, %arg1,  FLOAT : (!s, !s) -> tensor<i1>
      %5 = stablehlo.or %3, %4 : tensor<i1>
      %6 = stablehlo.compare  EQ, %arg1, %arg3,  FLOAT : (!s, !s) -> tensor<i1>
      %7 = stablehlo.compare  LT, %arg2, %arg4,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %8 = stablehlo.and %6, %7 : tensor<i1>
      %9 = stablehlo.or %5, %8 : tensor<i1>
      %10 = stablehlo.select %5, %arg1, %arg3 : tensor<i1>, !s
      %11 = stablehlo.select %9, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %10, %11 : !s, tensor<i32>
    }
    tenon.yield %2#1 : !ir
  }
  return %r : !ir
}

func.func @softmax_6(%a: !x) -> !x {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !x {
    %cst_1 = stablehlo.constant dense<$LOW> : !s
    %1 = stablehlo.reduce(%in init: %cst_1) applies stablehlo.maximum across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (!r) -> !x
    %3 = stablehlo.subtract %in, %2 : !x
    %4 = stablehlo.exponential %3 : !x
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !s
    %5 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (!r) -> !x
    %7 = stablehlo.divide %4, %6 : !x
    tenon.yield %7 : !x
  }
  return %r : !x
}

func.func @log_softmax_7(%a: !x) -> !x {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !x {
    %cst_1 = stablehlo.constant dense<$LOW> : !s
    %1 = stablehlo.reduce(%in init: %cst_1) applies stablehlo.maximum across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (!r) -> !x
    %3 = stablehlo.subtract %in, %2 : !x
    %4 = stablehlo.exponential %3 : !x
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !s
    %5 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %6 = stablehlo.reshape %5 : (!r) -> !r1
    %7 = stablehlo.log %6 : !r1
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (!r1) -> !x
    %9 = stablehlo.subtract %3, %8 : !x
    tenon.yield %9 : !x
  }
  return %r : !x
}

func.func @logsumexp_8(%a: !x) -> !r {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !r {
    %cst_2 = stablehlo.constant dense<$LOW> : !s
    %1 = stablehlo.reduce(%in init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.is_finite %1 : (!r) -> !br
    %cst_3 = stablehlo.constant dense<0.000000e+00> : !r
    %3 = stablehlo.select %2, %1, %cst_3 : !br, !r
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (!r) -> !x
    %5 = stablehlo.subtract %in, %4 : !x
    %6 = stablehlo.exponential %5 : !x
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !s
    %7 = stablehlo.reduce(%6 init: %cst_4) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %8 = stablehlo.abs %7 : !r
    %9 = stablehlo.log %8 : !r
    %10 = stablehlo.add %9, %3 : !r
    tenon.yield %10 : !r
  }
  return %r : !r
}

func.func @normalize_9(%a: !x) -> !x {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !x {
    %1 = stablehlo.multiply %in, %in : !x
    %cst_0 = stablehlo.constant dense<0.000000e+00> : !s
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %3 = stablehlo.reshape %2 : (!r) -> !r1
    %4 = stablehlo.sqrt %3 : !r1
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (!r1) -> !x
    %6 = stablehlo.divide %in, %5 : !x
    tenon.yield %6 : !x
  }
  return %r : !x
}

func.func @layernorm_10(%a: !x, %b: !c, %c: !c) -> !x {
  %r = tenon.fusion rows(%in = %a, %in_2 = %b, %in_3 = %c) : (!x, !c, !c) -> !x {
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !s
    %1 = stablehlo.reduce(%in init: %cst_4) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.reshape %1 : (!r) -> !r1
    %cst_5 = stablehlo.constant dense<9.765625E-4> : !r1
    %3 = stablehlo.$SCALE %2, %cst_5 : !r1
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (!r1) -> !x
    %5 = stablehlo.subtract %in, %4 : !x
    %6 = stablehlo.multiply %5, %5 : !x
    %7 = stablehlo.reduce(%6 init: %cst_4) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %8 = stablehlo.reshape %7 : (!r) -> !r1
    %9 = stablehlo.$SCALE %8, %cst_5 : !r1
    %cst_6 = stablehlo.constant dense<9.99999974E-6> : !r1
    %10 = stablehlo.add %9, %cst_6 : !r1
    %11 = stablehlo.rsqrt %10 : !r1
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (!r1) -> !x
    %13 = stablehlo.multiply %5, %12 : !x
    %14 = stablehlo.broadcast_in_dim %in_2, dims = [1] : (!c) -> !x
    %15 = stablehlo.multiply %13, %14 : !x
    %16 = stablehlo.broadcast_in_dim %in_3, dims = [1] : (!c) -> !x
    %17 = stablehlo.add %15, %16 : !x
    tenon.yield %17 : !x
  }
  return %r : !x
}

func.func @layernorm_flax_11(%a: !x, %b: !c, %c: !c) -> !x {
  %r = tenon.fusion rows(%in = %a, %in_3 = %b, %in_4 = %c) : (!x, !c, !c) -> !x {
    %cst_5 = stablehlo.constant dense<0.000000e+00> : !s
    %1 = stablehlo.reduce(%in init: %cst_5) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.reshape %1 : (!r) -> !r1
    %cst_6 = stablehlo.constant dense<9.765625E-4> : !r1
    %3 = stablehlo.$SCALE %2, %cst_6 : !r1
    %4 = stablehlo.multiply %in, %in : !x
    %5 = stablehlo.reduce(%4 init: %cst_5) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %6 = stablehlo.reshape %5 : (!r) -> !r1
    %7 = stablehlo.$SCALE %6, %cst_6 : !r1
    %8 = stablehlo.multiply %3, %3 : !r1
    %9 = stablehlo.subtract %7, %8 : !r1
    %cst_7 = stablehlo.constant dense<0.000000e+00> : !r1
    %10 = stablehlo.maximum %9, %cst_7 : !r1
    %11 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (!r1) -> !x
    %12 = stablehlo.subtract %in, %11 : !x
    %cst_8 = stablehlo.constant dense<9.99999974E-6> : !r1
    %13 = stablehlo.add %10, %cst_8 : !r1
    %14 = stablehlo.rsqrt %13 : !r1
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (!r1) -> !x
    %16 = stablehlo.broadcast_in_dim %in_3, dims = [1] : (!c) -> !x
    %17 = stablehlo.multiply %15, %16 : !x
    %18 = stablehlo.multiply %12, %17 : !x
    %19 = stablehlo.broadcast_in_dim %in_4, dims = [1] : (!c) -> !x
    %20 = stablehlo.add %18, %19 : !x
    tenon.yield %20 : !x
  }
  return %r : !x
}

func.func @layernorm_plain_12(%a: !x) -> !x {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !x {
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !s
    %1 = stablehlo.reduce(%in init: %cst_2) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.reshape %1 : (!r) -> !r1
    %cst_3 = stablehlo.constant dense<9.765625E-4> : !r1
    %3 = stablehlo.$SCALE %2, %cst_3 : !r1
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (!r1) -> !x
    %5 = stablehlo.subtract %in, %4 : !x
    %6 = stablehlo.multiply %5, %5 : !x
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %8 = stablehlo.reshape %7 : (!r) -> !r1
    %9 = stablehlo.$SCALE %8, %cst_3 : !r1
    %cst_4 = stablehlo.constant dense<9.99999974E-6> : !r1
    %10 = stablehlo.add %9, %cst_4 : !r1
    %11 = stablehlo.rsqrt %10 : !r1
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (!r1) -> !x
    %13 = stablehlo.multiply %5, %12 : !x
    tenon.yield %13 : !x
  }
  return %r : !x
}

func.func @layernorm_sqrt_13(%a: !x, %b: !c, %c: !c) -> !x {
  %r = tenon.fusion rows(%in = %a, %in_2 = %b, %in_3 = %c) : (!x, !c, !c) -> !x {
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !s
    %1 = stablehlo.reduce(%in init: %cst_4) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.reshape %1 : (!r) -> !r1
    %cst_5 = stablehlo.constant dense<9.765625E-4> : !r1
    %3 = stablehlo.$SCALE %2, %cst_5 : !r1
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (!r1) -> !x
    %5 = stablehlo.subtract %in, %4 : !x
    %6 = stablehlo.multiply %5, %5 : !x
    %7 = stablehlo.reduce(%6 init: %cst_4) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %8 = stablehlo.reshape %7 : (!r) -> !r1
    %9 = stablehlo.$SCALE %8, %cst_5 : !r1
    %cst_6 = stablehlo.constant dense<9.99999974E-6> : !r1
    %10 = stablehlo.add %9, %cst_6 : !r1
    %11 = stablehlo.sqrt %10 : !r1
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (!r1) -> !x
    %13 = stablehlo.divide %5, %12 : !x
    %14 = stablehlo.broadcast_in_dim %in_2, dims = [1] : (!c) -> !x
    %15 = stablehlo.multiply %13, %14 : !x
    %16 = stablehlo.broadcast_in_dim %in_3, dims = [1] : (!c) -> !x
    %17 = stablehlo.add %15, %16 : !x
    tenon.yield %17 : !x
  }
  return %r : !x
}

func.func @rmsnorm_14(%a: !x, %b: !c) -> !x {
  %r = tenon.fusion rows(%in = %a, %in_2 = %b) : (!x, !c) -> !x {
    %1 = stablehlo.multiply %in, %in : !x
    %cst_3 = stablehlo.constant dense<0.000000e+00> : !s
    %2 = stablehlo.reduce(%1 init: %cst_3) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %3 = stablehlo.reshape %2 : (!r) -> !r1
    %cst_4 = stablehlo.constant dense<9.765625E-4> : !r1
    %4 = stablehlo.$SCALE %3, %cst_4 : !r1
    %cst_5 = stablehlo.constant dense<9.99999997E-7> : !r1
    %5 = stablehlo.add %4, %cst_5 : !r1
    %6 = stablehlo.rsqrt %5 : !r1
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (!r1) -> !x
    %8 = stablehlo.multiply %in, %7 : !x
    %9 = stablehlo.broadcast_in_dim %in_2, dims = [1] : (!c) -> !x
    %10 = stablehlo.multiply %8, %9 : !x
    tenon.yield %10 : !x
  }
  return %r : !x
}

func.func @rmsnorm_plain_15(%a: !x) -> !x {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !x {
    %1 = stablehlo.multiply %in, %in : !x
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !s
    %2 = stablehlo.reduce(%1 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %3 = stablehlo.reshape %2 : (!r) -> !r1
    %cst_3 = stablehlo.constant dense<9.765625E-4> : !r1
    %4 = stablehlo.$SCALE %3, %cst_3 : !r1
    %cst_4 = stablehlo.constant dense<9.99999997E-7> : !r1
    %5 = stablehlo.add %4, %cst_4 : !r1
    %6 = stablehlo.rsqrt %5 : !r1
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (!r1) -> !x
    %8 = stablehlo.multiply %in, %7 : !x
    tenon.yield %8 : !x
  }
  return %r : !x
}

func.func @layernorm_of_sum_16(%a: !x, %d: !x, %b: !c, %c: !c) -> !x {
  %r = tenon.fusion rows(%in_0 = %a, %in_1 = %d, %in_2 = %b, %in_3 = %c) : (!x, !x, !c, !c) -> !x {
    %in = stablehlo.add %in_0, %in_1 : !x
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !s
    %1 = stablehlo.reduce(%in init: %cst_4) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.reshape %1 : (!r) -> !r1
    %cst_5 = stablehlo.constant dense<9.765625E-4> : !r1
    %3 = stablehlo.$SCALE %2, %cst_5 : !r1
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (!r1) -> !x
    %5 = stablehlo.subtract %in, %4 : !x
    %6 = stablehlo.multiply %5, %5 : !x
    %7 = stablehlo.reduce(%6 init: %cst_4) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %8 = stablehlo.reshape %7 : (!r) -> !r1
    %9 = stablehlo.$SCALE %8, %cst_5 : !r1
    %cst_6 = stablehlo.constant dense<9.99999974E-6> : !r1
    %10 = stablehlo.add %9, %cst_6 : !r1
    %11 = stablehlo.rsqrt %10 : !r1
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (!r1) -> !x
    %13 = stablehlo.multiply %5, %12 : !x
    %14 = stablehlo.broadcast_in_dim %in_2, dims = [1] : (!c) -> !x
    %15 = stablehlo.multiply %13, %14 : !x
    %16 = stablehlo.broadcast_in_dim %in_3, dims = [1] : (!c) -> !x
    %17 = stablehlo.add %15, %16 : !x
    tenon.yield %17 : !x
  }
  return %r : !x
}

func.func @standardize_17(%a: !x) -> !x {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !x {
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !s
    %1 = stablehlo.reduce(%in init: %cst_4) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.reshape %1 : (!r) -> !r1
    %cst_5 = stablehlo.constant dense<9.765625E-4> : !r1
    %3 = stablehlo.$SCALE %2, %cst_5 : !r1
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (!r1) -> !x
    %5 = stablehlo.subtract %in, %4 : !x
    %6 = stablehlo.multiply %5, %5 : !x
    %7 = stablehlo.reduce(%6 init: %cst_4) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %8 = stablehlo.reshape %7 : (!r) -> !r1
    %9 = stablehlo.$SCALE %8, %cst_5 : !r1
    %10 = stablehlo.sqrt %9 : !r1
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (!r1) -> !x
    %12 = stablehlo.divide %5, %11 : !x
    tenon.yield %12 : !x
  }
  return %r : !x
}
