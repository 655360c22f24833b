// What follows a dot or a convolution in other shapes and orders: heads of attention taken apart and put together, a
// transposed product, images that change between channels last and channels first, several results, narrow and complex
// elements, and sizes that no vector divides.
module {
  func.func @main(%x: tensor<6x10xf32>, %w: tensor<10x24xf32>, %bias: tensor<24xf32>, %q: tensor<2x3x11x8xf32>,
                  %k: tensor<2x3x9x8xf32>, %image: tensor<2x6x5x4xf32>, %filter: tensor<3x3x4x8xf32>,
                  %h: tensor<13x7xbf16>, %g: tensor<7x9xbf16>, %c: tensor<9x5xcomplex<f32>>,
                  %d: tensor<5x11xcomplex<f32>>, %i: tensor<8x16xi8>, %j: tensor<16x32xi8>,
                  %residual: tensor<4x16x12xf32>, %y: tensor<12x10xf32>, %v: tensor<10x64xf32>, %head: tensor<8xf32>)
      -> (tensor<2x3x4x3x2xf32>, tensor<2x9x3x11xf32>, tensor<2x8x4x3xf32>, tensor<2x30x8xf32>, tensor<9x13xbf16>,
          tensor<11x9xcomplex<f32>>, tensor<2x16x8xi32>, tensor<4x16x12xf32>, tensor<6x64xf32>, tensor<6x4x16xf32>,
          tensor<2x3x6x8xf32>, tensor<4x2x3x8xf32>) {
    // Heads taken apart: [2*3, 4*3*2] to [2, 3, 4, 3, 2].
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x10xf32>, tensor<10x24xf32>) -> tensor<6x24xf32>
    %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<24xf32>) -> tensor<6x24xf32>
    %2 = stablehlo.add %0, %1 : tensor<6x24xf32>
    %3 = stablehlo.reshape %2 : (tensor<6x24xf32>) -> tensor<2x3x4x3x2xf32>
    %4 = stablehlo.tanh %3 : tensor<2x3x4x3x2xf32>

    // Scores of attention, in another order.
    %5 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x11x8xf32>, tensor<2x3x9x8xf32>) -> tensor<2x3x11x9xf32>
    %6 = stablehlo.negate %5 : tensor<2x3x11x9xf32>
    %7 = stablehlo.transpose %6, dims = [0, 3, 1, 2] : (tensor<2x3x11x9xf32>) -> tensor<2x9x3x11xf32>

    // Channels last to channels first.
    %8 = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x5x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x3x8xf32>
    %9 = stablehlo.abs %8 : tensor<2x4x3x8xf32>
    %10 = stablehlo.transpose %9, dims = [0, 3, 1, 2] : (tensor<2x4x3x8xf32>) -> tensor<2x8x4x3xf32>

    // Rows of the images before the images.
    %37 = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x5x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x3x8xf32>
    %38 = stablehlo.abs %37 : tensor<2x4x3x8xf32>
    %36 = stablehlo.transpose %38, dims = [1, 0, 2, 3] : (tensor<2x4x3x8xf32>) -> tensor<4x2x3x8xf32>

    // The rows of an image in one dimension.
    %11 = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x5x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x6x5x8xf32>
    %12 = stablehlo.reshape %11 : (tensor<2x6x5x8xf32>) -> tensor<2x30x8xf32>
    %13 = stablehlo.sine %12 : tensor<2x30x8xf32>

    // bf16 and complex, transposed.
    %14 = stablehlo.dot_general %h, %g, contracting_dims = [1] x [0] : (tensor<13x7xbf16>, tensor<7x9xbf16>) -> tensor<13x9xbf16>
    %15 = stablehlo.transpose %14, dims = [1, 0] : (tensor<13x9xbf16>) -> tensor<9x13xbf16>
    %16 = stablehlo.multiply %15, %15 : tensor<9x13xbf16>
    %17 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<9x5xcomplex<f32>>, tensor<5x11xcomplex<f32>>) -> tensor<9x11xcomplex<f32>>
    %18 = stablehlo.transpose %17, dims = [1, 0] : (tensor<9x11xcomplex<f32>>) -> tensor<11x9xcomplex<f32>>

    // Integers, whose columns are divided.
    %19 = stablehlo.dot_general %i, %j, contracting_dims = [1] x [0] : (tensor<8x16xi8>, tensor<16x32xi8>) -> tensor<8x32xi32>
    %20 = stablehlo.reshape %19 : (tensor<8x32xi32>) -> tensor<8x2x16xi32>
    %21 = stablehlo.transpose %20, dims = [1, 2, 0] : (tensor<8x2x16xi32>) -> tensor<2x16x8xi32>
    %22 = stablehlo.negate %21 : tensor<2x16x8xi32>

    // A residual in the order of the results, and results of other shapes beside each other.
    %23 = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0] : (tensor<12x10xf32>, tensor<10x64xf32>) -> tensor<12x64xf32>
    %24 = stablehlo.reshape %23 : (tensor<12x64xf32>) -> tensor<12x4x16xf32>
    %25 = stablehlo.transpose %24, dims = [1, 2, 0] : (tensor<12x4x16xf32>) -> tensor<4x16x12xf32>
    %26 = stablehlo.add %25, %residual : tensor<4x16x12xf32>
    %27 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<6x10xf32>, tensor<10x64xf32>) -> tensor<6x64xf32>
    %28 = stablehlo.tanh %27 : tensor<6x64xf32>
    %29 = stablehlo.reshape %28 : (tensor<6x64xf32>) -> tensor<6x4x16xf32>
    %30 = stablehlo.cosine %29 : tensor<6x4x16xf32>

    // Heads in the order of attention: rows and columns of the product are divided.
    %31 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<12x10xf32>, tensor<10x24xf32>) -> tensor<12x24xf32>
    %32 = stablehlo.reshape %31 : (tensor<12x24xf32>) -> tensor<2x6x3x8xf32>
    %33 = stablehlo.broadcast_in_dim %head, dims = [3] : (tensor<8xf32>) -> tensor<2x6x3x8xf32>
    %34 = stablehlo.multiply %32, %33 : tensor<2x6x3x8xf32>
    %35 = stablehlo.transpose %34, dims = [0, 2, 1, 3] : (tensor<2x6x3x8xf32>) -> tensor<2x3x6x8xf32>
    return %4, %7, %10, %13, %16, %18, %22, %26, %28, %30, %35, %36 : tensor<2x3x4x3x2xf32>, tensor<2x9x3x11xf32>, tensor<2x8x4x3xf32>, tensor<2x30x8xf32>, tensor<9x13xbf16>, tensor<11x9xcomplex<f32>>, tensor<2x16x8xi32>, tensor<4x16x12xf32>, tensor<6x64xf32>, tensor<6x4x16xf32>, tensor<2x3x6x8xf32>, tensor<4x2x3x8xf32>
  }
}
