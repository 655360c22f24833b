// Written by make_programs.py.
module @jit_sorting_short_rows attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x19xi32>, %arg1: tensor<128xi32>, %arg2: tensor<40x2xi32>) -> (tensor<3x19xui32> {jax.result_info = "result[0][0]"}, tensor<3x19xui16> {jax.result_info = "result[0][1]"}, tensor<3x19xui16> {jax.result_info = "result[0][2]"}, tensor<3x19xui32> {jax.result_info = "result[0][3]"}, tensor<3x19xi32> {jax.result_info = "result[0][4]"}, tensor<3x19xi8> {jax.result_info = "result[0][5]"}, tensor<3x19xui32> {jax.result_info = "result[0][6]"}, tensor<3x19xui16> {jax.result_info = "result[0][7]"}, tensor<3x19xi32> {jax.result_info = "result[0][8][0]"}, tensor<3x19xi1> {jax.result_info = "result[0][8][1]"}, tensor<128xui32> {jax.result_info = "result[1][0]"}, tensor<128xui16> {jax.result_info = "result[1][1]"}, tensor<128xui16> {jax.result_info = "result[1][2]"}, tensor<128xui32> {jax.result_info = "result[1][3]"}, tensor<128xi32> {jax.result_info = "result[1][4]"}, tensor<128xi8> {jax.result_info = "result[1][5]"}, tensor<128xui32> {jax.result_info = "result[1][6]"}, tensor<128xui16> {jax.result_info = "result[1][7]"}, tensor<128xi32> {jax.result_info = "result[1][8][0]"}, tensor<128xi1> {jax.result_info = "result[1][8][1]"}, tensor<40x2xui32> {jax.result_info = "result[2][0]"}, tensor<40x2xui16> {jax.result_info = "result[2][1]"}, tensor<40x2xui16> {jax.result_info = "result[2][2]"}, tensor<40x2xui32> {jax.result_info = "result[2][3]"}, tensor<40x2xi32> {jax.result_info = "result[2][4]"}, tensor<40x2xi8> {jax.result_info = "result[2][5]"}, tensor<40x2xui32> {jax.result_info = "result[2][6]"}, tensor<40x2xui16> {jax.result_info = "result[2][7]"}, tensor<40x2xi32> {jax.result_info = "result[2][8][0]"}, tensor<40x2xi1> {jax.result_info = "result[2][8][1]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<3x19xi32>) -> tensor<3x19xui32>
    %c = stablehlo.constant dense<2654435761> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %2 = stablehlo.multiply %0, %1 : tensor<3x19xui32>
    %3 = stablehlo.iota dim = 0 : tensor<57xui32>
    %4 = stablehlo.reshape %3 : (tensor<57xui32>) -> tensor<3x19xui32>
    %c_0 = stablehlo.constant dense<40503> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %6 = stablehlo.multiply %4, %5 : tensor<3x19xui32>
    %7 = stablehlo.add %2, %6 : tensor<3x19xui32>
    %c_1 = stablehlo.constant dense<7> : tensor<ui32>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %9 = stablehlo.shift_right_logical %7, %8 : tensor<3x19xui32>
    %c_2 = stablehlo.constant dense<11> : tensor<ui32>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %11 = stablehlo.shift_left %7, %10 : tensor<3x19xui32>
    %12 = stablehlo.xor %9, %11 : tensor<3x19xui32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %13 = stablehlo.bitcast_convert %cst : (tensor<f32>) -> tensor<ui32>
    %c_3 = stablehlo.constant dense<7> : tensor<i32>
    %14 = call @remainder(%7, %c_3) : (tensor<3x19xui32>, tensor<i32>) -> tensor<3x19xui32>
    %c_4 = stablehlo.constant dense<0> : tensor<ui32>
    %15 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %16 = stablehlo.compare EQ, %14, %15, UNSIGNED : (tensor<3x19xui32>, tensor<3x19xui32>) -> tensor<3x19xi1>
    %c_5 = stablehlo.constant dense<2147483648> : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %18 = stablehlo.and %12, %17 : tensor<3x19xui32>
    %c_6 = stablehlo.constant dense<11> : tensor<i32>
    %19 = call @remainder(%7, %c_6) : (tensor<3x19xui32>, tensor<i32>) -> tensor<3x19xui32>
    %c_7 = stablehlo.constant dense<0> : tensor<ui32>
    %20 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %21 = stablehlo.compare EQ, %19, %20, UNSIGNED : (tensor<3x19xui32>, tensor<3x19xui32>) -> tensor<3x19xi1>
    %c_8 = stablehlo.constant dense<2147483648> : tensor<ui32>
    %c_9 = stablehlo.constant dense<3> : tensor<ui32>
    %22 = stablehlo.or %c_8, %c_9 : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %24 = stablehlo.and %12, %23 : tensor<3x19xui32>
    %25 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %26 = stablehlo.or %24, %25 : tensor<3x19xui32>
    %27 = call @_where_0(%21, %26, %12) : (tensor<3x19xi1>, tensor<3x19xui32>, tensor<3x19xui32>) -> tensor<3x19xui32>
    %28 = call @_where_0(%16, %18, %27) : (tensor<3x19xi1>, tensor<3x19xui32>, tensor<3x19xui32>) -> tensor<3x19xui32>
    %29 = stablehlo.bitcast_convert %28 : (tensor<3x19xui32>) -> tensor<3x19xf32>
    %30 = stablehlo.convert %arg0 : (tensor<3x19xi32>) -> tensor<3x19xui32>
    %c_10 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %31 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %32 = stablehlo.multiply %30, %31 : tensor<3x19xui32>
    %33 = stablehlo.iota dim = 0 : tensor<57xui32>
    %34 = stablehlo.reshape %33 : (tensor<57xui32>) -> tensor<3x19xui32>
    %c_11 = stablehlo.constant dense<40503> : tensor<ui32>
    %35 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %36 = stablehlo.multiply %34, %35 : tensor<3x19xui32>
    %37 = stablehlo.add %32, %36 : tensor<3x19xui32>
    %c_12 = stablehlo.constant dense<7> : tensor<ui32>
    %38 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %39 = stablehlo.shift_right_logical %37, %38 : tensor<3x19xui32>
    %c_13 = stablehlo.constant dense<11> : tensor<ui32>
    %40 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %41 = stablehlo.shift_left %37, %40 : tensor<3x19xui32>
    %42 = stablehlo.xor %39, %41 : tensor<3x19xui32>
    %43 = stablehlo.convert %42 : (tensor<3x19xui32>) -> tensor<3x19xui16>
    %cst_14 = stablehlo.constant dense<0x7E00> : tensor<f16>
    %44 = stablehlo.bitcast_convert %cst_14 : (tensor<f16>) -> tensor<ui16>
    %c_15 = stablehlo.constant dense<7> : tensor<i32>
    %45 = call @remainder(%37, %c_15) : (tensor<3x19xui32>, tensor<i32>) -> tensor<3x19xui32>
    %c_16 = stablehlo.constant dense<0> : tensor<ui32>
    %46 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %47 = stablehlo.compare EQ, %45, %46, UNSIGNED : (tensor<3x19xui32>, tensor<3x19xui32>) -> tensor<3x19xi1>
    %c_17 = stablehlo.constant dense<32768> : tensor<ui16>
    %48 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<ui16>) -> tensor<3x19xui16>
    %49 = stablehlo.and %43, %48 : tensor<3x19xui16>
    %c_18 = stablehlo.constant dense<11> : tensor<i32>
    %50 = call @remainder(%37, %c_18) : (tensor<3x19xui32>, tensor<i32>) -> tensor<3x19xui32>
    %c_19 = stablehlo.constant dense<0> : tensor<ui32>
    %51 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %52 = stablehlo.compare EQ, %50, %51, UNSIGNED : (tensor<3x19xui32>, tensor<3x19xui32>) -> tensor<3x19xi1>
    %c_20 = stablehlo.constant dense<32768> : tensor<ui16>
    %c_21 = stablehlo.constant dense<3> : tensor<ui16>
    %53 = stablehlo.or %c_20, %c_21 : tensor<ui16>
    %54 = stablehlo.broadcast_in_dim %53, dims = [] : (tensor<ui16>) -> tensor<3x19xui16>
    %55 = stablehlo.and %43, %54 : tensor<3x19xui16>
    %56 = stablehlo.broadcast_in_dim %44, dims = [] : (tensor<ui16>) -> tensor<3x19xui16>
    %57 = stablehlo.or %55, %56 : tensor<3x19xui16>
    %58 = call @_where_1(%52, %57, %43) : (tensor<3x19xi1>, tensor<3x19xui16>, tensor<3x19xui16>) -> tensor<3x19xui16>
    %59 = call @_where_1(%47, %49, %58) : (tensor<3x19xi1>, tensor<3x19xui16>, tensor<3x19xui16>) -> tensor<3x19xui16>
    %60 = stablehlo.bitcast_convert %59 : (tensor<3x19xui16>) -> tensor<3x19xf16>
    %61 = stablehlo.convert %arg0 : (tensor<3x19xi32>) -> tensor<3x19xui32>
    %c_22 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %62 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %63 = stablehlo.multiply %61, %62 : tensor<3x19xui32>
    %64 = stablehlo.iota dim = 0 : tensor<57xui32>
    %65 = stablehlo.reshape %64 : (tensor<57xui32>) -> tensor<3x19xui32>
    %c_23 = stablehlo.constant dense<40503> : tensor<ui32>
    %66 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %67 = stablehlo.multiply %65, %66 : tensor<3x19xui32>
    %68 = stablehlo.add %63, %67 : tensor<3x19xui32>
    %c_24 = stablehlo.constant dense<7> : tensor<ui32>
    %69 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %70 = stablehlo.shift_right_logical %68, %69 : tensor<3x19xui32>
    %c_25 = stablehlo.constant dense<11> : tensor<ui32>
    %71 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %72 = stablehlo.shift_left %68, %71 : tensor<3x19xui32>
    %73 = stablehlo.xor %70, %72 : tensor<3x19xui32>
    %74 = stablehlo.convert %73 : (tensor<3x19xui32>) -> tensor<3x19xui16>
    %cst_26 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
    %75 = stablehlo.bitcast_convert %cst_26 : (tensor<bf16>) -> tensor<ui16>
    %c_27 = stablehlo.constant dense<7> : tensor<i32>
    %76 = call @remainder(%68, %c_27) : (tensor<3x19xui32>, tensor<i32>) -> tensor<3x19xui32>
    %c_28 = stablehlo.constant dense<0> : tensor<ui32>
    %77 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %78 = stablehlo.compare EQ, %76, %77, UNSIGNED : (tensor<3x19xui32>, tensor<3x19xui32>) -> tensor<3x19xi1>
    %c_29 = stablehlo.constant dense<32768> : tensor<ui16>
    %79 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<ui16>) -> tensor<3x19xui16>
    %80 = stablehlo.and %74, %79 : tensor<3x19xui16>
    %c_30 = stablehlo.constant dense<11> : tensor<i32>
    %81 = call @remainder(%68, %c_30) : (tensor<3x19xui32>, tensor<i32>) -> tensor<3x19xui32>
    %c_31 = stablehlo.constant dense<0> : tensor<ui32>
    %82 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %83 = stablehlo.compare EQ, %81, %82, UNSIGNED : (tensor<3x19xui32>, tensor<3x19xui32>) -> tensor<3x19xi1>
    %c_32 = stablehlo.constant dense<32768> : tensor<ui16>
    %c_33 = stablehlo.constant dense<3> : tensor<ui16>
    %84 = stablehlo.or %c_32, %c_33 : tensor<ui16>
    %85 = stablehlo.broadcast_in_dim %84, dims = [] : (tensor<ui16>) -> tensor<3x19xui16>
    %86 = stablehlo.and %74, %85 : tensor<3x19xui16>
    %87 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<ui16>) -> tensor<3x19xui16>
    %88 = stablehlo.or %86, %87 : tensor<3x19xui16>
    %89 = call @_where_1(%83, %88, %74) : (tensor<3x19xi1>, tensor<3x19xui16>, tensor<3x19xui16>) -> tensor<3x19xui16>
    %90 = call @_where_1(%78, %80, %89) : (tensor<3x19xi1>, tensor<3x19xui16>, tensor<3x19xui16>) -> tensor<3x19xui16>
    %91 = stablehlo.bitcast_convert %90 : (tensor<3x19xui16>) -> tensor<3x19xbf16>
    %c_34 = stablehlo.constant dense<77> : tensor<i32>
    %92 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i32>) -> tensor<3x19xi32>
    %93 = stablehlo.multiply %arg0, %92 : tensor<3x19xi32>
    %94 = stablehlo.convert %93 : (tensor<3x19xi32>) -> tensor<3x19xi8>
    %95 = call @sort(%29) : (tensor<3x19xf32>) -> tensor<3x19xf32>
    %96 = stablehlo.bitcast_convert %95 : (tensor<3x19xf32>) -> tensor<3x19xui32>
    %97 = call @sort_2(%60) : (tensor<3x19xf16>) -> tensor<3x19xf16>
    %98 = stablehlo.bitcast_convert %97 : (tensor<3x19xf16>) -> tensor<3x19xui16>
    %99 = call @sort_3(%91) : (tensor<3x19xbf16>) -> tensor<3x19xbf16>
    %100 = stablehlo.bitcast_convert %99 : (tensor<3x19xbf16>) -> tensor<3x19xui16>
    %101 = call @sort_4(%29) : (tensor<3x19xf32>) -> tensor<3x19xf32>
    %102 = stablehlo.bitcast_convert %101 : (tensor<3x19xf32>) -> tensor<3x19xui32>
    %103 = call @argsort(%29) : (tensor<3x19xf32>) -> tensor<3x19xi32>
    %104 = call @sort_5(%94) : (tensor<3x19xi8>) -> tensor<3x19xi8>
    %105 = stablehlo.bitcast_convert %29 : (tensor<3x19xf32>) -> tensor<3x19xui32>
    %106 = call @sort_6(%105) : (tensor<3x19xui32>) -> tensor<3x19xui32>
    %107 = stablehlo.bitcast_convert %91 : (tensor<3x19xbf16>) -> tensor<3x19xui16>
    %108:2 = "stablehlo.sort"(%91, %107) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>, %arg5: tensor<ui16>, %arg6: tensor<ui16>):
      %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %333 = stablehlo.compare EQ, %arg3, %cst_112, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %334 = stablehlo.select %333, %cst_113, %arg3 : tensor<i1>, tensor<bf16>
      %335 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_114 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %336 = stablehlo.select %335, %cst_114, %334 : tensor<i1>, tensor<bf16>
      %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %337 = stablehlo.compare EQ, %arg4, %cst_115, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_116 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %338 = stablehlo.select %337, %cst_116, %arg4 : tensor<i1>, tensor<bf16>
      %339 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_117 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %340 = stablehlo.select %339, %cst_117, %338 : tensor<i1>, tensor<bf16>
      %341 = stablehlo.compare LT, %336, %340, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %341 : tensor<i1>
    }) : (tensor<3x19xbf16>, tensor<3x19xui16>) -> (tensor<3x19xbf16>, tensor<3x19xui16>)
    %c_35 = stablehlo.constant dense<5> : tensor<i32>
    %109 = call @remainder_7(%arg0, %c_35) : (tensor<3x19xi32>, tensor<i32>) -> tensor<3x19xi32>
    %110 = stablehlo.compare EQ, %60, %60, FLOAT : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xi1>
    %111:3 = "stablehlo.sort"(%109, %arg0, %110) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<i1>, %arg8: tensor<i1>):
      %333 = stablehlo.compare LT, %arg3, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %333 : tensor<i1>
    }) : (tensor<3x19xi32>, tensor<3x19xi32>, tensor<3x19xi1>) -> (tensor<3x19xi32>, tensor<3x19xi32>, tensor<3x19xi1>)
    %112 = stablehlo.convert %arg1 : (tensor<128xi32>) -> tensor<128xui32>
    %c_36 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %113 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %114 = stablehlo.multiply %112, %113 : tensor<128xui32>
    %115 = stablehlo.iota dim = 0 : tensor<128xui32>
    %c_37 = stablehlo.constant dense<40503> : tensor<ui32>
    %116 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %117 = stablehlo.multiply %115, %116 : tensor<128xui32>
    %118 = stablehlo.add %114, %117 : tensor<128xui32>
    %c_38 = stablehlo.constant dense<7> : tensor<ui32>
    %119 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %120 = stablehlo.shift_right_logical %118, %119 : tensor<128xui32>
    %c_39 = stablehlo.constant dense<11> : tensor<ui32>
    %121 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %122 = stablehlo.shift_left %118, %121 : tensor<128xui32>
    %123 = stablehlo.xor %120, %122 : tensor<128xui32>
    %cst_40 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %124 = stablehlo.bitcast_convert %cst_40 : (tensor<f32>) -> tensor<ui32>
    %c_41 = stablehlo.constant dense<7> : tensor<i32>
    %125 = call @remainder_9(%118, %c_41) : (tensor<128xui32>, tensor<i32>) -> tensor<128xui32>
    %c_42 = stablehlo.constant dense<0> : tensor<ui32>
    %126 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %127 = stablehlo.compare EQ, %125, %126, UNSIGNED : (tensor<128xui32>, tensor<128xui32>) -> tensor<128xi1>
    %c_43 = stablehlo.constant dense<2147483648> : tensor<ui32>
    %128 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %129 = stablehlo.and %123, %128 : tensor<128xui32>
    %c_44 = stablehlo.constant dense<11> : tensor<i32>
    %130 = call @remainder_9(%118, %c_44) : (tensor<128xui32>, tensor<i32>) -> tensor<128xui32>
    %c_45 = stablehlo.constant dense<0> : tensor<ui32>
    %131 = stablehlo.broadcast_in_dim %c_45, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %132 = stablehlo.compare EQ, %130, %131, UNSIGNED : (tensor<128xui32>, tensor<128xui32>) -> tensor<128xi1>
    %c_46 = stablehlo.constant dense<2147483648> : tensor<ui32>
    %c_47 = stablehlo.constant dense<3> : tensor<ui32>
    %133 = stablehlo.or %c_46, %c_47 : tensor<ui32>
    %134 = stablehlo.broadcast_in_dim %133, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %135 = stablehlo.and %123, %134 : tensor<128xui32>
    %136 = stablehlo.broadcast_in_dim %124, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %137 = stablehlo.or %135, %136 : tensor<128xui32>
    %138 = call @_where_10(%132, %137, %123) : (tensor<128xi1>, tensor<128xui32>, tensor<128xui32>) -> tensor<128xui32>
    %139 = call @_where_10(%127, %129, %138) : (tensor<128xi1>, tensor<128xui32>, tensor<128xui32>) -> tensor<128xui32>
    %140 = stablehlo.bitcast_convert %139 : (tensor<128xui32>) -> tensor<128xf32>
    %141 = stablehlo.convert %arg1 : (tensor<128xi32>) -> tensor<128xui32>
    %c_48 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %142 = stablehlo.broadcast_in_dim %c_48, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %143 = stablehlo.multiply %141, %142 : tensor<128xui32>
    %144 = stablehlo.iota dim = 0 : tensor<128xui32>
    %c_49 = stablehlo.constant dense<40503> : tensor<ui32>
    %145 = stablehlo.broadcast_in_dim %c_49, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %146 = stablehlo.multiply %144, %145 : tensor<128xui32>
    %147 = stablehlo.add %143, %146 : tensor<128xui32>
    %c_50 = stablehlo.constant dense<7> : tensor<ui32>
    %148 = stablehlo.broadcast_in_dim %c_50, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %149 = stablehlo.shift_right_logical %147, %148 : tensor<128xui32>
    %c_51 = stablehlo.constant dense<11> : tensor<ui32>
    %150 = stablehlo.broadcast_in_dim %c_51, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %151 = stablehlo.shift_left %147, %150 : tensor<128xui32>
    %152 = stablehlo.xor %149, %151 : tensor<128xui32>
    %153 = stablehlo.convert %152 : (tensor<128xui32>) -> tensor<128xui16>
    %cst_52 = stablehlo.constant dense<0x7E00> : tensor<f16>
    %154 = stablehlo.bitcast_convert %cst_52 : (tensor<f16>) -> tensor<ui16>
    %c_53 = stablehlo.constant dense<7> : tensor<i32>
    %155 = call @remainder_9(%147, %c_53) : (tensor<128xui32>, tensor<i32>) -> tensor<128xui32>
    %c_54 = stablehlo.constant dense<0> : tensor<ui32>
    %156 = stablehlo.broadcast_in_dim %c_54, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %157 = stablehlo.compare EQ, %155, %156, UNSIGNED : (tensor<128xui32>, tensor<128xui32>) -> tensor<128xi1>
    %c_55 = stablehlo.constant dense<32768> : tensor<ui16>
    %158 = stablehlo.broadcast_in_dim %c_55, dims = [] : (tensor<ui16>) -> tensor<128xui16>
    %159 = stablehlo.and %153, %158 : tensor<128xui16>
    %c_56 = stablehlo.constant dense<11> : tensor<i32>
    %160 = call @remainder_9(%147, %c_56) : (tensor<128xui32>, tensor<i32>) -> tensor<128xui32>
    %c_57 = stablehlo.constant dense<0> : tensor<ui32>
    %161 = stablehlo.broadcast_in_dim %c_57, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %162 = stablehlo.compare EQ, %160, %161, UNSIGNED : (tensor<128xui32>, tensor<128xui32>) -> tensor<128xi1>
    %c_58 = stablehlo.constant dense<32768> : tensor<ui16>
    %c_59 = stablehlo.constant dense<3> : tensor<ui16>
    %163 = stablehlo.or %c_58, %c_59 : tensor<ui16>
    %164 = stablehlo.broadcast_in_dim %163, dims = [] : (tensor<ui16>) -> tensor<128xui16>
    %165 = stablehlo.and %153, %164 : tensor<128xui16>
    %166 = stablehlo.broadcast_in_dim %154, dims = [] : (tensor<ui16>) -> tensor<128xui16>
    %167 = stablehlo.or %165, %166 : tensor<128xui16>
    %168 = call @_where_11(%162, %167, %153) : (tensor<128xi1>, tensor<128xui16>, tensor<128xui16>) -> tensor<128xui16>
    %169 = call @_where_11(%157, %159, %168) : (tensor<128xi1>, tensor<128xui16>, tensor<128xui16>) -> tensor<128xui16>
    %170 = stablehlo.bitcast_convert %169 : (tensor<128xui16>) -> tensor<128xf16>
    %171 = stablehlo.convert %arg1 : (tensor<128xi32>) -> tensor<128xui32>
    %c_60 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %172 = stablehlo.broadcast_in_dim %c_60, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %173 = stablehlo.multiply %171, %172 : tensor<128xui32>
    %174 = stablehlo.iota dim = 0 : tensor<128xui32>
    %c_61 = stablehlo.constant dense<40503> : tensor<ui32>
    %175 = stablehlo.broadcast_in_dim %c_61, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %176 = stablehlo.multiply %174, %175 : tensor<128xui32>
    %177 = stablehlo.add %173, %176 : tensor<128xui32>
    %c_62 = stablehlo.constant dense<7> : tensor<ui32>
    %178 = stablehlo.broadcast_in_dim %c_62, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %179 = stablehlo.shift_right_logical %177, %178 : tensor<128xui32>
    %c_63 = stablehlo.constant dense<11> : tensor<ui32>
    %180 = stablehlo.broadcast_in_dim %c_63, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %181 = stablehlo.shift_left %177, %180 : tensor<128xui32>
    %182 = stablehlo.xor %179, %181 : tensor<128xui32>
    %183 = stablehlo.convert %182 : (tensor<128xui32>) -> tensor<128xui16>
    %cst_64 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
    %184 = stablehlo.bitcast_convert %cst_64 : (tensor<bf16>) -> tensor<ui16>
    %c_65 = stablehlo.constant dense<7> : tensor<i32>
    %185 = call @remainder_9(%177, %c_65) : (tensor<128xui32>, tensor<i32>) -> tensor<128xui32>
    %c_66 = stablehlo.constant dense<0> : tensor<ui32>
    %186 = stablehlo.broadcast_in_dim %c_66, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %187 = stablehlo.compare EQ, %185, %186, UNSIGNED : (tensor<128xui32>, tensor<128xui32>) -> tensor<128xi1>
    %c_67 = stablehlo.constant dense<32768> : tensor<ui16>
    %188 = stablehlo.broadcast_in_dim %c_67, dims = [] : (tensor<ui16>) -> tensor<128xui16>
    %189 = stablehlo.and %183, %188 : tensor<128xui16>
    %c_68 = stablehlo.constant dense<11> : tensor<i32>
    %190 = call @remainder_9(%177, %c_68) : (tensor<128xui32>, tensor<i32>) -> tensor<128xui32>
    %c_69 = stablehlo.constant dense<0> : tensor<ui32>
    %191 = stablehlo.broadcast_in_dim %c_69, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %192 = stablehlo.compare EQ, %190, %191, UNSIGNED : (tensor<128xui32>, tensor<128xui32>) -> tensor<128xi1>
    %c_70 = stablehlo.constant dense<32768> : tensor<ui16>
    %c_71 = stablehlo.constant dense<3> : tensor<ui16>
    %193 = stablehlo.or %c_70, %c_71 : tensor<ui16>
    %194 = stablehlo.broadcast_in_dim %193, dims = [] : (tensor<ui16>) -> tensor<128xui16>
    %195 = stablehlo.and %183, %194 : tensor<128xui16>
    %196 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<ui16>) -> tensor<128xui16>
    %197 = stablehlo.or %195, %196 : tensor<128xui16>
    %198 = call @_where_11(%192, %197, %183) : (tensor<128xi1>, tensor<128xui16>, tensor<128xui16>) -> tensor<128xui16>
    %199 = call @_where_11(%187, %189, %198) : (tensor<128xi1>, tensor<128xui16>, tensor<128xui16>) -> tensor<128xui16>
    %200 = stablehlo.bitcast_convert %199 : (tensor<128xui16>) -> tensor<128xbf16>
    %c_72 = stablehlo.constant dense<77> : tensor<i32>
    %201 = stablehlo.broadcast_in_dim %c_72, dims = [] : (tensor<i32>) -> tensor<128xi32>
    %202 = stablehlo.multiply %arg1, %201 : tensor<128xi32>
    %203 = stablehlo.convert %202 : (tensor<128xi32>) -> tensor<128xi8>
    %204 = call @sort_12(%140) : (tensor<128xf32>) -> tensor<128xf32>
    %205 = stablehlo.bitcast_convert %204 : (tensor<128xf32>) -> tensor<128xui32>
    %206 = call @sort_13(%170) : (tensor<128xf16>) -> tensor<128xf16>
    %207 = stablehlo.bitcast_convert %206 : (tensor<128xf16>) -> tensor<128xui16>
    %208 = call @sort_14(%200) : (tensor<128xbf16>) -> tensor<128xbf16>
    %209 = stablehlo.bitcast_convert %208 : (tensor<128xbf16>) -> tensor<128xui16>
    %210 = call @sort_15(%140) : (tensor<128xf32>) -> tensor<128xf32>
    %211 = stablehlo.bitcast_convert %210 : (tensor<128xf32>) -> tensor<128xui32>
    %212 = call @argsort_16(%140) : (tensor<128xf32>) -> tensor<128xi32>
    %213 = call @sort_17(%203) : (tensor<128xi8>) -> tensor<128xi8>
    %214 = stablehlo.bitcast_convert %140 : (tensor<128xf32>) -> tensor<128xui32>
    %215 = call @sort_18(%214) : (tensor<128xui32>) -> tensor<128xui32>
    %216 = stablehlo.bitcast_convert %200 : (tensor<128xbf16>) -> tensor<128xui16>
    %217:2 = "stablehlo.sort"(%200, %216) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>, %arg5: tensor<ui16>, %arg6: tensor<ui16>):
      %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %333 = stablehlo.compare EQ, %arg3, %cst_112, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %334 = stablehlo.select %333, %cst_113, %arg3 : tensor<i1>, tensor<bf16>
      %335 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_114 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %336 = stablehlo.select %335, %cst_114, %334 : tensor<i1>, tensor<bf16>
      %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %337 = stablehlo.compare EQ, %arg4, %cst_115, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_116 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %338 = stablehlo.select %337, %cst_116, %arg4 : tensor<i1>, tensor<bf16>
      %339 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_117 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %340 = stablehlo.select %339, %cst_117, %338 : tensor<i1>, tensor<bf16>
      %341 = stablehlo.compare LT, %336, %340, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %341 : tensor<i1>
    }) : (tensor<128xbf16>, tensor<128xui16>) -> (tensor<128xbf16>, tensor<128xui16>)
    %c_73 = stablehlo.constant dense<5> : tensor<i32>
    %218 = call @remainder_19(%arg1, %c_73) : (tensor<128xi32>, tensor<i32>) -> tensor<128xi32>
    %219 = stablehlo.compare EQ, %170, %170, FLOAT : (tensor<128xf16>, tensor<128xf16>) -> tensor<128xi1>
    %220:3 = "stablehlo.sort"(%218, %arg1, %219) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<i1>, %arg8: tensor<i1>):
      %333 = stablehlo.compare LT, %arg3, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %333 : tensor<i1>
    }) : (tensor<128xi32>, tensor<128xi32>, tensor<128xi1>) -> (tensor<128xi32>, tensor<128xi32>, tensor<128xi1>)
    %221 = stablehlo.convert %arg2 : (tensor<40x2xi32>) -> tensor<40x2xui32>
    %c_74 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %222 = stablehlo.broadcast_in_dim %c_74, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %223 = stablehlo.multiply %221, %222 : tensor<40x2xui32>
    %224 = stablehlo.iota dim = 0 : tensor<80xui32>
    %225 = stablehlo.reshape %224 : (tensor<80xui32>) -> tensor<40x2xui32>
    %c_75 = stablehlo.constant dense<40503> : tensor<ui32>
    %226 = stablehlo.broadcast_in_dim %c_75, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %227 = stablehlo.multiply %225, %226 : tensor<40x2xui32>
    %228 = stablehlo.add %223, %227 : tensor<40x2xui32>
    %c_76 = stablehlo.constant dense<7> : tensor<ui32>
    %229 = stablehlo.broadcast_in_dim %c_76, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %230 = stablehlo.shift_right_logical %228, %229 : tensor<40x2xui32>
    %c_77 = stablehlo.constant dense<11> : tensor<ui32>
    %231 = stablehlo.broadcast_in_dim %c_77, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %232 = stablehlo.shift_left %228, %231 : tensor<40x2xui32>
    %233 = stablehlo.xor %230, %232 : tensor<40x2xui32>
    %cst_78 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %234 = stablehlo.bitcast_convert %cst_78 : (tensor<f32>) -> tensor<ui32>
    %c_79 = stablehlo.constant dense<7> : tensor<i32>
    %235 = call @remainder_20(%228, %c_79) : (tensor<40x2xui32>, tensor<i32>) -> tensor<40x2xui32>
    %c_80 = stablehlo.constant dense<0> : tensor<ui32>
    %236 = stablehlo.broadcast_in_dim %c_80, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %237 = stablehlo.compare EQ, %235, %236, UNSIGNED : (tensor<40x2xui32>, tensor<40x2xui32>) -> tensor<40x2xi1>
    %c_81 = stablehlo.constant dense<2147483648> : tensor<ui32>
    %238 = stablehlo.broadcast_in_dim %c_81, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %239 = stablehlo.and %233, %238 : tensor<40x2xui32>
    %c_82 = stablehlo.constant dense<11> : tensor<i32>
    %240 = call @remainder_20(%228, %c_82) : (tensor<40x2xui32>, tensor<i32>) -> tensor<40x2xui32>
    %c_83 = stablehlo.constant dense<0> : tensor<ui32>
    %241 = stablehlo.broadcast_in_dim %c_83, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %242 = stablehlo.compare EQ, %240, %241, UNSIGNED : (tensor<40x2xui32>, tensor<40x2xui32>) -> tensor<40x2xi1>
    %c_84 = stablehlo.constant dense<2147483648> : tensor<ui32>
    %c_85 = stablehlo.constant dense<3> : tensor<ui32>
    %243 = stablehlo.or %c_84, %c_85 : tensor<ui32>
    %244 = stablehlo.broadcast_in_dim %243, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %245 = stablehlo.and %233, %244 : tensor<40x2xui32>
    %246 = stablehlo.broadcast_in_dim %234, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %247 = stablehlo.or %245, %246 : tensor<40x2xui32>
    %248 = call @_where_21(%242, %247, %233) : (tensor<40x2xi1>, tensor<40x2xui32>, tensor<40x2xui32>) -> tensor<40x2xui32>
    %249 = call @_where_21(%237, %239, %248) : (tensor<40x2xi1>, tensor<40x2xui32>, tensor<40x2xui32>) -> tensor<40x2xui32>
    %250 = stablehlo.bitcast_convert %249 : (tensor<40x2xui32>) -> tensor<40x2xf32>
    %251 = stablehlo.convert %arg2 : (tensor<40x2xi32>) -> tensor<40x2xui32>
    %c_86 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %252 = stablehlo.broadcast_in_dim %c_86, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %253 = stablehlo.multiply %251, %252 : tensor<40x2xui32>
    %254 = stablehlo.iota dim = 0 : tensor<80xui32>
    %255 = stablehlo.reshape %254 : (tensor<80xui32>) -> tensor<40x2xui32>
    %c_87 = stablehlo.constant dense<40503> : tensor<ui32>
    %256 = stablehlo.broadcast_in_dim %c_87, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %257 = stablehlo.multiply %255, %256 : tensor<40x2xui32>
    %258 = stablehlo.add %253, %257 : tensor<40x2xui32>
    %c_88 = stablehlo.constant dense<7> : tensor<ui32>
    %259 = stablehlo.broadcast_in_dim %c_88, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %260 = stablehlo.shift_right_logical %258, %259 : tensor<40x2xui32>
    %c_89 = stablehlo.constant dense<11> : tensor<ui32>
    %261 = stablehlo.broadcast_in_dim %c_89, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %262 = stablehlo.shift_left %258, %261 : tensor<40x2xui32>
    %263 = stablehlo.xor %260, %262 : tensor<40x2xui32>
    %264 = stablehlo.convert %263 : (tensor<40x2xui32>) -> tensor<40x2xui16>
    %cst_90 = stablehlo.constant dense<0x7E00> : tensor<f16>
    %265 = stablehlo.bitcast_convert %cst_90 : (tensor<f16>) -> tensor<ui16>
    %c_91 = stablehlo.constant dense<7> : tensor<i32>
    %266 = call @remainder_20(%258, %c_91) : (tensor<40x2xui32>, tensor<i32>) -> tensor<40x2xui32>
    %c_92 = stablehlo.constant dense<0> : tensor<ui32>
    %267 = stablehlo.broadcast_in_dim %c_92, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %268 = stablehlo.compare EQ, %266, %267, UNSIGNED : (tensor<40x2xui32>, tensor<40x2xui32>) -> tensor<40x2xi1>
    %c_93 = stablehlo.constant dense<32768> : tensor<ui16>
    %269 = stablehlo.broadcast_in_dim %c_93, dims = [] : (tensor<ui16>) -> tensor<40x2xui16>
    %270 = stablehlo.and %264, %269 : tensor<40x2xui16>
    %c_94 = stablehlo.constant dense<11> : tensor<i32>
    %271 = call @remainder_20(%258, %c_94) : (tensor<40x2xui32>, tensor<i32>) -> tensor<40x2xui32>
    %c_95 = stablehlo.constant dense<0> : tensor<ui32>
    %272 = stablehlo.broadcast_in_dim %c_95, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %273 = stablehlo.compare EQ, %271, %272, UNSIGNED : (tensor<40x2xui32>, tensor<40x2xui32>) -> tensor<40x2xi1>
    %c_96 = stablehlo.constant dense<32768> : tensor<ui16>
    %c_97 = stablehlo.constant dense<3> : tensor<ui16>
    %274 = stablehlo.or %c_96, %c_97 : tensor<ui16>
    %275 = stablehlo.broadcast_in_dim %274, dims = [] : (tensor<ui16>) -> tensor<40x2xui16>
    %276 = stablehlo.and %264, %275 : tensor<40x2xui16>
    %277 = stablehlo.broadcast_in_dim %265, dims = [] : (tensor<ui16>) -> tensor<40x2xui16>
    %278 = stablehlo.or %276, %277 : tensor<40x2xui16>
    %279 = call @_where_22(%273, %278, %264) : (tensor<40x2xi1>, tensor<40x2xui16>, tensor<40x2xui16>) -> tensor<40x2xui16>
    %280 = call @_where_22(%268, %270, %279) : (tensor<40x2xi1>, tensor<40x2xui16>, tensor<40x2xui16>) -> tensor<40x2xui16>
    %281 = stablehlo.bitcast_convert %280 : (tensor<40x2xui16>) -> tensor<40x2xf16>
    %282 = stablehlo.convert %arg2 : (tensor<40x2xi32>) -> tensor<40x2xui32>
    %c_98 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %283 = stablehlo.broadcast_in_dim %c_98, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %284 = stablehlo.multiply %282, %283 : tensor<40x2xui32>
    %285 = stablehlo.iota dim = 0 : tensor<80xui32>
    %286 = stablehlo.reshape %285 : (tensor<80xui32>) -> tensor<40x2xui32>
    %c_99 = stablehlo.constant dense<40503> : tensor<ui32>
    %287 = stablehlo.broadcast_in_dim %c_99, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %288 = stablehlo.multiply %286, %287 : tensor<40x2xui32>
    %289 = stablehlo.add %284, %288 : tensor<40x2xui32>
    %c_100 = stablehlo.constant dense<7> : tensor<ui32>
    %290 = stablehlo.broadcast_in_dim %c_100, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %291 = stablehlo.shift_right_logical %289, %290 : tensor<40x2xui32>
    %c_101 = stablehlo.constant dense<11> : tensor<ui32>
    %292 = stablehlo.broadcast_in_dim %c_101, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %293 = stablehlo.shift_left %289, %292 : tensor<40x2xui32>
    %294 = stablehlo.xor %291, %293 : tensor<40x2xui32>
    %295 = stablehlo.convert %294 : (tensor<40x2xui32>) -> tensor<40x2xui16>
    %cst_102 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
    %296 = stablehlo.bitcast_convert %cst_102 : (tensor<bf16>) -> tensor<ui16>
    %c_103 = stablehlo.constant dense<7> : tensor<i32>
    %297 = call @remainder_20(%289, %c_103) : (tensor<40x2xui32>, tensor<i32>) -> tensor<40x2xui32>
    %c_104 = stablehlo.constant dense<0> : tensor<ui32>
    %298 = stablehlo.broadcast_in_dim %c_104, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %299 = stablehlo.compare EQ, %297, %298, UNSIGNED : (tensor<40x2xui32>, tensor<40x2xui32>) -> tensor<40x2xi1>
    %c_105 = stablehlo.constant dense<32768> : tensor<ui16>
    %300 = stablehlo.broadcast_in_dim %c_105, dims = [] : (tensor<ui16>) -> tensor<40x2xui16>
    %301 = stablehlo.and %295, %300 : tensor<40x2xui16>
    %c_106 = stablehlo.constant dense<11> : tensor<i32>
    %302 = call @remainder_20(%289, %c_106) : (tensor<40x2xui32>, tensor<i32>) -> tensor<40x2xui32>
    %c_107 = stablehlo.constant dense<0> : tensor<ui32>
    %303 = stablehlo.broadcast_in_dim %c_107, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %304 = stablehlo.compare EQ, %302, %303, UNSIGNED : (tensor<40x2xui32>, tensor<40x2xui32>) -> tensor<40x2xi1>
    %c_108 = stablehlo.constant dense<32768> : tensor<ui16>
    %c_109 = stablehlo.constant dense<3> : tensor<ui16>
    %305 = stablehlo.or %c_108, %c_109 : tensor<ui16>
    %306 = stablehlo.broadcast_in_dim %305, dims = [] : (tensor<ui16>) -> tensor<40x2xui16>
    %307 = stablehlo.and %295, %306 : tensor<40x2xui16>
    %308 = stablehlo.broadcast_in_dim %296, dims = [] : (tensor<ui16>) -> tensor<40x2xui16>
    %309 = stablehlo.or %307, %308 : tensor<40x2xui16>
    %310 = call @_where_22(%304, %309, %295) : (tensor<40x2xi1>, tensor<40x2xui16>, tensor<40x2xui16>) -> tensor<40x2xui16>
    %311 = call @_where_22(%299, %301, %310) : (tensor<40x2xi1>, tensor<40x2xui16>, tensor<40x2xui16>) -> tensor<40x2xui16>
    %312 = stablehlo.bitcast_convert %311 : (tensor<40x2xui16>) -> tensor<40x2xbf16>
    %c_110 = stablehlo.constant dense<77> : tensor<i32>
    %313 = stablehlo.broadcast_in_dim %c_110, dims = [] : (tensor<i32>) -> tensor<40x2xi32>
    %314 = stablehlo.multiply %arg2, %313 : tensor<40x2xi32>
    %315 = stablehlo.convert %314 : (tensor<40x2xi32>) -> tensor<40x2xi8>
    %316 = call @sort_23(%250) : (tensor<40x2xf32>) -> tensor<40x2xf32>
    %317 = stablehlo.bitcast_convert %316 : (tensor<40x2xf32>) -> tensor<40x2xui32>
    %318 = call @sort_24(%281) : (tensor<40x2xf16>) -> tensor<40x2xf16>
    %319 = stablehlo.bitcast_convert %318 : (tensor<40x2xf16>) -> tensor<40x2xui16>
    %320 = call @sort_25(%312) : (tensor<40x2xbf16>) -> tensor<40x2xbf16>
    %321 = stablehlo.bitcast_convert %320 : (tensor<40x2xbf16>) -> tensor<40x2xui16>
    %322 = call @sort_26(%250) : (tensor<40x2xf32>) -> tensor<40x2xf32>
    %323 = stablehlo.bitcast_convert %322 : (tensor<40x2xf32>) -> tensor<40x2xui32>
    %324 = call @argsort_27(%250) : (tensor<40x2xf32>) -> tensor<40x2xi32>
    %325 = call @sort_28(%315) : (tensor<40x2xi8>) -> tensor<40x2xi8>
    %326 = stablehlo.bitcast_convert %250 : (tensor<40x2xf32>) -> tensor<40x2xui32>
    %327 = call @sort_29(%326) : (tensor<40x2xui32>) -> tensor<40x2xui32>
    %328 = stablehlo.bitcast_convert %312 : (tensor<40x2xbf16>) -> tensor<40x2xui16>
    %329:2 = "stablehlo.sort"(%312, %328) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>, %arg5: tensor<ui16>, %arg6: tensor<ui16>):
      %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %333 = stablehlo.compare EQ, %arg3, %cst_112, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %334 = stablehlo.select %333, %cst_113, %arg3 : tensor<i1>, tensor<bf16>
      %335 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_114 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %336 = stablehlo.select %335, %cst_114, %334 : tensor<i1>, tensor<bf16>
      %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %337 = stablehlo.compare EQ, %arg4, %cst_115, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_116 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %338 = stablehlo.select %337, %cst_116, %arg4 : tensor<i1>, tensor<bf16>
      %339 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_117 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %340 = stablehlo.select %339, %cst_117, %338 : tensor<i1>, tensor<bf16>
      %341 = stablehlo.compare LT, %336, %340, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %341 : tensor<i1>
    }) : (tensor<40x2xbf16>, tensor<40x2xui16>) -> (tensor<40x2xbf16>, tensor<40x2xui16>)
    %c_111 = stablehlo.constant dense<5> : tensor<i32>
    %330 = call @remainder_30(%arg2, %c_111) : (tensor<40x2xi32>, tensor<i32>) -> tensor<40x2xi32>
    %331 = stablehlo.compare EQ, %281, %281, FLOAT : (tensor<40x2xf16>, tensor<40x2xf16>) -> tensor<40x2xi1>
    %332:3 = "stablehlo.sort"(%330, %arg2, %331) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<i1>, %arg8: tensor<i1>):
      %333 = stablehlo.compare LT, %arg3, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %333 : tensor<i1>
    }) : (tensor<40x2xi32>, tensor<40x2xi32>, tensor<40x2xi1>) -> (tensor<40x2xi32>, tensor<40x2xi32>, tensor<40x2xi1>)
    return %96, %98, %100, %102, %103, %104, %106, %108#1, %111#1, %111#2, %205, %207, %209, %211, %212, %213, %215, %217#1, %220#1, %220#2, %317, %319, %321, %323, %324, %325, %327, %329#1, %332#1, %332#2 : tensor<3x19xui32>, tensor<3x19xui16>, tensor<3x19xui16>, tensor<3x19xui32>, tensor<3x19xi32>, tensor<3x19xi8>, tensor<3x19xui32>, tensor<3x19xui16>, tensor<3x19xi32>, tensor<3x19xi1>, tensor<128xui32>, tensor<128xui16>, tensor<128xui16>, tensor<128xui32>, tensor<128xi32>, tensor<128xi8>, tensor<128xui32>, tensor<128xui16>, tensor<128xi32>, tensor<128xi1>, tensor<40x2xui32>, tensor<40x2xui16>, tensor<40x2xui16>, tensor<40x2xui32>, tensor<40x2xi32>, tensor<40x2xi8>, tensor<40x2xui32>, tensor<40x2xui16>, tensor<40x2xi32>, tensor<40x2xi1>
  }
  func.func private @remainder(%arg0: tensor<3x19xui32>, %arg1: tensor<i32>) -> tensor<3x19xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %1 = stablehlo.compare EQ, %0, %c, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3x19xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<3x19xui32>, tensor<3x19xui32>) -> tensor<3x19xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<3x19xui32>, tensor<3x19xui32>) -> tensor<3x19xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui32>
    %9 = stablehlo.compare LT, %2, %c_3, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3x19xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3x19xi1>, tensor<3x19xi1>) -> tensor<3x19xi1>
    %12 = stablehlo.and %11, %6 : tensor<3x19xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<3x19xui32>
    %14 = stablehlo.add %4, %13 : tensor<3x19xui32>
    %15 = stablehlo.select %12, %14, %4 : tensor<3x19xi1>, tensor<3x19xui32>
    return %15 : tensor<3x19xui32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<ui32>, %arg2: tensor<ui32>) -> tensor<ui32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<ui32>
    return %0 : tensor<ui32>
  }
  func.func private @_where_0(%arg0: tensor<3x19xi1>, %arg1: tensor<3x19xui32>, %arg2: tensor<3x19xui32>) -> tensor<3x19xui32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x19xi1>, tensor<3x19xui32>
    return %0 : tensor<3x19xui32>
  }
  func.func private @_where_1(%arg0: tensor<3x19xi1>, %arg1: tensor<3x19xui16>, %arg2: tensor<3x19xui16>) -> tensor<3x19xui16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x19xi1>, tensor<3x19xui16>
    return %0 : tensor<3x19xui16>
  }
  func.func private @sort(%arg0: tensor<3x19xf32>) -> tensor<3x19xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<3x19xf32>) -> tensor<3x19xf32>
    return %0 : tensor<3x19xf32>
  }
  func.func private @sort_2(%arg0: tensor<3x19xf16>) -> tensor<3x19xf16> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f16>, %arg2: tensor<f16>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f16>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7E00> : tensor<f16>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f16>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f16>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7E00> : tensor<f16>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f16>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f16>, tensor<f16>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<3x19xf16>) -> tensor<3x19xf16>
    return %0 : tensor<3x19xf16>
  }
  func.func private @sort_3(%arg0: tensor<3x19xbf16>) -> tensor<3x19xbf16> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<bf16>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<bf16>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<bf16>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<bf16>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<3x19xbf16>) -> tensor<3x19xbf16>
    return %0 : tensor<3x19xbf16>
  }
  func.func private @sort_4(%arg0: tensor<3x19xf32>) -> tensor<3x19xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.select %2, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %4 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %5 = stablehlo.select %4, %cst_1, %3 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.select %6, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %8 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %9 = stablehlo.select %8, %cst_4, %7 : tensor<i1>, tensor<f32>
      %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<3x19xf32>) -> tensor<3x19xf32>
    %1 = stablehlo.reverse %0, dims = [1] : tensor<3x19xf32>
    return %1 : tensor<3x19xf32>
  }
  func.func private @argsort(%arg0: tensor<3x19xf32>) -> tensor<3x19xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<3x19xi32>
    %1 = stablehlo.reverse %arg0, dims = [1] : tensor<3x19xf32>
    %2 = stablehlo.reverse %0, dims = [1] : tensor<3x19xi32>
    %3:2 = "stablehlo.sort"(%1, %2) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_1, %6 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %10 = stablehlo.select %9, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %11 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %12 = stablehlo.select %11, %cst_4, %10 : tensor<i1>, tensor<f32>
      %13 = stablehlo.compare LT, %8, %12, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<3x19xf32>, tensor<3x19xi32>) -> (tensor<3x19xf32>, tensor<3x19xi32>)
    %4 = stablehlo.reverse %3#1, dims = [1] : tensor<3x19xi32>
    return %4 : tensor<3x19xi32>
  }
  func.func private @sort_5(%arg0: tensor<3x19xi8>) -> tensor<3x19xi8> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i8>, %arg2: tensor<i8>):
      %1 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3x19xi8>) -> tensor<3x19xi8>
    return %0 : tensor<3x19xi8>
  }
  func.func private @sort_6(%arg0: tensor<3x19xui32>) -> tensor<3x19xui32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<ui32>, %arg2: tensor<ui32>):
      %1 = stablehlo.compare LT, %arg1, %arg2, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3x19xui32>) -> tensor<3x19xui32>
    return %0 : tensor<3x19xui32>
  }
  func.func private @remainder_7(%arg0: tensor<3x19xi32>, %arg1: tensor<i32>) -> tensor<3x19xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_8(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3x19xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3x19xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x19xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3x19xi32>, tensor<3x19xi32>) -> tensor<3x19xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x19xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3x19xi32>, tensor<3x19xi32>) -> tensor<3x19xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3x19xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3x19xi1>, tensor<3x19xi1>) -> tensor<3x19xi1>
    %12 = stablehlo.and %11, %6 : tensor<3x19xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3x19xi32>
    %14 = stablehlo.add %4, %13 : tensor<3x19xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<3x19xi1>, tensor<3x19xi32>
    return %15 : tensor<3x19xi32>
  }
  func.func private @_where_8(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @remainder_9(%arg0: tensor<128xui32>, %arg1: tensor<i32>) -> tensor<128xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %1 = stablehlo.compare EQ, %0, %c, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<128xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<128xui32>, tensor<128xui32>) -> tensor<128xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<128xui32>, tensor<128xui32>) -> tensor<128xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui32>
    %9 = stablehlo.compare LT, %2, %c_3, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<128xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<128xi1>, tensor<128xi1>) -> tensor<128xi1>
    %12 = stablehlo.and %11, %6 : tensor<128xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<128xui32>
    %14 = stablehlo.add %4, %13 : tensor<128xui32>
    %15 = stablehlo.select %12, %14, %4 : tensor<128xi1>, tensor<128xui32>
    return %15 : tensor<128xui32>
  }
  func.func private @_where_10(%arg0: tensor<128xi1>, %arg1: tensor<128xui32>, %arg2: tensor<128xui32>) -> tensor<128xui32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<128xi1>, tensor<128xui32>
    return %0 : tensor<128xui32>
  }
  func.func private @_where_11(%arg0: tensor<128xi1>, %arg1: tensor<128xui16>, %arg2: tensor<128xui16>) -> tensor<128xui16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<128xi1>, tensor<128xui16>
    return %0 : tensor<128xui16>
  }
  func.func private @sort_12(%arg0: tensor<128xf32>) -> tensor<128xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<128xf32>) -> tensor<128xf32>
    return %0 : tensor<128xf32>
  }
  func.func private @sort_13(%arg0: tensor<128xf16>) -> tensor<128xf16> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f16>, %arg2: tensor<f16>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f16>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7E00> : tensor<f16>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f16>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f16>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7E00> : tensor<f16>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f16>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f16>, tensor<f16>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<128xf16>) -> tensor<128xf16>
    return %0 : tensor<128xf16>
  }
  func.func private @sort_14(%arg0: tensor<128xbf16>) -> tensor<128xbf16> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<bf16>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<bf16>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<bf16>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<bf16>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<128xbf16>) -> tensor<128xbf16>
    return %0 : tensor<128xbf16>
  }
  func.func private @sort_15(%arg0: tensor<128xf32>) -> tensor<128xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.select %2, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %4 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %5 = stablehlo.select %4, %cst_1, %3 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.select %6, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %8 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %9 = stablehlo.select %8, %cst_4, %7 : tensor<i1>, tensor<f32>
      %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<128xf32>) -> tensor<128xf32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<128xf32>
    return %1 : tensor<128xf32>
  }
  func.func private @argsort_16(%arg0: tensor<128xf32>) -> tensor<128xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<128xi32>
    %1 = stablehlo.reverse %arg0, dims = [0] : tensor<128xf32>
    %2 = stablehlo.reverse %0, dims = [0] : tensor<128xi32>
    %3:2 = "stablehlo.sort"(%1, %2) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_1, %6 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %10 = stablehlo.select %9, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %11 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %12 = stablehlo.select %11, %cst_4, %10 : tensor<i1>, tensor<f32>
      %13 = stablehlo.compare LT, %8, %12, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<128xf32>, tensor<128xi32>) -> (tensor<128xf32>, tensor<128xi32>)
    %4 = stablehlo.reverse %3#1, dims = [0] : tensor<128xi32>
    return %4 : tensor<128xi32>
  }
  func.func private @sort_17(%arg0: tensor<128xi8>) -> tensor<128xi8> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i8>, %arg2: tensor<i8>):
      %1 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<128xi8>) -> tensor<128xi8>
    return %0 : tensor<128xi8>
  }
  func.func private @sort_18(%arg0: tensor<128xui32>) -> tensor<128xui32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<ui32>, %arg2: tensor<ui32>):
      %1 = stablehlo.compare LT, %arg1, %arg2, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<128xui32>) -> tensor<128xui32>
    return %0 : tensor<128xui32>
  }
  func.func private @remainder_19(%arg0: tensor<128xi32>, %arg1: tensor<i32>) -> tensor<128xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_8(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<128xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<128xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<128xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<128xi32>, tensor<128xi32>) -> tensor<128xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<128xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<128xi32>, tensor<128xi32>) -> tensor<128xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<128xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<128xi1>, tensor<128xi1>) -> tensor<128xi1>
    %12 = stablehlo.and %11, %6 : tensor<128xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<128xi32>
    %14 = stablehlo.add %4, %13 : tensor<128xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<128xi1>, tensor<128xi32>
    return %15 : tensor<128xi32>
  }
  func.func private @remainder_20(%arg0: tensor<40x2xui32>, %arg1: tensor<i32>) -> tensor<40x2xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %1 = stablehlo.compare EQ, %0, %c, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<40x2xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<40x2xui32>, tensor<40x2xui32>) -> tensor<40x2xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<40x2xui32>, tensor<40x2xui32>) -> tensor<40x2xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui32>
    %9 = stablehlo.compare LT, %2, %c_3, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<40x2xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<40x2xi1>, tensor<40x2xi1>) -> tensor<40x2xi1>
    %12 = stablehlo.and %11, %6 : tensor<40x2xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<40x2xui32>
    %14 = stablehlo.add %4, %13 : tensor<40x2xui32>
    %15 = stablehlo.select %12, %14, %4 : tensor<40x2xi1>, tensor<40x2xui32>
    return %15 : tensor<40x2xui32>
  }
  func.func private @_where_21(%arg0: tensor<40x2xi1>, %arg1: tensor<40x2xui32>, %arg2: tensor<40x2xui32>) -> tensor<40x2xui32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<40x2xi1>, tensor<40x2xui32>
    return %0 : tensor<40x2xui32>
  }
  func.func private @_where_22(%arg0: tensor<40x2xi1>, %arg1: tensor<40x2xui16>, %arg2: tensor<40x2xui16>) -> tensor<40x2xui16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<40x2xi1>, tensor<40x2xui16>
    return %0 : tensor<40x2xui16>
  }
  func.func private @sort_23(%arg0: tensor<40x2xf32>) -> tensor<40x2xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<40x2xf32>) -> tensor<40x2xf32>
    return %0 : tensor<40x2xf32>
  }
  func.func private @sort_24(%arg0: tensor<40x2xf16>) -> tensor<40x2xf16> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f16>, %arg2: tensor<f16>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f16>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7E00> : tensor<f16>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f16>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f16>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7E00> : tensor<f16>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f16>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f16>, tensor<f16>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<40x2xf16>) -> tensor<40x2xf16>
    return %0 : tensor<40x2xf16>
  }
  func.func private @sort_25(%arg0: tensor<40x2xbf16>) -> tensor<40x2xbf16> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<bf16>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<bf16>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<bf16>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<bf16>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<40x2xbf16>) -> tensor<40x2xbf16>
    return %0 : tensor<40x2xbf16>
  }
  func.func private @sort_26(%arg0: tensor<40x2xf32>) -> tensor<40x2xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.select %2, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %4 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %5 = stablehlo.select %4, %cst_1, %3 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.select %6, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %8 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %9 = stablehlo.select %8, %cst_4, %7 : tensor<i1>, tensor<f32>
      %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<40x2xf32>) -> tensor<40x2xf32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<40x2xf32>
    return %1 : tensor<40x2xf32>
  }
  func.func private @argsort_27(%arg0: tensor<40x2xf32>) -> tensor<40x2xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<40x2xi32>
    %1 = stablehlo.reverse %arg0, dims = [0] : tensor<40x2xf32>
    %2 = stablehlo.reverse %0, dims = [0] : tensor<40x2xi32>
    %3:2 = "stablehlo.sort"(%1, %2) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_1, %6 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %10 = stablehlo.select %9, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %11 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %12 = stablehlo.select %11, %cst_4, %10 : tensor<i1>, tensor<f32>
      %13 = stablehlo.compare LT, %8, %12, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<40x2xf32>, tensor<40x2xi32>) -> (tensor<40x2xf32>, tensor<40x2xi32>)
    %4 = stablehlo.reverse %3#1, dims = [0] : tensor<40x2xi32>
    return %4 : tensor<40x2xi32>
  }
  func.func private @sort_28(%arg0: tensor<40x2xi8>) -> tensor<40x2xi8> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i8>, %arg2: tensor<i8>):
      %1 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<40x2xi8>) -> tensor<40x2xi8>
    return %0 : tensor<40x2xi8>
  }
  func.func private @sort_29(%arg0: tensor<40x2xui32>) -> tensor<40x2xui32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<ui32>, %arg2: tensor<ui32>):
      %1 = stablehlo.compare LT, %arg1, %arg2, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<40x2xui32>) -> tensor<40x2xui32>
    return %0 : tensor<40x2xui32>
  }
  func.func private @remainder_30(%arg0: tensor<40x2xi32>, %arg1: tensor<i32>) -> tensor<40x2xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_8(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<40x2xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<40x2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<40x2xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<40x2xi32>, tensor<40x2xi32>) -> tensor<40x2xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<40x2xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<40x2xi32>, tensor<40x2xi32>) -> tensor<40x2xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<40x2xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<40x2xi1>, tensor<40x2xi1>) -> tensor<40x2xi1>
    %12 = stablehlo.and %11, %6 : tensor<40x2xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<40x2xi32>
    %14 = stablehlo.add %4, %13 : tensor<40x2xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<40x2xi1>, tensor<40x2xi32>
    return %15 : tensor<40x2xi32>
  }
}
