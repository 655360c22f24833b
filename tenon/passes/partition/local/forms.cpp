// Which op has which form.
#include "tenon/passes/partition/local/forms.h"

#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/partition/transforms.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

bool cutNothing(Operation *, const ir::Factors &, size_t, int64_t) { return false; }

// Dimensions of which each element is in one place of operands and results.
LocalForm passThrough() { return {}; }

LocalForm nothing() { return {.canCut = cutNothing}; }

} // namespace

LocalForm formOf(Operation *op, bool isInProcess) {
  if (op->hasTrait<ir::Elementwise>())
    return passThrough();
  return llvm::TypeSwitch<Operation *, LocalForm>(op)
      .Case<sh::TransposeOp, sh::ReshapeOp, sh::BroadcastInDimOp, sh::BitcastConvertOp, sh::CholeskyOp,
            sh::TriangularSolveOp, sh::MapOp, sh::BatchNormInferenceOp, sh::AllReduceOp, sh::AllGatherOp,
            sh::AllToAllOp, sh::ReduceScatterOp, sh::CollectivePermuteOp, sh::CollectiveBroadcastOp>(
          [](Operation *) { return passThrough(); })
      .Case([](sh::FftOp) { return LocalForm{.remedy = remedyOfTransform}; })
      .Case([](sh::ConvolutionOp) { return convolutionForm(); })
      .Case([](sh::ConcatenateOp) { return concatenateForm(); })
      .Case([](sh::ReverseOp) { return reverseForm(); })
      .Case([](sh::PadOp) { return padForm(); })
      .Case([](sh::ReduceWindowOp) { return reduceWindowForm(); })
      .Case([](sh::DotGeneralOp) { return dotForm(); })
      .Case([](sh::ReduceOp op) { return reduceForm(op); })
      .Case([](chlo::RaggedDotOp) { return raggedDotForm(); })
      .Case([](sh::SelectAndScatterOp) { return selectAndScatterForm(); })
      .Case([](sh::SliceOp) { return sliceForm(); })
      .Case([&](sh::SortOp) { return sortForm(isInProcess); })
      .Case([](sh::DynamicSliceOp) { return dynamicSliceForm(); })
      .Case([](chlo::TopKOp) { return topKForm(); })
      .Case([](chlo::ScanOp) { return scanForm(); })
      .Case([](sh::RngBitGeneratorOp) { return randomBitsForm(); })
      .Case([](sh::DynamicUpdateSliceOp) { return updateForm(); })
      .Case([](sh::GatherOp) { return gatherForm(); })
      .Case([](sh::ScatterOp op) { return scatterForm(op); })
      .Default([](Operation *op) {
        bool saysSo = op->hasAttr("sdy.sharding_rule"); // what it computes of a part, the program promises
        return saysSo ? passThrough() : nothing();
      });
}

} // namespace tenon::passes::partition
