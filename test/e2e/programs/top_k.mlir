// The largest elements of rows: few, which are inserted, and more, which are sorted in batches; all of a row; equal ones,
// and NaNs.
module {
  func.func @main(%x: tensor<5x150xf32>, %bytes: tensor<4x300xi8>, %flags: tensor<3x70xui8>, %half: tensor<2x90xbf16>,
      %long: tensor<2x3001xf32>, %many: tensor<1x5003xi8>)
      -> (tensor<5x4xf32>, tensor<5x4xi32>, tensor<5x40xf32>, tensor<5x40xi32>, tensor<4x32xi8>, tensor<4x32xi32>,
          tensor<4x33xi8>, tensor<4x33xi32>, tensor<3x3xui8>, tensor<3x3xi32>, tensor<3x70xui8>, tensor<3x70xi32>,
          tensor<2x1xbf16>, tensor<2x1xi32>, tensor<1x6xf32>, tensor<1x6xi32>, tensor<1x6xf32>, tensor<1x6xi32>,
          tensor<2x50xf32>, tensor<2x50xi32>, tensor<1x2500xi8>, tensor<1x2500xi32>) {
    %nan = stablehlo.constant dense<0x7FC00000> : tensor<5x150xf32>
    %one = stablehlo.constant dense<1.0> : tensor<5x150xf32>
    %large = stablehlo.compare GT, %x, %one : (tensor<5x150xf32>, tensor<5x150xf32>) -> tensor<5x150xi1>
    %some = stablehlo.select %large, %nan, %x : tensor<5x150xi1>, tensor<5x150xf32>
    %0:2 = chlo.top_k(%some, k = 4) : tensor<5x150xf32> -> (tensor<5x4xf32>, tensor<5x4xi32>)
    %1:2 = chlo.top_k(%some, k = 40) : tensor<5x150xf32> -> (tensor<5x40xf32>, tensor<5x40xi32>)
    %2:2 = chlo.top_k(%bytes, k = 32) : tensor<4x300xi8> -> (tensor<4x32xi8>, tensor<4x32xi32>)
    %3:2 = chlo.top_k(%bytes, k = 33) : tensor<4x300xi8> -> (tensor<4x33xi8>, tensor<4x33xi32>)
    // All are equal.
    %same = stablehlo.constant dense<255> : tensor<3x70xui8>
    %full = stablehlo.or %flags, %same : tensor<3x70xui8>
    %4:2 = chlo.top_k(%full, k = 3) : tensor<3x70xui8> -> (tensor<3x3xui8>, tensor<3x3xi32>)
    %5:2 = chlo.top_k(%flags, k = 70) : tensor<3x70xui8> -> (tensor<3x70xui8>, tensor<3x70xi32>)
    %6:2 = chlo.top_k(%half, k = 1) : tensor<2x90xbf16> -> (tensor<2x1xbf16>, tensor<2x1xi32>)
    // Each is larger, or smaller, than all before it.
    %rising = stablehlo.iota dim = 1 : tensor<1x200xf32>
    %falling = stablehlo.negate %rising : tensor<1x200xf32>
    %7:2 = chlo.top_k(%rising, k = 6) : tensor<1x200xf32> -> (tensor<1x6xf32>, tensor<1x6xi32>)
    %8:2 = chlo.top_k(%falling, k = 6) : tensor<1x200xf32> -> (tensor<1x6xf32>, tensor<1x6xi32>)
    // Many batches, of numbers and of long runs of equal ones.
    %9:2 = chlo.top_k(%long, k = 50) : tensor<2x3001xf32> -> (tensor<2x50xf32>, tensor<2x50xi32>)
    %10:2 = chlo.top_k(%many, k = 2500) : tensor<1x5003xi8> -> (tensor<1x2500xi8>, tensor<1x2500xi32>)
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1, %4#0, %4#1, %5#0, %5#1, %6#0, %6#1, %7#0, %7#1, %8#0, %8#1,
           %9#0, %9#1, %10#0, %10#1
        : tensor<5x4xf32>, tensor<5x4xi32>, tensor<5x40xf32>, tensor<5x40xi32>, tensor<4x32xi8>, tensor<4x32xi32>,
          tensor<4x33xi8>, tensor<4x33xi32>, tensor<3x3xui8>, tensor<3x3xi32>, tensor<3x70xui8>, tensor<3x70xi32>,
          tensor<2x1xbf16>, tensor<2x1xi32>, tensor<1x6xf32>, tensor<1x6xi32>, tensor<1x6xf32>, tensor<1x6xi32>,
          tensor<2x50xf32>, tensor<2x50xi32>, tensor<1x2500xi8>, tensor<1x2500xi32>
  }
}
