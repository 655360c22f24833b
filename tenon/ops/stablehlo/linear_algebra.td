// Products, convolutions, factorisations, transforms and normalisations.
#ifndef TENON_OPS_STABLEHLO_LINEAR_ALGEBRA
#define TENON_OPS_STABLEHLO_LINEAR_ALGEBRA

include "tenon/ops/stablehlo/base.td"

def DotGeneralOp : Stablehlo_Op<"dot_general", [Pure]> {
  let arguments = (ins In<"dot_general_i1", PerTensorTensor>:$lhs, In<"dot_general_i2", AnyElementTensor>:$rhs,
                       DotDimensionNumbers:$dot_dimension_numbers, OptionalAttr<PrecisionConfigAttr>:$precision_config,
                       OptionalAttr<DotAlgorithm>:$algorithm);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers) ``
        custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm) attr-dict
        `:` functional-type(operands, results)
  }];
}

def DotOp : Stablehlo_Op<"dot", [Pure]> {
  let summary = "deprecated: contracts the last dimension of lhs with the first of rhs";
  let arguments = (ins PerTensorTensor:$lhs, AnyElementTensor:$rhs,
                       OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict
        `:` functional-type(operands, results)
  }];
}

def EinsumOp : Stablehlo_Op<"einsum", [Pure]> {
  let summary = "deprecated";
  let arguments = (ins PerTensorTensor:$lhs, PerTensorTensor:$rhs, StrAttr:$einsum_config);
  let results = (outs PerTensorTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}
def UnaryEinsumOp : Stablehlo_Op<"unary_einsum", [Pure]> {
  let summary = "deprecated";
  let arguments = (ins PerTensorTensor:$operand, StrAttr:$einsum_config);
  let results = (outs PerTensorTensor:$result);
  let assemblyFormat = "$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}

def ConvolutionOp : Stablehlo_Op<"convolution", [Pure]> {
  let arguments = (ins In<"convolution_i1", PerTensorTensor>:$lhs, In<"convolution_i2", AnyElementTensor>:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding,
                       OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation, OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
                       OptionalAttr<DenseBoolArrayAttr>:$window_reversal, ConvDimensionNumbers:$dimension_numbers,
                       I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                       OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
        `window` `=` `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation, $rhs_dilation,
                                                  $window_reversal) `}` attr-dict
        `:` functional-type(operands, results)
  }];
}

def CholeskyOp : Stablehlo_Op<"cholesky", [Pure, InferredTypes]> {
  let arguments = (ins In<"cholesky_i1", FloatLikeTensor>:$a, DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs FloatLikeTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameOperandsAndResultType>(type($a), type($result))
  }];
}

def TriangularSolveOp : Stablehlo_Op<"triangular_solve", [Pure, InferredTypes]> {
  let arguments = (ins In<"triangular_solve_i1", FloatLikeTensor>:$a, In<"triangular_solve_i2", FloatLikeTensor>:$b,
                       BoolAttr:$left_side, BoolAttr:$lower, BoolAttr:$unit_diagonal, TransposeAttr:$transpose_a);
  let results = (outs FloatLikeTensor:$result);
}

def FftOp : Stablehlo_Op<"fft", [Pure, InferredTypes]> {
  let arguments = (ins In<"fft_i1", FloatOrComplexTensor>:$operand, FftTypeAttr:$fft_type,
                       DenseI64ArrayAttr:$fft_length);
  let results = (outs FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict
        `:` functional-type(operands, results)
  }];
}

def BatchNormGradOp : Stablehlo_Op<"batch_norm_grad", [Pure, InferredTypes]> {
  let arguments = (ins In<"batch_norm_grad_i1", FloatOrQuantizedTensor>:$operand,
                       In<"batch_norm_grad_i2", VectorWith<[Float, Quantized]>>:$scale,
                       In<"batch_norm_grad_i3", VectorWith<[Float, Quantized]>>:$mean,
                       In<"batch_norm_grad_i4", VectorWith<[Float, Quantized]>>:$variance,
                       In<"batch_norm_grad_i5", FloatOrQuantizedTensor>:$grad_output, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs FloatOrQuantizedTensor:$grad_operand, FloatOrQuantizedTensor:$grad_scale,
                      FloatOrQuantizedTensor:$grad_offset);
}
def BatchNormInferenceOp : Stablehlo_Op<"batch_norm_inference", [Pure, InferredTypes]> {
  let arguments = (ins In<"batch_norm_inference_i1", FloatOrQuantizedTensor>:$operand,
                       In<"batch_norm_inference_i2", VectorWith<[Float, Quantized]>>:$scale,
                       In<"batch_norm_inference_i3", VectorWith<[Float, Quantized]>>:$offset,
                       In<"batch_norm_inference_i4", VectorWith<[Float, Quantized]>>:$mean,
                       In<"batch_norm_inference_i5", VectorWith<[Float, Quantized]>>:$variance, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs FloatOrQuantizedTensor:$result);
}
def BatchNormTrainingOp : Stablehlo_Op<"batch_norm_training", [Pure, InferredTypes]> {
  let arguments = (ins In<"batch_norm_training_i1", FloatOrQuantizedTensor>:$operand,
                       In<"batch_norm_training_i2", VectorWith<[Float, Quantized]>>:$scale,
                       In<"batch_norm_training_i3", VectorWith<[Float, Quantized]>>:$offset, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs FloatOrQuantizedTensor:$output, FloatOrQuantizedTensor:$batch_mean,
                      FloatOrQuantizedTensor:$batch_var);
}

def RngOp : Stablehlo_Op<"rng", [InferredTypes, MemoryEffects<[MemRead<RngResource>, MemWrite<RngResource>]>]> {
  let arguments = (ins In<"rng_i1", BoolIntOrFloatScalar>:$a, In<"rng_i2", BoolIntOrFloatScalar>:$b,
                       In<"rng_i3", DimensionVector>:$shape, RngDistributionAttr:$rng_distribution);
  let results = (outs BoolIntOrFloatTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict
        `:` functional-type(operands, results)
  }];
}
def RngBitGeneratorOp : Stablehlo_Op<"rng_bit_generator", [Pure]> {
  let arguments = (ins RngAlgorithmAttr:$rng_algorithm, In<"rng_bit_generator_i2", IntOrFloatTensor>:$initial_state);
  let results = (outs IntOrFloatTensor:$output_state, IntOrFloatTensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm attr-dict
        `:` functional-type(operands, results)
  }];
}

#endif
