// Types of tensors, kinds of element types, and text of dimension lists. Used by the op records' predicates, too.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"

namespace tenon::ir {

/// The type of a value that is a tensor, its sizes, and the type of its elements.
inline mlir::RankedTensorType typeOf(mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()); }
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) { return typeOf(value).getShape(); }
inline mlir::Type elementTypeOf(mlir::Value value) { return typeOf(value).getElementType(); }

/// Whether it is a tensor of rank 0.
bool isScalarTensor(mlir::Type type);

/// i1.
bool isBool(mlir::Type type);
/// si2, si4, ... si64, which MLIR writes as the signless i2, i4, ... i64.
bool isSignedInt(mlir::Type type);
/// ui2, ui4, ... ui64.
bool isUnsignedInt(mlir::Type type);
/// bf16, f16, f32, f64 and the types of 4, 6 and 8 bits.
bool isFloat(mlir::Type type);
bool isFloat32Or64(mlir::Type type);
/// complex<f32> or complex<f64>.
bool isComplex(mlir::Type type);
bool isQuantizedPerTensor(mlir::Type type);
bool isQuantizedPerAxis(mlir::Type type);
/// Whether the sizes of a shape may be given in this type: any integer, or index.
bool isDimensionSize(mlir::Type type);
inline bool isQuantized(mlir::Type type) { return isQuantizedPerTensor(type) || isQuantizedPerAxis(type); }

/// Element types that the specification calls the same; quantized ones are, when they store and express the same.
bool compatibleElements(mlir::Type a, mlir::Type b);
/// Whether tensors of the types `a` may be of the types `b` when the program runs: the same elements, and sizes that
/// are equal or dynamic.
bool areCompatibleTensors(mlir::TypeRange a, mlir::TypeRange b);

/// Whether the elements of `value`, if it has any, may be written out one by one. A splat takes no room in a program
/// however many elements it says it has, so those above the limit are refused wherever a list is meant.
bool isListable(mlir::Attribute value);
constexpr int64_t kMaxListedElements = int64_t(1) << 20;

/// How many elements a shape has, dynamic and empty dimensions counted as of size 1; nothing above `limit`.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape, int64_t limit);
/// No machine has room for more, and a number of bits would overflow somewhere.
constexpr int64_t kMaxElements = int64_t(1) << 56;

/// Kinds of numbers, each holding those before. Booleans and sizes are integers here.
enum class NumberKind { kInteger, kFloat, kComplex };
NumberKind numberKind(mlir::Type type);
/// The width of a number, or of each part of a complex one, in bits.
unsigned partWidth(mlir::Type type);
/// Bytes of an array of a static shape as it is stored: each part of an element takes whole bytes. Of numbers, or
/// quantized.
int64_t storedBytes(mlir::RankedTensorType type);

/// The upper bounds of a tensor type's dynamic dimensions, one entry a dimension (kDynamic where there is none); empty
/// when the type has no bounds.
llvm::ArrayRef<int64_t> dimensionBounds(mlir::RankedTensorType type);

/// `[1, ?, 3]`, where `?` is ShapedType::kDynamic.
llvm::FailureOr<llvm::SmallVector<int64_t>> parseDimensions(mlir::AsmParser &parser);
void printDimensions(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> dimensions);

} // namespace tenon::ir
