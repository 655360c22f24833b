#include "tenon/codegen/routines/shipped.h"

#include "tenon/codegen/cpu/contraction/contraction.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/codegen/llvm/routines.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

namespace tenon::codegen {
namespace {

class ShippedRoutinesTest : public ::testing::TestWithParam<const char *> {
protected:
  struct Product {
    int64_t m, n, k;
  };

  std::vector<Routine> routinesOf(mlir::Type factor, mlir::Type out, Product product, const char *features = "") {
    auto [m, n, k] = product;
    matmul::ContractionSpec spec;
    spec.lhs = spec.rhs = factor;
    spec.out = out;
    spec.m.push_back({m, k, 0, n});
    spec.n.push_back({n, 0, 1, 1});
    spec.k.push_back({k, 1, n, 0});
    return routinesOf(spec, features);
  }

  std::vector<Routine> routinesOf(const matmul::ContractionSpec &spec, const char *features = "") {
    CpuTargetOptions options;
    options.cpu = GetParam();
    options.features = features;
    target_ = *CpuTarget::create(options);
    auto plan = matmul::planContraction(spec, matmulTarget(*target_), "kernel");
    EXPECT_TRUE(plan.ok());
    context_.setDiscardValueNames(true);
    module_ = std::make_unique<llvm::Module>("kernel", context_);
    target_->prepareModule(*module_);
    matmul::emitContraction(*plan, *module_);
    return takeRoutines(*module_, *target_);
  }

  // That the library has each, as it would be compiled.
  void expectShipped(const std::vector<Routine> &routines) {
    RoutineStore store;
    store.ship(shippedRoutines());
    for (const Routine &routine : routines) {
      RoutineStore::Object shipped = store.find(routine.symbol, nullptr);
      ASSERT_TRUE(shipped) << routine.symbol;
      StatusOr<std::string> made = compileModule(*routine.module, *routine.targetFor(&*target_));
      ASSERT_TRUE(made.ok());
      EXPECT_EQ(*made, *shipped) << routine.symbol;
    }
  }

  static bool hasBlock(const std::vector<Routine> &routines) {
    return llvm::any_of(routines, [](const Routine &routine) {
      return llvm::StringRef(routine.symbol).starts_with("tenon.routine.block.");
    });
  }

  mlir::MLIRContext mlir_;
  mlir::Builder b_{&mlir_};
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::optional<CpuTarget> target_;
};

// Of sizes that no one had in mind, of a single pass over k and of several.
constexpr std::tuple<int64_t, int64_t, int64_t> kProducts[] = {{517, 773, 291}, {517, 773, 2291}, {77, 61, 67}};

TEST_P(ShippedRoutinesTest, AreThoseThatWouldBeCompiled) {
  for (auto [factor, out] : {std::pair<mlir::Type, mlir::Type>{b_.getF32Type(), b_.getF32Type()},
                             {b_.getF64Type(), b_.getF64Type()},
                             {b_.getBF16Type(), b_.getBF16Type()},
                             {b_.getF16Type(), b_.getF16Type()},
                             {b_.getIntegerType(8), b_.getI32Type()}})
    for (auto [m, n, k] : kProducts) {
      std::vector<Routine> routines = routinesOf(factor, out, {m, n, k});
      EXPECT_GE(routines.size(), 3u);
      expectShipped(routines);
    }
}

// 3x3 windows, channels last: of a single pass, of passes of whole runs and of passes of their parts.
TEST_P(ShippedRoutinesTest, HaveTilesOfWindows) {
  for (int64_t channels : {48, 384, 4096}) {
    matmul::ContractionSpec spec;
    spec.lhs = spec.rhs = spec.out = b_.getF32Type();
    int64_t n = 256;
    spec.m = {{4, 484 * channels, 0, 400 * n}, {20, 22 * channels, 0, 20 * n}, {20, channels, 0, n}};
    spec.n = {{n, 0, 1, 1}};
    spec.k = {{3, 22 * channels, 3 * channels * n, 0}, {3, channels, channels * n, 0}, {channels, 1, n, 0}};
    SCOPED_TRACE(channels);
    std::vector<Routine> routines = routinesOf(spec);
    llvm::erase_if(routines, [](const Routine &r) { return r.symbol.find(".tile.") == std::string::npos; });
    EXPECT_FALSE(routines.empty());
    expectShipped(routines);
  }
}

TEST_P(ShippedRoutinesTest, HaveTilesOfAmx) {
  if (llvm::StringRef(GetParam()) != "x86-64-v4")
    GTEST_SKIP() << "no such processor has AMX";
  for (auto [type, features] : {std::pair<mlir::Type, const char *>{b_.getBF16Type(), "+amx-tile,+amx-bf16"},
                                {b_.getF32Type(), "+amx-tile,+amx-bf16"}}) {
    std::vector<Routine> routines = routinesOf(type, b_.getF32Type(), {512, 768, 1024}, features);
    EXPECT_EQ(llvm::any_of(routines, [](const Routine &r) { return r.symbol.find(".amx.") != std::string::npos; }),
              type.isBF16());
    expectShipped(routines);
  }
}

// Where tiles are long, the walk over a block is a routine; where they are short, it is a part of the kernel.
TEST_P(ShippedRoutinesTest, DoNotStandBetweenShortTiles) {
  EXPECT_FALSE(hasBlock(routinesOf(b_.getF32Type(), b_.getF32Type(), {128, 128, 16})));
  EXPECT_TRUE(hasBlock(routinesOf(b_.getF32Type(), b_.getF32Type(), {128, 128, 512})));
}

INSTANTIATE_TEST_SUITE_P(Levels, ShippedRoutinesTest, ::testing::Values("x86-64-v3", "x86-64-v4"),
                         [](const auto &info) { return std::string(info.param).substr(7); });

TEST(ShippedRoutinesSizeTest, StaysSmall) { EXPECT_LT(shippedRoutines().size(), size_t(8) << 20); }

} // namespace
} // namespace tenon::codegen
