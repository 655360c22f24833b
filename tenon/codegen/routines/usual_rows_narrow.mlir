func.func @var_all_0(%a: !x, %b: !fs) -> !fs {
  %r = tenon.fusion reduce(%in = %a, %in_2 = %b) : (!x, !fs) -> !fs {
    %4 = stablehlo.convert %in : (!x) -> !fx
    %5 = stablehlo.reshape %in_2 : (!fs) -> !fs11
    %cst_3 = stablehlo.constant dense<2.38418579E-7> : !fs11
    %6 = stablehlo.$SCALE %5, %cst_3 : !fs11
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (!fs11) -> !fx
    %8 = stablehlo.subtract %4, %7 : !fx
    %9 = stablehlo.multiply %8, %8 : !fx
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !fs
    %10 = stablehlo.reduce(%9 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (!fx, !fs) -> !fs
    tenon.yield %10 : !fs
  }
  return %r : !fs
}

func.func @var_rows_1(%a: !x) -> !r {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !r {
    %1 = stablehlo.convert %in : (!x) -> !fx
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !fs
    %2 = stablehlo.reduce(%1 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %3 = stablehlo.reshape %2 : (!fr) -> !fr1
    %cst_3 = stablehlo.constant dense<9.765625E-4> : !fr1
    %4 = stablehlo.$SCALE %3, %cst_3 : !fr1
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (!fr1) -> !fx
    %6 = stablehlo.subtract %1, %5 : !fx
    %7 = stablehlo.multiply %6, %6 : !fx
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %cst_4 = stablehlo.constant dense<9.765625E-4> : !fr
    %9 = stablehlo.$SCALE %8, %cst_4 : !fr
    %10 = stablehlo.convert %9 : (!fr) -> !r
    tenon.yield %10 : !r
  }
  return %r : !r
}

func.func @std_rows_2(%a: !x) -> !r {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !r {
    %1 = stablehlo.convert %in : (!x) -> !fx
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !fs
    %2 = stablehlo.reduce(%1 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %3 = stablehlo.reshape %2 : (!fr) -> !fr1
    %cst_3 = stablehlo.constant dense<9.765625E-4> : !fr1
    %4 = stablehlo.$SCALE %3, %cst_3 : !fr1
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (!fr1) -> !fx
    %6 = stablehlo.subtract %1, %5 : !fx
    %7 = stablehlo.multiply %6, %6 : !fx
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %cst_4 = stablehlo.constant dense<9.765625E-4> : !fr
    %9 = stablehlo.$SCALE %8, %cst_4 : !fr
    %10 = stablehlo.convert %9 : (!fr) -> !r
    %11 = stablehlo.sqrt %10 : !r
    tenon.yield %11 : !r
  }
  return %r : !r
}

func.func @var_cols_3(%a: !x) -> !fc {
  %r = tenon.fusion reduce(%in = %a) : (!x) -> !fc {
    %2 = stablehlo.convert %in : (!x) -> !fx
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !fs
    %3 = stablehlo.reduce(%2 init: %cst_2) applies stablehlo.add across dimensions = [0] : (!fx, !fs) -> !fc
    tenon.yield %3 : !fc
  }
  return %r : !fc
}

func.func @var_cols_4(%a: !x, %b: !fc) -> !c {
  %r = tenon.fusion reduce(%in = %a, %in_2 = %b) : (!x, !fc) -> !c {
    %2 = stablehlo.convert %in : (!x) -> !fx
    %3 = stablehlo.reshape %in_2 : (!fc) -> !fc1
    %cst_3 = stablehlo.constant dense<2.44140625E-4> : !fc1
    %4 = stablehlo.multiply %3, %cst_3 : !fc1
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (!fc1) -> !fx
    %6 = stablehlo.subtract %2, %5 : !fx
    %7 = stablehlo.multiply %6, %6 : !fx
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !fs
    %8 = stablehlo.reduce(%7 init: %cst_4) applies stablehlo.add across dimensions = [0] : (!fx, !fs) -> !fc
    %cst_5 = stablehlo.constant dense<2.44140625E-4> : !fc
    %9 = stablehlo.multiply %8, %cst_5 : !fc
    %10 = stablehlo.convert %9 : (!fc) -> !c
    tenon.yield %10 : !c
  }
  return %r : !c
}

func.func @std_cols_5(%a: !x, %b: !fc) -> !c {
  %r = tenon.fusion reduce(%in = %a, %in_2 = %b) : (!x, !fc) -> !c {
    %2 = stablehlo.convert %in : (!x) -> !fx
    %3 = stablehlo.reshape %in_2 : (!fc) -> !fc1
    %cst_3 = stablehlo.constant dense<2.44140625E-4> : !fc1
    %4 = stablehlo.multiply %3, %cst_3 : !fc1
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (!fc1) -> !fx
    %6 = stablehlo.subtract %2, %5 : !fx
    %7 = stablehlo.multiply %6, %6 : !fx
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !fs
    %8 = stablehlo.reduce(%7 init: %cst_4) applies stablehlo.add across dimensions = [0] : (!fx, !fs) -> !fc
    %cst_5 = stablehlo.constant dense<2.44140625E-4> : !fc
    %9 = stablehlo.multiply %8, %cst_5 : !fc
    %10 = stablehlo.convert %9 : (!fc) -> !c
    %11 = stablehlo.sqrt %10 : !c
    tenon.yield %11 : !c
  }
  return %r : !c
}

func.func @argmax_6(%a: !x) -> !ir {
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

func.func @softmax_7(%a: !x) -> !x {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !x {
    %cst_1 = stablehlo.constant dense<$LOW> : !s
    %1 = stablehlo.reduce(%in init: %cst_1) applies stablehlo.maximum across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (!r) -> !x
    %3 = stablehlo.subtract %in, %2 : !x
    %4 = stablehlo.exponential %3 : !x
    %5 = stablehlo.convert %4 : (!x) -> !fx
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !fs
    %6 = stablehlo.reduce(%5 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %7 = stablehlo.reshape %6 : (!fr) -> !fr1
    %8 = stablehlo.convert %7 : (!fr1) -> !r1
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (!r1) -> !x
    %10 = stablehlo.divide %4, %9 : !x
    tenon.yield %10 : !x
  }
  return %r : !x
}

func.func @log_softmax_8(%a: !x) -> !x {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !x {
    %cst_1 = stablehlo.constant dense<$LOW> : !s
    %1 = stablehlo.reduce(%in init: %cst_1) applies stablehlo.maximum across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (!r) -> !x
    %3 = stablehlo.subtract %in, %2 : !x
    %4 = stablehlo.exponential %3 : !x
    %5 = stablehlo.convert %4 : (!x) -> !fx
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !fs
    %6 = stablehlo.reduce(%5 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %7 = stablehlo.reshape %6 : (!fr) -> !fr1
    %8 = stablehlo.convert %7 : (!fr1) -> !r1
    %9 = stablehlo.log %8 : !r1
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (!r1) -> !x
    %11 = stablehlo.subtract %3, %10 : !x
    tenon.yield %11 : !x
  }
  return %r : !x
}

func.func @logsumexp_9(%a: !x) -> !r {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !r {
    %cst_2 = stablehlo.constant dense<$LOW> : !s
    %1 = stablehlo.reduce(%in init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.is_finite %1 : (!r) -> !br
    %cst_3 = stablehlo.constant dense<0.000000e+00> : !r
    %3 = stablehlo.select %2, %1, %cst_3 : !br, !r
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (!r) -> !x
    %5 = stablehlo.subtract %in, %4 : !x
    %6 = stablehlo.exponential %5 : !x
    %7 = stablehlo.convert %6 : (!x) -> !fx
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !fs
    %8 = stablehlo.reduce(%7 init: %cst_4) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %9 = stablehlo.convert %8 : (!fr) -> !r
    %10 = stablehlo.abs %9 : !r
    %11 = stablehlo.log %10 : !r
    %12 = stablehlo.add %11, %3 : !r
    tenon.yield %12 : !r
  }
  return %r : !r
}

func.func @normalize_10(%a: !x) -> !x {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !x {
    %1 = stablehlo.multiply %in, %in : !x
    %2 = stablehlo.convert %1 : (!x) -> !fx
    %cst_0 = stablehlo.constant dense<0.000000e+00> : !fs
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %4 = stablehlo.reshape %3 : (!fr) -> !fr1
    %5 = stablehlo.convert %4 : (!fr1) -> !r1
    %6 = stablehlo.sqrt %5 : !r1
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (!r1) -> !x
    %8 = stablehlo.divide %in, %7 : !x
    tenon.yield %8 : !x
  }
  return %r : !x
}

func.func @layernorm_11(%a: !x, %b: !c, %c: !c) -> !x {
  %r = tenon.fusion rows(%in = %a, %in_2 = %b, %in_3 = %c) : (!x, !c, !c) -> !x {
    %1 = stablehlo.convert %in : (!x) -> !fx
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !fs
    %2 = stablehlo.reduce(%1 init: %cst_4) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %3 = stablehlo.reshape %2 : (!fr) -> !fr1
    %cst_5 = stablehlo.constant dense<9.765625E-4> : !fr1
    %4 = stablehlo.$SCALE %3, %cst_5 : !fr1
    %5 = stablehlo.convert %4 : (!fr1) -> !r1
    %6 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (!fr1) -> !fx
    %7 = stablehlo.subtract %1, %6 : !fx
    %8 = stablehlo.multiply %7, %7 : !fx
    %9 = stablehlo.reduce(%8 init: %cst_4) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %10 = stablehlo.reshape %9 : (!fr) -> !fr1
    %11 = stablehlo.$SCALE %10, %cst_5 : !fr1
    %12 = stablehlo.convert %11 : (!fr1) -> !r1
    %13 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (!r1) -> !x
    %14 = stablehlo.subtract %in, %13 : !x
    %cst_6 = stablehlo.constant dense<1.001360e-05> : !r1
    %15 = stablehlo.add %12, %cst_6 : !r1
    %16 = stablehlo.rsqrt %15 : !r1
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (!r1) -> !x
    %18 = stablehlo.multiply %14, %17 : !x
    %19 = stablehlo.broadcast_in_dim %in_2, dims = [1] : (!c) -> !x
    %20 = stablehlo.multiply %18, %19 : !x
    %21 = stablehlo.broadcast_in_dim %in_3, dims = [1] : (!c) -> !x
    %22 = stablehlo.add %20, %21 : !x
    tenon.yield %22 : !x
  }
  return %r : !x
}

func.func @layernorm_flax_12(%a: !x, %b: !c, %c: !c) -> !x {
  %r = tenon.fusion rows(%in = %a, %in_3 = %b, %in_4 = %c) : (!x, !c, !c) -> !x {
    %1 = stablehlo.convert %in : (!x) -> !fx
    %cst_5 = stablehlo.constant dense<0.000000e+00> : !fs
    %2 = stablehlo.reduce(%1 init: %cst_5) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %3 = stablehlo.reshape %2 : (!fr) -> !fr1
    %cst_6 = stablehlo.constant dense<9.765625E-4> : !fr1
    %4 = stablehlo.$SCALE %3, %cst_6 : !fr1
    %5 = stablehlo.convert %4 : (!fr1) -> !r1
    %6 = stablehlo.multiply %in, %in : !x
    %7 = stablehlo.convert %6 : (!x) -> !fx
    %8 = stablehlo.reduce(%7 init: %cst_5) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %9 = stablehlo.reshape %8 : (!fr) -> !fr1
    %10 = stablehlo.$SCALE %9, %cst_6 : !fr1
    %11 = stablehlo.convert %10 : (!fr1) -> !r1
    %12 = stablehlo.multiply %5, %5 : !r1
    %13 = stablehlo.subtract %11, %12 : !r1
    %cst_7 = stablehlo.constant dense<0.000000e+00> : !r1
    %14 = stablehlo.maximum %13, %cst_7 : !r1
    %15 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (!r1) -> !x
    %16 = stablehlo.subtract %in, %15 : !x
    %cst_8 = stablehlo.constant dense<1.001360e-05> : !r1
    %17 = stablehlo.add %14, %cst_8 : !r1
    %18 = stablehlo.rsqrt %17 : !r1
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (!r1) -> !x
    %20 = stablehlo.broadcast_in_dim %in_3, dims = [1] : (!c) -> !x
    %21 = stablehlo.multiply %19, %20 : !x
    %22 = stablehlo.multiply %16, %21 : !x
    %23 = stablehlo.broadcast_in_dim %in_4, dims = [1] : (!c) -> !x
    %24 = stablehlo.add %22, %23 : !x
    tenon.yield %24 : !x
  }
  return %r : !x
}

func.func @layernorm_plain_13(%a: !x) -> !x {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !x {
    %1 = stablehlo.convert %in : (!x) -> !fx
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !fs
    %2 = stablehlo.reduce(%1 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %3 = stablehlo.reshape %2 : (!fr) -> !fr1
    %cst_3 = stablehlo.constant dense<9.765625E-4> : !fr1
    %4 = stablehlo.$SCALE %3, %cst_3 : !fr1
    %5 = stablehlo.convert %4 : (!fr1) -> !r1
    %6 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (!fr1) -> !fx
    %7 = stablehlo.subtract %1, %6 : !fx
    %8 = stablehlo.multiply %7, %7 : !fx
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %10 = stablehlo.reshape %9 : (!fr) -> !fr1
    %11 = stablehlo.$SCALE %10, %cst_3 : !fr1
    %12 = stablehlo.convert %11 : (!fr1) -> !r1
    %13 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (!r1) -> !x
    %14 = stablehlo.subtract %in, %13 : !x
    %cst_4 = stablehlo.constant dense<1.001360e-05> : !r1
    %15 = stablehlo.add %12, %cst_4 : !r1
    %16 = stablehlo.rsqrt %15 : !r1
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (!r1) -> !x
    %18 = stablehlo.multiply %14, %17 : !x
    tenon.yield %18 : !x
  }
  return %r : !x
}

func.func @layernorm_sqrt_14(%a: !x, %b: !c, %c: !c) -> !x {
  %r = tenon.fusion rows(%in = %a, %in_2 = %b, %in_3 = %c) : (!x, !c, !c) -> !x {
    %1 = stablehlo.convert %in : (!x) -> !fx
    %cst_4 = stablehlo.constant dense<0.000000e+00> : !fs
    %2 = stablehlo.reduce(%1 init: %cst_4) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %3 = stablehlo.reshape %2 : (!fr) -> !fr1
    %cst_5 = stablehlo.constant dense<9.765625E-4> : !fr1
    %4 = stablehlo.$SCALE %3, %cst_5 : !fr1
    %5 = stablehlo.convert %4 : (!fr1) -> !r1
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (!r1) -> !x
    %7 = stablehlo.subtract %in, %6 : !x
    %8 = stablehlo.multiply %7, %7 : !x
    %9 = stablehlo.convert %8 : (!x) -> !fx
    %10 = stablehlo.reduce(%9 init: %cst_4) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %11 = stablehlo.reshape %10 : (!fr) -> !fr1
    %12 = stablehlo.$SCALE %11, %cst_5 : !fr1
    %13 = stablehlo.convert %12 : (!fr1) -> !r1
    %cst_6 = stablehlo.constant dense<1.001360e-05> : !r1
    %14 = stablehlo.add %13, %cst_6 : !r1
    %15 = stablehlo.sqrt %14 : !r1
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (!r1) -> !x
    %17 = stablehlo.divide %7, %16 : !x
    %18 = stablehlo.broadcast_in_dim %in_2, dims = [1] : (!c) -> !x
    %19 = stablehlo.multiply %17, %18 : !x
    %20 = stablehlo.broadcast_in_dim %in_3, dims = [1] : (!c) -> !x
    %21 = stablehlo.add %19, %20 : !x
    tenon.yield %21 : !x
  }
  return %r : !x
}

func.func @rmsnorm_15(%a: !x, %b: !c) -> !x {
  %r = tenon.fusion rows(%in = %a, %in_2 = %b) : (!x, !c) -> !x {
    %1 = stablehlo.multiply %in, %in : !x
    %2 = stablehlo.convert %1 : (!x) -> !fx
    %cst_3 = stablehlo.constant dense<0.000000e+00> : !fs
    %3 = stablehlo.reduce(%2 init: %cst_3) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %4 = stablehlo.reshape %3 : (!fr) -> !fr1
    %cst_4 = stablehlo.constant dense<9.765625E-4> : !fr1
    %5 = stablehlo.$SCALE %4, %cst_4 : !fr1
    %6 = stablehlo.convert %5 : (!fr1) -> !r1
    %cst_5 = stablehlo.constant dense<9.983770e-07> : !r1
    %7 = stablehlo.add %6, %cst_5 : !r1
    %8 = stablehlo.rsqrt %7 : !r1
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (!r1) -> !x
    %10 = stablehlo.multiply %in, %9 : !x
    %11 = stablehlo.broadcast_in_dim %in_2, dims = [1] : (!c) -> !x
    %12 = stablehlo.multiply %10, %11 : !x
    tenon.yield %12 : !x
  }
  return %r : !x
}

func.func @rmsnorm_plain_16(%a: !x) -> !x {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !x {
    %1 = stablehlo.multiply %in, %in : !x
    %2 = stablehlo.convert %1 : (!x) -> !fx
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !fs
    %3 = stablehlo.reduce(%2 init: %cst_2) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %4 = stablehlo.reshape %3 : (!fr) -> !fr1
    %cst_3 = stablehlo.constant dense<9.765625E-4> : !fr1
    %5 = stablehlo.$SCALE %4, %cst_3 : !fr1
    %6 = stablehlo.convert %5 : (!fr1) -> !r1
    %cst_4 = stablehlo.constant dense<9.983770e-07> : !r1
    %7 = stablehlo.add %6, %cst_4 : !r1
    %8 = stablehlo.rsqrt %7 : !r1
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (!r1) -> !x
    %10 = stablehlo.multiply %in, %9 : !x
    tenon.yield %10 : !x
  }
  return %r : !x
}

func.func @rmsnorm_conv_17(%a: !x, %b: !c) -> !x {
  %r = tenon.fusion rows(%in = %a, %in_2 = %b) : (!x, !c) -> !x {
    %1 = stablehlo.convert %in : (!x) -> !fx
    %2 = stablehlo.multiply %1, %1 : !fx
    %cst_3 = stablehlo.constant dense<0.000000e+00> : !fs
    %3 = stablehlo.reduce(%2 init: %cst_3) applies stablehlo.add across dimensions = [1] : (!fx, !fs) -> !fr
    %4 = stablehlo.reshape %3 : (!fr) -> !fr1
    %cst_4 = stablehlo.constant dense<9.765625E-4> : !fr1
    %5 = stablehlo.$SCALE %4, %cst_4 : !fr1
    %cst_5 = stablehlo.constant dense<9.99999997E-7> : !fr1
    %6 = stablehlo.add %5, %cst_5 : !fr1
    %7 = stablehlo.rsqrt %6 : !fr1
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (!fr1) -> !fx
    %9 = stablehlo.multiply %1, %8 : !fx
    %10 = stablehlo.convert %9 : (!fx) -> !x
    %11 = stablehlo.broadcast_in_dim %in_2, dims = [1] : (!c) -> !x
    %12 = stablehlo.multiply %10, %11 : !x
    tenon.yield %12 : !x
  }
  return %r : !x
}

func.func @standardize_18(%a: !x) -> !fc {
  %r = tenon.fusion reduce(%in = %a) : (!x) -> !fc {
    %4 = stablehlo.convert %in : (!x) -> !fx
    %cst_2 = stablehlo.constant dense<0.000000e+00> : !fs
    %5 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0] : (!fx, !fs) -> !fc
    %cst_3 = stablehlo.constant dense<2.44140625E-4> : !fc
    %6 = stablehlo.multiply %5, %cst_3 : !fc
    tenon.yield %6 : !fc
  }
  return %r : !fc
}
