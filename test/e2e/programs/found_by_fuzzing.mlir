// What random programs showed to be wrong once, one case each.
module {
  func.func @main(%x: tensor<3x5xf32>, %k: tensor<3x5xi8>, %one: tensor<1x4xi32>)
      -> (tensor<3x5xcomplex<f32>>, tensor<i32>, tensor<2x2xi32>, tensor<3x0xi32>, tensor<3x5xf32>, tensor<3x5xi8>, tensor<1x4xi32>, tensor<4xi32>) {
    // A dimension counted from the end.
    %sorted:2 = "stablehlo.sort"(%x, %k) <{dimension = -1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i8>, %d: tensor<i8>):
      %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<3x5xf32>, tensor<3x5xi8>) -> (tensor<3x5xf32>, tensor<3x5xi8>)
    // The initial value also enters when nothing, or one element, is reduced.
    %init = stablehlo.constant dense<40> : tensor<i32>
    %over_nothing = stablehlo.reduce(%one init: %init) applies stablehlo.add across dimensions = []
        : (tensor<1x4xi32>, tensor<i32>) -> tensor<1x4xi32>
    %over_one = stablehlo.reduce(%one init: %init) applies stablehlo.add across dimensions = [0]
        : (tensor<1x4xi32>, tensor<i32>) -> tensor<4xi32>
    // The position of an extreme element whose initial one comes after.
    %false = stablehlo.constant dense<false> : tensor<i1>
    %flags = stablehlo.constant dense<false> : tensor<4xi1>
    %positions = stablehlo.iota dim = 0 : tensor<4xi32>
    %first:2 = stablehlo.reduce(%flags init: %false), (%positions init: %init) across dimensions = [0]
        : (tensor<4xi1>, tensor<4xi32>, tensor<i1>, tensor<i32>) -> (tensor<i1>, tensor<i32>)
     reducer(%a: tensor<i1>, %b: tensor<i1>) (%i: tensor<i32>, %j: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %lt = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %take = stablehlo.or %gt, %tie : tensor<i1>
      %value = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<i1>
      %position = stablehlo.select %take, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %position : tensor<i1>, tensor<i32>
    }
    // Windows over an input without elements: each combines as many initial values as it has places.
    %nothing = stablehlo.constant dense<> : tensor<2x0xi32>
    %windows = "stablehlo.reduce_window"(%nothing, %init) <{
        padding = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %sum = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %sum : tensor<i32>
    }) : (tensor<2x0xi32>, tensor<i32>) -> tensor<2x2xi32>
    // The largest of none.
    %empty = stablehlo.constant dense<> : tensor<3x0xf32>
    %values, %indices = chlo.top_k(%empty, k = 0) : tensor<3x0xf32> -> (tensor<3x0xf32>, tensor<3x0xi32>)
    // An update of most of an array that is read again, of complex numbers, at an unsigned place beyond the end.
    %z = stablehlo.complex %x, %x : tensor<3x5xcomplex<f32>>
    %part = stablehlo.slice %z [0:2, 0:5] : (tensor<3x5xcomplex<f32>>) -> tensor<2x5xcomplex<f32>>
    %far = stablehlo.constant dense<200> : tensor<ui8>
    %updated = stablehlo.dynamic_update_slice %z, %part, %far, %far
        : (tensor<3x5xcomplex<f32>>, tensor<2x5xcomplex<f32>>, tensor<ui8>, tensor<ui8>) -> tensor<3x5xcomplex<f32>>
    %both = stablehlo.add %updated, %z : tensor<3x5xcomplex<f32>>
    return %both, %first#1, %windows, %indices, %sorted#0, %sorted#1, %over_nothing, %over_one
        : tensor<3x5xcomplex<f32>>, tensor<i32>, tensor<2x2xi32>, tensor<3x0xi32>, tensor<3x5xf32>, tensor<3x5xi8>, tensor<1x4xi32>, tensor<4xi32>
  }
}
