// In which order the instructions of a program run, for memory's sake. See schedule.cpp.
#pragma once

#include "tenon/codegen/common/memory/instructions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace tenon::codegen {

// The ops of a block without its terminator, in the order in which they are to run.
using BlockOrder = std::vector<mlir::Operation *>;

// For each block of `main` where one is found: an order that keeps clearly fewer bytes alive at a time than the block's
// own. Ops with effects keep theirs, and what can be updated in place can be so afterwards. `donations` as for
// planBuffers.
std::vector<BlockOrder> findBetterOrders(mlir::func::FuncOp main, const ProgramInstructions &instructions,
                                         llvm::ArrayRef<int32_t> donations);

// Whether the one number of bytes is so much less than the other that it is worth another order.
bool isClearlyLess(int64_t bytes, int64_t before);

BlockOrder orderOf(mlir::Block &block);
void putInOrder(const BlockOrder &order);

} // namespace tenon::codegen
