// Ops that make, move or index elements without computing on them.
#ifndef TENON_OPS_STABLEHLO_SHAPE
#define TENON_OPS_STABLEHLO_SHAPE

include "tenon/ops/stablehlo/base.td"

def ConstantOp : Stablehlo_Op<"constant",
    [Pure, ConstantLike, InferredTypes, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]>,
                 Document<"The array given.", "that of the array"> {
  let arguments = (ins A<"constant_i1", ElementsAttr>:$value);
  let results = (outs AnyElementTensor:$output);
  let builders = [OpBuilder<(ins "::mlir::Attribute":$value)>];
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
}

def IotaOp : Stablehlo_Op<"iota", [Pure]>,
             Document<"The index of each element in a dimension.", "the one given"> {
  let arguments = (ins A<"iota_i1", I64Attr>:$iota_dimension);
  let results = (outs IntFloatOrQuantizedTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
}

def BitcastConvertOp : Stablehlo_Op<"bitcast_convert", [Pure]>,
                       Document<"The bits of the elements read as another type; of another width by a last dimension "
                                "that goes or comes.",
                                "the one given"> {
  let arguments = (ins In<"bitcast_convert_i1", AnyElementTensor>:$operand);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def BroadcastInDimOp : Stablehlo_Op<"broadcast_in_dim", [Pure, Reindexes]>,
                       Document<"Dimension i of the operand becomes dimension broadcast_dimensions[i] of the result; "
                                "sizes of 1 are stretched, others repeated.",
                                "the one given"> {
  let arguments = (ins In<"broadcast_in_dim_i1", AnyElementTensor>:$operand,
                       A<"broadcast_in_dim_i2", DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)";
}

def BroadcastOp : Stablehlo_Op<"broadcast", [Pure, InferredTypes, Reindexes]>,
                  Document<"The operand repeated along new leading dimensions. Deprecated: broadcast_in_dim.",
                           "the sizes given before the operand's"> {
  let summary = "deprecated: adds leading dimensions";
  let arguments = (ins AnyElementTensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)";
}

def ConcatenateOp : Stablehlo_Op<"concatenate", [Pure, InferredTypes, MovesElements, KeepsDimensions]>,
                    Document<"The arrays one behind the other along a dimension.",
                             "as the inputs, whose sizes in that dimension are added"> {
  let arguments = (ins Variadic<In<"concatenate_i1", AnyElementTensor>>:$inputs,
                       A<"concatenate_i2", I64Attr>:$dimension);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    custom<VariadicOperandWithAttribute>($inputs) `dim` `=` $dimension attr-dict
        `:` functional-type(operands, results)
  }];
}

def ReshapeOp : Stablehlo_Op<"reshape", [Pure, Reindexes]>,
                Document<"The same elements, row-major, in other sizes.", "the one given"> {
  let arguments = (ins In<"reshape_i1", AnyElementTensor>:$operand);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def ReverseOp : Stablehlo_Op<"reverse", [Pure, InferredTypes, Reindexes, KeepsDimensions]>,
                Document<"The elements turned around in those dimensions.", "as the operand"> {
  let arguments = (ins In<"reverse_i1", AnyElementTensor>:$operand, A<"reverse_i2", DenseI64ArrayAttr>:$dimensions);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict
        `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

def TransposeOp : Stablehlo_Op<"transpose", [Pure, InferredTypes, Reindexes]>,
                  Document<"Dimension i of the result is dimension permutation[i] of the operand.",
                           "the operand's sizes in that order"> {
  let arguments = (ins In<"transpose_i1", AnyElementTensor>:$operand,
                       A<"transpose_i2", DenseI64ArrayAttr>:$permutation);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
}

def PadOp : Stablehlo_Op<"pad", [Pure, InferredTypes, MovesElements, KeepsDimensions]>,
            Document<"padding_value, a scalar, before, behind and between the elements of each dimension; negative "
                     "edges take elements away.",
                     "the operand's sizes with the padding"> {
  let arguments = (ins In<"pad_i1", AnyElementTensor>:$operand, In<"pad_i2", PerTensorScalar>:$padding_value,
                       A<"pad_i3", DenseI64ArrayAttr>:$edge_padding_low,
                       A<"pad_i4", DenseI64ArrayAttr>:$edge_padding_high,
                       A<"pad_i5", DenseI64ArrayAttr>:$interior_padding);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,`
        `interior` `=` $interior_padding attr-dict
        `:` functional-type(operands, results)
  }];
}

def SliceOp : Stablehlo_Op<"slice", [Pure, InferredTypes, Reindexes, KeepsDimensions]>,
              Document<"The elements from start to before limit in each dimension, in steps of strides.",
                       "ceil((limit - start) / stride) in each dimension"> {
  let arguments = (ins In<"slice_i1", AnyElementTensor>:$operand, A<"slice_i2", DenseI64ArrayAttr>:$start_indices,
                       A<"slice_i3", DenseI64ArrayAttr>:$limit_indices, A<"slice_i4", DenseI64ArrayAttr>:$strides);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict
        `:` functional-type(operands, results)
  }];
}

def DynamicSliceOp : Stablehlo_Op<"dynamic_slice", [Pure, InferredTypes, MovesElements, KeepsDimensions]>,
                     Document<"A box of slice_sizes whose start is computed, a scalar for each dimension; it is "
                              "moved to lie inside.",
                              "slice_sizes"> {
  let arguments = (ins In<"dynamic_slice_i1", AnyElementTensor>:$operand,
                       Variadic<In<"dynamic_slice_i2", IntScalar>>:$start_indices,
                       A<"dynamic_slice_i3", DenseI64ArrayAttr>:$slice_sizes);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<VariadicOperandWithAttribute>($start_indices) `sizes` `=` $slice_sizes attr-dict
        `:` functional-type(operands, results)
  }];
}

def DynamicUpdateSliceOp : Stablehlo_Op<"dynamic_update_slice", [Pure, InferredTypes, MovesElements, KeepsDimensions]>,
                           Document<"The operand with a box overwritten by update, where start_indices, a scalar for "
                                    "each dimension, say; it is moved to lie inside.",
                                    "as the operand"> {
  let arguments = (ins In<"dynamic_update_slice_i1", AnyElementTensor>:$operand,
                       In<"dynamic_update_slice_i2", AnyElementTensor>:$update,
                       Variadic<In<"dynamic_update_slice_i3", IntScalar>>:$start_indices);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def GatherOp : Stablehlo_Op<"gather", [Pure, InferredTypes, MovesElements]>,
               Document<"A slice of slice_sizes of the operand for each index vector in start_indices.",
                        "the dimensions of start_indices but the index vectors' and, at offset_dims, those of the "
                        "slices"> {
  let arguments = (ins In<"gather_i1", AnyElementTensor>:$operand, In<"gather_i2", IntTensor>:$start_indices,
                       A<"gather_i3", GatherDimensionNumbers>:$dimension_numbers,
                       A<"gather_i7", DenseI64ArrayAttr>:$slice_sizes,
                       DefaultValuedOptionalAttr<A<"gather_i8", BoolAttr>, "false">:$indices_are_sorted);
  let results = (outs AnyElementTensor:$result);
}

def GetDimensionSizeOp : Stablehlo_Op<"get_dimension_size", [Pure, InferredTypes]>,
                         Document<"The size of a dimension.", "i32"> {
  let arguments = (ins In<"get_dimension_size_i1", AnyElementTensor>:$operand,
                       A<"get_dimension_size_i2", I64Attr>:$dimension);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

def SetDimensionSizeOp : Stablehlo_Op<"set_dimension_size", [Pure, InferredTypes]>,
                         Document<"The operand with the size of a dimension as computed.",
                                  "the operand's with that size open, up to what it was"> {
  let arguments = (ins AnyElementTensor:$operand, RankedTensorOf<[I32]>:$size, I64Attr:$dimension);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "$operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

def TorchIndexSelectOp : Stablehlo_Op<"torch_index_select", [Pure]>,
                         Document<"The operand's slices that index names, along dim. Deprecated: gather.",
                                  "the one given"> {
  let summary = "deprecated";
  let arguments = (ins AnyElementTensor:$operand, AnyElementTensor:$index, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs AnyElementTensor:$result);
}

#endif
