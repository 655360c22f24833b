// The dialect, its types, enumerations and attributes.
#ifndef TENON_OPS_STABLEHLO_BASE
#define TENON_OPS_STABLEHLO_BASE

include "tenon/ops/common.td"
include "mlir/IR/TensorEncoding.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::tenon::stablehlo";
  let summary = "StableHLO 1.x: the operations a program comes in with";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 0;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
    void registerTypes();
    void registerAttributes();
  }];
}

//===- Types -----------------------------------------------------------------------------------------------------===//

class Stablehlo_Type<string name, string mnemonic_> : TypeDef<Stablehlo_Dialect, name> { let mnemonic = mnemonic_; }
def TokenType : Stablehlo_Type<"Token", "token"> {
  let summary = "orders side effects; carries no data";
}
def FutureType : Stablehlo_Type<"Future", "future"> {
  let summary = "results of an operation that async_start began";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
}

def Token : Type<CPred<"::llvm::isa<::tenon::stablehlo::TokenType>($_self)">, "token",
                 "::tenon::stablehlo::TokenType">;
def Future : Type<CPred<"::tenon::ir::isFutureOfTensors($_self)">, "future of tensors",
                  "::tenon::stablehlo::FutureType">;
def Buffer : MemRefOf<perTensorKinds>;
def TensorOrToken : AnyTypeOf<[AnyElementTensor, Token]>;
def TensorTokenOrBuffer : AnyTypeOf<[AnyElementTensor, Token, Buffer]>;
def TupleOf : NestedTupleOf<[AnyElementTensor, Token, Buffer]>;
def AnyValue : AnyTypeOf<[AnyElementTensor, Token, TupleOf, Buffer]>;
def CustomCallValue : AnyTypeOf<[AnyTensor, Token, Buffer, NestedTupleOf<[AnyTensor, Token, Buffer]>, Future]>;

//===- Enumerations ----------------------------------------------------------------------------------------------===//

class Stablehlo_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::tenon::stablehlo";
}
class Stablehlo_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<Stablehlo_Dialect, info, mnemonic>;

def Precision : Stablehlo_Enum<"Precision", "how exactly an operand is to be multiplied", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def PrecisionAttr : Stablehlo_EnumAttr<Precision, "precision">;
def PrecisionConfigAttr : TypedArrayAttrBase<PrecisionAttr, "array of precisions">;

def ResultAccuracyMode : Stablehlo_Enum<"ResultAccuracyMode", "what a result's accuracy is measured by", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>, I32EnumAttrCase<"TOLERANCE", 2>]>;
def ResultAccuracyModeAttr : Stablehlo_EnumAttr<ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def FftType : Stablehlo_Enum<"FftType", "kind of Fourier transform", [
  I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>, I32EnumAttrCase<"RFFT", 2>, I32EnumAttrCase<"IRFFT", 3>]>;
def FftTypeAttr : Stablehlo_EnumAttr<FftType, "fft_type">;

def ComparisonDirection : Stablehlo_Enum<"ComparisonDirection", "relation tested", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
  I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def ComparisonDirectionAttr : Stablehlo_EnumAttr<ComparisonDirection, "comparison_direction">;
def ComparisonType : Stablehlo_Enum<"ComparisonType", "order the relation is taken from", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def ComparisonTypeAttr : Stablehlo_EnumAttr<ComparisonType, "comparison_type">;

def Transpose : Stablehlo_Enum<"Transpose", "how a matrix enters a solve", [
  I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>, I32EnumAttrCase<"TRANSPOSE", 2>,
  I32EnumAttrCase<"ADJOINT", 3>]>;
def TransposeAttr : Stablehlo_EnumAttr<Transpose, "transpose">;

def RngDistribution : Stablehlo_Enum<"RngDistribution", "distribution of random values", [
  I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def RngDistributionAttr : Stablehlo_EnumAttr<RngDistribution, "rng_distribution">;
def RngAlgorithm : Stablehlo_Enum<"RngAlgorithm", "generator of random bits", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>, I32EnumAttrCase<"PHILOX", 2>]>;
def RngAlgorithmAttr : Stablehlo_EnumAttr<RngAlgorithm, "rng_algorithm">;

def CustomCallApiVersionAttr : I32EnumAttr<"CustomCallApiVersion", "calling convention of a custom call", [
  I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>, I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>, I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
  I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::tenon::stablehlo";
}

//===- Attributes ------------------------------------------------------------------------------------------------===//

class Stablehlo_Attr<string name, string mnemonic_, list<Trait> traits = []>
    : AttrDef<Stablehlo_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

def DotDimensionNumbers : Stablehlo_Attr<"DotDimensionNumbers", "dot"> {
  let parameters = (ins DimensionList<>:$lhsBatchingDimensions, DimensionList<>:$rhsBatchingDimensions,
                        DimensionList<>:$lhsContractingDimensions, DimensionList<>:$rhsContractingDimensions);
  let hasCustomAssemblyFormat = 1;
}
def DotAlgorithm : Stablehlo_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "numeric formats and number of passes a dot_general is to be computed with";
  let parameters = (ins "::mlir::Type":$lhsPrecisionType, "::mlir::Type":$rhsPrecisionType,
                        "::mlir::Type":$accumulationType, "int64_t":$lhsComponentCount, "int64_t":$rhsComponentCount,
                        "int64_t":$numPrimitiveOperations, "bool":$allowImpreciseAccumulation);
  let assemblyFormat = [{
    `<` `lhs_precision_type` `=` $lhsPrecisionType `,` `rhs_precision_type` `=` $rhsPrecisionType `,`
        `accumulation_type` `=` $accumulationType `,` `lhs_component_count` `=` $lhsComponentCount `,`
        `rhs_component_count` `=` $rhsComponentCount `,` `num_primitive_operations` `=` $numPrimitiveOperations `,`
        `allow_imprecise_accumulation` `=` $allowImpreciseAccumulation `>`
  }];
}
def GatherDimensionNumbers : Stablehlo_Attr<"GatherDimensionNumbers", "gather"> {
  let parameters = (ins DimensionList<>:$offsetDims, DimensionList<>:$collapsedSliceDims,
                        DimensionList<>:$operandBatchingDims, DimensionList<>:$startIndicesBatchingDims,
                        DimensionList<>:$startIndexMap, "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}
def ScatterDimensionNumbers : Stablehlo_Attr<"ScatterDimensionNumbers", "scatter"> {
  let parameters = (ins DimensionList<>:$updateWindowDims, DimensionList<>:$insertedWindowDims,
                        DimensionList<>:$inputBatchingDims, DimensionList<>:$scatterIndicesBatchingDims,
                        DimensionList<>:$scatterDimsToOperandDims, "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}
def ConvDimensionNumbers : Stablehlo_Attr<"ConvDimensionNumbers", "conv"> {
  let parameters = (ins "int64_t":$inputBatchDimension, "int64_t":$inputFeatureDimension,
                        DimensionList<>:$inputSpatialDimensions, "int64_t":$kernelInputFeatureDimension,
                        "int64_t":$kernelOutputFeatureDimension, DimensionList<>:$kernelSpatialDimensions,
                        "int64_t":$outputBatchDimension, "int64_t":$outputFeatureDimension,
                        DimensionList<>:$outputSpatialDimensions);
  let hasCustomAssemblyFormat = 1;
}
def ChannelHandle : Stablehlo_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "channel id, and its type: 0 invalid, 1 device to device, 2 device to host, 3 host to device";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}
def TypeExtensions : Stablehlo_Attr<"TypeExtensions", "type_extensions",
                                    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "a tensor's upper bounds for its dynamic dimensions";
  let parameters = (ins ArrayRefParameter<"int64_t">:$bounds);
  let hasCustomAssemblyFormat = 1;
}
def OutputOperandAlias : Stablehlo_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let parameters = (ins DimensionList<>:$outputTupleIndices, "int64_t":$operandIndex,
                        DimensionList<>:$operandTupleIndices);
  let assemblyFormat = [{
    `<` `output_tuple_indices` `=` $outputTupleIndices `,` `operand_index` `=` $operandIndex `,`
        `operand_tuple_indices` `=` $operandTupleIndices `>`
  }];
}
def ResultAccuracyAttr : Stablehlo_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "the error an elementary function may have";
  let parameters = (ins "::llvm::APFloat":$atol, "::llvm::APFloat":$rtol, "int64_t":$ulps,
                        "::tenon::stablehlo::ResultAccuracyModeAttr":$mode);
  let hasCustomAssemblyFormat = 1;
  let constBuilderCall = "::tenon::stablehlo::ResultAccuracyAttr::get($_builder.getContext(), "
      "::llvm::APFloat(0.0), ::llvm::APFloat(0.0), 0, "
      "::tenon::stablehlo::ResultAccuracyModeAttr::get($_builder.getContext(), $0))";
}

// As StableHLO 1.20 has it.
def CheckedResultAccuracyAttr : Attr<And<[ResultAccuracyAttr.predicate, CPred<"::tenon::ir::isAccuracy($_self)">]>,
                                     "result accuracy of tolerances >= 0, which are 0 unless the mode is TOLERANCE"> {
  let storageType = ResultAccuracyAttr.storageType;
  let returnType = ResultAccuracyAttr.returnType;
  let convertFromStorage = ResultAccuracyAttr.convertFromStorage;
  let constBuilderCall = ResultAccuracyAttr.constBuilderCall;
}

def SubAxisInfo : Stablehlo_Attr<"SubAxisInfo", "sub_axis_info"> {
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
}
def AxisRef : Stablehlo_Attr<"AxisRef", "axis_ref"> {
  let parameters = (ins StringRefParameter<"axis">:$name, OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info);
  let assemblyFormat = "`<` struct(params) `>`";
}
def MeshAxis : Stablehlo_Attr<"MeshAxis", "mesh_axis"> {
  let parameters = (ins StringRefParameter<"axis">:$name, "int64_t":$size);
  let assemblyFormat = "`<` struct(params) `>`";
}
def Mesh : Stablehlo_Attr<"Mesh", "mesh"> {
  let parameters = (ins ArrayRefParameter<"MeshAxisAttr">:$axes,
                        OptionalParameter<"::mlir::DenseIntElementsAttr">:$device_ids);
  let assemblyFormat = [{
    `<` `axes` `` `=` `` `[` $axes `]` (`,` `device_ids` `` `=` `` $device_ids^)? `>`
  }];
}
def ReplicaGroupMeshAxes : Stablehlo_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "replica groups given by axes of a mesh";
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` struct(params) `>`";
}

// The number of elements of a splat is bounded: see isListable.
class Listable<Attr attr> : Attr<And<[attr.predicate, CPred<"::tenon::ir::isListable($_self)">]>,
                                 attr.summary # " that can be listed"> {
  let storageType = attr.storageType;
  let returnType = attr.returnType;
  let convertFromStorage = attr.convertFromStorage;
}
def I64List : Listable<I64ElementsAttr>;
def MeshAxesOfMesh : Attr<And<[ReplicaGroupMeshAxes.predicate, CPred<"::tenon::ir::areMeshAxes($_self)">]>,
                          "axes of a mesh, which is named or spelled out">;
def ReplicaGroups : AnyAttrOf<[I64List, MeshAxesOfMesh], "2-dimensional si64 elements, or mesh axes">;
def IndexVectorAttr : Attr<And<[IndexElementsAttr.predicate, CPred<"::tenon::ir::isListable($_self)">,
    CPred<"::llvm::cast<::mlir::DenseIntElementsAttr>($_self).getType().getRank() == 1">]>, "1-d tensor of index"> {
  let storageType = IndexElementsAttr.storageType;
  let returnType = IndexElementsAttr.returnType;
  let convertFromStorage = IndexElementsAttr.convertFromStorage;
}
// The dimensions of an infeed's results, as numbers of whatever width.
def DimensionNumberAttr : Attr<CPred<"::tenon::ir::isDimensionNumber($_self)">, "dimension number">;
def NumberLayoutsAttr
    : TypedArrayAttrBase<TypedArrayAttrBase<DimensionNumberAttr, "array of dimensions">, "array of layouts">;
def LayoutsAttr : TypedArrayAttrBase<IndexVectorAttr, "array of layouts">;
def TilingsAttr : TypedArrayAttrBase<TypedArrayAttrBase<IndexVectorAttr, "tiles">, "array of tilings">;
def FlatSymbolRefsAttr : TypedArrayAttrBase<FlatSymbolRefAttr, "array of function names"> {
  let constBuilderCall = "::mlir::ArrayAttr::get($_builder.getContext(), $0)";
}
def AliasesAttr : TypedArrayAttrBase<OutputOperandAlias, "array of output and operand pairs that share storage">;

//===- Op base ---------------------------------------------------------------------------------------------------===//

// Every op has a verifier of its own (tenon/ir/*.cpp), which enforces the specification's numbered constraints.
class Stablehlo_Op<string mnemonic, list<Trait> traits = []> : Op<Stablehlo_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

class Stablehlo_Resource<string name> : Resource<"::tenon::stablehlo::" # name # "Resource">;
def InfeedResource : Stablehlo_Resource<"Infeed">;
def OutfeedResource : Stablehlo_Resource<"Outfeed">;
def ChannelResource : Stablehlo_Resource<"Channel">;
def RngResource : Stablehlo_Resource<"Rng">;

#endif
