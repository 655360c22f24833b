// The common part of the inference files. Each op whose result types follow from its inputs has one function
//
//   static LogicalResult infer(const Rules &r, PadOp::Adaptor op, SmallVectorImpl<Type> &types);
//
// which checks the rules about the inputs and gives the result types; TENON_INFERRED makes of it the op's
// inferReturnTypes and verify.
#pragma once

#include "tenon/ir/process_groups.h"
#include "tenon/ir/rules.h"
#include "tenon/ir/stablehlo.h"

#include <algorithm>
#include <limits>

namespace tenon::stablehlo {

using mlir::Value;
using mlir::ValueRange;

/// Checks the op's results against the inferred types. The rules broken are these constraints of the op: one for the
/// element types, one for the shapes and everything else.
LogicalResult checkResults(const Rules &r, mlir::Operation *op, ArrayRef<Type> inferred, int elementRule,
                           int shapeRule);

/// For ops that move elements, whatever their place: operands and results are quantized with the same scale for the
/// whole tensor, by the rule that they have the same element type. The storage moves as it is, so another scale, or
/// that of another place, would change what it means.
LogicalResult checkSameScale(const Rules &r, mlir::Operation *op, int rule);

/// For ops that move elements to where other dimensions are quantized along: the same but for the dimension.
bool isQuantizedAlike(Type a, Type b);

#define TENON_INFERRED(Op, elementRule, shapeRule)                                                                     \
  LogicalResult Op::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location, Adaptor adaptor,     \
                                     SmallVectorImpl<Type> &types) {                                                   \
    return infer(Rules(location, getOperationName()), adaptor, types);                                                 \
  }                                                                                                                    \
  LogicalResult Op::verify() {                                                                                         \
    Rules r(*this);                                                                                                    \
    SmallVector<Type> types;                                                                                           \
    if (failed(infer(r, Adaptor(*this), types)))                                                                       \
      return failure();                                                                                                \
    return checkResults(r, *this, types, elementRule, shapeRule);                                                      \
  }

/// The same for an op that moves elements.
#define TENON_INFERRED_MOVE(Op, elementRule, shapeRule)                                                                \
  LogicalResult Op::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location, Adaptor adaptor,     \
                                     SmallVectorImpl<Type> &types) {                                                   \
    return infer(Rules(location, getOperationName()), adaptor, types);                                                 \
  }                                                                                                                    \
  LogicalResult Op::verify() {                                                                                         \
    Rules r(*this);                                                                                                    \
    SmallVector<Type> types;                                                                                           \
    if (failed(infer(r, Adaptor(*this), types)) || failed(checkResults(r, *this, types, elementRule, shapeRule)))      \
      return failure();                                                                                                \
    return checkSameScale(r, *this, elementRule);                                                                      \
  }

/// The type that the operands share, by constraint 1 of the op.
LogicalResult inferSameType(const Rules &r, ValueRange operands, SmallVectorImpl<Type> &types);

/// For ops whose record says that operands and result have one type.
#define TENON_SAME_TYPE(Op)                                                                                            \
  static LogicalResult infer(const Rules &r, Op::Adaptor op, SmallVectorImpl<Type> &types) {                           \
    return inferSameType(r, op.getOperands(), types);                                                                  \
  }                                                                                                                    \
  TENON_INFERRED(Op, 1, 1)

//===- Rules that many ops have ----------------------------------------------------------------------------------===//

/// Whether elements may be broadcast from one type to the other: quantized per axis, the scales may be repeated.
bool isBroadcastAlike(Type from, Type to);
/// StableHLO 1.20's C6 of broadcast_in_dim, and of dynamic_broadcast_in_dim: the result is quantized along the
/// dimension that the operand's becomes, and a single scale is repeated.
LogicalResult checkBroadcastAxis(const Rules &r, RankedTensorType from, RankedTensorType to,
                                 ArrayRef<int64_t> dimensions);

/// An attribute's or operand's name, for messages.
using Name = StringRef;

LogicalResult checkSize(const Rules &r, int rule, Name name, ArrayRef<int64_t> values, int64_t size);
LogicalResult checkUnique(const Rules &r, int rule, Name name, ArrayRef<int64_t> values);
LogicalResult checkUniqueAndSorted(const Rules &r, int rule, Name name, ArrayRef<int64_t> values);
/// Every value in [0, end).
LogicalResult checkInRange(const Rules &r, int rule, Name name, ArrayRef<int64_t> values, int64_t end);
LogicalResult checkPositive(const Rules &r, int rule, Name name, ArrayRef<int64_t> values);

/// All values have types of compatible shapes.
LogicalResult checkSameShapes(const Rules &r, int rule, Name name, ValueRange values);

/// A 2-dimensional padding attribute's pairs, for `rank` dimensions; pairs of zeros where there is no attribute.
FailureOr<SmallVector<std::pair<int64_t, int64_t>>>
paddingPairs(const Rules &r, int rule, std::optional<mlir::DenseIntElementsAttr> padding, int64_t rank);

/// One dimension of a window that slides over a tensor.
struct WindowDimension {
  int64_t size = 1, stride = 1, padLow = 0, padHigh = 0, baseDilation = 1, windowDilation = 1;

  /// How many windows fit into a dimension of this size; dynamic, when that is.
  int64_t count(int64_t dimension) const;
};

/// The width of an element: both parts of a complex one, the storage of a quantized one.
int64_t bitWidth(Type element);
/// Batching dimensions, then what is left of lhs, then what is left of rhs.
SmallVector<int64_t> dotShape(DotDimensionNumbersAttr numbers, RankedTensorType lhs, RankedTensorType rhs);
/// The shape that the operands, window and dimension numbers give. Fails, with a diagnostic, where they break a rule.
FailureOr<SmallVector<int64_t>> convolutionShape(ConvolutionOp op);
/// How many dimensions operand and index have in common: batch_dims, where a negative one counts from index's end.
int64_t batchDims(TorchIndexSelectOp op);
/// The operand's dimensions before dim, those of index behind the batch dimensions, and the operand's behind dim.
SmallVector<int64_t> selectedShape(TorchIndexSelectOp op);

/// Checks the op that an async_start of an imported program begins: a collective, or one that moves a part of an array
/// (StableHLO 1.20). Passes may replace it by another.
LogicalResult checkBegun(AsyncStartOp op);

/// Whether a random generator's state has a meaning: a 1-dimensional tensor of ui64.
bool isGeneratorState(RankedTensorType state);
/// Whether values of this element type may be compared in this order.
bool mayCompareAs(Type element, ComparisonType type);
/// The size of the op's groups, where it is known and the results' sizes say another.
std::optional<int64_t> missingGroupSize(AllGatherOp op);

/// The results' types, from the operands' and the size of the groups in this grid.
SmallVector<RankedTensorType> gatheredTypes(AllGatherOp op, const ir::ProcessGrid &grid);
/// The same of the result; none where the dimension is known and no multiple of the group's size.
FailureOr<RankedTensorType> scatteredType(ReduceScatterOp op, const ir::ProcessGrid &grid);

/// The types of what a region returns; none when it has no body yet.
mlir::TypeRange returnedTypes(mlir::Region &region);

/// The region takes arguments and returns values of these types. A region without a body, which a builder has yet to
/// fill, is not looked at.
LogicalResult checkBody(const Rules &r, int rule, Name name, mlir::Region &region, ArrayRef<Type> arguments,
                        ArrayRef<Type> results);

/// Whether values of one element type may enter a reduction in another (the specification's is_promotable): of the same
/// kind, and in no fewer bits.
bool isPromotable(Type from, Type to);

/// The element types E0, ..., EN-1 that a reduction of these values computes in: those of its computation's first
/// arguments that the values' are promotable to, otherwise (and before there is a body) the values' own.
SmallVector<Type> computationElements(mlir::Region &region, ValueRange values);

/// The region has type (E0, ..., EN-1, E0, ..., EN-1) -> (E0, ..., EN-1) for the element types that it computes in,
/// which are given.
FailureOr<SmallVector<Type>> checkReducer(const Rules &r, int rule, Name name, mlir::Region &region, ValueRange values);

/// tensor<E> for the elements E of each value.
SmallVector<Type> scalarsOf(ValueRange values);
inline Type scalarOf(Type element) { return RankedTensorType::get({}, element); }
Type boolScalar(mlir::MLIRContext *context);

/// Whether each of [0, rank) is there once.
bool isPermutation(ArrayRef<int64_t> dimensions, int64_t rank);

/// complex<T> gives T, other types themselves.
Type realElement(Type element);

/// The type that sizes are computed in, since a program may name any 64-bit numbers.
using WideSize = __int128;
/// The size; one that fits no shape becomes the largest or the least that does.
inline int64_t narrow(WideSize size) {
  constexpr WideSize largest = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp<WideSize>(size, -largest, largest));
}

inline int64_t addSizes(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) ? ShapedType::kDynamic : narrow(WideSize(a) + b);
}

} // namespace tenon::stablehlo
