// Parts of arrays that loops read at computed places, inside and outside of these, and where such a part is no view.
module {
  func.func @main(%ws: tensor<5x16x16xf32>, %x: tensor<4x16xf32>, %rows: tensor<40x16xf32>, %h: tensor<3x2x32xbf16>, %odd: tensor<6x3x5xf32>, %first: tensor<i32>)
      -> (tensor<4x16xf32>, tensor<5x16x16xf32>, tensor<4x16xf32>, tensor<1x32xbf16>, tensor<16x16xf32>, tensor<3x3xf32>, tensor<16x16xf32>, tensor<4x16xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %three_unsigned = stablehlo.constant dense<3> : tensor<ui32>
    %end = stablehlo.constant dense<9> : tensor<i32>
    %scale = stablehlo.constant dense<0.125> : tensor<4x16xf32>
    %h0 = stablehlo.constant dense<0.0> : tensor<1x32xbf16>
    %o0 = stablehlo.constant dense<0.0> : tensor<3x3xf32>
    %m0 = stablehlo.constant dense<0.0> : tensor<16x16xf32>
    %0:9 = stablehlo.while(%i = %zero, %a = %x, %vs = %ws, %b = %x, %g = %h0, %m = %m0, %o = %o0, %last = %m0, %d = %x)
        : tensor<i32>, tensor<4x16xf32>, tensor<5x16x16xf32>, tensor<4x16xf32>, tensor<1x32xbf16>, tensor<16x16xf32>, tensor<3x3xf32>, tensor<16x16xf32>, tensor<4x16xf32>
    cond {
      %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      // From below zero to beyond the end.
      %at0 = stablehlo.subtract %i, %two : tensor<i32>
      %at = stablehlo.add %at0, %first : tensor<i32>
      %unsigned = stablehlo.convert %at : (tensor<i32>) -> tensor<ui32>
      %w0 = stablehlo.dynamic_slice %ws, %at, %zero, %zero, sizes = [1, 16, 16] : (tensor<5x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x16xf32>
      %w = stablehlo.reshape %w0 : (tensor<1x16x16xf32>) -> tensor<16x16xf32>
      %a1 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
      %a2 = stablehlo.multiply %a1, %scale : tensor<4x16xf32>
      %a3 = stablehlo.tanh %a2 : tensor<4x16xf32>
      // Of an array that changes, which the part was read of before.
      %v0 = stablehlo.dynamic_slice %vs, %at, %zero, %zero, sizes = [1, 16, 16] : (tensor<5x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x16xf32>
      %v = stablehlo.reshape %v0 : (tensor<1x16x16xf32>) -> tensor<16x16xf32>
      %v1 = stablehlo.dot_general %a3, %a3, contracting_dims = [0] x [0] : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<16x16xf32>
      %v2 = stablehlo.reshape %v1 : (tensor<16x16xf32>) -> tensor<1x16x16xf32>
      %vs1 = stablehlo.dynamic_update_slice %vs, %v2, %at, %zero, %zero : (tensor<5x16x16xf32>, tensor<1x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x16x16xf32>
      %b1 = stablehlo.dot_general %b, %v, contracting_dims = [1] x [1] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
      %b2 = stablehlo.multiply %b1, %scale : tensor<4x16xf32>
      // Several rows, which an inner loop, and one branch, reads as well.
      %r = stablehlo.multiply %unsigned, %three_unsigned : tensor<ui32>
      %none = stablehlo.convert %zero : (tensor<i32>) -> tensor<ui32>
      %part = stablehlo.dynamic_slice %rows, %r, %none, sizes = [16, 16] : (tensor<40x16xf32>, tensor<ui32>, tensor<ui32>) -> tensor<16x16xf32>
      %inner:2 = stablehlo.while(%j = %zero, %e = %b2) : tensor<i32>, tensor<4x16xf32>
      cond {
        %p = stablehlo.compare LT, %j, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %s0 = stablehlo.dynamic_slice %vs, %j, %zero, %zero, sizes = [1, 16, 16] : (tensor<5x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x16xf32>
        %s = stablehlo.reshape %s0 : (tensor<1x16x16xf32>) -> tensor<16x16xf32>
        %e1 = stablehlo.dot_general %e, %part, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
        %e2 = stablehlo.dot_general %e1, %s, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
        %e3 = stablehlo.tanh %e2 : tensor<4x16xf32>
        %j1 = stablehlo.add %j, %one : tensor<i32>
        stablehlo.return %j1, %e3 : tensor<i32>, tensor<4x16xf32>
      }
      %isLate = stablehlo.compare GT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %d1 = "stablehlo.if"(%isLate) ({
        %t0 = stablehlo.dynamic_slice %ws, %i, %zero, %zero, sizes = [1, 16, 16] : (tensor<5x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x16xf32>
        %t = stablehlo.reshape %t0 : (tensor<1x16x16xf32>) -> tensor<16x16xf32>
        %d2 = stablehlo.dot_general %d, %t, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
        %d3 = stablehlo.tanh %d2 : tensor<4x16xf32>
        stablehlo.return %d3 : tensor<4x16xf32>
      }, {
        %d2 = stablehlo.dot_general %d, %part, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
        stablehlo.return %d2 : tensor<4x16xf32>
      }) : (tensor<i1>) -> tensor<4x16xf32>
      // Of 16 bits, along two dimensions that begin at computed places.
      %g1 = stablehlo.dynamic_slice %h, %at, %i, %zero, sizes = [1, 1, 32] : (tensor<3x2x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x32xbf16>
      %g2 = stablehlo.reshape %g1 : (tensor<1x1x32xbf16>) -> tensor<1x32xbf16>
      %g3 = stablehlo.reverse %g2, dims = [1] : tensor<1x32xbf16>
      %g4 = stablehlo.add %g3, %g : tensor<1x32xbf16>
      // What begins in the middle of a line of the cache, and what is carried on.
      %o1 = stablehlo.dynamic_slice %odd, %at, %zero, %zero, sizes = [1, 3, 5] : (tensor<6x3x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x5xf32>
      %o2 = stablehlo.reshape %o1 : (tensor<1x3x5xf32>) -> tensor<3x5xf32>
      %o3 = stablehlo.dot_general %o2, %o2, contracting_dims = [1] x [1] : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x3xf32>
      %o4 = stablehlo.add %o, %o3 : tensor<3x3xf32>
      %l0 = stablehlo.dynamic_slice %ws, %i, %zero, %zero, sizes = [1, 16, 16] : (tensor<5x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x16xf32>
      %l = stablehlo.reshape %l0 : (tensor<1x16x16xf32>) -> tensor<16x16xf32>
      %m1 = stablehlo.dot_general %last, %l, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %i1 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %i1, %a3, %vs1, %inner#1, %g4, %m1, %o4, %l, %d1 : tensor<i32>, tensor<4x16xf32>, tensor<5x16x16xf32>, tensor<4x16xf32>, tensor<1x32xbf16>, tensor<16x16xf32>, tensor<3x3xf32>, tensor<16x16xf32>, tensor<4x16xf32>
    }
    return %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8 : tensor<4x16xf32>, tensor<5x16x16xf32>, tensor<4x16xf32>, tensor<1x32xbf16>, tensor<16x16xf32>, tensor<3x3xf32>, tensor<16x16xf32>, tensor<4x16xf32>
  }
}
