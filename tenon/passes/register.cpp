#include "tenon/ir/chlo.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/passes.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

#include <deque>

using namespace mlir;

namespace tenon::passes {
namespace {

struct Entry {
  std::string name, description;
  LogicalResult (*run)(ModuleOp);
};

// A pass that runs one of this folder's functions.
class FunctionPass : public PassWrapper<FunctionPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FunctionPass)

  explicit FunctionPass(const Entry &entry) : entry_(&entry) {}

  StringRef getArgument() const override { return entry_->name; }
  StringRef getDescription() const override { return entry_->description; }
  StringRef getName() const override { return entry_->name; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<chlo::ChloDialect, sdy::SdyDialect, stablehlo::StablehloDialect, ir::TenonDialect>();
  }
  void runOnOperation() override {
    if (failed(entry_->run(getOperation())))
      signalPassFailure();
  }

private:
  const Entry *entry_;
};

} // namespace

void registerPass(std::string name, std::string description, LogicalResult (*run)(ModuleOp)) {
  static std::deque<Entry> entries; // MLIR's registry points at the names
  const Entry &entry = entries.emplace_back(std::move(name), std::move(description), run);
  mlir::registerPass([&entry] { return std::make_unique<FunctionPass>(entry); });
}

} // namespace tenon::passes
