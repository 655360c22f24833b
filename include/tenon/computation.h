// A computation that has been built: a function of shaped parameters, to be run or used by other computations.
#pragma once

#include "tenon/shape.h"
#include "tenon/xla_namespace.h"

#include <memory>
#include <string>

namespace tenon::xla_2017 {

namespace internal {
class BuiltComputation;
} // namespace internal

// Immutable, and cheap to copy: copies share the program. Usable by any number of executions and builders, from any
// thread.
class TENON_API Computation {
public:
  // The empty computation: what BuildAndNoteError returns after an error. Using it is an error.
  Computation();
  // Makes a computation of what a builder built; for the library itself.
  explicit Computation(std::shared_ptr<const internal::BuiltComputation> built);
  // Shares the program.
  Computation(const Computation &);
  // Shares the program of what a builder returned; the empty computation of null. (xla-operation-semantics,
  // "ReduceWindow", whose `max` is a Computation; inventory X-11)
  Computation(std::unique_ptr<Computation> built);
  // Shares the program; what was held before goes with its last copy, compiled code included.
  Computation &operator=(const Computation &);
  // With the last copy the program is freed, and what services compiled of it.
  ~Computation();

  // The computation itself, so that `*max` says the same whether `max` is a Computation or a pointer to one, as it is
  // in the two documents. (xla-operation-semantics, "ReduceWindow"; inventory X-11)
  const Computation &operator*() const { return *this; }

  // Whether this is the empty computation.
  bool IsNull() const { return !built_; }
  // The name given to the builder; empty of the empty computation, as the shape is.
  const std::string &name() const;
  // The parameters' shapes, with the layouts that they were made with, and names, by number, and the result's shape. An
  // execution's arguments may have other layouts.
  const ProgramShape &program_shape() const;

  // A StableHLO program in any form: text, MLIR bytecode, portable artifact, what jax.export writes. Its function
  // `entry` is the computation; empty: `main`, otherwise the only public one, otherwise the only one. A tuple or a
  // future that it takes or gives is a tuple of its arrays, and so are several results. Parameters are called as their
  // locations say, otherwise p0, p1, .... Errors name the place in the program and the rule that it breaks.
  static StatusOr<std::unique_ptr<Computation>> FromStableHlo(tensorflow::StringPiece program,
                                                              const std::string &file_name = "<program>",
                                                              const std::string &entry = "");
  // As StableHLO in MLIR's textual form.
  std::string ToStableHloText() const;
  // As a portable artifact of a version of StableHLO ("1.9.0"; empty: the newest known).
  StatusOr<std::string> ToPortableArtifact(const std::string &version = "") const;

  // For the library itself; null of the empty computation.
  const std::shared_ptr<const internal::BuiltComputation> &built() const { return built_; }

private:
  std::shared_ptr<const internal::BuiltComputation> built_;
};

} // namespace tenon::xla_2017
