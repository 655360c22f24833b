// One call of a builder's method: it finds operands, calls the functions of tenon/ops.h, and notes what is wrong.
#pragma once

#include "tenon/frontend/builder/builder_state.h"

namespace tenon::xla_2017::internal {

class Call {
public:
  // `method` is what errors and locations name, those of the functions of tenon/ops.h included, as long as the call
  // lives. Nothing that follows has an effect where the builder has an error already.
  Call(BuilderState &state, const char *method, SourceLocation at);
  ~Call() { state.graph.caller.reset(); }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  bool failed() const { return state.graph.failed(); }
  // Notes an error of the caller's: "axpy: Add at main.cpp:12: message". Returns the handle that stands for nothing.
  ComputationDataHandle fail(const std::string &message);

  // The operand; null after an error: a handle that is not this builder's, and for an array one that is a tuple.
  const Node *value(const ComputationDataHandle &handle, const char *what);
  const Node *array(const ComputationDataHandle &handle, const char *what);
  // An array of rank 0.
  const Node *scalar(const ComputationDataHandle &handle, const char *what);

  // The node made of one operation's result, or of an array given; its shape is that of the value's type.
  ComputationDataHandle result(const Value &value);
  // The node of a value that was there before: an operation without effect.
  ComputationDataHandle same(const Node &node);
  // A tuple, or whatever has that shape.
  ComputationDataHandle result(Shape shape, Values leaves, bool readsInfeed = false);

  // The types of the arrays in a shape, depth first; an error where it is not made of arrays.
  std::vector<Type> types(const Shape &shape, const char *what);
  // "f32", of a type that checkArray has found to be one.
  std::string elementType(PrimitiveType type);
  bool checkShape(const Shape &shape, const char *what);
  // Whether a shape is that of an array.
  bool checkArray(const Shape &shape, const char *what);
  // Whether there are `rank` entries.
  bool checkCount(size_t entries, int64 rank, const char *what);
  // Whether the dimensions are unique and of an array of that rank.
  bool checkDimensions(gtl::ArraySlice<int64> dimensions, int64 rank, const char *what);

  BuilderState &state;

  // "Add at main.cpp:12".
  const std::string &place() const { return place_; }

private:
  std::string place_;
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

// What of the infeed's order a region has.
enum class Tokens {
  kNone,
  kTaken,    // a token is the last argument
  kReturned, // the last token is the last result, too
};

// A computation as that of an operation, which takes the leaves of its parameters and returns those of its result. The
// call and the computation live until the operation is made.
Region regionOf(Call &call, const Computation &computation, Tokens tokens = Tokens::kNone);
// Copies what a computation does to where operations are being added, with these values for the leaves of its
// parameters; gives the leaves of its result.
Values embed(Call &call, const Computation &computation, Span<Value> arguments, Tokens tokens = Tokens::kNone);

// "[2,3]", for messages.
std::string listText(gtl::ArraySlice<int64> values);
// The sizes of an array.
llvm::SmallVector<int64> sizesOf(const Shape &shape);

} // namespace tenon::xla_2017::internal
