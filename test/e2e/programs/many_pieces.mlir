// Concatenations of more arrays than loops take: pieces of one size, of several, of none, in rows and between them.
func.func @main(%x: tensor<3xf32>, %y: tensor<2x5xi8>, %z: tensor<4x1xcomplex<f64>>, %w: tensor<6x7xi1>) -> (tensor<120xf32>, tensor<120xf32>, tensor<2x200xi8>, tensor<4x40xcomplex<f64>>, tensor<6x200xi1>, tensor<80x5xi8>) {
  %x1 = stablehlo.add %x, %x : tensor<3xf32>
  %x2 = stablehlo.add %x1, %x : tensor<3xf32>
  %x3 = stablehlo.add %x2, %x : tensor<3xf32>
  %x4 = stablehlo.add %x3, %x : tensor<3xf32>
  %x5 = stablehlo.add %x4, %x : tensor<3xf32>
  %x6 = stablehlo.add %x5, %x : tensor<3xf32>
  %x7 = stablehlo.add %x6, %x : tensor<3xf32>
  %x8 = stablehlo.add %x7, %x : tensor<3xf32>
  %x9 = stablehlo.add %x8, %x : tensor<3xf32>
  %x10 = stablehlo.add %x9, %x : tensor<3xf32>
  %x11 = stablehlo.add %x10, %x : tensor<3xf32>
  %x12 = stablehlo.add %x11, %x : tensor<3xf32>
  %x13 = stablehlo.add %x12, %x : tensor<3xf32>
  %x14 = stablehlo.add %x13, %x : tensor<3xf32>
  %x15 = stablehlo.add %x14, %x : tensor<3xf32>
  %x16 = stablehlo.add %x15, %x : tensor<3xf32>
  %x17 = stablehlo.add %x16, %x : tensor<3xf32>
  %x18 = stablehlo.add %x17, %x : tensor<3xf32>
  %x19 = stablehlo.add %x18, %x : tensor<3xf32>
  %x20 = stablehlo.add %x19, %x : tensor<3xf32>
  %x21 = stablehlo.add %x20, %x : tensor<3xf32>
  %x22 = stablehlo.add %x21, %x : tensor<3xf32>
  %x23 = stablehlo.add %x22, %x : tensor<3xf32>
  %x24 = stablehlo.add %x23, %x : tensor<3xf32>
  %x25 = stablehlo.add %x24, %x : tensor<3xf32>
  %x26 = stablehlo.add %x25, %x : tensor<3xf32>
  %x27 = stablehlo.add %x26, %x : tensor<3xf32>
  %x28 = stablehlo.add %x27, %x : tensor<3xf32>
  %x29 = stablehlo.add %x28, %x : tensor<3xf32>
  %x30 = stablehlo.add %x29, %x : tensor<3xf32>
  %x31 = stablehlo.add %x30, %x : tensor<3xf32>
  %x32 = stablehlo.add %x31, %x : tensor<3xf32>
  %x33 = stablehlo.add %x32, %x : tensor<3xf32>
  %x34 = stablehlo.add %x33, %x : tensor<3xf32>
  %x35 = stablehlo.add %x34, %x : tensor<3xf32>
  %x36 = stablehlo.add %x35, %x : tensor<3xf32>
  %x37 = stablehlo.add %x36, %x : tensor<3xf32>
  %x38 = stablehlo.add %x37, %x : tensor<3xf32>
  %x39 = stablehlo.add %x38, %x : tensor<3xf32>
  %0 = stablehlo.concatenate %x, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, %x9, %x10, %x11, %x12, %x13, %x14, %x15, %x16, %x17, %x18, %x19, %x20, %x21, %x22, %x23, %x24, %x25, %x26, %x27, %x28, %x29, %x30, %x31, %x32, %x33, %x34, %x35, %x36, %x37, %x38, %x39, dim = 0 : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<120xf32>
  %1 = stablehlo.negate %0 : tensor<120xf32>
  %2 = stablehlo.concatenate %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, dim = 1 : (tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>) -> tensor<2x200xi8>
  %3 = stablehlo.concatenate %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, %z, dim = 1 : (tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>, tensor<4x1xcomplex<f64>>) -> tensor<4x40xcomplex<f64>>
  %v = stablehlo.slice %w [0:6, 2:5] : (tensor<6x7xi1>) -> tensor<6x3xi1>
  %e = stablehlo.slice %w [0:6, 2:2] : (tensor<6x7xi1>) -> tensor<6x0xi1>
  %4 = stablehlo.concatenate %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, %w, %v, %e, dim = 1 : (tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>, tensor<6x7xi1>, tensor<6x3xi1>, tensor<6x0xi1>) -> tensor<6x200xi1>
  %5 = stablehlo.concatenate %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, %y, dim = 0 : (tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>, tensor<2x5xi8>) -> tensor<80x5xi8>
  return %0, %1, %2, %3, %4, %5 : tensor<120xf32>, tensor<120xf32>, tensor<2x200xi8>, tensor<4x40xcomplex<f64>>, tensor<6x200xi1>, tensor<80x5xi8>
}
