// One call of a builder's method: it finds operands, makes operations, and notes what is wrong.
#pragma once

#include "tenon/frontend/builder/builder_state.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tenon::xla_2017::internal {

class Call {
public:
  // `method` is what errors name. Nothing that follows has an effect where the builder has an error already.
  Call(BuilderState &state, const char *method, SourceLocation at);

  bool failed() const { return state.failed(); }
  // Notes an error of the caller's: "axpy: Add at main.cpp:12: message". Returns the handle that stands for nothing.
  ComputationDataHandle fail(const std::string &message);

  // The operand; null after an error: a handle that is not this builder's, and for an array one that is a tuple.
  const Node *value(const ComputationDataHandle &handle, const char *what);
  const Node *array(const ComputationDataHandle &handle, const char *what);
  // An array of rank 0.
  const Node *scalar(const ComputationDataHandle &handle, const char *what);

  // The node made of one operation's result, or of an array given; its shape is that of the value's type.
  ComputationDataHandle result(mlir::Value value);
  // The node of a value that was there before: an operation without effect.
  ComputationDataHandle same(const Node &node);
  // A tuple, or whatever has that shape.
  ComputationDataHandle result(Shape shape, llvm::ArrayRef<mlir::Value> leaves, bool readsInfeed = false);
  // Operations of the call are made with it.
  mlir::ImplicitLocOpBuilder &ops() { return builder_; }

  // The array type of a shape; fails, and is null, where no array can have it.
  mlir::RankedTensorType type(const Shape &shape, const char *what);
  bool checkShape(const Shape &shape, const char *what);
  // Whether there are `rank` entries.
  bool checkCount(size_t entries, int64 rank, const char *what);
  // Whether the dimensions are unique and of an array of that rank.
  bool checkDimensions(gtl::ArraySlice<int64> dimensions, int64 rank, const char *what);

  BuilderState &state;

  // "Add at main.cpp:12".
  const std::string &place() const { return place_; }

private:
  const std::string place_;
  mlir::ImplicitLocOpBuilder builder_;
  llvm::SmallVector<int64, 3> inputs_;
  bool usesParameter_ = false;
};

// The signature that an operation asks of a computation: arrays or tuples in, one value out.
struct Signature {
  llvm::SmallVector<Shape, 4> parameters;
  Shape result;
};

// Whether a computation has the signature; notes an error otherwise, and where the computation is empty.
bool checkComputation(Call &call, const Computation &computation, const Signature &signature, const char *what);

// Copies a computation's body into the region: a block that takes the leaves of its parameters, a token if asked for,
// and returns those of its result (and the last token, if `returnToken`).
void embed(Call &call, const Computation &computation, mlir::Region &region, bool takeToken = false,
           bool returnToken = false);

// "[2,3]", for messages.
std::string listText(gtl::ArraySlice<int64> values);
llvm::ArrayRef<int64> asArrayRef(gtl::ArraySlice<int64> values);

} // namespace tenon::xla_2017::internal
