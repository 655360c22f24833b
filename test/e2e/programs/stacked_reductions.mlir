// Reductions over dimensions that arrays were stacked along: of each kind of elements, along each dimension.
func.func @main(%a: tensor<1x40x30xf32>, %b: tensor<1x40x30xf32>, %c: tensor<1x40x30xf32>, %d: tensor<40x1x30xbf16>, %e: tensor<40x1x30xbf16>, %f: tensor<40x30x1xi8>, %g: tensor<40x30x1xi8>, %h: tensor<1x1200xcomplex<f32>>, %i: tensor<1x1200xi1>)
    -> (tensor<40x30xf32>, tensor<40x30xf32>, tensor<40x30xbf16>, tensor<40x30xbf16>, tensor<40x30xi8>, tensor<1200xcomplex<f32>>, tensor<1200xi1>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero16 = stablehlo.constant dense<0.0> : tensor<bf16>
  %low16 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %one8 = stablehlo.constant dense<1> : tensor<i8>
  %zeroc = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.concatenate %a, %b, %c, %a, %c, dim = 0 : (tensor<1x40x30xf32>, tensor<1x40x30xf32>, tensor<1x40x30xf32>, tensor<1x40x30xf32>, tensor<1x40x30xf32>) -> tensor<5x40x30xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5x40x30xf32>, tensor<f32>) -> tensor<40x30xf32>
  %2 = stablehlo.concatenate %b, %c, %a, dim = 0 : (tensor<1x40x30xf32>, tensor<1x40x30xf32>, tensor<1x40x30xf32>) -> tensor<3x40x30xf32>
  %3 = stablehlo.reduce(%2 init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<3x40x30xf32>, tensor<f32>) -> tensor<40x30xf32>
  %4 = stablehlo.concatenate %d, %e, %d, %e, dim = 1 : (tensor<40x1x30xbf16>, tensor<40x1x30xbf16>, tensor<40x1x30xbf16>, tensor<40x1x30xbf16>) -> tensor<40x4x30xbf16>
  %5 = stablehlo.reduce(%4 init: %zero16) applies stablehlo.add across dimensions = [1] : (tensor<40x4x30xbf16>, tensor<bf16>) -> tensor<40x30xbf16>
  %6 = stablehlo.concatenate %d, %e, dim = 1 : (tensor<40x1x30xbf16>, tensor<40x1x30xbf16>) -> tensor<40x2x30xbf16>
  %7 = stablehlo.reduce(%6 init: %low16) applies stablehlo.maximum across dimensions = [1] : (tensor<40x2x30xbf16>, tensor<bf16>) -> tensor<40x30xbf16>
  %8 = stablehlo.concatenate %f, %g, %g, dim = 2 : (tensor<40x30x1xi8>, tensor<40x30x1xi8>, tensor<40x30x1xi8>) -> tensor<40x30x3xi8>
  %9 = stablehlo.reduce(%8 init: %one8) applies stablehlo.multiply across dimensions = [2] : (tensor<40x30x3xi8>, tensor<i8>) -> tensor<40x30xi8>
  %10 = stablehlo.negate %h : tensor<1x1200xcomplex<f32>>
  %11 = stablehlo.concatenate %h, %10, %h, dim = 0 : (tensor<1x1200xcomplex<f32>>, tensor<1x1200xcomplex<f32>>, tensor<1x1200xcomplex<f32>>) -> tensor<3x1200xcomplex<f32>>
  %12 = stablehlo.reduce(%11 init: %zeroc) applies stablehlo.add across dimensions = [0] : (tensor<3x1200xcomplex<f32>>, tensor<complex<f32>>) -> tensor<1200xcomplex<f32>>
  %13 = stablehlo.not %i : tensor<1x1200xi1>
  %14 = stablehlo.concatenate %i, %13, dim = 0 : (tensor<1x1200xi1>, tensor<1x1200xi1>) -> tensor<2x1200xi1>
  %15 = stablehlo.reduce(%14 init: %false) applies stablehlo.or across dimensions = [0] : (tensor<2x1200xi1>, tensor<i1>) -> tensor<1200xi1>
  return %1, %3, %5, %7, %9, %12, %15 : tensor<40x30xf32>, tensor<40x30xf32>, tensor<40x30xbf16>, tensor<40x30xbf16>, tensor<40x30xi8>, tensor<1200xcomplex<f32>>, tensor<1200xi1>
}
