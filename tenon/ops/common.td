// What every dialect's records share: element kinds, tensor types, labelled operand rows and family traits.
#ifndef TENON_OPS_COMMON
#define TENON_OPS_COMMON

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Element kinds. The predicates are in tenon/ir/types.h.
class ElementKind<string predicate, string summary>
    : Type<CPred<"::tenon::ir::" # predicate # "($_self)">, summary>;
def Bool : ElementKind<"isBool", "boolean">;
def SignedInt : ElementKind<"isSignedInt", "signed integer">;
def UnsignedInt : ElementKind<"isUnsignedInt", "unsigned integer">;
def Float : ElementKind<"isFloat", "floating-point">;
def Float32Or64 : ElementKind<"isFloat32Or64", "f32 or f64">;
def ComplexKind : ElementKind<"isComplex", "complex">;
def Quantized : ElementKind<"isQuantizedPerTensor", "per-tensor quantized">;
def QuantizedPerAxis : ElementKind<"isQuantizedPerAxis", "per-axis quantized">;
def DimensionSize : ElementKind<"isDimensionSize", "integer or index">;

defvar integers = [SignedInt, UnsignedInt];
defvar perTensorKinds = [Bool, SignedInt, UnsignedInt, Float, ComplexKind, Quantized];

class TensorWith<list<Type> kinds> : RankedTensorOf<kinds>;
class ScalarWith<list<Type> kinds>
    : RankedTensorOf<kinds, [HasAnyRankOfPred<[0]>], "0-dimensional tensor">;
class VectorWith<list<Type> kinds>
    : RankedTensorOf<kinds, [HasAnyRankOfPred<[1]>], "1-dimensional tensor">;

def AnyElementTensor : TensorWith<perTensorKinds # [QuantizedPerAxis]>;
def PerTensorTensor : TensorWith<perTensorKinds>;
def PerTensorScalar : ScalarWith<perTensorKinds>;
def BoolTensor : TensorWith<[Bool]>;
def IntTensor : TensorWith<integers>;
def IntScalar : ScalarWith<integers>;
def FloatTensor : TensorWith<[Float]>;
def ComplexTensor : TensorWith<[ComplexKind]>;
def FloatOrComplexTensor : TensorWith<[Float, ComplexKind]>;
def FloatOrQuantizedTensor : TensorWith<[Float, Quantized]>;
def FloatLikeTensor : TensorWith<[Float, ComplexKind, Quantized]>;
def IntFloatOrQuantizedTensor : TensorWith<[SignedInt, UnsignedInt, Float, ComplexKind, Quantized]>;
def SignedOrFloatTensor : TensorWith<[SignedInt, Float, ComplexKind, Quantized]>;
def BoolOrIntTensor : TensorWith<[Bool, SignedInt, UnsignedInt]>;
def IntOrFloatTensor : TensorWith<[SignedInt, UnsignedInt, Float]>;
def BoolIntOrFloatTensor : TensorWith<[Bool, SignedInt, UnsignedInt, Float]>;
def BoolIntOrFloatScalar : ScalarWith<[Bool, SignedInt, UnsignedInt, Float]>;
def DimensionVector : VectorWith<[DimensionSize]>;

// One input row of the specification: a type with the row's label, which the diagnostic then carries.
class In<string label, Type type> : Type<type.predicate, label # ": " # type.summary, type.cppType>;

// The same for a row that is an attribute: only the description differs.
class A<string label, Attr attr> : Attr<attr.predicate, label # ": " # attr.summary> {
  let storageType = attr.storageType;
  let returnType = attr.returnType;
  let convertFromStorage = attr.convertFromStorage;
  let constBuilderCall = attr.constBuilderCall;
  let defaultValue = attr.defaultValue;
  let valueType = attr.valueType;
  let isOptional = attr.isOptional;
  let baseAttr = attr;
}
// And for one that is a function: a region of one block.
class Body<string label> : Region<CPred<"::llvm::hasNItems($_self, 1)">, label # ": region with 1 blocks">;

// What an op does, and the type of what it gives, for the builders that are generated from the records
// (tenon/ops/generate): the comments of tenon/ops.h and tenon/c/ops.h, the docstrings of tenon.ops, and
// docs/operations.md. An op is in the builders if its record says this; of StableHLO all do, but for the terminator of
// computations.
class Document<string text, string result> {
  string documentText = text;
  string documentResult = result;
}
class LikeOperand<string text> : Document<text, "as the operand">;
class LikeOperands<string text> : Document<text, "as the operands, which are of one type">;

// Families of ops that passes and code generation ask about. The classes are in tenon/ir/traits.h.
class TenonTrait<string name> : NativeOpTrait<name> { let cppNamespace = "::tenon::ir"; }
def CollectiveFamily : TenonTrait<"Collective">;

// The value of an elementwise op at an index depends only on the operands' values at that index (an operand of rank 0
// beside operands of other ranks counts at every index). Each says what computing one element costs (ir::ElementCost).
class Costs<string cost> : ParamNativeOpTrait<"Costs", "::tenon::ir::ElementCost::k" # cost> {
  let cppNamespace = "::tenon::ir";
}
class ElementwiseFamily<string cost> : TraitList<[TenonTrait<"Elementwise">, Costs<cost>]>;
def Simple : ElementwiseFamily<"Simple">;
def Division : ElementwiseFamily<"Division">;
def Remainder : ElementwiseFamily<"Remainder">;
def Root : ElementwiseFamily<"Root">;
def Exponential : ElementwiseFamily<"Exponential">;
def Trigonometric : ElementwiseFamily<"Trigonometric">;
def Special : ElementwiseFamily<"Special">;

// The result's elements are elements of the operands, each at an index that follows from the result's.
def MovesElements : TenonTrait<"MovesElements">;
// All of them are the first operand's, at indices that are known when the program is compiled.
def Reindexes : TraitList<[MovesElements, TenonTrait<"Reindexes">]>;
// The result has the dimensions of the operands of its rank, though not all of their indices.
def KeepsDimensions : TenonTrait<"KeepsDimensions">;

// The result types follow from the operands, attributes and regions. Checking that they do is left to verify(), whose
// messages carry the specification's labels, so the interface's own check accepts everything.
def InferredTypes : InferTypeOpAdaptorBase<[{
  static ::llvm::LogicalResult refineReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
                                                 ::mlir::ValueRange, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
                                                 ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
    return ::llvm::success();
  }
  static bool isCompatibleReturnTypes(::mlir::TypeRange, ::mlir::TypeRange) { return true; }
}]>;
// The same for ops without rules of the specification: the interface checks the result types itself.
def CheckedInferredTypes : InferTypeOpAdaptorBase<[{
  static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual) {
    return ::tenon::ir::areCompatibleTensors(inferred, actual);
  }
}]>;

// A list of dimension numbers or sizes inside an attribute; `?` is a dynamic size.
class DimensionList<string summary = "dimensions"> : ArrayRefParameter<"int64_t", summary> {
  let parser = "::tenon::ir::parseDimensions($_parser)";
  let printer = "::tenon::ir::printDimensions($_printer, $_self)";
}

#endif
