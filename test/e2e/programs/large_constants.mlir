// Large arrays of one value, of each width, that are returned, carried by loops, updated, and scattered into.
module {
  func.func @main(%turns: tensor<i32>, %x0: tensor<2x1xi1>, %x1: tensor<2x1xi4>, %x2: tensor<2x1xui2>, %x3: tensor<2x1xf4E2M1FN>, %x4: tensor<2x1xf8E4M3FN>, %x5: tensor<2x1xbf16>, %x6: tensor<2x1xf16>, %x7: tensor<2x1xi32>, %x8: tensor<2x1xf64>, %x9: tensor<2x1xui64>, %x10: tensor<2x1xcomplex<f32>>, %x11: tensor<2x1xcomplex<f64>>)
      -> (tensor<2x32800xi1>, tensor<2x32800xi4>, tensor<2x32800xui2>, tensor<2x32800xf4E2M1FN>, tensor<2x32800xf8E4M3FN>, tensor<2x16500xbf16>, tensor<2x16500xf16>, tensor<2x8500xi32>, tensor<2x4500xf64>, tensor<2x4500xui64>, tensor<2x4500xcomplex<f32>>, tensor<2x2100xcomplex<f64>>,
          tensor<2x8500xi32>, tensor<17000xf32>, tensor<17000xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %step = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<3> : tensor<i32>
    %c0 = stablehlo.constant dense<true> : tensor<2x32800xi1>
    %c1 = stablehlo.constant dense<-3> : tensor<2x32800xi4>
    %c2 = stablehlo.constant dense<2> : tensor<2x32800xui2>
    %c3 = stablehlo.constant dense<1.5> : tensor<2x32800xf4E2M1FN>
    %c4 = stablehlo.constant dense<-2.0> : tensor<2x32800xf8E4M3FN>
    %c5 = stablehlo.constant dense<1.5> : tensor<2x16500xbf16>
    %c6 = stablehlo.constant dense<0xFE00> : tensor<2x16500xf16>
    %c7 = stablehlo.constant dense<7> : tensor<2x8500xi32>
    %c8 = stablehlo.constant dense<-0.0> : tensor<2x4500xf64>
    %c9 = stablehlo.constant dense<18446744073709551615> : tensor<2x4500xui64>
    %c10 = stablehlo.constant dense<(1.0,-2.0)> : tensor<2x4500xcomplex<f32>>
    %c11 = stablehlo.constant dense<(0.0,3.0)> : tensor<2x2100xcomplex<f64>>
    %r:13 = stablehlo.while(%i = %zero, %a0 = %c0, %a1 = %c1, %a2 = %c2, %a3 = %c3, %a4 = %c4, %a5 = %c5, %a6 = %c6, %a7 = %c7, %a8 = %c8, %a9 = %c9, %a10 = %c10, %a11 = %c11) : tensor<i32>, tensor<2x32800xi1>, tensor<2x32800xi4>, tensor<2x32800xui2>, tensor<2x32800xf4E2M1FN>, tensor<2x32800xf8E4M3FN>, tensor<2x16500xbf16>, tensor<2x16500xf16>, tensor<2x8500xi32>, tensor<2x4500xf64>, tensor<2x4500xui64>, tensor<2x4500xcomplex<f32>>, tensor<2x2100xcomplex<f64>>
    cond {
      %more = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %i, %step : tensor<i32>
      %u0 = stablehlo.dynamic_update_slice %a0, %x0, %zero, %i : (tensor<2x32800xi1>, tensor<2x1xi1>, tensor<i32>, tensor<i32>) -> tensor<2x32800xi1>
      %u1 = stablehlo.dynamic_update_slice %a1, %x1, %zero, %i : (tensor<2x32800xi4>, tensor<2x1xi4>, tensor<i32>, tensor<i32>) -> tensor<2x32800xi4>
      %u2 = stablehlo.dynamic_update_slice %a2, %x2, %zero, %i : (tensor<2x32800xui2>, tensor<2x1xui2>, tensor<i32>, tensor<i32>) -> tensor<2x32800xui2>
      %u3 = stablehlo.dynamic_update_slice %a3, %x3, %zero, %i : (tensor<2x32800xf4E2M1FN>, tensor<2x1xf4E2M1FN>, tensor<i32>, tensor<i32>) -> tensor<2x32800xf4E2M1FN>
      %u4 = stablehlo.dynamic_update_slice %a4, %x4, %zero, %i : (tensor<2x32800xf8E4M3FN>, tensor<2x1xf8E4M3FN>, tensor<i32>, tensor<i32>) -> tensor<2x32800xf8E4M3FN>
      %u5 = stablehlo.dynamic_update_slice %a5, %x5, %zero, %i : (tensor<2x16500xbf16>, tensor<2x1xbf16>, tensor<i32>, tensor<i32>) -> tensor<2x16500xbf16>
      %u6 = stablehlo.dynamic_update_slice %a6, %x6, %zero, %i : (tensor<2x16500xf16>, tensor<2x1xf16>, tensor<i32>, tensor<i32>) -> tensor<2x16500xf16>
      %u7 = stablehlo.dynamic_update_slice %a7, %x7, %zero, %i : (tensor<2x8500xi32>, tensor<2x1xi32>, tensor<i32>, tensor<i32>) -> tensor<2x8500xi32>
      %u8 = stablehlo.dynamic_update_slice %a8, %x8, %zero, %i : (tensor<2x4500xf64>, tensor<2x1xf64>, tensor<i32>, tensor<i32>) -> tensor<2x4500xf64>
      %u9 = stablehlo.dynamic_update_slice %a9, %x9, %zero, %i : (tensor<2x4500xui64>, tensor<2x1xui64>, tensor<i32>, tensor<i32>) -> tensor<2x4500xui64>
      %u10 = stablehlo.dynamic_update_slice %a10, %x10, %zero, %i : (tensor<2x4500xcomplex<f32>>, tensor<2x1xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<2x4500xcomplex<f32>>
      %u11 = stablehlo.dynamic_update_slice %a11, %x11, %zero, %i : (tensor<2x2100xcomplex<f64>>, tensor<2x1xcomplex<f64>>, tensor<i32>, tensor<i32>) -> tensor<2x2100xcomplex<f64>>
      stablehlo.return %next, %u0, %u1, %u2, %u3, %u4, %u5, %u6, %u7, %u8, %u9, %u10, %u11 : tensor<i32>, tensor<2x32800xi1>, tensor<2x32800xi4>, tensor<2x32800xui2>, tensor<2x32800xf4E2M1FN>, tensor<2x32800xf8E4M3FN>, tensor<2x16500xbf16>, tensor<2x16500xf16>, tensor<2x8500xi32>, tensor<2x4500xf64>, tensor<2x4500xui64>, tensor<2x4500xcomplex<f32>>, tensor<2x2100xcomplex<f64>>
    }
    %ones = stablehlo.constant dense<1.0> : tensor<17000xf32>
    %places = stablehlo.constant dense<[[3], [16999], [3]]> : tensor<3x1xi32>
    %what = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
    %scattered = "stablehlo.scatter"(%ones, %places, %what) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %sum = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<17000xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<17000xf32>
    %which = stablehlo.compare LT, %turns, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %chosen = "stablehlo.if"(%which) ({
      stablehlo.return %ones : tensor<17000xf32>
    }, {
      %twice = stablehlo.add %scattered, %ones : tensor<17000xf32>
      stablehlo.return %twice : tensor<17000xf32>
    }) : (tensor<i1>) -> tensor<17000xf32>
    return %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9, %r#10, %r#11, %r#12, %c7, %scattered, %chosen : tensor<2x32800xi1>, tensor<2x32800xi4>, tensor<2x32800xui2>, tensor<2x32800xf4E2M1FN>, tensor<2x32800xf8E4M3FN>, tensor<2x16500xbf16>, tensor<2x16500xf16>, tensor<2x8500xi32>, tensor<2x4500xf64>, tensor<2x4500xui64>, tensor<2x4500xcomplex<f32>>, tensor<2x2100xcomplex<f64>>, tensor<2x8500xi32>, tensor<17000xf32>, tensor<17000xf32>
  }
}
