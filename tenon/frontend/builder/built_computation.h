// The contents of a public Computation: a StableHLO module, and the shapes of its `main`.
#pragma once

#include "tenon/computation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace tenon::xla_2017::internal {

// The context of a builder, its sub-builders, and what they built; the dialects are loaded. Single-threaded: its owners
// are used by one thread at a time, and a built module is only read.
struct IrContext {
  IrContext();
  mlir::MLIRContext context;
};

// `main` takes the arrays inside the parameters, depth first, and returns those inside the result. Where it reads the
// infeed the token of its order begins with the one create_token of its block, and ends with the block's last token.
class BuiltComputation {
public:
  BuiltComputation(std::shared_ptr<IrContext> ir, mlir::OwningOpRef<mlir::ModuleOp> module, std::string name,
                   ProgramShape shape);
  ~BuiltComputation();

  const std::string &name() const { return name_; }
  const ProgramShape &shape() const { return shape_; }
  const std::shared_ptr<IrContext> &ir() const { return ir_; }
  mlir::ModuleOp module() const { return module_.get(); }
  mlir::func::FuncOp main() const;
  bool readsInfeed() const;

  // MLIR bytecode.
  const std::string &bytecode() const;
  // The same of a program that says which grid it is for. An error where it says another already, or has collectives
  // that do not fit the grid.
  StatusOr<std::string> bytecodeFor(int64 num_replicas, int64 num_partitions) const;

  // Something of a client's that lives as long as the computation, by a key of the client's; made by the first call.
  std::shared_ptr<void> attachment(const std::string &key, std::shared_ptr<void> (*make)()) const;

private:
  // Before the module, which lives in it.
  std::shared_ptr<IrContext> ir_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::string name_;
  ProgramShape shape_;
  mutable std::mutex mutex_;
  mutable std::string bytecode_;
  mutable std::map<std::string, std::shared_ptr<void>> attachments_;
};

// The type that an array has in a program; null where no array has the shape.
mlir::RankedTensorType tensorTypeOf(mlir::MLIRContext &context, const Shape &array);
// The array that a value of a type is, or the tuple; arrays are static and not quantized.
StatusOr<Shape> shapeOf(mlir::Type type);
// Shapes of `main`, whose types must be arrays of known sizes, and tuples and futures of such.
StatusOr<ProgramShape> programShapeOf(mlir::func::FuncOp main);

} // namespace tenon::xla_2017::internal
