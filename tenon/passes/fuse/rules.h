// Properties of ops that fusion asks for, and what happens to a block afterwards. The grouping is in grouping.cpp.
#pragma once

#include "tenon/ir/stablehlo.h"
#include "tenon/support/cost_model.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tenon::passes {

// How an op takes part in fusion.
enum class OpRole {
  kOpaque,   // its own kernel, runtime call or control flow
  kScalar,   // rank-0 arithmetic: the entry function computes it in registers
  kConstant, // copied into each user when small or splat
  kLoop,     // elementwise, or moves elements by an index map
  kReduce,
  kUpdate,   // dynamic_update_slice: a root that writes part of its result
  kContract, // dot_general, convolution: may take an elementwise epilogue
};
OpRole roleOf(mlir::Operation *op);

// The number of elements of a tensor of static sizes.
int64_t elementsOf(mlir::Value value);

// Ops that only move, repeat or make up elements: recomputing them costs nearly nothing.
bool isCheap(mlir::Operation *op, const CostModel &costs);

// Whether a contraction may read the op's operand instead of its result: a conversion to a wider type of what takes
// less memory traffic as it is.
bool mayPrecedeContract(mlir::Operation *op);

// Whether operand `index` of `op` may be computed inside the fusion that holds `op`. Not the table of a gather that
// takes many elements of it (at random, some many times), nor scalars (the entry function has them).
bool mayFuseOperand(mlir::Operation *op, unsigned index);

// Constants that a fusion holds itself instead of reading a buffer.
bool isEmbeddableConstant(mlir::Operation *op);

// Moves what reads an array before what updates it in place, where the order is open. (read_first.cpp)
void readBeforeUpdates(mlir::Block &block, const CostModel &costs);

// Copies operands of products whose batches are their last dimension, so that the elements of each batch lie side by
// side. (batch_order.cpp)
void orderBatches(mlir::Block &block, const CostModel &costs);
// Whether the transpose, of a product or what is elementwise of it, has the batches of the product last.
bool putsBatchesLast(stablehlo::TransposeOp op, const CostModel &costs);

// Shape without its dimensions of size one.
llvm::SmallVector<int64_t> withoutUnitDims(llvm::ArrayRef<int64_t> shape);
// Whether the reshape adds or drops dimensions of size one, and does nothing else.
bool changesUnitDims(stablehlo::ReshapeOp op);

} // namespace tenon::passes
