// Products, convolutions, factorisations, transforms and normalisations.
#ifndef TENON_OPS_STABLEHLO_LINEAR_ALGEBRA
#define TENON_OPS_STABLEHLO_LINEAR_ALGEBRA

include "tenon/ops/stablehlo/base.td"

def DotGeneralOp : Stablehlo_Op<"dot_general", [Pure]>,
                   Document<"The products of lhs and rhs summed over the contracting dimensions, for each index of "
                            "the batching dimensions.",
                            "the batching dimensions, what is left of lhs, what is left of rhs; of lhs' element type "
                            "or the one given"> {
  let arguments = (ins In<"dot_general_i1", PerTensorTensor>:$lhs, In<"dot_general_i2", AnyElementTensor>:$rhs,
                       A<"dot_general_i3", DotDimensionNumbers>:$dot_dimension_numbers,
                       OptionalAttr<A<"dot_general_i7", PrecisionConfigAttr>>:$precision_config,
                       OptionalAttr<DotAlgorithm>:$algorithm);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers) ``
        custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm) attr-dict
        `:` functional-type(operands, results)
  }];
}

def DotOp : Stablehlo_Op<"dot", [Pure]>,
            Document<"The product of matrices and vectors. Deprecated: dot_general.",
                     "what is left of lhs, then of rhs; of lhs' element type or the one given"> {
  let summary = "deprecated: contracts the last dimension of lhs with the first of rhs";
  let arguments = (ins PerTensorTensor:$lhs, AnyElementTensor:$rhs,
                       OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict
        `:` functional-type(operands, results)
  }];
}

def EinsumOp : Stablehlo_Op<"einsum", [Pure]>,
               Document<"Einstein's summation of two operands. Deprecated: dot_general.", "the one given"> {
  let summary = "deprecated";
  let arguments = (ins PerTensorTensor:$lhs, PerTensorTensor:$rhs, StrAttr:$einsum_config);
  let results = (outs PerTensorTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}
def UnaryEinsumOp : Stablehlo_Op<"unary_einsum", [Pure]>,
                    Document<"Einstein's summation of one operand. Deprecated: reduce and transpose.",
                             "the one given"> {
  let summary = "deprecated";
  let arguments = (ins PerTensorTensor:$operand, StrAttr:$einsum_config);
  let results = (outs PerTensorTensor:$result);
  let assemblyFormat = "$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}

def ConvolutionOp : Stablehlo_Op<"convolution", [Pure]>,
                    Document<"Windows of lhs multiplied by the kernel rhs and summed. Without attributes: strides "
                             "and dilations of 1, no padding.",
                             "batch, output features and the number of windows in each spatial dimension, as "
                             "dimension_numbers place them; of lhs' element type or the one given"> {
  let arguments = (ins In<"convolution_i1", PerTensorTensor>:$lhs, In<"convolution_i2", AnyElementTensor>:$rhs,
                       OptionalAttr<A<"convolution_i3", DenseI64ArrayAttr>>:$window_strides,
                       OptionalAttr<A<"convolution_i4", I64List>>:$padding,
                       OptionalAttr<A<"convolution_i5", DenseI64ArrayAttr>>:$lhs_dilation,
                       OptionalAttr<A<"convolution_i6", DenseI64ArrayAttr>>:$rhs_dilation,
                       OptionalAttr<A<"convolution_i7", DenseBoolArrayAttr>>:$window_reversal,
                       A<"convolution_i8", ConvDimensionNumbers>:$dimension_numbers,
                       A<"convolution_i17", I64Attr>:$feature_group_count,
                       A<"convolution_i18", I64Attr>:$batch_group_count,
                       OptionalAttr<A<"convolution_i19", PrecisionConfigAttr>>:$precision_config);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
        `window` `=` `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation, $rhs_dilation,
                                                  $window_reversal) `}` attr-dict
        `:` functional-type(operands, results)
  }];
}

def CholeskyOp : Stablehlo_Op<"cholesky", [Pure, InferredTypes]>,
                 Document<"The Cholesky factor of each symmetric or Hermitian positive definite matrix.",
                          "as the operand"> {
  let arguments = (ins In<"cholesky_i1", FloatLikeTensor>:$a,
                       DefaultValuedOptionalAttr<A<"cholesky_i2", BoolAttr>, "false">:$lower);
  let results = (outs FloatLikeTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameOperandsAndResultType>(type($a), type($result))
  }];
}

def TriangularSolveOp : Stablehlo_Op<"triangular_solve", [Pure, InferredTypes]>,
                        Document<"x of op(a) x = b, or of x op(a) = b, for triangular matrices a.", "as b"> {
  let arguments = (ins In<"triangular_solve_i1", FloatLikeTensor>:$a, In<"triangular_solve_i2", FloatLikeTensor>:$b,
                       A<"triangular_solve_i3", BoolAttr>:$left_side, A<"triangular_solve_i4", BoolAttr>:$lower,
                       A<"triangular_solve_i5", BoolAttr>:$unit_diagonal,
                       A<"triangular_solve_i6", TransposeAttr>:$transpose_a);
  let results = (outs FloatLikeTensor:$result);
}

def FftOp : Stablehlo_Op<"fft", [Pure, InferredTypes]>,
            Document<"The Fourier transform of the last dimensions, whose sizes are fft_length.",
                     "as the operand; complex of RFFT with n / 2 + 1 in the last dimension, real of IRFFT with n"> {
  let arguments = (ins In<"fft_i1", FloatOrComplexTensor>:$operand, A<"fft_i2", FftTypeAttr>:$fft_type,
                       A<"fft_i3", DenseI64ArrayAttr>:$fft_length);
  let results = (outs FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict
        `:` functional-type(operands, results)
  }];
}

def BatchNormGradOp : Stablehlo_Op<"batch_norm_grad", [Pure, InferredTypes]>,
                      Document<"The gradients of batch_norm_training: of the operand, of scale and of offset.",
                               "as the operand, and as scale twice"> {
  let arguments = (ins In<"batch_norm_grad_i1", FloatOrQuantizedTensor>:$operand,
                       In<"batch_norm_grad_i2", VectorWith<[Float, Quantized]>>:$scale,
                       In<"batch_norm_grad_i3", VectorWith<[Float, Quantized]>>:$mean,
                       In<"batch_norm_grad_i4", VectorWith<[Float, Quantized]>>:$variance,
                       In<"batch_norm_grad_i5", FloatOrQuantizedTensor>:$grad_output,
                       A<"batch_norm_grad_i6", F32Attr>:$epsilon,
                       A<"batch_norm_grad_i7", I64Attr>:$feature_index);
  let results = (outs FloatOrQuantizedTensor:$grad_operand, FloatOrQuantizedTensor:$grad_scale,
                      FloatOrQuantizedTensor:$grad_offset);
}
def BatchNormInferenceOp : Stablehlo_Op<"batch_norm_inference", [Pure, InferredTypes]>,
                           Document<"The operand normalised by a mean and variance of each feature.",
                                    "as the operand"> {
  let arguments = (ins In<"batch_norm_inference_i1", FloatOrQuantizedTensor>:$operand,
                       In<"batch_norm_inference_i2", VectorWith<[Float, Quantized]>>:$scale,
                       In<"batch_norm_inference_i3", VectorWith<[Float, Quantized]>>:$offset,
                       In<"batch_norm_inference_i4", VectorWith<[Float, Quantized]>>:$mean,
                       In<"batch_norm_inference_i5", VectorWith<[Float, Quantized]>>:$variance,
                       A<"batch_norm_inference_i6", F32Attr>:$epsilon,
                       A<"batch_norm_inference_i7", I64Attr>:$feature_index);
  let results = (outs FloatOrQuantizedTensor:$result);
}
def BatchNormTrainingOp : Stablehlo_Op<"batch_norm_training", [Pure, InferredTypes]>,
                          Document<"The operand normalised by the mean and variance of its own features; these, too.",
                                   "as the operand, and as scale twice"> {
  let arguments = (ins In<"batch_norm_training_i1", FloatOrQuantizedTensor>:$operand,
                       In<"batch_norm_training_i2", VectorWith<[Float, Quantized]>>:$scale,
                       In<"batch_norm_training_i3", VectorWith<[Float, Quantized]>>:$offset,
                       A<"batch_norm_training_i4", F32Attr>:$epsilon,
                       A<"batch_norm_training_i5", I64Attr>:$feature_index);
  let results = (outs FloatOrQuantizedTensor:$output, FloatOrQuantizedTensor:$batch_mean,
                      FloatOrQuantizedTensor:$batch_var);
}

def RngOp : Stablehlo_Op<"rng", [InferredTypes, MemoryEffects<[MemRead<RngResource>, MemWrite<RngResource>]>]>,
            Document<"Random numbers: uniform in [a, b), or normal with mean a and deviation b. They differ by "
                     "execution.",
                     "the sizes in `shape`, of a's element type"> {
  let arguments = (ins In<"rng_i1", BoolIntOrFloatScalar>:$a, In<"rng_i2", BoolIntOrFloatScalar>:$b,
                       In<"rng_i3", DimensionVector>:$shape, A<"rng_i4", RngDistributionAttr>:$rng_distribution);
  let results = (outs BoolIntOrFloatTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict
        `:` functional-type(operands, results)
  }];
}
def RngBitGeneratorOp : Stablehlo_Op<"rng_bit_generator", [Pure]>,
                        Document<"Random bits from a state, and the state afterwards.",
                                 "as initial_state, and the one given"> {
  let arguments = (ins A<"rng_bit_generator_i1", RngAlgorithmAttr>:$rng_algorithm,
                       In<"rng_bit_generator_i2", IntOrFloatTensor>:$initial_state);
  let results = (outs IntOrFloatTensor:$output_state, IntOrFloatTensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm attr-dict
        `:` functional-type(operands, results)
  }];
}

#endif
