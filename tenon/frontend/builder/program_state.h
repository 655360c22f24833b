// What every builder of programs has: the context, a name, the first error, and how operations are located and checked.
#pragma once

#include "tenon/frontend/builder/built_computation.h"
#include "tenon/literal.h"
#include "tenon/source_location.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace tenon::xla_2017::internal {

struct ProgramState {
  ProgramState(std::shared_ptr<IrContext> ir, std::string name) : ir(std::move(ir)), name(std::move(name)) {}

  mlir::MLIRContext &context() { return ir->context; }
  bool failed() const { return error.has_value(); }
  // Keeps the first; ends the process in the mode that does.
  void fail(Status status);
  // The same for a call: "axpy: Add at main.cpp:12: message".
  void fail(const std::string &place, const std::string &message);
  // The location of what a call makes: "axpy/Add" at the place of the call.
  mlir::Location locationOf(llvm::StringRef method, SourceLocation at);
  // "Add at main.cpp:12".
  std::string placeOf(llvm::StringRef method, SourceLocation at) const;

  // The call of an interface that stands on the builder's functions: what these are called for, and where.
  struct Caller {
    std::string method;
    SourceLocation at;
  };

  std::shared_ptr<IrContext> ir;
  std::string name;
  bool dieImmediately = false;
  std::optional<Status> error;
  // While there is one, locations and errors name it, whatever is called.
  std::optional<Caller> caller;
};

// The errors that the function reports to the context on this thread; what it returns where it fails without one is
// `otherwise`. Empty where it succeeds.
std::string errorsOf(mlir::MLIRContext &context, llvm::function_ref<llvm::LogicalResult()> function,
                     const char *otherwise);
// Those of the operation's verifier, which checks the specification's constraints.
std::string errorsOf(mlir::Operation *op);

// The elements of an array in any layout; the type is that of the literal's shape.
mlir::DenseElementsAttr elementsOf(mlir::RankedTensorType type, const Literal &literal);

} // namespace tenon::xla_2017::internal
