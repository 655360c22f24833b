// Products whose operands are converted to wider types, which their kernels do where they read them.
module {
  func.func @main(%a0: tensor<1x33xf32>, %a1: tensor<33x37xi8>, %a2: tensor<37xf32>, %a3: tensor<3x33xf32>, %a4: tensor<33x37xi8>, %a5: tensor<37xf32>, %a6: tensor<40x33xf32>, %a7: tensor<33x37xi8>, %a8: tensor<37xf32>, %a9: tensor<2x64xf32>, %a10: tensor<40x64xi8>, %a11: tensor<40x24xi8>, %a12: tensor<40x32xf32>, %a13: tensor<20x48xbf16>, %a14: tensor<48x36xbf16>, %a15: tensor<20x48xi8>, %a16: tensor<48x36xbf16>, %a17: tensor<20x48xui8>, %a18: tensor<48x36xf16>, %a19: tensor<20x48xi1>, %a20: tensor<48x36xf32>, %a21: tensor<20x48xi8>, %a22: tensor<48x36xi8>, %a23: tensor<20x48xui8>, %a24: tensor<48x36xi16>, %a25: tensor<20x48xi4>, %a26: tensor<48x36xi8>, %a27: tensor<20x17xi32>, %a28: tensor<17x36xf32>, %a29: tensor<2x7x6x5xi8>, %a30: tensor<3x3x5x8xf32>, %a31: tensor<2x9x9x16xbf16>, %a32: tensor<3x3x1x16xi8>, %a33: tensor<12x10xi8>, %a34: tensor<9x12xf32>, %a35: tensor<10x7xf32>, %a36: tensor<12x10xi8>) -> (tensor<1x37xf32>, tensor<3x37xf32>, tensor<40x37xf32>, tensor<2x40xf32>, tensor<24x32xf32>, tensor<20x36xf32>, tensor<20x36xbf16>, tensor<20x36xf32>, tensor<20x36xf32>, tensor<20x36xi32>, tensor<20x36xi32>, tensor<20x36xi32>, tensor<20x36xf64>, tensor<2x7x6x8xf32>, tensor<2x7x7x16xf32>, tensor<9x10xf32>, tensor<12x7xf32>, tensor<9x10xf32>, tensor<12x10xf32>) {
    // Weights in 8 bits and their scales, 1 rows.
    %1 = stablehlo.convert %a1 : (tensor<33x37xi8>) -> tensor<33x37xf32>
    %2 = stablehlo.dot_general %a0, %1, contracting_dims = [1] x [0] : (tensor<1x33xf32>, tensor<33x37xf32>) -> tensor<1x37xf32>
    %3 = stablehlo.broadcast_in_dim %a2, dims = [1] : (tensor<37xf32>) -> tensor<1x37xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<1x37xf32>

    // Weights in 8 bits and their scales, 3 rows.
    %5 = stablehlo.convert %a4 : (tensor<33x37xi8>) -> tensor<33x37xf32>
    %6 = stablehlo.dot_general %a3, %5, contracting_dims = [1] x [0] : (tensor<3x33xf32>, tensor<33x37xf32>) -> tensor<3x37xf32>
    %7 = stablehlo.broadcast_in_dim %a5, dims = [1] : (tensor<37xf32>) -> tensor<3x37xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<3x37xf32>

    // Weights in 8 bits and their scales, 40 rows.
    %9 = stablehlo.convert %a7 : (tensor<33x37xi8>) -> tensor<33x37xf32>
    %10 = stablehlo.dot_general %a6, %9, contracting_dims = [1] x [0] : (tensor<40x33xf32>, tensor<33x37xf32>) -> tensor<40x37xf32>
    %11 = stablehlo.broadcast_in_dim %a8, dims = [1] : (tensor<37xf32>) -> tensor<40x37xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<40x37xf32>

    // Columns along k.
    %13 = stablehlo.convert %a10 : (tensor<40x64xi8>) -> tensor<40x64xf32>
    %14 = stablehlo.dot_general %a9, %13, contracting_dims = [1] x [1] : (tensor<2x64xf32>, tensor<40x64xf32>) -> tensor<2x40xf32>

    // The lhs, with its rows along m.
    %15 = stablehlo.convert %a11 : (tensor<40x24xi8>) -> tensor<40x24xf32>
    %16 = stablehlo.dot_general %15, %a12, contracting_dims = [0] x [0] : (tensor<40x24xf32>, tensor<40x32xf32>) -> tensor<24x32xf32>

    // Both operands, which are products of f32 then.
    %17 = stablehlo.convert %a13 : (tensor<20x48xbf16>) -> tensor<20x48xf32>
    %18 = stablehlo.convert %a14 : (tensor<48x36xbf16>) -> tensor<48x36xf32>
    %19 = stablehlo.dot_general %17, %18, contracting_dims = [1] x [0] : (tensor<20x48xf32>, tensor<48x36xf32>) -> tensor<20x36xf32>

    // Into bf16.
    %20 = stablehlo.convert %a15 : (tensor<20x48xi8>) -> tensor<20x48xbf16>
    %21 = stablehlo.dot_general %20, %a16, contracting_dims = [1] x [0] : (tensor<20x48xbf16>, tensor<48x36xbf16>) -> tensor<20x36xbf16>
    %22 = stablehlo.convert %a17 : (tensor<20x48xui8>) -> tensor<20x48xf16>
    %23 = stablehlo.dot_general %22, %a18, contracting_dims = [1] x [0] : (tensor<20x48xf16>, tensor<48x36xf16>) -> tensor<20x36xf32>

    // Booleans.
    %24 = stablehlo.convert %a19 : (tensor<20x48xi1>) -> tensor<20x48xf32>
    %25 = stablehlo.dot_general %24, %a20, contracting_dims = [1] x [0] : (tensor<20x48xf32>, tensor<48x36xf32>) -> tensor<20x36xf32>

    // Integers, which are multiplied as they are.
    %26 = stablehlo.convert %a21 : (tensor<20x48xi8>) -> tensor<20x48xi32>
    %27 = stablehlo.convert %a22 : (tensor<48x36xi8>) -> tensor<48x36xi32>
    %28 = stablehlo.dot_general %26, %27, contracting_dims = [1] x [0] : (tensor<20x48xi32>, tensor<48x36xi32>) -> tensor<20x36xi32>
    %29 = stablehlo.convert %a23 : (tensor<20x48xui8>) -> tensor<20x48xi32>
    %30 = stablehlo.convert %a24 : (tensor<48x36xi16>) -> tensor<48x36xi32>
    %31 = stablehlo.dot_general %29, %30, contracting_dims = [1] x [0] : (tensor<20x48xi32>, tensor<48x36xi32>) -> tensor<20x36xi32>
    %32 = stablehlo.convert %a25 : (tensor<20x48xi4>) -> tensor<20x48xi32>
    %33 = stablehlo.convert %a26 : (tensor<48x36xi8>) -> tensor<48x36xi32>
    %34 = stablehlo.dot_general %32, %33, contracting_dims = [1] x [0] : (tensor<20x48xi32>, tensor<48x36xi32>) -> tensor<20x36xi32>

    // Into f64.
    %35 = stablehlo.convert %a27 : (tensor<20x17xi32>) -> tensor<20x17xf64>
    %36 = stablehlo.convert %a28 : (tensor<17x36xf32>) -> tensor<17x36xf64>
    %37 = stablehlo.dot_general %35, %36, contracting_dims = [1] x [0] : (tensor<20x17xf64>, tensor<17x36xf64>) -> tensor<20x36xf64>

    // Convolutions: with padding, and of single channels.
    %38 = stablehlo.convert %a29 : (tensor<2x7x6x5xi8>) -> tensor<2x7x6x5xf32>
    %39 = stablehlo.convolution(%38, %a30) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x6x5xf32>, tensor<3x3x5x8xf32>) -> tensor<2x7x6x8xf32>
    %40 = stablehlo.tanh %39 : tensor<2x7x6x8xf32>
    %41 = stablehlo.convert %a31 : (tensor<2x9x9x16xbf16>) -> tensor<2x9x9x16xf32>
    %42 = stablehlo.convert %a32 : (tensor<3x3x1x16xi8>) -> tensor<3x3x1x16xf32>
    %43 = stablehlo.convolution(%41, %42) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 16 : i64} : (tensor<2x9x9x16xf32>, tensor<3x3x1x16xf32>) -> tensor<2x7x7x16xf32>

    // A conversion that two products share, and one that is used elsewhere, too.
    %44 = stablehlo.convert %a33 : (tensor<12x10xi8>) -> tensor<12x10xf32>
    %45 = stablehlo.dot_general %a34, %44, contracting_dims = [1] x [0] : (tensor<9x12xf32>, tensor<12x10xf32>) -> tensor<9x10xf32>
    %46 = stablehlo.dot_general %44, %a35, contracting_dims = [1] x [0] : (tensor<12x10xf32>, tensor<10x7xf32>) -> tensor<12x7xf32>
    %47 = stablehlo.convert %a36 : (tensor<12x10xi8>) -> tensor<12x10xf32>
    %48 = stablehlo.dot_general %a34, %47, contracting_dims = [1] x [0] : (tensor<9x12xf32>, tensor<12x10xf32>) -> tensor<9x10xf32>
    %49 = stablehlo.negate %47 : tensor<12x10xf32>
    return %4, %8, %12, %14, %16, %19, %21, %23, %25, %28, %31, %34, %37, %40, %43, %45, %46, %48, %49 : tensor<1x37xf32>, tensor<3x37xf32>, tensor<40x37xf32>, tensor<2x40xf32>, tensor<24x32xf32>, tensor<20x36xf32>, tensor<20x36xbf16>, tensor<20x36xf32>, tensor<20x36xf32>, tensor<20x36xi32>, tensor<20x36xi32>, tensor<20x36xi32>, tensor<20x36xf64>, tensor<2x7x6x8xf32>, tensor<2x7x7x16xf32>, tensor<9x10xf32>, tensor<12x7xf32>, tensor<9x10xf32>, tensor<12x10xf32>
  }
}
