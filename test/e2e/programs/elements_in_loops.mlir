// Loops that read and write single elements, of several types and ranks, at places that may lie outside.
module {
  func.func @main(%f: tensor<7xf32>, %b: tensor<3x5xi8>, %h: tensor<4xbf16>, %c: tensor<5xcomplex<f32>>, %m: tensor<6xi1>, %first: tensor<i32>)
      -> (tensor<f32>, tensor<7xf32>, tensor<3x5xi8>, tensor<4xbf16>, tensor<5xcomplex<f32>>, tensor<6xi1>, tensor<7xf32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %end = stablehlo.constant dense<13> : tensor<i32>
    %start = stablehlo.constant dense<0.0> : tensor<f32>
    %numbers = stablehlo.iota dim = 0 : tensor<11xi32>
    %0:9 = stablehlo.while(%i = %zero, %sum = %start, %fs = %f, %bs = %b, %hs = %h, %cs = %c, %ms = %m, %others = %f, %count = %zero)
        : tensor<i32>, tensor<f32>, tensor<7xf32>, tensor<3x5xi8>, tensor<4xbf16>, tensor<5xcomplex<f32>>, tensor<6xi1>, tensor<7xf32>, tensor<i32>
    cond {
      %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      // From below zero to beyond the end.
      %at = stablehlo.subtract %i, %three : tensor<i32>
      %other = stablehlo.add %at, %first : tensor<i32>
      %unsigned = stablehlo.convert %at : (tensor<i32>) -> tensor<ui32>
      %x0 = stablehlo.dynamic_slice %fs, %at, sizes = [1] : (tensor<7xf32>, tensor<i32>) -> tensor<1xf32>
      %x = stablehlo.reshape %x0 : (tensor<1xf32>) -> tensor<f32>
      %last0 = stablehlo.slice %fs [6:7] : (tensor<7xf32>) -> tensor<1xf32>
      %last = stablehlo.reshape %last0 : (tensor<1xf32>) -> tensor<f32>
      %sum1 = stablehlo.add %sum, %x : tensor<f32>
      %sum2 = stablehlo.minimum %sum1, %last : tensor<f32>
      %y = stablehlo.reshape %sum2 : (tensor<f32>) -> tensor<1xf32>
      %fs1 = stablehlo.dynamic_update_slice %fs, %y, %unsigned : (tensor<7xf32>, tensor<1xf32>, tensor<ui32>) -> tensor<7xf32>
      // What is updated is read once more.
      %others1 = stablehlo.dynamic_update_slice %others, %y, %other : (tensor<7xf32>, tensor<1xf32>, tensor<i32>) -> tensor<7xf32>
      %others2 = stablehlo.add %others, %others1 : tensor<7xf32>
      %b0 = stablehlo.dynamic_slice %bs, %one, %at, sizes = [1, 1] : (tensor<3x5xi8>, tensor<i32>, tensor<i32>) -> tensor<1x1xi8>
      %b1 = stablehlo.reshape %b0 : (tensor<1x1xi8>) -> tensor<i8>
      %b2 = stablehlo.multiply %b1, %b1 : tensor<i8>
      %b3 = stablehlo.reshape %b2 : (tensor<i8>) -> tensor<1x1xi8>
      %bs1 = stablehlo.dynamic_update_slice %bs, %b3, %other, %i : (tensor<3x5xi8>, tensor<1x1xi8>, tensor<i32>, tensor<i32>) -> tensor<3x5xi8>
      %h0 = stablehlo.dynamic_slice %hs, %i, sizes = [1] : (tensor<4xbf16>, tensor<i32>) -> tensor<1xbf16>
      %h1 = stablehlo.reshape %h0 : (tensor<1xbf16>) -> tensor<bf16>
      %h2 = stablehlo.subtract %h1, %h1 : tensor<bf16>
      %h3 = stablehlo.reshape %h2 : (tensor<bf16>) -> tensor<1xbf16>
      %hs1 = stablehlo.dynamic_update_slice %hs, %h3, %at : (tensor<4xbf16>, tensor<1xbf16>, tensor<i32>) -> tensor<4xbf16>
      %c0 = stablehlo.dynamic_slice %cs, %at, sizes = [1] : (tensor<5xcomplex<f32>>, tensor<i32>) -> tensor<1xcomplex<f32>>
      %c1 = stablehlo.reshape %c0 : (tensor<1xcomplex<f32>>) -> tensor<complex<f32>>
      %c2 = stablehlo.add %c1, %c1 : tensor<complex<f32>>
      %c3 = stablehlo.reshape %c2 : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
      %cs1 = stablehlo.dynamic_update_slice %cs, %c3, %i : (tensor<5xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i32>) -> tensor<5xcomplex<f32>>
      %m0 = stablehlo.dynamic_slice %ms, %at, sizes = [1] : (tensor<6xi1>, tensor<i32>) -> tensor<1xi1>
      %m1 = stablehlo.reshape %m0 : (tensor<1xi1>) -> tensor<i1>
      %m2 = stablehlo.not %m1 : tensor<i1>
      %m3 = stablehlo.reshape %m2 : (tensor<i1>) -> tensor<1xi1>
      %ms1 = stablehlo.dynamic_update_slice %ms, %m3, %i : (tensor<6xi1>, tensor<1xi1>, tensor<i32>) -> tensor<6xi1>
      %n0 = stablehlo.dynamic_slice %numbers, %at, sizes = [1] : (tensor<11xi32>, tensor<i32>) -> tensor<1xi32>
      %n = stablehlo.reshape %n0 : (tensor<1xi32>) -> tensor<i32>
      %count1 = stablehlo.add %count, %n : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %sum2, %fs1, %bs1, %hs1, %cs1, %ms1, %others2, %count1
          : tensor<i32>, tensor<f32>, tensor<7xf32>, tensor<3x5xi8>, tensor<4xbf16>, tensor<5xcomplex<f32>>, tensor<6xi1>, tensor<7xf32>, tensor<i32>
    }
    return %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8
        : tensor<f32>, tensor<7xf32>, tensor<3x5xi8>, tensor<4xbf16>, tensor<5xcomplex<f32>>, tensor<6xi1>, tensor<7xf32>, tensor<i32>
  }
}
