// How far two executions of a program must agree on each of its values, from the program alone.
//
// Elementwise arithmetic is correctly rounded everywhere, so that most of a program must agree to the bit. Elementary
// functions are a rounding error apart, and sums may associate as they like (docs/semantics.md): what they give is
// kRounded, and so is what continuous ops make of that. An op that jumps, as floor and compare do, may turn the least
// difference into any: what it makes of a rounded value is kOpen. Such ops are left out of generated programs; reduced
// ones may come to have them.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tenon::checking {

enum class Agreement : uint8_t { kExact, kRounded, kOpen };

// What an op does to differences of its operands, and where it rounds itself.
enum class Behaviour : uint8_t {
  kMoves,      // copies elements
  kContinuous, // correctly rounded
  kJumps,      // correctly rounded, not continuous
  kFunction,   // a rounding error of the result
  kBranched,   // the same, not continuous or not everywhere
  kSums,       // rounding errors of the size of the operands
};
Behaviour behaviourOf(mlir::Operation *op);

// Whether an op folds elements by its regions in an order that is not defined.
bool foldsInAnyOrder(mlir::Operation *op);

// Whether a region that folds elements rounds, so that the order of folding shows.
bool roundsWhenFolded(mlir::Region &body);

// Whether a region that folds elements is seen to be associative: each result is an argument, or one op on two of them.
// That of a scan has each result twice.
bool isAssociative(mlir::Region &body);

class AgreementAnalysis {
public:
  // Callees are looked up in `module`. `open`: ops about whose results nothing is known.
  explicit AgreementAnalysis(mlir::ModuleOp module, llvm::DenseSet<mlir::Operation *> open = {})
      : module_(module), open_(std::move(open)) {}

  // Ops of a block in order; arguments that were not set are exact.
  void visit(mlir::Block &block);
  void visit(mlir::Operation *op);
  Agreement of(mlir::Value value) const { return agreements_.lookup(value); }
  // Before an op is erased: its values' addresses will be those of others.
  void forget(mlir::Operation *op);

private:
  void raise(mlir::Value value, Agreement agreement);
  void raiseAll(mlir::ValueRange values, Agreement agreement);
  Agreement ofAll(mlir::ValueRange values) const;
  void visitCall(mlir::Operation *op, llvm::StringRef callee);
  void visitBranches(mlir::Operation *op);
  void visitWhile(mlir::Operation *op);
  void visitScan(mlir::Operation *op);
  void visitFold(mlir::Operation *op);
  void visitBody(mlir::Operation *op);
  void visitSort(mlir::Operation *op);

  mlir::ModuleOp module_;
  llvm::DenseSet<mlir::Operation *> open_;
  llvm::DenseSet<mlir::Operation *> entered_;         // functions whose calls are being visited
  llvm::DenseMap<mlir::Value, Agreement> agreements_; // kExact when absent
};

} // namespace tenon::checking
