// What a loop inside of a kernel carries from one iteration to the next.
#pragma once

#include "tenon/codegen/llvm/loop/evaluator.h"
#include "tenon/ir/elementwise_loop.h"

namespace tenon::codegen::loop {

// A part of a kernel's result that each iteration stores.
struct WrittenPart {
  stablehlo::DynamicUpdateSliceOp update;
  unsigned output; // number among the kernel's
};

// Values, and parts of results in memory. Results that nobody reads are not written.
struct CarriedValues {
  llvm::SmallVector<unsigned> numbers; // of the values
  llvm::SmallVector<mlir::Type> types; // of their elements
  llvm::SmallVector<WrittenPart> parts;

  CarriedValues(stablehlo::WhileOp loop, const KernelSource &source) {
    for (mlir::OpResult result : loop->getResults()) {
      unsigned number = result.getResultNumber();
      if (stablehlo::DynamicUpdateSliceOp update = ir::writtenPart(loop, number)) {
        for (auto [output, value] : llvm::enumerate(source.outputs))
          if (value == result)
            parts.push_back({update, static_cast<unsigned>(output)});
        continue;
      }
      numbers.push_back(number);
      types.push_back(elementTypeOf(result));
    }
  }
};

// What an iteration writes of results at an index of the loop's elements. All is evaluated before any is stored, since
// a result may share memory with what is read.
class WrittenElements {
public:
  WrittenElements(LoopEvaluator &evaluator, stablehlo::WhileOp loop, llvm::ArrayRef<mlir::AffineExpr> index,
                  llvm::ArrayRef<WrittenPart> parts);
  void store();

private:
  IndexVector indexIn(WrittenPart part);

  LoopEvaluator &evaluator_;
  stablehlo::WhileOp loop_;
  llvm::ArrayRef<mlir::AffineExpr> index_;
  llvm::ArrayRef<WrittenPart> parts_;
  Elements elements_;
};

} // namespace tenon::codegen::loop
