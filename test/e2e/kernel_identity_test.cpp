// Ops of a program share a kernel by what the op is (kernelKey, kernelDigest), before anything is planned: that is
// right where the plan follows from it, and from nothing around the op. So each kernel of test/e2e/programs is planned
// where it stands and in a function of its own, and plans of equal digests are compared over all programs.

#include "tenon/codegen/common/kernel_key.h"
#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/kernel/kernel_plan.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/ir/captures.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace tenon;

namespace {

std::string read(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A copy of the op that reads arguments of a function, with the constants around it that it uses.
mlir::OwningOpRef<mlir::func::FuncOp> isolate(mlir::Operation *op) {
  mlir::OpBuilder builder(op->getContext());
  llvm::SetVector<mlir::Value> operands(op->operand_begin(), op->operand_end());
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value operand : operands)
    types.push_back(operand.getType());
  mlir::OwningOpRef<mlir::func::FuncOp> function =
      mlir::func::FuncOp::create(builder.getUnknownLoc(), "alone", builder.getFunctionType(types, {}));
  builder.setInsertionPointToStart(function->addEntryBlock());
  mlir::IRMapping mapping;
  for (auto [operand, argument] : llvm::zip(operands, function->getArguments()))
    mapping.map(operand, argument);
  for (mlir::Value captured : ir::capturedValues(op))
    builder.clone(*captured.getDefiningOp(), mapping);
  builder.clone(*op, mapping)->walk([](mlir::Operation *inner) {
    inner->setLoc(mlir::UnknownLoc::get(inner->getContext()));
  });
  return function;
}

class KernelIdentity : public ::testing::Test {
protected:
  const codegen::CpuTarget &target_ = codegen::CpuTarget::host();

  std::string planOf(mlir::Operation *op) {
    auto plan = codegen::planKernel(op, "kernel", target_);
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (succeeded(plan))
      plan->print(stream);
    return text;
  }

  void check(mlir::Operation *op) {
    mlir::OwningOpRef<mlir::func::FuncOp> function = isolate(op);
    mlir::Operation *alone = &function->front().back();
    std::string digest = codegen::kernelDigest(op), plan = planOf(op);
    EXPECT_EQ(codegen::kernelDigest(alone), digest);
    EXPECT_EQ(codegen::kernelKey(alone), codegen::kernelKey(op));
    EXPECT_EQ(planOf(alone), plan);
    EXPECT_EQ(plans_.try_emplace(digest, plan).first->second, plan);
    ++kernels_;
  }

  void checkAll(mlir::ModuleOp module) {
    passes::FuseOptions options;
    options.canFuse = [&](mlir::Operation *op) { return target_.canFuse(op); };
    options.canEmit = [&](mlir::Operation *op) { return target_.canEmit(op); };
    ASSERT_TRUE(succeeded(passes::fuse(module, options)));
    module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (!mlir::isa<ir::FusionOp>(op) && !codegen::canEmitKernel(op, target_))
        return mlir::WalkResult::advance();
      if (!ir::capturesValue(op))
        check(op);
      return mlir::WalkResult::skip();
    });
  }

  std::map<std::string, std::string> plans_; // by digest
  int kernels_ = 0;
};

TEST_F(KernelIdentity, PlansFollowFromDigests) {
  for (const auto &entry : std::filesystem::directory_iterator(TENON_PROGRAMS)) {
    SCOPED_TRACE(entry.path().filename().string());
    Status status =
        compiler::withOptimizedModule(read(entry.path()), {}, [&](mlir::ModuleOp module) { checkAll(module); });
    EXPECT_TRUE(status.ok()) << status.message();
  }
  EXPECT_GT(kernels_, 200);
}

} // namespace
