// Building ops of the refined program. What depends on constants only becomes a constant at once, so that the
// arithmetic of shapes is done when a rule asks for its outcome.
#pragma once

#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace tenon::passes::refine {

using mlir::ArrayRef;
using mlir::RankedTensorType;
using mlir::SmallVector;
using mlir::Value;

/// A value of the refined program. Its tensor has a static shape; a bounded dimension is as long as its bound, of which
/// the first elements, as many as its size says at run time, count. The others may hold anything.
struct BoundedTensor {
  BoundedTensor() = default;
  /// A value without bounded dimensions.
  explicit BoundedTensor(Value value);
  BoundedTensor(Value value, SmallVector<Value, 4> sizes) : value(value), sizes(std::move(sizes)) {}

  RankedTensorType type() const { return llvm::cast<RankedTensorType>(value.getType()); }
  int64_t dim(int64_t d) const { return type().getDimSize(d); }
  bool isBounded(int64_t d) const { return sizes[d] != nullptr; }
  bool isBounded() const;

  Value value;
  SmallVector<Value, 4> sizes; // tensor<i32>, one for each dimension; null where the dimension is static
};

/// The elements of a constant of integers.
std::optional<SmallVector<int64_t>> constantIntegers(Value value);
/// The value of a constant of one element; none for anything else.
std::optional<int64_t> constantInteger(Value value);

/// Whether two values are computed in the same way.
bool isSame(Value a, Value b);

class Emitter {
public:
  explicit Emitter(mlir::MLIRContext *context) : builder(context), loc(builder.getUnknownLoc()) {}

  mlir::OpBuilder builder;
  mlir::Location loc;

  /// Builds an op of one result, or the constant it comes to.
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return folded(Op::create(builder, loc, std::forward<Args>(args)...)).front();
  }
  /// The results of an op just built, as constants where its operands are.
  SmallVector<Value> folded(mlir::Operation *op);

  //===- Scalars of type i32
  //---------------------------------------------------------------------------------------===//
  Value i32(int64_t value);
  Value boolean(bool value);
  template <typename Op> Value binary(Value a, Value b) { return make<Op>(a.getType(), a, b); }
  Value add(Value a, Value b) { return binary<stablehlo::AddOp>(a, b); }
  Value subtract(Value a, Value b) { return binary<stablehlo::SubtractOp>(a, b); }
  Value multiply(Value a, Value b) { return binary<stablehlo::MultiplyOp>(a, b); }
  Value divide(Value a, Value b) { return binary<stablehlo::DivideOp>(a, b); }
  Value remainder(Value a, Value b) { return binary<stablehlo::RemainderOp>(a, b); }
  Value minimum(Value a, Value b) { return binary<stablehlo::MinimumOp>(a, b); }
  Value maximum(Value a, Value b) { return binary<stablehlo::MaximumOp>(a, b); }
  Value logicalAnd(Value a, Value b) { return binary<stablehlo::AndOp>(a, b); }
  Value compare(stablehlo::ComparisonDirection direction, Value a, Value b);
  Value select(Value condition, Value a, Value b) { return make<stablehlo::SelectOp>(a.getType(), condition, a, b); }
  /// Element `position` of a vector of sizes.
  Value element(Value vector, int64_t position);
  /// Integers as i32. A number that i32 does not hold becomes the nearest that it does, which no dimension can be.
  Value toSize(Value numbers);
  /// A dimension's size.
  Value size(const BoundedTensor &refined, int64_t d) {
    return refined.isBounded(d) ? refined.sizes[d] : i32(refined.dim(d));
  }

  //===- Tensors
  //---------------------------------------------------------------------------------------------------===//
  Value zero(mlir::Type element);
  Value zeros(RankedTensorType type);
  Value convert(Value value, mlir::Type element);
  Value fill(Value scalar, ArrayRef<int64_t> shape);
  Value iota(ArrayRef<int64_t> shape, int64_t dimension);
  Value reshape(Value value, ArrayRef<int64_t> shape);
  /// The dimension cut to, or filled up with zeros to, this length.
  Value resize(Value value, int64_t dimension, int64_t length);
  /// The positions of a dimension that `indices`, a vector of i32, names.
  Value take(Value value, int64_t dimension, Value indices);
  /// A dimension made of groups of `size` elements (i32), one behind the other: each group gets room for `length`, of
  /// which the rest may hold anything.
  Value padGroups(Value value, int64_t dimension, int64_t groups, int64_t length, Value size);
  /// The reverse, of a dimension of this many groups that are apart.
  Value compactGroups(Value value, int64_t dimension, int64_t groups, Value size);
  /// Which elements count in these dimensions (i1); null if all do.
  Value validMask(const BoundedTensor &refined, ArrayRef<int64_t> dimensions);
  /// The value, with `scalar`, or zeros, where elements of these dimensions do not count.
  Value masked(const BoundedTensor &refined, ArrayRef<int64_t> dimensions, Value scalar);
  Value zeroPadding(const BoundedTensor &refined, ArrayRef<int64_t> dimensions);

private:
  Value scalarAt(Value vector, int64_t position);
};

} // namespace tenon::passes::refine
