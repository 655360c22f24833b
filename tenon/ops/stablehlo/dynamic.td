// Ops whose result shape is an operand.
#ifndef TENON_OPS_STABLEHLO_DYNAMIC
#define TENON_OPS_STABLEHLO_DYNAMIC

include "tenon/ops/stablehlo/base.td"

def DynamicBroadcastInDimOp : Stablehlo_Op<"dynamic_broadcast_in_dim", [Pure]>,
                              Document<"broadcast_in_dim to computed sizes.", "the one given"> {
  let arguments = (ins AnyElementTensor:$operand, DimensionVector:$output_dimensions,
                       DenseI64ArrayAttr:$broadcast_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict
        `:` functional-type(operands, results)
  }];
}
def DynamicConvOp : Stablehlo_Op<"dynamic_conv", [Pure]>,
                    Document<"convolution with computed padding.", "the one given"> {
  let arguments = (ins PerTensorTensor:$lhs, AnyElementTensor:$rhs, IntTensor:$padding,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
                       OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
                       OptionalAttr<DenseBoolArrayAttr>:$window_reversal, ConvDimensionNumbers:$dimension_numbers,
                       I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                       OptionalAttr<PrecisionConfigAttr>:$precision_config);
  let results = (outs AnyElementTensor:$result);
}
def DynamicGatherOp : Stablehlo_Op<"dynamic_gather", [Pure]>,
                      Document<"gather with computed sizes of slices.", "the one given"> {
  let arguments = (ins AnyElementTensor:$operand, IntTensor:$start_indices, DimensionVector:$slice_sizes,
                       GatherDimensionNumbers:$dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs AnyElementTensor:$result);
}
def DynamicIotaOp : Stablehlo_Op<"dynamic_iota", [Pure]>,
                    Document<"iota of computed sizes.", "the one given"> {
  let arguments = (ins DimensionVector:$output_shape, I64Attr:$iota_dimension);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)";
}
def DynamicPadOp : Stablehlo_Op<"dynamic_pad", [Pure]>,
                   Document<"pad with computed padding.", "the one given"> {
  let arguments = (ins AnyElementTensor:$operand, PerTensorScalar:$padding_value, DimensionVector:$edge_padding_low,
                       DimensionVector:$edge_padding_high, DimensionVector:$interior_padding);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def DynamicReshapeOp : Stablehlo_Op<"dynamic_reshape", [Pure]>,
                       Document<"reshape to computed sizes.", "the one given"> {
  let arguments = (ins AnyElementTensor:$operand, DimensionVector:$output_shape);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def RealDynamicSliceOp : Stablehlo_Op<"real_dynamic_slice", [Pure]>,
                         Document<"slice with computed limits.", "the one given"> {
  let arguments = (ins AnyElementTensor:$operand, DimensionVector:$start_indices, DimensionVector:$limit_indices,
                       DimensionVector:$strides);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
