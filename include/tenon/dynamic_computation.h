// StableHLO programs whose sizes are open: dimensions that their types do not say (tensor<?x3xf32>), and sizes that
// are arguments. A computation has arrays of known sizes; there is one for each set of sizes.
//
//   auto program = xla::DynamicComputation::FromStableHlo(text).ConsumeValueOrDie();
//   auto computation = program->Specialize({ShapeUtil::MakeShape(F32, {8, 3})}).ConsumeValueOrDie();
//   client->ExecuteAndTransfer(*computation, {x.get()});
#pragma once

#include "tenon/computation.h"
#include "tenon/xla_namespace.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::xla_2017 {

// A parameter of a program. A dimension that its type leaves open is -1.
struct DynamicParameter {
  std::string name;
  PrimitiveType element_type = PRIMITIVE_TYPE_INVALID;
  std::vector<int64> dimensions;
  // A size of the program follows from the parameter's elements: an integer, or a list of integers.
  bool decides_sizes = false;
};

// What is known of an argument before the program is compiled: the elements of an integer, or of a list of integers.
struct KnownArgument {
  int64 parameter = 0;
  std::vector<int64> elements;
};

// All members may be called from any thread, many at a time.
class TENON_API DynamicComputation {
public:
  // A program as Computation::FromStableHlo takes it, with the same errors. The arrays inside tuples and futures are
  // parameters of their own.
  static StatusOr<std::unique_ptr<DynamicComputation>> FromStableHlo(tensorflow::StringPiece program,
                                                                     const std::string &file_name = "<program>",
                                                                     const std::string &entry = "");
  // Computations that it gave live on.
  ~DynamicComputation();
  DynamicComputation(const DynamicComputation &) = delete;
  DynamicComputation &operator=(const DynamicComputation &) = delete;

  // By their numbers.
  const std::vector<DynamicParameter> &parameters() const;
  // Whether there is something open, so that Computation::FromStableHlo and compiling its result would not do.
  bool is_open() const;

  // The computation for arguments of these shapes, one for each parameter, and of those elements that decide sizes; of
  // other parameters `known` does not count. It takes all arguments; a run with other elements of those that decide
  // sizes is an error. The same one for the same shapes and elements, as long as it is among the 64 used last.
  //
  // kInvalidArgument for shapes that the parameters do not have; kUnimplemented where a size is not known, or where a
  // result's size is one that only a run knows; and the errors of the program's own checks of shapes.
  StatusOr<std::shared_ptr<const Computation>> Specialize(gtl::ArraySlice<Shape> arguments,
                                                          gtl::ArraySlice<KnownArgument> known = {});

private:
  struct State;
  explicit DynamicComputation(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace tenon::xla_2017
