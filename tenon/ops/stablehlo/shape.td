// Ops that make, move or index elements without computing on them.
#ifndef TENON_OPS_STABLEHLO_SHAPE
#define TENON_OPS_STABLEHLO_SHAPE

include "tenon/ops/stablehlo/base.td"

def ConstantOp : Stablehlo_Op<"constant",
    [Pure, ConstantLike, InferredTypes, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let arguments = (ins A<"constant_i1", ElementsAttr>:$value);
  let results = (outs AnyElementTensor:$output);
  let builders = [OpBuilder<(ins "::mlir::Attribute":$value)>];
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
}

def IotaOp : Stablehlo_Op<"iota", [Pure]> {
  let arguments = (ins A<"iota_i1", I64Attr>:$iota_dimension);
  let results = (outs IntFloatOrQuantizedTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
}

def BitcastConvertOp : Stablehlo_Op<"bitcast_convert", [Pure]> {
  let arguments = (ins In<"bitcast_convert_i1", AnyElementTensor>:$operand);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def BroadcastInDimOp : Stablehlo_Op<"broadcast_in_dim", [Pure, Reindexes]> {
  let arguments = (ins In<"broadcast_in_dim_i1", AnyElementTensor>:$operand,
                       A<"broadcast_in_dim_i2", DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)";
}

def BroadcastOp : Stablehlo_Op<"broadcast", [Pure, InferredTypes, Reindexes]> {
  let summary = "deprecated: adds leading dimensions";
  let arguments = (ins AnyElementTensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)";
}

def ConcatenateOp : Stablehlo_Op<"concatenate", [Pure, InferredTypes, MovesElements, KeepsDimensions]> {
  let arguments = (ins Variadic<In<"concatenate_i1", AnyElementTensor>>:$inputs,
                       A<"concatenate_i2", I64Attr>:$dimension);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    custom<VariadicOperandWithAttribute>($inputs) `dim` `=` $dimension attr-dict
        `:` functional-type(operands, results)
  }];
}

def ReshapeOp : Stablehlo_Op<"reshape", [Pure, Reindexes]> {
  let arguments = (ins In<"reshape_i1", AnyElementTensor>:$operand);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def ReverseOp : Stablehlo_Op<"reverse", [Pure, InferredTypes, Reindexes, KeepsDimensions]> {
  let arguments = (ins In<"reverse_i1", AnyElementTensor>:$operand, A<"reverse_i2", DenseI64ArrayAttr>:$dimensions);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict
        `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

def TransposeOp : Stablehlo_Op<"transpose", [Pure, InferredTypes, Reindexes]> {
  let arguments = (ins In<"transpose_i1", AnyElementTensor>:$operand,
                       A<"transpose_i2", DenseI64ArrayAttr>:$permutation);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
}

def PadOp : Stablehlo_Op<"pad", [Pure, InferredTypes, MovesElements, KeepsDimensions]> {
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

def SliceOp : Stablehlo_Op<"slice", [Pure, InferredTypes, Reindexes, KeepsDimensions]> {
  let arguments = (ins In<"slice_i1", AnyElementTensor>:$operand, A<"slice_i2", DenseI64ArrayAttr>:$start_indices,
                       A<"slice_i3", DenseI64ArrayAttr>:$limit_indices, A<"slice_i4", DenseI64ArrayAttr>:$strides);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict
        `:` functional-type(operands, results)
  }];
}

def DynamicSliceOp : Stablehlo_Op<"dynamic_slice", [Pure, InferredTypes, MovesElements, KeepsDimensions]> {
  let arguments = (ins In<"dynamic_slice_i1", AnyElementTensor>:$operand,
                       Variadic<In<"dynamic_slice_i2", IntScalar>>:$start_indices,
                       A<"dynamic_slice_i3", DenseI64ArrayAttr>:$slice_sizes);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<VariadicOperandWithAttribute>($start_indices) `sizes` `=` $slice_sizes attr-dict
        `:` functional-type(operands, results)
  }];
}

def DynamicUpdateSliceOp : Stablehlo_Op<"dynamic_update_slice", [Pure, InferredTypes, MovesElements, KeepsDimensions]> {
  let arguments = (ins In<"dynamic_update_slice_i1", AnyElementTensor>:$operand,
                       In<"dynamic_update_slice_i2", AnyElementTensor>:$update,
                       Variadic<In<"dynamic_update_slice_i3", IntScalar>>:$start_indices);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def GatherOp : Stablehlo_Op<"gather", [Pure, InferredTypes, MovesElements]> {
  let arguments = (ins In<"gather_i1", AnyElementTensor>:$operand, In<"gather_i2", IntTensor>:$start_indices,
                       A<"gather_i3", GatherDimensionNumbers>:$dimension_numbers,
                       A<"gather_i7", DenseI64ArrayAttr>:$slice_sizes,
                       DefaultValuedOptionalAttr<A<"gather_i8", BoolAttr>, "false">:$indices_are_sorted);
  let results = (outs AnyElementTensor:$result);
}

def GetDimensionSizeOp : Stablehlo_Op<"get_dimension_size", [Pure, InferredTypes]> {
  let arguments = (ins In<"get_dimension_size_i1", AnyElementTensor>:$operand,
                       A<"get_dimension_size_i2", I64Attr>:$dimension);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

def SetDimensionSizeOp : Stablehlo_Op<"set_dimension_size", [Pure, InferredTypes]> {
  let arguments = (ins AnyElementTensor:$operand, RankedTensorOf<[I32]>:$size, I64Attr:$dimension);
  let results = (outs AnyElementTensor:$result);
  let assemblyFormat = "$operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

def TorchIndexSelectOp : Stablehlo_Op<"torch_index_select", [Pure]> {
  let summary = "deprecated";
  let arguments = (ins AnyElementTensor:$operand, AnyElementTensor:$index, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs AnyElementTensor:$result);
}

#endif
