// Values that are transposes of others, and ops that are computed in the order of dimensions of these.
#pragma once

#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace tenon::passes {

// permutation[i]: the dimension before that becomes the i-th one.
using Permutation = llvm::SmallVector<int64_t, 6>;

Permutation inverse(llvm::ArrayRef<int64_t> permutation);
// The permutation of transpose_outer(transpose_inner(x)).
Permutation composed(llvm::ArrayRef<int64_t> outer, llvm::ArrayRef<int64_t> inner);
bool isIdentity(llvm::ArrayRef<int64_t> permutation);
// Where each of the numbers comes among them.
Permutation orderOf(llvm::ArrayRef<int64_t> numbers);

// Goes through a block, and has ops that read transposes be computed in the order before them, as far as a pass knows
// them; their results are transposes, too. What it does not know reads them as they were.
class TransposeSinker {
public:
  explicit TransposeSinker(mlir::Block &block) : block_(block), builder_(block.getParentOp()->getContext()) {}
  virtual ~TransposeSinker() = default;

  void run();

protected:
  // What a value is the transpose of.
  struct Moved {
    mlir::Value value;
    Permutation permutation;
  };

  // Whether the op, one of static shapes with one result, is computed in another order now, by one of the functions
  // below.
  virtual bool sink(mlir::Operation *op) = 0;
  // Called with each op behind that, and with each that was made.
  virtual void note(mlir::Operation * /*op*/) {}
  // Called with each value that has become a transpose.
  virtual void noteMoved(mlir::Value /*value*/, llvm::ArrayRef<int64_t> /*permutation*/) {}
  // Called with each transpose that had to be made.
  virtual void noteTransposed(mlir::Value /*transposed*/) {}

  bool readsMoved(mlir::Operation *op) const;
  const Moved *movedTo(mlir::Value value) const;

  // `op` is the transpose of `value`, which is new or was there.
  bool replace(mlir::Operation *op, mlir::Value value, Permutation permutation);
  // A copy of the op with these operands, whose result is the one of which the op's is the transpose.
  mlir::Value cloned(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<int64_t> permutation);
  static mlir::RankedTensorType typeBefore(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  // The value of which this one is the transpose by the permutation.
  mlir::Value before(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  mlir::Value reshaped(mlir::Value value, mlir::RankedTensorType type);
  mlir::Value transposed(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  // The dimensions of what the value is the transpose of; its own if it is none.
  llvm::SmallVector<int64_t> dimsBefore(mlir::Value value, llvm::ArrayRef<int64_t> dims) const;
  int64_t dimBefore(mlir::Value value, int64_t dim) const;

  // One that reads a transpose and is elementwise, a reduction of one array, a broadcast, a transpose, or a reshape
  // that adds or drops dimensions of size one; false for others.
  bool sinkCommon(mlir::Operation *op);

  mlir::Block &block_;
  mlir::OpBuilder builder_;
  llvm::DenseMap<mlir::Value, Moved> moved_;

private:
  // In the order of the first operand that is a transpose; the others, if they aren't, are transposed back.
  bool sinkElementwise(mlir::Operation *op);
  bool sinkReduce(stablehlo::ReduceOp op);
  // Its result stays in its order, and is read in another one if need be.
  bool sinkBroadcast(stablehlo::BroadcastInDimOp op);
  bool sinkReshape(stablehlo::ReshapeOp op);
  mlir::Value beforeReshape(stablehlo::ReshapeOp reshape, llvm::ArrayRef<int64_t> permutation);
  void readTransposed(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, mlir::Value> made_; // the transposes that others read
  llvm::SmallVector<mlir::Operation *> replaced_;
};

} // namespace tenon::passes
