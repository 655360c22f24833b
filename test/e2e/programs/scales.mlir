// Products and sums of f8E8M0FNU, which has neither zero nor sign: its NaN among the factors, and results that are
// halfway, negative, zero and too large. A negated number is NaN, also when it is negated again, and so is false; the
// least number is a normal one.
module {
  func.func @main(%x: tensor<6x6xf32>)
      -> (tensor<6x6xf32>, tensor<6x6xbf16>, tensor<6x6xui8>, tensor<1x6x6x1xf32>, tensor<6x6xui8>, tensor<6x6xf8E8M0FNU>,
          tensor<6x6xf8E8M0FNU>, tensor<6x6xi1>) {
    %half = stablehlo.constant dense<0.5> : tensor<6x6xf32>
    %nan = stablehlo.constant dense<255> : tensor<6x6xui8>
    %small = stablehlo.constant dense<120> : tensor<6x6xui8>
    %large = stablehlo.compare GT, %x, %half : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xi1>
    %column = stablehlo.iota dim = 1 : tensor<6x6xui8>
    %finite = stablehlo.add %small, %column : tensor<6x6xui8>
    %codes = stablehlo.select %large, %nan, %finite : tensor<6x6xi1>, tensor<6x6xui8>
    %scales = stablehlo.bitcast_convert %codes : (tensor<6x6xui8>) -> tensor<6x6xf8E8M0FNU>
    %others = stablehlo.bitcast_convert %finite : (tensor<6x6xui8>) -> tensor<6x6xf8E8M0FNU>
    %product = stablehlo.dot_general %scales, %others, contracting_dims = [1] x [0]
        : (tensor<6x6xf8E8M0FNU>, tensor<6x6xf8E8M0FNU>) -> tensor<6x6xf32>
    %rounded = stablehlo.dot_general %scales, %others, contracting_dims = [1] x [0]
        : (tensor<6x6xf8E8M0FNU>, tensor<6x6xf8E8M0FNU>) -> tensor<6x6xbf16>
    %narrow = stablehlo.dot_general %scales, %others, contracting_dims = [1] x [1]
        : (tensor<6x6xf8E8M0FNU>, tensor<6x6xf8E8M0FNU>) -> tensor<6x6xf8E8M0FNU>
    %narrow_codes = stablehlo.bitcast_convert %narrow : (tensor<6x6xf8E8M0FNU>) -> tensor<6x6xui8>
    %image = stablehlo.reshape %scales : (tensor<6x6xf8E8M0FNU>) -> tensor<1x6x6x1xf8E8M0FNU>
    %taps = stablehlo.reshape %others : (tensor<6x6xf8E8M0FNU>) -> tensor<6x6x1x1xf8E8M0FNU>
    %filter = stablehlo.slice %taps [0:3, 0:3, 0:1, 0:1] : (tensor<6x6x1x1xf8E8M0FNU>) -> tensor<3x3x1x1xf8E8M0FNU>
    %blurred = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
        window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<1x6x6x1xf8E8M0FNU>, tensor<3x3x1x1xf8E8M0FNU>) -> tensor<1x6x6x1xf32>
    // Exact: a diagonal matrix times these.
    %values = stablehlo.constant dense<[1.5, 0.75, 3.0, 0.0, -2.0, 1.0e-38]> : tensor<6xf32>
    %wide = stablehlo.broadcast_in_dim %values, dims = [1] : (tensor<6xf32>) -> tensor<6x6xf32>
    %row = stablehlo.iota dim = 0 : tensor<6x6xui8>
    %on = stablehlo.compare EQ, %row, %column : (tensor<6x6xui8>, tensor<6x6xui8>) -> tensor<6x6xi1>
    %zero = stablehlo.constant dense<0.0> : tensor<6x6xf32>
    %one = stablehlo.constant dense<1.0> : tensor<6x6xf32>
    %finite_x = stablehlo.compare LE, %x, %x : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xi1>
    %both = stablehlo.and %on, %finite_x : tensor<6x6xi1>
    %identity = stablehlo.select %both, %one, %zero : tensor<6x6xi1>, tensor<6x6xf32>
    %powers = stablehlo.dot_general %identity, %wide, contracting_dims = [1] x [0]
        : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf8E8M0FNU>
    %power_codes = stablehlo.bitcast_convert %powers : (tensor<6x6xf8E8M0FNU>) -> tensor<6x6xui8>
    %negative = stablehlo.negate %scales : tensor<6x6xf8E8M0FNU>
    %twice = stablehlo.negate %negative : tensor<6x6xf8E8M0FNU>
    %least = stablehlo.bitcast_convert %column : (tensor<6x6xui8>) -> tensor<6x6xf8E8M0FNU>
    %reduced = stablehlo.reduce_precision %least, format = e11m0 : tensor<6x6xf8E8M0FNU>
    %truth = stablehlo.convert %large : (tensor<6x6xi1>) -> tensor<6x6xf8E8M0FNU>
    %back = stablehlo.convert %truth : (tensor<6x6xf8E8M0FNU>) -> tensor<6x6xi1>
    return %product, %rounded, %narrow_codes, %blurred, %power_codes, %twice, %reduced, %back
        : tensor<6x6xf32>, tensor<6x6xbf16>, tensor<6x6xui8>, tensor<1x6x6x1xf32>, tensor<6x6xui8>, tensor<6x6xf8E8M0FNU>,
          tensor<6x6xf8E8M0FNU>, tensor<6x6xi1>
  }
}
