// Collectives that are on their way while the program goes on: they begin as soon as their operands are there, and are
// waited for where their results are first needed. See overlap.cpp.
#pragma once

#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/codegen/common/memory/schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace tenon::codegen {

// The custom call that waits for what has begun. It takes the results of the collective, of which its backend_config
// has the number (`results`), and then its operands, so that neither's memory is used for anything else meanwhile.
inline constexpr llvm::StringLiteral kAwaitTarget = "tenon.await";

// More than so many bytes are not on their way at a time, operands and results together.
inline constexpr int64_t kMaxOverlapBytes = int64_t(32) << 20;

// Marks a collective that goes on until it is waited for (unit).
inline constexpr llvm::StringLiteral kStartedAttribute = "tenon.started";
bool isAwait(mlir::Operation *op);
// The results that an await waits for.
mlir::ValueRange awaitedBy(mlir::Operation *await);

struct Overlap {
  mlir::Operation *collective = nullptr, *await = nullptr;
};

// Moves collectives of `main` to where they can begin, and puts a call of kAwaitTarget before the first op that needs
// their results, where there is anything to compute in between. `before`: the order of the blocks that are changed.
std::vector<Overlap> overlapCollectives(mlir::func::FuncOp main, const ProgramInstructions &instructions,
                                        std::vector<BlockOrder> &before);

// Takes the mark and the await away again; the order is then the caller's to put back.
void undo(const Overlap &overlap);

} // namespace tenon::codegen
