// The program of a ProgramBuilder: a module that grows, and where in it operations go.
#pragma once

#include "tenon/frontend/builder/program_state.h"
#include "tenon/program_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>

namespace tenon {

// Hidden: the library shows none of MLIR's types in its symbols, although a public class declares this one.
class __attribute__((visibility("hidden"))) ProgramBuilder::Graph : public xla::internal::ProgramState {
public:
  Graph(ProgramBuilder &builder, std::shared_ptr<xla::internal::IrContext> ir, std::string name);

  Value add(mlir::Value value);
  Values add(mlir::ValueRange values);
  // What a value stands for; null, with an error, where that is nothing of this builder's, or not to be seen from where
  // operations are being added: a value of a computation that is complete. `what` is the operand's name.
  mlir::Value find(const Value &value, const std::string &place, const std::string &what);
  // The same of several. False after an error.
  bool find(const Values &values, const std::string &place, const std::string &what,
            llvm::SmallVectorImpl<mlir::Value> &found);
  // For what needs no message: null where there is none.
  mlir::Value peek(const Value &value) const;

  // Null, with an error, where the text is none.
  mlir::Type parseType(const Type &type, const std::string &place);
  mlir::Attribute parseAttribute(const std::string &text, const std::string &place, const char *name);

  // Fills a region: a block whose arguments have these types, and what the body makes of them, returned by an operation
  // of that name. False after an error.
  bool fill(mlir::Region &region, llvm::ArrayRef<mlir::Type> arguments, const Region &body, const char *terminator,
            const std::string &place, SourceLocation at);
  // Makes an operation of a description; null after an error.
  mlir::Operation *make(const Operation &operation, SourceLocation at);

  // The block may be in a region that no operation has yet.
  mlir::OpBuilder operations() {
    mlir::OpBuilder builder(&context());
    builder.setInsertionPointToEnd(blocks.back());
    return builder;
  }

  // The program as a module of its own that gives these values.
  StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> moduleOf(const Values &results);

  ProgramBuilder &builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  // The blocks that operations may use values of: a function's, and those of the computations being filled. Operations
  // go to the last one.
  llvm::SmallVector<mlir::Block *> blocks;
  std::deque<mlir::Value> values;

private:
  struct Draft;
  bool describe(const Operation &operation, Draft &draft);
  bool inferTypes(const Operation &operation, Draft &draft);
  std::string withNames(const Operation &operation, std::string errors) const;
};

} // namespace tenon
