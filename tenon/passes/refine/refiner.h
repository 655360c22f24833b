// Parts of refineShapes, which refine_shapes.cpp opens with.
#pragma once

#include "tenon/ir/process_groups.h"
#include "tenon/passes/refine/emitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tenon::passes::refine {

using llvm::failed;
using llvm::failure;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::success;
using mlir::Operation;
using mlir::Type;
using mlir::ValueRange;

/// A dimension of a result: static, or bounded with a size.
struct Extent {
  int64_t length;
  Value size; // null: static
};

/// Builds the refined program beside the old one, op by op.
class Refiner {
public:
  explicit Refiner(mlir::MLIRContext *context) : emit(context) {}

  LogicalResult run(mlir::func::FuncOp main);

  /// Emits what the op becomes, and gives its results.
  LogicalResult refineOp(Operation &op);
  /// Emits the block's ops where `emit` stands, and gives what its terminator returns.
  FailureOr<SmallVector<BoundedTensor>> refineBlock(mlir::Block &block, ArrayRef<BoundedTensor> arguments);

  /// The refined form of an old value.
  const BoundedTensor &get(Value old) const { return values_.find(old)->second; }
  SmallVector<BoundedTensor> getAll(ValueRange old) const;

  /// Gives an op its results. Dimensions that the old type knows better than the refined value are cut to it.
  LogicalResult put(Operation *op, unsigned result, BoundedTensor refined);
  LogicalResult put(Operation *op, BoundedTensor refined) { return put(op, 0, std::move(refined)); }

  /// The op on other operands, with its result types inferred from them.
  FailureOr<SmallVector<Value>> rebuild(Operation *op, ValueRange operands);
  /// The same, and gives every result these sizes.
  LogicalResult rebuild(Operation *op, ValueRange operands, const SmallVector<Value, 4> &sizes);
  /// Refines the computations of `copy`, a clone of `op`, that need it: their arguments keep their types.
  LogicalResult refineComputations(Operation *op, Operation *copy);
  /// Builds the block of `to`, which has none, from that of `from`, a computation of `op`, on arguments of these types,
  /// and gives what it returns. Nothing of that may be bounded.
  FailureOr<SmallVector<BoundedTensor>> refineComputation(Operation *op, mlir::Region &from, mlir::Region &to,
                                                          ArrayRef<Type> argumentTypes);

  /// Demands a condition: now, if it is constant, or when the program runs. In `message`, {0}, {1}, ... are inputs.
  LogicalResult require(Operation *op, Value condition, mlir::StringRef message, ValueRange inputs);
  LogicalResult requireEqual(Operation *op, Value a, Value b);

  /// Makes two dimensions one: both static or of the same bound and size.
  LogicalResult unify(Operation *op, BoundedTensor &a, int64_t dimensionOfA, BoundedTensor &b, int64_t dimensionOfB);
  /// The refined values with equal sizes, as the inputs of one op must have.
  FailureOr<SmallVector<BoundedTensor>> unified(Operation *op, ValueRange old);
  /// A dimension has to have a static length; a bounded one is cut to it.
  LogicalResult fix(Operation *op, BoundedTensor &refined, int64_t dimension, int64_t length);

  /// The vector that an old operand has become, which has to be of this static length.
  FailureOr<Value> list(Operation *op, Value old, int64_t length);
  /// The result shape that an old vector of sizes describes. Fails where a size is neither constant nor bounded by the
  /// type.
  FailureOr<SmallVector<Extent>> extents(Operation *op, Value oldSizes, RankedTensorType declared);
  /// One of these: the size's constant, the declared size, or a bounded one.
  FailureOr<Extent> extent(Operation *op, Value size, RankedTensorType declared, int64_t dimension);

  /// Says that the op cannot take its operand's bounded dimension.
  LogicalResult refuse(Operation *op, int64_t dimension);
  /// Says so if one of these dimensions is bounded.
  LogicalResult refuseBounded(Operation *op, const BoundedTensor &refined, ArrayRef<int64_t> dimensions);
  LogicalResult refuseBounded(Operation *op, const BoundedTensor &refined);

  /// A copy of an old computation's block, with some more arguments of type tensor<i1>; leaves `emit` before its
  /// terminator.
  mlir::Block *copyBody(mlir::Region &from, mlir::Region &to, unsigned moreArguments);

  Emitter emit;

private:
  LogicalResult inferTypes(Operation *copy);
  FailureOr<SmallVector<BoundedTensor>> makeArguments(mlir::func::FuncOp main, mlir::Block &block);
  LogicalResult giveResults(mlir::func::FuncOp main, ArrayRef<BoundedTensor> results, mlir::Location location);

  llvm::DenseMap<Value, BoundedTensor> values_;
  ir::ProcessGrid grid_; // which ops do not find while they are built, outside of the module
};

SmallVector<int64_t> lengthsOf(ArrayRef<Extent> extents);
SmallVector<Value, 4> sizesOf(ArrayRef<Extent> extents);
SmallVector<Value> valuesOf(ArrayRef<BoundedTensor> refined);

// Each refines ops of its kind, and says whether the op was one.
FailureOr<bool> refineControl(Refiner &refiner, Operation *op);    // control.cpp
FailureOr<bool> refineCustomCall(Refiner &refiner, Operation *op); // custom_calls.cpp
FailureOr<bool> refineDynamic(Refiner &refiner, Operation *op);    // dynamic.cpp
FailureOr<bool> refineScan(Refiner &refiner, Operation *op);       // scan.cpp
// Ops with bounded operands.
FailureOr<bool> refineMovement(Refiner &refiner, Operation *op);     // movement.cpp
FailureOr<bool> refineIndexing(Refiner &refiner, Operation *op);     // indexing.cpp
FailureOr<bool> refineScatter(Refiner &refiner, Operation *op);      // scatter.cpp
FailureOr<bool> refineBroadcasting(Refiner &refiner, Operation *op); // broadcasting.cpp
FailureOr<bool> refineProduct(Refiner &refiner, Operation *op);      // products.cpp
FailureOr<bool> refineReduction(Refiner &refiner, Operation *op);    // reduction.cpp
FailureOr<bool> refineWindow(Refiner &refiner, Operation *op);       // window.cpp
FailureOr<bool> refineAlgebra(Refiner &refiner, Operation *op);      // algebra.cpp

/// A program is compiled for those arguments of main with known elements that decide a size: moves tenon.known_value to
/// tenon.value, or drops it. (known_values.cpp)
void fixNeededValues(mlir::func::FuncOp main);

/// The constant in the place of an argument that has tenon.value, whose elements are demanded when the program runs;
/// otherwise `value`, the argument's. (known_values.cpp)
FailureOr<Value> fixValue(Refiner &refiner, mlir::func::FuncOp main, unsigned argument, Value value);

/// Does away with a shape_assertion that holds; one that does not is an error. One that depends on data stays.
LogicalResult checkAssertion(stablehlo::CustomCallOp call);

/// Whether an op just built, and those in its regions, are well-formed. (MLIR's verifier also asks where values are
/// defined, of regions that may not have their place in the program yet.)
LogicalResult verifyCopy(Operation *copy);

/// The vectors of the indices of a gather or scatter, along `vectorDim` (the rank: of one component each), have this
/// many components, whatever the type says. (scatter.cpp)
LogicalResult fixIndexVectors(Refiner &refiner, Operation *op, BoundedTensor &indices, int64_t vectorDim,
                              int64_t components);

/// A number for each component of index vectors, in the shape of the indices. (scatter.cpp)
Value alongIndexVectors(Emitter &emit, ArrayRef<Value> numbers, ArrayRef<int64_t> shape, int64_t vectorDim);

/// Dimensions of the indices of a gather or scatter, but that of the vectors, and of the result (the updates), of rank
/// `rank`: they are in order those that `others` leaves. (scatter.cpp)
SmallVector<std::pair<int64_t, int64_t>> batchPairs(int64_t indexRank, int64_t vectorDim, int64_t rank,
                                                    ArrayRef<int64_t> others);

/// The value e for which body(x, e) is x, where the body of a reduction is one op on two elements that has such a
/// value; null otherwise. (reduction.cpp)
Value identityOf(Emitter &emit, mlir::Region &body, Type element);

/// Builds the block of `to`, which has none, for a reduction of `count` inputs and of a flag, which says whether their
/// elements count: that of `from` where both sides count, otherwise the one that does. (reduction.cpp)
void buildFlaggedBody(Refiner &refiner, mlir::Region &from, mlir::Region &to, unsigned count);

/// A value under another shape of as many elements. (reshape.cpp)
LogicalResult refineReshape(Refiner &refiner, Operation *op, const BoundedTensor &operand, ArrayRef<Extent> extents);

} // namespace tenon::passes::refine
