// What each operation does and gives, for the builders that are generated from the records (tenon/ops/generate): the
// comments of tenon/ops.h and tenon/c/ops.h, the docstrings of tenon.ops, and docs/operations.md. An operation is in the
// builders if it is here; of StableHLO all are, but for the terminator of computations.
class Document<string op_, string text_, string result_> {
  string op = op_;
  string text = text_;
  string result = result_; // the type of what it gives
}
class Unary<string op, string text> : Document<op, text, "as the operand">;
class Binary<string op, string text> : Document<op, text, "as the operands, which are of one type">;

// Elementwise, one operand.
def : Document<"stablehlo.abs",
               "The absolute value of each element; of complex elements the modulus.",
               "as the operand; of complex elements their real type">;
def : Unary<"stablehlo.cbrt", "The cube root of each element.">;
def : Unary<"stablehlo.ceil", "The least whole number that is not below each element.">;
def : Document<"stablehlo.convert",
               "Each element in another type: rounded to nearest, ties to even; floats to integers toward zero.",
               "the operand's shape, of the element type given">;
def : Unary<"stablehlo.cosine", "The cosine of each element, in radians.">;
def : Unary<"stablehlo.count_leading_zeros", "The number of zero bits above the highest one of each element.">;
def : Unary<"stablehlo.exponential", "e to the power of each element.">;
def : Unary<"stablehlo.exponential_minus_one", "e to the power of each element, less 1, exact near 0.">;
def : Unary<"stablehlo.floor", "The greatest whole number that is not above each element.">;
def : Document<"stablehlo.imag",
               "The imaginary part of each element; 0 of real ones.",
               "the operand's shape, of the real type">;
def : Document<"stablehlo.is_finite",
               "Whether each element is neither infinite nor NaN.",
               "the operand's shape, of i1">;
def : Unary<"stablehlo.log", "The natural logarithm of each element.">;
def : Unary<"stablehlo.log_plus_one", "The natural logarithm of each element plus 1, exact near 0.">;
def : Unary<"stablehlo.logistic", "1 / (1 + exp(-x)) of each element x.">;
def : Unary<"stablehlo.negate", "The negative of each element; integers wrap around.">;
def : Unary<"stablehlo.not", "Each truth value, or each bit, turned around.">;
def : Unary<"stablehlo.popcnt", "The number of one bits of each element.">;
def : Document<"stablehlo.real",
               "The real part of each element; real ones themselves.",
               "the operand's shape, of the real type">;
def : Unary<"stablehlo.round_nearest_afz", "Each element rounded to the nearest whole number, ties away from zero.">;
def : Unary<"stablehlo.round_nearest_even", "Each element rounded to the nearest whole number, ties to even.">;
def : Unary<"stablehlo.rsqrt", "1 / sqrt(x) of each element x.">;
def : Unary<"stablehlo.sign", "-1, 0 or 1 by the sign of each element; NaN of NaN; x / |x| of complex ones.">;
def : Unary<"stablehlo.sine", "The sine of each element, in radians.">;
def : Unary<"stablehlo.sqrt", "The square root of each element.">;
def : Unary<"stablehlo.tan", "The tangent of each element, in radians.">;
def : Unary<"stablehlo.tanh", "The hyperbolic tangent of each element.">;
def : Document<"stablehlo.uniform_quantize",
               "Each element quantized, or quantized anew.",
               "the operand's shape, of the quantized element type given">;
def : Document<"stablehlo.uniform_dequantize",
               "Each quantized element as the number that it stands for.",
               "the operand's shape, of the type that its elements express">;
def : Unary<"stablehlo.reduce_precision", "Each element rounded to one with so many bits of exponent and of mantissa.">;

// Elementwise, several operands.
def : Binary<"stablehlo.add", "lhs + rhs; integers wrap around, truth values are combined by or.">;
def : Binary<"stablehlo.and", "lhs and rhs, of truth values or bit by bit.">;
def : Binary<"stablehlo.atan2", "The angle of the point (rhs, lhs), between -pi and pi.">;
def : Binary<"stablehlo.divide", "lhs / rhs; integers truncate toward zero.">;
def : Binary<"stablehlo.maximum", "The greater one; NaN where an operand is NaN; of truth values or.">;
def : Binary<"stablehlo.minimum", "The smaller one; NaN where an operand is NaN; of truth values and.">;
def : Binary<"stablehlo.multiply",
             "lhs * rhs, element by element; integers wrap around, truth values are combined by and.">;
def : Binary<"stablehlo.or", "lhs or rhs, of truth values or bit by bit.">;
def : Binary<"stablehlo.power", "lhs to the power of rhs.">;
def : Binary<"stablehlo.remainder", "What the division of lhs by rhs leaves, with the sign of lhs.">;
def : Binary<"stablehlo.shift_left", "lhs shifted to the left by rhs bits; 0 from its width on.">;
def : Binary<"stablehlo.shift_right_arithmetic", "lhs shifted to the right by rhs bits, filled with its sign.">;
def : Binary<"stablehlo.shift_right_logical", "lhs shifted to the right by rhs bits, filled with zeros.">;
def : Binary<"stablehlo.subtract", "lhs - rhs; integers wrap around.">;
def : Binary<"stablehlo.xor", "Either lhs or rhs, of truth values or bit by bit.">;
def : Document<"stablehlo.complex",
               "lhs + rhs i, of real and imaginary parts.",
               "the operands' shape, of the complex type">;
def : Document<"stablehlo.compare",
               "Whether the relation holds, element by element. Complex numbers have EQ and NE alone.",
               "the operands' shape, of i1">;
def : Document<"stablehlo.clamp",
               "Each element raised to min and then lowered to max, which have its shape or are scalars.",
               "as the operand">;
def : Document<"stablehlo.select",
               "on_true where pred holds, on_false elsewhere; pred has their shape, or is a scalar.",
               "as on_true and on_false, which are of one type">;

// Places of elements.
def : Document<"stablehlo.constant", "The array given.", "that of the array">;
def : Document<"stablehlo.iota", "The index of each element in a dimension.", "the one given">;
def : Document<"stablehlo.bitcast_convert",
               "The bits of the elements read as another type; of another width by a last dimension that goes or "
               "comes.",
               "the one given">;
def : Document<"stablehlo.broadcast_in_dim",
               "Dimension i of the operand becomes dimension broadcast_dimensions[i] of the result; sizes of 1 are "
               "stretched, others repeated.",
               "the one given">;
def : Document<"stablehlo.broadcast",
               "The operand repeated along new leading dimensions. Deprecated: broadcast_in_dim.",
               "the sizes given before the operand's">;
def : Document<"stablehlo.concatenate",
               "The arrays one behind the other along a dimension.",
               "as the inputs, whose sizes in that dimension are added">;
def : Document<"stablehlo.reshape", "The same elements, row-major, in other sizes.", "the one given">;
def : Document<"stablehlo.reverse", "The elements turned around in those dimensions.", "as the operand">;
def : Document<"stablehlo.transpose",
               "Dimension i of the result is dimension permutation[i] of the operand.",
               "the operand's sizes in that order">;
def : Document<"stablehlo.pad",
               "padding_value, a scalar, before, behind and between the elements of each dimension; negative edges "
               "take elements away.",
               "the operand's sizes with the padding">;
def : Document<"stablehlo.slice",
               "The elements from start to before limit in each dimension, in steps of strides.",
               "ceil((limit - start) / stride) in each dimension">;
def : Document<"stablehlo.dynamic_slice",
               "A box of slice_sizes whose start is computed, a scalar for each dimension; it is moved to lie inside.",
               "slice_sizes">;
def : Document<"stablehlo.dynamic_update_slice",
               "The operand with a box overwritten by update, where start_indices, a scalar for each dimension, say; "
               "it is moved to lie inside.",
               "as the operand">;
def : Document<"stablehlo.gather",
               "A slice of slice_sizes of the operand for each index vector in start_indices.",
               "the dimensions of start_indices but the index vectors' and, at offset_dims, those of the slices">;
def : Document<"stablehlo.get_dimension_size", "The size of a dimension.", "i32">;
def : Document<"stablehlo.set_dimension_size",
               "The operand with the size of a dimension as computed.",
               "the operand's with that size open, up to what it was">;
def : Document<"stablehlo.torch_index_select",
               "The operand's slices that index names, along dim. Deprecated: gather.",
               "the one given">;

// Computations on many elements.
def : Document<"stablehlo.reduce",
               "Combines the elements along dimensions by body, which takes two elements and gives one, starting from "
               "init_values. body gets an element of each init value, then an element of each input, if there are "
               "several.",
               "the inputs' without those dimensions, of the element types of init_values">;
def : Document<"stablehlo.reduce_window",
               "Combines the elements of each window of the inputs by body, as reduce does.",
               "the number of windows in each dimension, of the element types of init_values">;
def : Document<"stablehlo.select_and_scatter",
               "Adds each element of source, by scatter, to the element of the operand that select chooses in its "
               "window. Gradients of max pooling.",
               "as the operand">;
def : Document<"stablehlo.scatter",
               "The inputs with slices combined with updates at computed places. The computation takes the elements "
               "of the inputs, then those of the updates.",
               "as the inputs">;
def : Document<"stablehlo.sort",
               "Sorts the inputs along a dimension, all by one comparator: of two elements of each input, side by "
               "side, it says whether the first comes before the second.",
               "as the inputs">;
def : Document<"stablehlo.map",
               "The computation of an element of each input, at each index.",
               "the inputs' shape, of the computation's element type">;
def : Document<"stablehlo.dot_general",
               "The products of lhs and rhs summed over the contracting dimensions, for each index of the batching "
               "dimensions.",
               "the batching dimensions, what is left of lhs, what is left of rhs; of lhs' element type or the one "
               "given">;
def : Document<"stablehlo.dot",
               "The product of matrices and vectors. Deprecated: dot_general.",
               "what is left of lhs, then of rhs; of lhs' element type or the one given">;
def : Document<"stablehlo.einsum", "Einstein's summation of two operands. Deprecated: dot_general.", "the one given">;
def : Document<"stablehlo.unary_einsum",
               "Einstein's summation of one operand. Deprecated: reduce and transpose.",
               "the one given">;
def : Document<"stablehlo.convolution",
               "Windows of lhs multiplied by the kernel rhs and summed. Without attributes: strides and dilations of "
               "1, no padding.",
               "batch, output features and the number of windows in each spatial dimension, as dimension_numbers "
               "place them; of lhs' element type or the one given">;
def : Document<"stablehlo.cholesky",
               "The Cholesky factor of each symmetric or Hermitian positive definite matrix.",
               "as the operand">;
def : Document<"stablehlo.triangular_solve", "x of op(a) x = b, or of x op(a) = b, for triangular matrices a.", "as b">;
def : Document<"stablehlo.fft",
               "The Fourier transform of the last dimensions, whose sizes are fft_length.",
               "as the operand; complex of RFFT with n / 2 + 1 in the last dimension, real of IRFFT with n">;
def : Document<"stablehlo.batch_norm_grad",
               "The gradients of batch_norm_training: of the operand, of scale and of offset.",
               "as the operand, and as scale twice">;
def : Document<"stablehlo.batch_norm_inference",
               "The operand normalised by a mean and variance of each feature.",
               "as the operand">;
def : Document<"stablehlo.batch_norm_training",
               "The operand normalised by the mean and variance of its own features; these, too.",
               "as the operand, and as scale twice">;
def : Document<"stablehlo.rng",
               "Random numbers: uniform in [a, b), or normal with mean a and deviation b. They differ by execution.",
               "the sizes in `shape`, of a's element type">;
def : Document<"stablehlo.rng_bit_generator",
               "Random bits from a state, and the state afterwards.",
               "as initial_state, and the one given">;

// Control flow.
def : Document<"stablehlo.if",
               "The results of true_branch where pred holds, of false_branch otherwise. The branches take nothing.",
               "as both branches give">;
def : Document<"stablehlo.case",
               "The results of the branch of that number, of the last one where there is none. The branches take "
               "nothing.",
               "as all branches give">;
def : Document<"stablehlo.while", "Applies body to the operands for as long as cond holds of them.", "as the operands">;
def : Document<"stablehlo.optimization_barrier", "The operands; nothing is moved across.", "as the operands">;
def : Document<"stablehlo.composite",
               "What the function `decomposition` computes, under a name that says what it means.",
               "those given">;
def : Document<"stablehlo.custom_call", "Calls the function that is registered under a name.", "those given">;
def : Document<"stablehlo.create_token", "A token, which orders effects.", "a token">;
def : Document<"stablehlo.after_all", "A token behind all of these.", "a token">;
def : Document<"stablehlo.tuple", "A tuple of the values.", "a tuple">;
def : Document<"stablehlo.get_tuple_element", "An element of a tuple.", "the element's">;
def : Document<"stablehlo.infeed", "Reads arrays from the device's infeed; the last result is a token.", "those given">;
def : Document<"stablehlo.outfeed", "Writes the inputs to the device's outfeed.", "a token">;
def : Document<"stablehlo.send", "Sends the inputs over a channel.", "a token">;
def : Document<"stablehlo.recv", "Receives arrays over a channel; the last result is a token.", "those given">;

// Several processes.
def : Document<"stablehlo.replica_id", "The number of the replica that runs the program.", "ui32">;
def : Document<"stablehlo.partition_id", "The number of the partition that runs the program.", "ui32">;
def : Document<"stablehlo.all_gather",
               "The operands of a group's processes one behind the other along a dimension.",
               "as the operands, the dimension as often as there are processes in a group">;
def : Document<"stablehlo.all_reduce",
               "The operands of a group's processes combined by a computation of two elements.",
               "as the operands">;
def : Document<"stablehlo.reduce_scatter",
               "The same, of which each process gets its part along a dimension.",
               "as the operand, the dimension divided by the number of processes in a group">;
def : Document<"stablehlo.all_to_all",
               "Each process of a group gets a part, along split_dimension, of each other's operands, joined along "
               "concat_dimension.",
               "as the operands, the one dimension divided and the other multiplied by split_count">;
def : Document<"stablehlo.collective_broadcast", "The operands of the first process of each group.", "as the operands">;
def : Document<"stablehlo.collective_reduce",
               "The operands of a group's processes combined, for one of them.",
               "as the operands">;
def : Document<"stablehlo.collective_permute",
               "The operand of the process that is this one's source; zeros without one.",
               "as the operand">;
def : Document<"stablehlo.cross-replica-sum",
               "The sum over the replicas of a group. Deprecated: all_reduce.",
               "as the operand">;
def : Document<"stablehlo.async_start", "Begins the one operation of body, which takes the operands.", "a future">;
def : Document<"stablehlo.async_done", "The results of what async_start has begun.", "what the future holds">;

// Sizes that are computed.
def : Document<"stablehlo.dynamic_broadcast_in_dim", "broadcast_in_dim to computed sizes.", "the one given">;
def : Document<"stablehlo.dynamic_conv", "convolution with computed padding.", "the one given">;
def : Document<"stablehlo.dynamic_gather", "gather with computed sizes of slices.", "the one given">;
def : Document<"stablehlo.dynamic_iota", "iota of computed sizes.", "the one given">;
def : Document<"stablehlo.dynamic_pad", "pad with computed padding.", "the one given">;
def : Document<"stablehlo.dynamic_reshape", "reshape to computed sizes.", "the one given">;
def : Document<"stablehlo.real_dynamic_slice", "slice with computed limits.", "the one given">;

// CHLO: functions above StableHLO, which the compiler has kernels for.
def : Unary<"chlo.acos", "The arc cosine of each element.">;
def : Unary<"chlo.acosh", "The inverse hyperbolic cosine of each element.">;
def : Unary<"chlo.asin", "The arc sine of each element.">;
def : Unary<"chlo.asinh", "The inverse hyperbolic sine of each element.">;
def : Unary<"chlo.atan", "The arc tangent of each element.">;
def : Unary<"chlo.atanh", "The inverse hyperbolic tangent of each element.">;
def : Unary<"chlo.bessel_i1e", "exp(-|x|) I1(x) of each element x.">;
def : Unary<"chlo.conj", "The conjugate of each element.">;
def : Unary<"chlo.cosh", "The hyperbolic cosine of each element.">;
def : Unary<"chlo.digamma", "The derivative of lgamma at each element.">;
def : Unary<"chlo.erf", "The error function of each element.">;
def : Unary<"chlo.erf_inv", "The inverse of the error function of each element.">;
def : Unary<"chlo.erfc", "1 - erf(x) of each element x.">;
def : Document<"chlo.is_inf", "Whether each element is infinite.", "the operand's shape, of i1">;
def : Document<"chlo.is_neg_inf", "Whether each element is minus infinity.", "the operand's shape, of i1">;
def : Document<"chlo.is_pos_inf", "Whether each element is plus infinity.", "the operand's shape, of i1">;
def : Unary<"chlo.lgamma", "The logarithm of the absolute value of the gamma function of each element.">;
def : Unary<"chlo.sinh", "The hyperbolic sine of each element.">;
def : Unary<"chlo.square", "x * x of each element x.">;
def : Binary<"chlo.mulhi", "The upper half of the bits of lhs * rhs.">;
def : Binary<"chlo.next_after", "The number next to x toward y.">;
def : Binary<"chlo.polygamma", "The derivative of order n of digamma at x.">;
def : Binary<"chlo.zeta", "Hurwitz's zeta function: the sum of (q + k)^-x.">;
def : Document<"chlo.ragged_dot",
               "A matrix product for each group of rows along one ragged dimension.",
               "the one given">;
def : Document<"chlo.top_k",
               "The k largest elements of the last dimension in decreasing order, and their indices.",
               "the operand's with k elements in the last dimension, and the same of i32">;
