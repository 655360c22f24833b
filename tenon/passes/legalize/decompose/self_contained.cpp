#include "tenon/passes/legalize/decompose/self_contained.h"
#include "tenon/passes/legalize/decompose/patterns.h"
#include "tenon/passes/passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

LogicalResult expandLibraryCalls(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    // Computations on single elements hold no arrays to work on.
    if (isa<sh::FftOp, sh::CholeskyOp, sh::TriangularSolveOp>(op) && !isInComputation(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    Value result = llvm::TypeSwitch<Operation *, Value>(op)
                       .Case([&](sh::FftOp fft) { return expandFft(fft, builder); })
                       .Case([&](sh::CholeskyOp cholesky) { return expandCholesky(cholesky, builder); })
                       .Case([&](sh::TriangularSolveOp solve) { return expandTriangularSolve(solve, builder); });
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
  return success();
}

} // namespace tenon::passes
