#include "tenon/ir/chlo.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/partition/partition.h"
#include "tenon/passes/passes.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace tenon::passes {
namespace {

// A pass that runs one of this folder's functions.
class FunctionPass : public PassWrapper<FunctionPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FunctionPass)
  using Run = std::function<LogicalResult(ModuleOp)>;

  FunctionPass(StringRef argument, StringRef description, Run run)
      : argument_(argument), description_(description), run_(std::move(run)) {}

  StringRef getArgument() const override { return argument_; }
  StringRef getDescription() const override { return description_; }
  StringRef getName() const override { return argument_; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<chlo::ChloDialect, sdy::SdyDialect, stablehlo::StablehloDialect, ir::TenonDialect>();
  }
  void runOnOperation() override {
    if (failed(run_(getOperation())))
      signalPassFailure();
  }

private:
  StringRef argument_, description_; // string literals
  Run run_;
};

// Every op the grouping knows fuses; what a target can emit is for the pipeline to ask.
LogicalResult fuseAnything(ModuleOp module) {
  FuseOptions options;
  options.canFuse = options.canEmit = [](Operation *) { return true; };
  return fuse(module, options);
}

struct Entry {
  const char *argument, *description;
  LogicalResult (*run)(ModuleOp);
};

constexpr Entry kPasses[] = {
    {"tenon-expand-custom-calls", "turn custom calls with a computation into ordinary ops", expandCustomCalls},
    {"tenon-import-shardings", "make shardings of annotations in XLA's notation", importShardings},
    {"tenon-inline", "replace calls and composites by the callee's body", inlineCalls},
    {"tenon-outline-manual-computations", "make a module of each computation written for one of several devices",
     outlineManualComputations},
    {"tenon-annotate-factors", "say of every op how its operands' and results' dimensions belong together",
     annotateFactors},
    {"tenon-propagate-shardings", "spread shardings over all values, as Shardy does", propagateShardings},
    {"tenon-partition", "make of a program for a mesh of devices one for a single device of it", partitionProgram},
    {"tenon-promote-computations", "convert the operands of reductions that compute in a wider type",
     promoteComputations},
    {"tenon-lower-quantized", "turn arithmetic on quantized values into arithmetic on their storage", lowerQuantized},
    {"tenon-refine-shapes", "make dynamic shapes static", refineShapes},
    {"tenon-lower-layouts", "take arguments and give results as they lie in the caller's memory", lowerLayouts},
    {"tenon-lower-open-layouts", "give results of open layouts as they lie best", lowerOpenLayouts},
    {"tenon-decompose", "rewrite ops that are compositions of others", decompose},
    {"tenon-expand-library-calls", "rewrite runtime calls into ops with kernels", expandLibraryCalls},
    {"tenon-simplify", "simplify algebra, shapes and indexing; fold constants; remove common subexpressions", simplify},
    {"tenon-simplify-loops", "move what does not change out of while loops, and make scalars of few numbers",
     simplifyLoops},
    {"tenon-strip-barriers", "remove barriers and annotations", stripBarriers},
    {"tenon-strip-sinks", "remove calls that do nothing when a program runs", stripSinks},
    {"tenon-fuse", "group ops into fusions", fuseAnything},
};

} // namespace

void registerPasses() {
  for (const Entry &entry : kPasses)
    mlir::registerPass(
        [&entry] { return std::make_unique<FunctionPass>(entry.argument, entry.description, entry.run); });
}

} // namespace tenon::passes
