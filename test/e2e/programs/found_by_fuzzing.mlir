// What random programs showed to be wrong once, one case each.
module {
  func.func @main(%x: tensor<3x5xf32>, %k: tensor<3x5xi8>, %one: tensor<1x4xi32>, %square: tensor<15x15xf32>)
      -> (tensor<3xf64>, tensor<2xf32>, tensor<2xi64>, tensor<1x2xf8E4M3>, tensor<1x2x3x2xf32>, tensor<3x5xi8>, tensor<3x5xi16>, tensor<complex<f32>>, tensor<i32>, tensor<3x5xi1>, tensor<2x600xf16>, tensor<4xcomplex<f64>>, tensor<3x5xf32>, tensor<5xcomplex<f32>>, tensor<15x2x9xf32>, tensor<2x4xi32>, tensor<2x0xcomplex<f32>>, tensor<i32>, tensor<4xf8E5M2FNUZ>, tensor<4xf4E2M1FN>, tensor<4xui8>, tensor<3x3xf32>,
          tensor<3x5xcomplex<f32>>, tensor<i32>, tensor<2x2xi32>, tensor<3x0xi32>, tensor<3x5xf32>, tensor<3x5xi8>, tensor<1x4xi32>, tensor<4xi32>) {
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
    // Read along one dimension at places that depend on it.
    %place = stablehlo.iota dim = 0 : tensor<15x2x1xi32>
    %gathered = "stablehlo.gather"(%square, %place) <{dimension_numbers = #stablehlo.gather<
        offset_dims = [2], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [0],
        index_vector_dim = 2>, slice_sizes = array<i64: 9, 1>}> : (tensor<15x15xf32>, tensor<15x2x1xi32>) -> tensor<15x2x9xf32>
    // Windows that overlap, of which the last counts, wherever the updates have its dimension.
    %board = stablehlo.constant dense<0> : tensor<2x4xi32>
    %columns = stablehlo.constant dense<[[[0, 1], [1, 0]]]> : tensor<1x2x2xi32>
    %pieces = stablehlo.iota dim = 2 : tensor<2x3x2xi32>
    %scattered = "stablehlo.scatter"(%board, %columns, %pieces) <{scatter_dimension_numbers = #stablehlo.scatter<
        update_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1],
        scatter_dims_to_operand_dims = [1], index_vector_dim = 0>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      stablehlo.return %b : tensor<i32>
    }) : (tensor<2x4xi32>, tensor<1x2x2xi32>, tensor<2x3x2xi32>) -> tensor<2x4xi32>
    // Elements of an array that has none.
    %unordered = stablehlo.constant dense<[7, -5, 2]> : tensor<3xi32>
    %missing = stablehlo.constant dense<> : tensor<0x3xf32>
    %from_nothing = "stablehlo.gather"(%missing, %unordered) <{dimension_numbers = #stablehlo.gather<
        offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
        slice_sizes = array<i64: 0, 3>}> : (tensor<0x3xf32>, tensor<3xi32>) -> tensor<3x3xf32>
    // The spectrum of nothing.
    %silence = stablehlo.constant dense<> : tensor<2x0xf32>
    %spectrum = stablehlo.fft %silence, type = RFFT, length = [0] : (tensor<2x0xf32>) -> tensor<2x0xcomplex<f32>>
    // The first of several NaNs whose positions do not increase.
    %nans = stablehlo.constant dense<0x7FC00000> : tensor<3xf32>
    %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %nan_first:2 = stablehlo.reduce(%nans init: %nan), (%unordered init: %init) across dimensions = [0]
        : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan_a = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %better = stablehlo.or %gt, %nan_a : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %take = stablehlo.or %better, %tie : tensor<i1>
      %value = stablehlo.select %better, %a, %b : tensor<i1>, tensor<f32>
      %position = stablehlo.select %take, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %position : tensor<f32>, tensor<i32>
    }
    // Halfway between powers of two.
    %halfway = stablehlo.constant dense<[1.5, 3.0, -6.0, 12.0]> : tensor<4xf8E5M2FNUZ>
    %powers = stablehlo.reduce_precision %halfway, format = e6m0 : tensor<4xf8E5M2FNUZ>
    // NaN in a type that has none, and what is below a type without zero.
    %numerators = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0]> : tensor<4xf4E2M1FN>
    %zeros = stablehlo.constant dense<0.0> : tensor<4xf4E2M1FN>
    %quotients = stablehlo.divide %numerators, %zeros : tensor<4xf4E2M1FN>
    %scales = stablehlo.constant dense<[1.0, 1.0e-20, 1.0e-25, 1.0e20]> : tensor<4xf8E8M0FNU>
    %scaled = stablehlo.multiply %scales, %scales : tensor<4xf8E8M0FNU>
    %squares = stablehlo.bitcast_convert %scaled : (tensor<4xf8E8M0FNU>) -> tensor<4xui8>
    // Zero to exponents that are positive, negative and neither.
    %no_base = stablehlo.constant dense<(0.0, 0.0)> : tensor<5xcomplex<f32>>
    %exponents = stablehlo.constant dense<[(0.0, 0.0), (0.5, -0.5), (-1.0, 0.0), (-0.1, -0.5), (0.0, 1.0)]> : tensor<5xcomplex<f32>>
    %poles = stablehlo.power %no_base, %exponents : tensor<5xcomplex<f32>>
    // Ops on sizes within a computation.
    %whole = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>):
      %none = stablehlo.constant dense<> : tensor<0xi32>
      %slice = stablehlo.real_dynamic_slice %a, %none, %none, %none : (tensor<f32>, tensor<0xi32>, tensor<0xi32>, tensor<0xi32>) -> tensor<f32>
      %doubled = stablehlo.add %slice, %slice : tensor<f32>
      stablehlo.return %doubled : tensor<f32>
    }) : (tensor<3x5xf32>) -> tensor<3x5xf32>
    // On a cut of asin and acos, and far out.
    %on_cuts = stablehlo.constant dense<[(1.0, 0.0), (-1.0, 0.0), (2.0, -0.0), (1.0e27, 2.5)]> : tensor<4xcomplex<f64>>
    %parts = chlo._asin_acos_kernel %on_cuts : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
    // A gradient whose product with the number of elements is beyond f16.
    %steps = stablehlo.iota dim = 1 : tensor<2x600xf16>
    %ones = stablehlo.constant dense<1.0> : tensor<2xf16>
    %gradient, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%steps, %ones, %ones, %ones, %steps) <{epsilon = 1.0 : f32, feature_index = 0 : i64}>
        : (tensor<2x600xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2x600xf16>) -> (tensor<2x600xf16>, tensor<2xf16>, tensor<2xf16>)
    // Affine maps, composed in the order of the elements, whatever the order of the dimensions.
    %factors = stablehlo.iota dim = 0 : tensor<3x5xi32>
    %offsets = stablehlo.convert %k : (tensor<3x5xi8>) -> tensor<3x5xi32>
    %unit = stablehlo.constant dense<1> : tensor<i32>
    %still = stablehlo.constant dense<0> : tensor<i32>
    %composed:2 = stablehlo.reduce(%factors init: %unit), (%offsets init: %still) across dimensions = [1, 0]
        : (tensor<3x5xi32>, tensor<3x5xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
     reducer(%a: tensor<i32>, %c: tensor<i32>) (%b: tensor<i32>, %d: tensor<i32>) {
      %factor = stablehlo.multiply %a, %c : tensor<i32>
      %moved = stablehlo.multiply %b, %c : tensor<i32>
      %offset = stablehlo.add %moved, %d : tensor<i32>
      stablehlo.return %factor, %offset : tensor<i32>, tensor<i32>
    }
    // An operand that is there twice, before and after a larger one.
    %flag = stablehlo.constant dense<true> : tensor<i1>
    %mask = stablehlo.compare LT, %k, %k : (tensor<3x5xi8>, tensor<3x5xi8>) -> tensor<3x5xi1>
    %chosen = chlo.broadcast_select %flag, %mask, %flag : (tensor<i1>, tensor<3x5xi1>, tensor<i1>) -> tensor<3x5xi1>
    // x^2 + y^2 = 0.
    %over_pole = stablehlo.constant dense<(1.0, -4.0)> : tensor<complex<f32>>
    %under_pole = stablehlo.constant dense<(4.0, 1.0)> : tensor<complex<f32>>
    %pole = stablehlo.atan2 %over_pole, %under_pole : tensor<complex<f32>>
    // Constant negative exponents of few bits.
    %short = stablehlo.convert %k : (tensor<3x5xi8>) -> tensor<3x5xi16>
    %minus_two = stablehlo.constant dense<-2> : tensor<3x5xi8>
    %minus_three = stablehlo.constant dense<-3> : tensor<3x5xi16>
    %powers_i8 = stablehlo.power %k, %minus_two : tensor<3x5xi8>
    %powers_i16 = stablehlo.power %short, %minus_three : tensor<3x5xi16>
    // Padding of a type without zero.
    %units = stablehlo.constant dense<1.0> : tensor<1x2x3x1xf8E8M0FNU>
    %taps = stablehlo.constant dense<1.0> : tensor<2x2x2x1xf8E8M0FNU>
    %padded = stablehlo.convolution(%units, %taps) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [3, 3], pad = [[5, 0], [5, 0]]}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x3x1xf8E8M0FNU>, tensor<2x2x2x1xf8E8M0FNU>) -> tensor<1x2x3x2xf32>
    // Integers summed as narrow floats, which have no place for them one by one, and in wider types.
    %shorts = stablehlo.constant dense<-32768> : tensor<2x2xi16>
    %halves = stablehlo.constant dense<[[1, 1], [-1, -1]]> : tensor<2x2xi16>
    %as_halves = stablehlo.einsum %shorts, %halves, config = "ab,ac->a" : (tensor<2x2xi16>, tensor<2x2xi16>) -> tensor<2xf32>
    %as_longs = stablehlo.einsum %shorts, %halves, config = "ab,ac->a" : (tensor<2x2xi16>, tensor<2x2xi16>) -> tensor<2xi64>
    %large = stablehlo.constant dense<1000> : tensor<1x2xui64>
    %none_and_one = stablehlo.constant dense<[[0, 1], [0, 2]]> : tensor<2x2xui64>
    %as_eighths = stablehlo.convolution(%large, %none_and_one) dim_numbers = [b, f]x[i, o]->[b, f], window = {}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2xui64>, tensor<2x2xui64>) -> tensor<1x2xf8E4M3>
    // Just below the pole at zero, where the fractional part is rounded.
    %order = stablehlo.constant dense<[2.0, 1.0, 4.0]> : tensor<3xf64>
    %below_zero = stablehlo.constant dense<[-9.395536649040026e-13, -1.0e-9, -0.001]> : tensor<3xf64>
    %unfolded = stablehlo.optimization_barrier %below_zero : tensor<3xf64>
    %near_pole = chlo.polygamma %order, %unfolded : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
    return %near_pole, %as_halves, %as_longs, %as_eighths, %padded, %powers_i8, %powers_i16, %pole, %composed#1, %chosen, %gradient, %parts, %whole, %poles, %gathered, %scattered, %spectrum, %nan_first#1, %powers, %quotients, %squares, %from_nothing, %both, %first#1, %windows, %indices, %sorted#0, %sorted#1, %over_nothing, %over_one
        : tensor<3xf64>, tensor<2xf32>, tensor<2xi64>, tensor<1x2xf8E4M3>, tensor<1x2x3x2xf32>, tensor<3x5xi8>, tensor<3x5xi16>, tensor<complex<f32>>, tensor<i32>, tensor<3x5xi1>, tensor<2x600xf16>, tensor<4xcomplex<f64>>, tensor<3x5xf32>, tensor<5xcomplex<f32>>, tensor<15x2x9xf32>, tensor<2x4xi32>, tensor<2x0xcomplex<f32>>, tensor<i32>, tensor<4xf8E5M2FNUZ>, tensor<4xf4E2M1FN>, tensor<4xui8>, tensor<3x3xf32>,
          tensor<3x5xcomplex<f32>>, tensor<i32>, tensor<2x2xi32>, tensor<3x0xi32>, tensor<3x5xf32>, tensor<3x5xi8>, tensor<1x4xi32>, tensor<4xi32>
  }
}
