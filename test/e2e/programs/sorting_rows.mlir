// Written by make_programs.py.
module @jit_sorting_rows attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x129xi32>, %arg1: tensor<700x2xi32>) -> (tensor<3x129xui32> {jax.result_info = "result[0][0]"}, tensor<3x129xui16> {jax.result_info = "result[0][1]"}, tensor<3x129xui16> {jax.result_info = "result[0][2]"}, tensor<3x129xui32> {jax.result_info = "result[0][3]"}, tensor<3x129xi32> {jax.result_info = "result[0][4]"}, tensor<3x129xi8> {jax.result_info = "result[0][5]"}, tensor<3x129xui32> {jax.result_info = "result[0][6]"}, tensor<3x129xui16> {jax.result_info = "result[0][7]"}, tensor<3x129xi32> {jax.result_info = "result[0][8][0]"}, tensor<3x129xi1> {jax.result_info = "result[0][8][1]"}, tensor<700x2xui32> {jax.result_info = "result[1][0]"}, tensor<700x2xui16> {jax.result_info = "result[1][1]"}, tensor<700x2xui16> {jax.result_info = "result[1][2]"}, tensor<700x2xui32> {jax.result_info = "result[1][3]"}, tensor<700x2xi32> {jax.result_info = "result[1][4]"}, tensor<700x2xi8> {jax.result_info = "result[1][5]"}, tensor<700x2xui32> {jax.result_info = "result[1][6]"}, tensor<700x2xui16> {jax.result_info = "result[1][7]"}, tensor<700x2xi32> {jax.result_info = "result[1][8][0]"}, tensor<700x2xi1> {jax.result_info = "result[1][8][1]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<3x129xi32>) -> tensor<3x129xui32>
    %c = stablehlo.constant dense<2654435761> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %2 = stablehlo.multiply %0, %1 : tensor<3x129xui32>
    %3 = stablehlo.iota dim = 0 : tensor<387xui32>
    %4 = stablehlo.reshape %3 : (tensor<387xui32>) -> tensor<3x129xui32>
    %c_0 = stablehlo.constant dense<40503> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %6 = stablehlo.multiply %4, %5 : tensor<3x129xui32>
    %7 = stablehlo.add %2, %6 : tensor<3x129xui32>
    %c_1 = stablehlo.constant dense<7> : tensor<ui32>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %9 = stablehlo.shift_right_logical %7, %8 : tensor<3x129xui32>
    %c_2 = stablehlo.constant dense<11> : tensor<ui32>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %11 = stablehlo.shift_left %7, %10 : tensor<3x129xui32>
    %12 = stablehlo.xor %9, %11 : tensor<3x129xui32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %13 = stablehlo.bitcast_convert %cst : (tensor<f32>) -> tensor<ui32>
    %c_3 = stablehlo.constant dense<7> : tensor<i32>
    %14 = call @remainder(%7, %c_3) : (tensor<3x129xui32>, tensor<i32>) -> tensor<3x129xui32>
    %c_4 = stablehlo.constant dense<0> : tensor<ui32>
    %15 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %16 = stablehlo.compare EQ, %14, %15, UNSIGNED : (tensor<3x129xui32>, tensor<3x129xui32>) -> tensor<3x129xi1>
    %c_5 = stablehlo.constant dense<2147483648> : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %18 = stablehlo.and %12, %17 : tensor<3x129xui32>
    %c_6 = stablehlo.constant dense<11> : tensor<i32>
    %19 = call @remainder(%7, %c_6) : (tensor<3x129xui32>, tensor<i32>) -> tensor<3x129xui32>
    %c_7 = stablehlo.constant dense<0> : tensor<ui32>
    %20 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %21 = stablehlo.compare EQ, %19, %20, UNSIGNED : (tensor<3x129xui32>, tensor<3x129xui32>) -> tensor<3x129xi1>
    %c_8 = stablehlo.constant dense<2147483648> : tensor<ui32>
    %c_9 = stablehlo.constant dense<3> : tensor<ui32>
    %22 = stablehlo.or %c_8, %c_9 : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %24 = stablehlo.and %12, %23 : tensor<3x129xui32>
    %25 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %26 = stablehlo.or %24, %25 : tensor<3x129xui32>
    %27 = call @_where_0(%21, %26, %12) : (tensor<3x129xi1>, tensor<3x129xui32>, tensor<3x129xui32>) -> tensor<3x129xui32>
    %28 = call @_where_0(%16, %18, %27) : (tensor<3x129xi1>, tensor<3x129xui32>, tensor<3x129xui32>) -> tensor<3x129xui32>
    %29 = stablehlo.bitcast_convert %28 : (tensor<3x129xui32>) -> tensor<3x129xf32>
    %30 = stablehlo.convert %arg0 : (tensor<3x129xi32>) -> tensor<3x129xui32>
    %c_10 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %31 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %32 = stablehlo.multiply %30, %31 : tensor<3x129xui32>
    %33 = stablehlo.iota dim = 0 : tensor<387xui32>
    %34 = stablehlo.reshape %33 : (tensor<387xui32>) -> tensor<3x129xui32>
    %c_11 = stablehlo.constant dense<40503> : tensor<ui32>
    %35 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %36 = stablehlo.multiply %34, %35 : tensor<3x129xui32>
    %37 = stablehlo.add %32, %36 : tensor<3x129xui32>
    %c_12 = stablehlo.constant dense<7> : tensor<ui32>
    %38 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %39 = stablehlo.shift_right_logical %37, %38 : tensor<3x129xui32>
    %c_13 = stablehlo.constant dense<11> : tensor<ui32>
    %40 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %41 = stablehlo.shift_left %37, %40 : tensor<3x129xui32>
    %42 = stablehlo.xor %39, %41 : tensor<3x129xui32>
    %43 = stablehlo.convert %42 : (tensor<3x129xui32>) -> tensor<3x129xui16>
    %cst_14 = stablehlo.constant dense<0x7E00> : tensor<f16>
    %44 = stablehlo.bitcast_convert %cst_14 : (tensor<f16>) -> tensor<ui16>
    %c_15 = stablehlo.constant dense<7> : tensor<i32>
    %45 = call @remainder(%37, %c_15) : (tensor<3x129xui32>, tensor<i32>) -> tensor<3x129xui32>
    %c_16 = stablehlo.constant dense<0> : tensor<ui32>
    %46 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %47 = stablehlo.compare EQ, %45, %46, UNSIGNED : (tensor<3x129xui32>, tensor<3x129xui32>) -> tensor<3x129xi1>
    %c_17 = stablehlo.constant dense<32768> : tensor<ui16>
    %48 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<ui16>) -> tensor<3x129xui16>
    %49 = stablehlo.and %43, %48 : tensor<3x129xui16>
    %c_18 = stablehlo.constant dense<11> : tensor<i32>
    %50 = call @remainder(%37, %c_18) : (tensor<3x129xui32>, tensor<i32>) -> tensor<3x129xui32>
    %c_19 = stablehlo.constant dense<0> : tensor<ui32>
    %51 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %52 = stablehlo.compare EQ, %50, %51, UNSIGNED : (tensor<3x129xui32>, tensor<3x129xui32>) -> tensor<3x129xi1>
    %c_20 = stablehlo.constant dense<32768> : tensor<ui16>
    %c_21 = stablehlo.constant dense<3> : tensor<ui16>
    %53 = stablehlo.or %c_20, %c_21 : tensor<ui16>
    %54 = stablehlo.broadcast_in_dim %53, dims = [] : (tensor<ui16>) -> tensor<3x129xui16>
    %55 = stablehlo.and %43, %54 : tensor<3x129xui16>
    %56 = stablehlo.broadcast_in_dim %44, dims = [] : (tensor<ui16>) -> tensor<3x129xui16>
    %57 = stablehlo.or %55, %56 : tensor<3x129xui16>
    %58 = call @_where_1(%52, %57, %43) : (tensor<3x129xi1>, tensor<3x129xui16>, tensor<3x129xui16>) -> tensor<3x129xui16>
    %59 = call @_where_1(%47, %49, %58) : (tensor<3x129xi1>, tensor<3x129xui16>, tensor<3x129xui16>) -> tensor<3x129xui16>
    %60 = stablehlo.bitcast_convert %59 : (tensor<3x129xui16>) -> tensor<3x129xf16>
    %61 = stablehlo.convert %arg0 : (tensor<3x129xi32>) -> tensor<3x129xui32>
    %c_22 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %62 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %63 = stablehlo.multiply %61, %62 : tensor<3x129xui32>
    %64 = stablehlo.iota dim = 0 : tensor<387xui32>
    %65 = stablehlo.reshape %64 : (tensor<387xui32>) -> tensor<3x129xui32>
    %c_23 = stablehlo.constant dense<40503> : tensor<ui32>
    %66 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %67 = stablehlo.multiply %65, %66 : tensor<3x129xui32>
    %68 = stablehlo.add %63, %67 : tensor<3x129xui32>
    %c_24 = stablehlo.constant dense<7> : tensor<ui32>
    %69 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %70 = stablehlo.shift_right_logical %68, %69 : tensor<3x129xui32>
    %c_25 = stablehlo.constant dense<11> : tensor<ui32>
    %71 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %72 = stablehlo.shift_left %68, %71 : tensor<3x129xui32>
    %73 = stablehlo.xor %70, %72 : tensor<3x129xui32>
    %74 = stablehlo.convert %73 : (tensor<3x129xui32>) -> tensor<3x129xui16>
    %cst_26 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
    %75 = stablehlo.bitcast_convert %cst_26 : (tensor<bf16>) -> tensor<ui16>
    %c_27 = stablehlo.constant dense<7> : tensor<i32>
    %76 = call @remainder(%68, %c_27) : (tensor<3x129xui32>, tensor<i32>) -> tensor<3x129xui32>
    %c_28 = stablehlo.constant dense<0> : tensor<ui32>
    %77 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %78 = stablehlo.compare EQ, %76, %77, UNSIGNED : (tensor<3x129xui32>, tensor<3x129xui32>) -> tensor<3x129xi1>
    %c_29 = stablehlo.constant dense<32768> : tensor<ui16>
    %79 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<ui16>) -> tensor<3x129xui16>
    %80 = stablehlo.and %74, %79 : tensor<3x129xui16>
    %c_30 = stablehlo.constant dense<11> : tensor<i32>
    %81 = call @remainder(%68, %c_30) : (tensor<3x129xui32>, tensor<i32>) -> tensor<3x129xui32>
    %c_31 = stablehlo.constant dense<0> : tensor<ui32>
    %82 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %83 = stablehlo.compare EQ, %81, %82, UNSIGNED : (tensor<3x129xui32>, tensor<3x129xui32>) -> tensor<3x129xi1>
    %c_32 = stablehlo.constant dense<32768> : tensor<ui16>
    %c_33 = stablehlo.constant dense<3> : tensor<ui16>
    %84 = stablehlo.or %c_32, %c_33 : tensor<ui16>
    %85 = stablehlo.broadcast_in_dim %84, dims = [] : (tensor<ui16>) -> tensor<3x129xui16>
    %86 = stablehlo.and %74, %85 : tensor<3x129xui16>
    %87 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<ui16>) -> tensor<3x129xui16>
    %88 = stablehlo.or %86, %87 : tensor<3x129xui16>
    %89 = call @_where_1(%83, %88, %74) : (tensor<3x129xi1>, tensor<3x129xui16>, tensor<3x129xui16>) -> tensor<3x129xui16>
    %90 = call @_where_1(%78, %80, %89) : (tensor<3x129xi1>, tensor<3x129xui16>, tensor<3x129xui16>) -> tensor<3x129xui16>
    %91 = stablehlo.bitcast_convert %90 : (tensor<3x129xui16>) -> tensor<3x129xbf16>
    %c_34 = stablehlo.constant dense<77> : tensor<i32>
    %92 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i32>) -> tensor<3x129xi32>
    %93 = stablehlo.multiply %arg0, %92 : tensor<3x129xi32>
    %94 = stablehlo.convert %93 : (tensor<3x129xi32>) -> tensor<3x129xi8>
    %95 = call @sort(%29) : (tensor<3x129xf32>) -> tensor<3x129xf32>
    %96 = stablehlo.bitcast_convert %95 : (tensor<3x129xf32>) -> tensor<3x129xui32>
    %97 = call @sort_2(%60) : (tensor<3x129xf16>) -> tensor<3x129xf16>
    %98 = stablehlo.bitcast_convert %97 : (tensor<3x129xf16>) -> tensor<3x129xui16>
    %99 = call @sort_3(%91) : (tensor<3x129xbf16>) -> tensor<3x129xbf16>
    %100 = stablehlo.bitcast_convert %99 : (tensor<3x129xbf16>) -> tensor<3x129xui16>
    %101 = call @sort_4(%29) : (tensor<3x129xf32>) -> tensor<3x129xf32>
    %102 = stablehlo.bitcast_convert %101 : (tensor<3x129xf32>) -> tensor<3x129xui32>
    %103 = call @argsort(%29) : (tensor<3x129xf32>) -> tensor<3x129xi32>
    %104 = call @sort_5(%94) : (tensor<3x129xi8>) -> tensor<3x129xi8>
    %105 = stablehlo.bitcast_convert %29 : (tensor<3x129xf32>) -> tensor<3x129xui32>
    %106 = call @sort_6(%105) : (tensor<3x129xui32>) -> tensor<3x129xui32>
    %107 = stablehlo.bitcast_convert %91 : (tensor<3x129xbf16>) -> tensor<3x129xui16>
    %108:2 = "stablehlo.sort"(%91, %107) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<bf16>, %arg3: tensor<bf16>, %arg4: tensor<ui16>, %arg5: tensor<ui16>):
      %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %224 = stablehlo.compare EQ, %arg2, %cst_74, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %225 = stablehlo.select %224, %cst_75, %arg2 : tensor<i1>, tensor<bf16>
      %226 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_76 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %227 = stablehlo.select %226, %cst_76, %225 : tensor<i1>, tensor<bf16>
      %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %228 = stablehlo.compare EQ, %arg3, %cst_77, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %229 = stablehlo.select %228, %cst_78, %arg3 : tensor<i1>, tensor<bf16>
      %230 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_79 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %231 = stablehlo.select %230, %cst_79, %229 : tensor<i1>, tensor<bf16>
      %232 = stablehlo.compare LT, %227, %231, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %232 : tensor<i1>
    }) : (tensor<3x129xbf16>, tensor<3x129xui16>) -> (tensor<3x129xbf16>, tensor<3x129xui16>)
    %c_35 = stablehlo.constant dense<5> : tensor<i32>
    %109 = call @remainder_7(%arg0, %c_35) : (tensor<3x129xi32>, tensor<i32>) -> tensor<3x129xi32>
    %110 = stablehlo.compare EQ, %60, %60, FLOAT : (tensor<3x129xf16>, tensor<3x129xf16>) -> tensor<3x129xi1>
    %111:3 = "stablehlo.sort"(%109, %arg0, %110) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i1>, %arg7: tensor<i1>):
      %224 = stablehlo.compare LT, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %224 : tensor<i1>
    }) : (tensor<3x129xi32>, tensor<3x129xi32>, tensor<3x129xi1>) -> (tensor<3x129xi32>, tensor<3x129xi32>, tensor<3x129xi1>)
    %112 = stablehlo.convert %arg1 : (tensor<700x2xi32>) -> tensor<700x2xui32>
    %c_36 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %113 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %114 = stablehlo.multiply %112, %113 : tensor<700x2xui32>
    %115 = stablehlo.iota dim = 0 : tensor<1400xui32>
    %116 = stablehlo.reshape %115 : (tensor<1400xui32>) -> tensor<700x2xui32>
    %c_37 = stablehlo.constant dense<40503> : tensor<ui32>
    %117 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %118 = stablehlo.multiply %116, %117 : tensor<700x2xui32>
    %119 = stablehlo.add %114, %118 : tensor<700x2xui32>
    %c_38 = stablehlo.constant dense<7> : tensor<ui32>
    %120 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %121 = stablehlo.shift_right_logical %119, %120 : tensor<700x2xui32>
    %c_39 = stablehlo.constant dense<11> : tensor<ui32>
    %122 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %123 = stablehlo.shift_left %119, %122 : tensor<700x2xui32>
    %124 = stablehlo.xor %121, %123 : tensor<700x2xui32>
    %cst_40 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %125 = stablehlo.bitcast_convert %cst_40 : (tensor<f32>) -> tensor<ui32>
    %c_41 = stablehlo.constant dense<7> : tensor<i32>
    %126 = call @remainder_9(%119, %c_41) : (tensor<700x2xui32>, tensor<i32>) -> tensor<700x2xui32>
    %c_42 = stablehlo.constant dense<0> : tensor<ui32>
    %127 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %128 = stablehlo.compare EQ, %126, %127, UNSIGNED : (tensor<700x2xui32>, tensor<700x2xui32>) -> tensor<700x2xi1>
    %c_43 = stablehlo.constant dense<2147483648> : tensor<ui32>
    %129 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %130 = stablehlo.and %124, %129 : tensor<700x2xui32>
    %c_44 = stablehlo.constant dense<11> : tensor<i32>
    %131 = call @remainder_9(%119, %c_44) : (tensor<700x2xui32>, tensor<i32>) -> tensor<700x2xui32>
    %c_45 = stablehlo.constant dense<0> : tensor<ui32>
    %132 = stablehlo.broadcast_in_dim %c_45, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %133 = stablehlo.compare EQ, %131, %132, UNSIGNED : (tensor<700x2xui32>, tensor<700x2xui32>) -> tensor<700x2xi1>
    %c_46 = stablehlo.constant dense<2147483648> : tensor<ui32>
    %c_47 = stablehlo.constant dense<3> : tensor<ui32>
    %134 = stablehlo.or %c_46, %c_47 : tensor<ui32>
    %135 = stablehlo.broadcast_in_dim %134, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %136 = stablehlo.and %124, %135 : tensor<700x2xui32>
    %137 = stablehlo.broadcast_in_dim %125, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %138 = stablehlo.or %136, %137 : tensor<700x2xui32>
    %139 = call @_where_10(%133, %138, %124) : (tensor<700x2xi1>, tensor<700x2xui32>, tensor<700x2xui32>) -> tensor<700x2xui32>
    %140 = call @_where_10(%128, %130, %139) : (tensor<700x2xi1>, tensor<700x2xui32>, tensor<700x2xui32>) -> tensor<700x2xui32>
    %141 = stablehlo.bitcast_convert %140 : (tensor<700x2xui32>) -> tensor<700x2xf32>
    %142 = stablehlo.convert %arg1 : (tensor<700x2xi32>) -> tensor<700x2xui32>
    %c_48 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %143 = stablehlo.broadcast_in_dim %c_48, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %144 = stablehlo.multiply %142, %143 : tensor<700x2xui32>
    %145 = stablehlo.iota dim = 0 : tensor<1400xui32>
    %146 = stablehlo.reshape %145 : (tensor<1400xui32>) -> tensor<700x2xui32>
    %c_49 = stablehlo.constant dense<40503> : tensor<ui32>
    %147 = stablehlo.broadcast_in_dim %c_49, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %148 = stablehlo.multiply %146, %147 : tensor<700x2xui32>
    %149 = stablehlo.add %144, %148 : tensor<700x2xui32>
    %c_50 = stablehlo.constant dense<7> : tensor<ui32>
    %150 = stablehlo.broadcast_in_dim %c_50, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %151 = stablehlo.shift_right_logical %149, %150 : tensor<700x2xui32>
    %c_51 = stablehlo.constant dense<11> : tensor<ui32>
    %152 = stablehlo.broadcast_in_dim %c_51, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %153 = stablehlo.shift_left %149, %152 : tensor<700x2xui32>
    %154 = stablehlo.xor %151, %153 : tensor<700x2xui32>
    %155 = stablehlo.convert %154 : (tensor<700x2xui32>) -> tensor<700x2xui16>
    %cst_52 = stablehlo.constant dense<0x7E00> : tensor<f16>
    %156 = stablehlo.bitcast_convert %cst_52 : (tensor<f16>) -> tensor<ui16>
    %c_53 = stablehlo.constant dense<7> : tensor<i32>
    %157 = call @remainder_9(%149, %c_53) : (tensor<700x2xui32>, tensor<i32>) -> tensor<700x2xui32>
    %c_54 = stablehlo.constant dense<0> : tensor<ui32>
    %158 = stablehlo.broadcast_in_dim %c_54, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %159 = stablehlo.compare EQ, %157, %158, UNSIGNED : (tensor<700x2xui32>, tensor<700x2xui32>) -> tensor<700x2xi1>
    %c_55 = stablehlo.constant dense<32768> : tensor<ui16>
    %160 = stablehlo.broadcast_in_dim %c_55, dims = [] : (tensor<ui16>) -> tensor<700x2xui16>
    %161 = stablehlo.and %155, %160 : tensor<700x2xui16>
    %c_56 = stablehlo.constant dense<11> : tensor<i32>
    %162 = call @remainder_9(%149, %c_56) : (tensor<700x2xui32>, tensor<i32>) -> tensor<700x2xui32>
    %c_57 = stablehlo.constant dense<0> : tensor<ui32>
    %163 = stablehlo.broadcast_in_dim %c_57, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %164 = stablehlo.compare EQ, %162, %163, UNSIGNED : (tensor<700x2xui32>, tensor<700x2xui32>) -> tensor<700x2xi1>
    %c_58 = stablehlo.constant dense<32768> : tensor<ui16>
    %c_59 = stablehlo.constant dense<3> : tensor<ui16>
    %165 = stablehlo.or %c_58, %c_59 : tensor<ui16>
    %166 = stablehlo.broadcast_in_dim %165, dims = [] : (tensor<ui16>) -> tensor<700x2xui16>
    %167 = stablehlo.and %155, %166 : tensor<700x2xui16>
    %168 = stablehlo.broadcast_in_dim %156, dims = [] : (tensor<ui16>) -> tensor<700x2xui16>
    %169 = stablehlo.or %167, %168 : tensor<700x2xui16>
    %170 = call @_where_11(%164, %169, %155) : (tensor<700x2xi1>, tensor<700x2xui16>, tensor<700x2xui16>) -> tensor<700x2xui16>
    %171 = call @_where_11(%159, %161, %170) : (tensor<700x2xi1>, tensor<700x2xui16>, tensor<700x2xui16>) -> tensor<700x2xui16>
    %172 = stablehlo.bitcast_convert %171 : (tensor<700x2xui16>) -> tensor<700x2xf16>
    %173 = stablehlo.convert %arg1 : (tensor<700x2xi32>) -> tensor<700x2xui32>
    %c_60 = stablehlo.constant dense<2654435761> : tensor<ui32>
    %174 = stablehlo.broadcast_in_dim %c_60, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %175 = stablehlo.multiply %173, %174 : tensor<700x2xui32>
    %176 = stablehlo.iota dim = 0 : tensor<1400xui32>
    %177 = stablehlo.reshape %176 : (tensor<1400xui32>) -> tensor<700x2xui32>
    %c_61 = stablehlo.constant dense<40503> : tensor<ui32>
    %178 = stablehlo.broadcast_in_dim %c_61, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %179 = stablehlo.multiply %177, %178 : tensor<700x2xui32>
    %180 = stablehlo.add %175, %179 : tensor<700x2xui32>
    %c_62 = stablehlo.constant dense<7> : tensor<ui32>
    %181 = stablehlo.broadcast_in_dim %c_62, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %182 = stablehlo.shift_right_logical %180, %181 : tensor<700x2xui32>
    %c_63 = stablehlo.constant dense<11> : tensor<ui32>
    %183 = stablehlo.broadcast_in_dim %c_63, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %184 = stablehlo.shift_left %180, %183 : tensor<700x2xui32>
    %185 = stablehlo.xor %182, %184 : tensor<700x2xui32>
    %186 = stablehlo.convert %185 : (tensor<700x2xui32>) -> tensor<700x2xui16>
    %cst_64 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
    %187 = stablehlo.bitcast_convert %cst_64 : (tensor<bf16>) -> tensor<ui16>
    %c_65 = stablehlo.constant dense<7> : tensor<i32>
    %188 = call @remainder_9(%180, %c_65) : (tensor<700x2xui32>, tensor<i32>) -> tensor<700x2xui32>
    %c_66 = stablehlo.constant dense<0> : tensor<ui32>
    %189 = stablehlo.broadcast_in_dim %c_66, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %190 = stablehlo.compare EQ, %188, %189, UNSIGNED : (tensor<700x2xui32>, tensor<700x2xui32>) -> tensor<700x2xi1>
    %c_67 = stablehlo.constant dense<32768> : tensor<ui16>
    %191 = stablehlo.broadcast_in_dim %c_67, dims = [] : (tensor<ui16>) -> tensor<700x2xui16>
    %192 = stablehlo.and %186, %191 : tensor<700x2xui16>
    %c_68 = stablehlo.constant dense<11> : tensor<i32>
    %193 = call @remainder_9(%180, %c_68) : (tensor<700x2xui32>, tensor<i32>) -> tensor<700x2xui32>
    %c_69 = stablehlo.constant dense<0> : tensor<ui32>
    %194 = stablehlo.broadcast_in_dim %c_69, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %195 = stablehlo.compare EQ, %193, %194, UNSIGNED : (tensor<700x2xui32>, tensor<700x2xui32>) -> tensor<700x2xi1>
    %c_70 = stablehlo.constant dense<32768> : tensor<ui16>
    %c_71 = stablehlo.constant dense<3> : tensor<ui16>
    %196 = stablehlo.or %c_70, %c_71 : tensor<ui16>
    %197 = stablehlo.broadcast_in_dim %196, dims = [] : (tensor<ui16>) -> tensor<700x2xui16>
    %198 = stablehlo.and %186, %197 : tensor<700x2xui16>
    %199 = stablehlo.broadcast_in_dim %187, dims = [] : (tensor<ui16>) -> tensor<700x2xui16>
    %200 = stablehlo.or %198, %199 : tensor<700x2xui16>
    %201 = call @_where_11(%195, %200, %186) : (tensor<700x2xi1>, tensor<700x2xui16>, tensor<700x2xui16>) -> tensor<700x2xui16>
    %202 = call @_where_11(%190, %192, %201) : (tensor<700x2xi1>, tensor<700x2xui16>, tensor<700x2xui16>) -> tensor<700x2xui16>
    %203 = stablehlo.bitcast_convert %202 : (tensor<700x2xui16>) -> tensor<700x2xbf16>
    %c_72 = stablehlo.constant dense<77> : tensor<i32>
    %204 = stablehlo.broadcast_in_dim %c_72, dims = [] : (tensor<i32>) -> tensor<700x2xi32>
    %205 = stablehlo.multiply %arg1, %204 : tensor<700x2xi32>
    %206 = stablehlo.convert %205 : (tensor<700x2xi32>) -> tensor<700x2xi8>
    %207 = call @sort_12(%141) : (tensor<700x2xf32>) -> tensor<700x2xf32>
    %208 = stablehlo.bitcast_convert %207 : (tensor<700x2xf32>) -> tensor<700x2xui32>
    %209 = call @sort_13(%172) : (tensor<700x2xf16>) -> tensor<700x2xf16>
    %210 = stablehlo.bitcast_convert %209 : (tensor<700x2xf16>) -> tensor<700x2xui16>
    %211 = call @sort_14(%203) : (tensor<700x2xbf16>) -> tensor<700x2xbf16>
    %212 = stablehlo.bitcast_convert %211 : (tensor<700x2xbf16>) -> tensor<700x2xui16>
    %213 = call @sort_15(%141) : (tensor<700x2xf32>) -> tensor<700x2xf32>
    %214 = stablehlo.bitcast_convert %213 : (tensor<700x2xf32>) -> tensor<700x2xui32>
    %215 = call @argsort_16(%141) : (tensor<700x2xf32>) -> tensor<700x2xi32>
    %216 = call @sort_17(%206) : (tensor<700x2xi8>) -> tensor<700x2xi8>
    %217 = stablehlo.bitcast_convert %141 : (tensor<700x2xf32>) -> tensor<700x2xui32>
    %218 = call @sort_18(%217) : (tensor<700x2xui32>) -> tensor<700x2xui32>
    %219 = stablehlo.bitcast_convert %203 : (tensor<700x2xbf16>) -> tensor<700x2xui16>
    %220:2 = "stablehlo.sort"(%203, %219) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<bf16>, %arg3: tensor<bf16>, %arg4: tensor<ui16>, %arg5: tensor<ui16>):
      %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %224 = stablehlo.compare EQ, %arg2, %cst_74, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %225 = stablehlo.select %224, %cst_75, %arg2 : tensor<i1>, tensor<bf16>
      %226 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_76 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %227 = stablehlo.select %226, %cst_76, %225 : tensor<i1>, tensor<bf16>
      %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %228 = stablehlo.compare EQ, %arg3, %cst_77, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
      %229 = stablehlo.select %228, %cst_78, %arg3 : tensor<i1>, tensor<bf16>
      %230 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %cst_79 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %231 = stablehlo.select %230, %cst_79, %229 : tensor<i1>, tensor<bf16>
      %232 = stablehlo.compare LT, %227, %231, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %232 : tensor<i1>
    }) : (tensor<700x2xbf16>, tensor<700x2xui16>) -> (tensor<700x2xbf16>, tensor<700x2xui16>)
    %c_73 = stablehlo.constant dense<5> : tensor<i32>
    %221 = call @remainder_19(%arg1, %c_73) : (tensor<700x2xi32>, tensor<i32>) -> tensor<700x2xi32>
    %222 = stablehlo.compare EQ, %172, %172, FLOAT : (tensor<700x2xf16>, tensor<700x2xf16>) -> tensor<700x2xi1>
    %223:3 = "stablehlo.sort"(%221, %arg1, %222) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i1>, %arg7: tensor<i1>):
      %224 = stablehlo.compare LT, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %224 : tensor<i1>
    }) : (tensor<700x2xi32>, tensor<700x2xi32>, tensor<700x2xi1>) -> (tensor<700x2xi32>, tensor<700x2xi32>, tensor<700x2xi1>)
    return %96, %98, %100, %102, %103, %104, %106, %108#1, %111#1, %111#2, %208, %210, %212, %214, %215, %216, %218, %220#1, %223#1, %223#2 : tensor<3x129xui32>, tensor<3x129xui16>, tensor<3x129xui16>, tensor<3x129xui32>, tensor<3x129xi32>, tensor<3x129xi8>, tensor<3x129xui32>, tensor<3x129xui16>, tensor<3x129xi32>, tensor<3x129xi1>, tensor<700x2xui32>, tensor<700x2xui16>, tensor<700x2xui16>, tensor<700x2xui32>, tensor<700x2xi32>, tensor<700x2xi8>, tensor<700x2xui32>, tensor<700x2xui16>, tensor<700x2xi32>, tensor<700x2xi1>
  }
  func.func private @remainder(%arg0: tensor<3x129xui32>, %arg1: tensor<i32>) -> tensor<3x129xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %1 = stablehlo.compare EQ, %0, %c, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3x129xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<3x129xui32>, tensor<3x129xui32>) -> tensor<3x129xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<3x129xui32>, tensor<3x129xui32>) -> tensor<3x129xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui32>
    %9 = stablehlo.compare LT, %2, %c_3, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3x129xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3x129xi1>, tensor<3x129xi1>) -> tensor<3x129xi1>
    %12 = stablehlo.and %11, %6 : tensor<3x129xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<3x129xui32>
    %14 = stablehlo.add %4, %13 : tensor<3x129xui32>
    %15 = stablehlo.select %12, %14, %4 : tensor<3x129xi1>, tensor<3x129xui32>
    return %15 : tensor<3x129xui32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<ui32>, %arg2: tensor<ui32>) -> tensor<ui32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<ui32>
    return %0 : tensor<ui32>
  }
  func.func private @_where_0(%arg0: tensor<3x129xi1>, %arg1: tensor<3x129xui32>, %arg2: tensor<3x129xui32>) -> tensor<3x129xui32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x129xi1>, tensor<3x129xui32>
    return %0 : tensor<3x129xui32>
  }
  func.func private @_where_1(%arg0: tensor<3x129xi1>, %arg1: tensor<3x129xui16>, %arg2: tensor<3x129xui16>) -> tensor<3x129xui16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x129xi1>, tensor<3x129xui16>
    return %0 : tensor<3x129xui16>
  }
  func.func private @sort(%arg0: tensor<3x129xf32>) -> tensor<3x129xf32> {
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
    }) : (tensor<3x129xf32>) -> tensor<3x129xf32>
    return %0 : tensor<3x129xf32>
  }
  func.func private @sort_2(%arg0: tensor<3x129xf16>) -> tensor<3x129xf16> {
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
    }) : (tensor<3x129xf16>) -> tensor<3x129xf16>
    return %0 : tensor<3x129xf16>
  }
  func.func private @sort_3(%arg0: tensor<3x129xbf16>) -> tensor<3x129xbf16> {
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
    }) : (tensor<3x129xbf16>) -> tensor<3x129xbf16>
    return %0 : tensor<3x129xbf16>
  }
  func.func private @sort_4(%arg0: tensor<3x129xf32>) -> tensor<3x129xf32> {
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
    }) : (tensor<3x129xf32>) -> tensor<3x129xf32>
    %1 = stablehlo.reverse %0, dims = [1] : tensor<3x129xf32>
    return %1 : tensor<3x129xf32>
  }
  func.func private @argsort(%arg0: tensor<3x129xf32>) -> tensor<3x129xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<3x129xi32>
    %1 = stablehlo.reverse %arg0, dims = [1] : tensor<3x129xf32>
    %2 = stablehlo.reverse %0, dims = [1] : tensor<3x129xi32>
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
    }) : (tensor<3x129xf32>, tensor<3x129xi32>) -> (tensor<3x129xf32>, tensor<3x129xi32>)
    %4 = stablehlo.reverse %3#1, dims = [1] : tensor<3x129xi32>
    return %4 : tensor<3x129xi32>
  }
  func.func private @sort_5(%arg0: tensor<3x129xi8>) -> tensor<3x129xi8> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i8>, %arg2: tensor<i8>):
      %1 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3x129xi8>) -> tensor<3x129xi8>
    return %0 : tensor<3x129xi8>
  }
  func.func private @sort_6(%arg0: tensor<3x129xui32>) -> tensor<3x129xui32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<ui32>, %arg2: tensor<ui32>):
      %1 = stablehlo.compare LT, %arg1, %arg2, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3x129xui32>) -> tensor<3x129xui32>
    return %0 : tensor<3x129xui32>
  }
  func.func private @remainder_7(%arg0: tensor<3x129xi32>, %arg1: tensor<i32>) -> tensor<3x129xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_8(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3x129xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3x129xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x129xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3x129xi32>, tensor<3x129xi32>) -> tensor<3x129xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x129xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3x129xi32>, tensor<3x129xi32>) -> tensor<3x129xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3x129xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3x129xi1>, tensor<3x129xi1>) -> tensor<3x129xi1>
    %12 = stablehlo.and %11, %6 : tensor<3x129xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3x129xi32>
    %14 = stablehlo.add %4, %13 : tensor<3x129xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<3x129xi1>, tensor<3x129xi32>
    return %15 : tensor<3x129xi32>
  }
  func.func private @_where_8(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @remainder_9(%arg0: tensor<700x2xui32>, %arg1: tensor<i32>) -> tensor<700x2xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %1 = stablehlo.compare EQ, %0, %c, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<700x2xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<700x2xui32>, tensor<700x2xui32>) -> tensor<700x2xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<700x2xui32>, tensor<700x2xui32>) -> tensor<700x2xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui32>
    %9 = stablehlo.compare LT, %2, %c_3, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<700x2xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<700x2xi1>, tensor<700x2xi1>) -> tensor<700x2xi1>
    %12 = stablehlo.and %11, %6 : tensor<700x2xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<700x2xui32>
    %14 = stablehlo.add %4, %13 : tensor<700x2xui32>
    %15 = stablehlo.select %12, %14, %4 : tensor<700x2xi1>, tensor<700x2xui32>
    return %15 : tensor<700x2xui32>
  }
  func.func private @_where_10(%arg0: tensor<700x2xi1>, %arg1: tensor<700x2xui32>, %arg2: tensor<700x2xui32>) -> tensor<700x2xui32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<700x2xi1>, tensor<700x2xui32>
    return %0 : tensor<700x2xui32>
  }
  func.func private @_where_11(%arg0: tensor<700x2xi1>, %arg1: tensor<700x2xui16>, %arg2: tensor<700x2xui16>) -> tensor<700x2xui16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<700x2xi1>, tensor<700x2xui16>
    return %0 : tensor<700x2xui16>
  }
  func.func private @sort_12(%arg0: tensor<700x2xf32>) -> tensor<700x2xf32> {
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
    }) : (tensor<700x2xf32>) -> tensor<700x2xf32>
    return %0 : tensor<700x2xf32>
  }
  func.func private @sort_13(%arg0: tensor<700x2xf16>) -> tensor<700x2xf16> {
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
    }) : (tensor<700x2xf16>) -> tensor<700x2xf16>
    return %0 : tensor<700x2xf16>
  }
  func.func private @sort_14(%arg0: tensor<700x2xbf16>) -> tensor<700x2xbf16> {
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
    }) : (tensor<700x2xbf16>) -> tensor<700x2xbf16>
    return %0 : tensor<700x2xbf16>
  }
  func.func private @sort_15(%arg0: tensor<700x2xf32>) -> tensor<700x2xf32> {
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
    }) : (tensor<700x2xf32>) -> tensor<700x2xf32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<700x2xf32>
    return %1 : tensor<700x2xf32>
  }
  func.func private @argsort_16(%arg0: tensor<700x2xf32>) -> tensor<700x2xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<700x2xi32>
    %1 = stablehlo.reverse %arg0, dims = [0] : tensor<700x2xf32>
    %2 = stablehlo.reverse %0, dims = [0] : tensor<700x2xi32>
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
    }) : (tensor<700x2xf32>, tensor<700x2xi32>) -> (tensor<700x2xf32>, tensor<700x2xi32>)
    %4 = stablehlo.reverse %3#1, dims = [0] : tensor<700x2xi32>
    return %4 : tensor<700x2xi32>
  }
  func.func private @sort_17(%arg0: tensor<700x2xi8>) -> tensor<700x2xi8> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i8>, %arg2: tensor<i8>):
      %1 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<700x2xi8>) -> tensor<700x2xi8>
    return %0 : tensor<700x2xi8>
  }
  func.func private @sort_18(%arg0: tensor<700x2xui32>) -> tensor<700x2xui32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<ui32>, %arg2: tensor<ui32>):
      %1 = stablehlo.compare LT, %arg1, %arg2, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<700x2xui32>) -> tensor<700x2xui32>
    return %0 : tensor<700x2xui32>
  }
  func.func private @remainder_19(%arg0: tensor<700x2xi32>, %arg1: tensor<i32>) -> tensor<700x2xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_8(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<700x2xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<700x2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<700x2xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<700x2xi32>, tensor<700x2xi32>) -> tensor<700x2xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<700x2xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<700x2xi32>, tensor<700x2xi32>) -> tensor<700x2xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<700x2xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<700x2xi1>, tensor<700x2xi1>) -> tensor<700x2xi1>
    %12 = stablehlo.and %11, %6 : tensor<700x2xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<700x2xi32>
    %14 = stablehlo.add %4, %13 : tensor<700x2xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<700x2xi1>, tensor<700x2xi32>
    return %15 : tensor<700x2xi32>
  }
}
