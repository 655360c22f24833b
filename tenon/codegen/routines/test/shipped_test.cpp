#include "tenon/codegen/routines/shipped.h"

#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/kernel/contraction/contraction.h"
#include "tenon/codegen/kernel/conv/lowering.h"
#include "tenon/codegen/kernel/kernel_emitter.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/codegen/llvm/routines.h"
#include "tenon/ir/register.h"
#include "tenon/ir/tenon.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
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
    prepare(features);
    auto plan = matmul::planContraction(spec, target_->matmulTarget(), "kernel");
    EXPECT_TRUE(plan.ok());
    matmul::emitContraction(*plan, *module_);
    return takeRoutines(*module_, *target_);
  }

  std::vector<Routine> routinesOf(const matmul::ConvolutionSpec &spec) {
    prepare("");
    auto plan = matmul::planConvolution(spec, target_->matmulTarget(), "kernel");
    EXPECT_TRUE(plan.ok());
    matmul::emitConvolution(*plan, *module_);
    return takeRoutines(*module_, *target_);
  }

  // The routines of a kernel of elements that computes %0 to %n from %in, arrays of 517 numbers of the type.
  std::vector<Routine> routinesOf(const std::string &type, const std::string &body, const std::string &result) {
    useShippedRoutines(); // the names that ship tell which functions can be routines
    prepare("");
    std::string array = "tensor<517x" + type + ">";
    std::string text = "func.func @f(%a: " + array + ") -> " + array + " {\n%r = tenon.fusion loop(%in = %a) : (" +
                       array + ") -> " + array + " {\n" + body + "tenon.yield " + result + " : " + array +
                       "\n}\nreturn %r : " + array + "\n}\n";
    loadAllDialects(mlir_);
    auto program = mlir::parseSourceString<mlir::ModuleOp>(text, &mlir_);
    EXPECT_TRUE(program) << text;
    program->walk([&](ir::FusionOp fusion) {
      auto plan = planKernel(fusion, "kernel", *target_);
      EXPECT_TRUE(succeeded(plan) && succeeded(emitKernel(*plan, *module_, *target_)));
    });
    return takeRoutines(*module_, *target_, [](llvm::StringRef symbol) {
      return findInRoutineArchive(shippedRoutines(), symbol).has_value();
    });
  }

  void prepare(const char *features) {
    CpuTargetOptions options;
    options.cpu = GetParam();
    options.features = features;
    target_ = *CpuTarget::create(options);
    context_.setDiscardValueNames(true);
    module_ = std::make_unique<llvm::Module>("kernel", context_);
    target_->prepareModule(*module_);
  }

  // A convolution of three images of 21x27 with 40 channels, into 72 features, with 5x3 windows and as much padding as
  // keeps the size; or in groups of as many channels and features each.
  matmul::ConvolutionSpec convolution(bool channelsLast, int64_t groups = 1) {
    constexpr int64_t kHeight = 21, kWidth = 27, kChannels = 40, kFeatures = 72, kPixels = kHeight * kWidth;
    matmul::ConvolutionSpec spec;
    spec.lhs = spec.rhs = spec.out = b_.getF32Type();
    spec.batch = 3;
    spec.inputFeatures = kChannels;
    spec.outputFeatures = kFeatures;
    spec.lhsBatchStride = kPixels * kChannels;
    spec.outBatchStride = kPixels * kFeatures;
    spec.lhsFeatureStride = spec.outFeatureStride = channelsLast ? 1 : kPixels;
    spec.featureGroups = groups;
    int64_t channels = kChannels / groups;
    spec.rhsOutputFeatureStride = channelsLast ? 1 : channels * 15;
    spec.rhsInputFeatureStride = channelsLast ? kFeatures : 15;
    int64_t last = channelsLast ? kChannels : 1, lastOut = channelsLast ? kFeatures : 1;
    int64_t lastTap = channelsLast ? channels * kFeatures : 1;
    spec.spatial.push_back({kHeight, 5, kHeight, 1, 2, 2, 1, 1, false, kWidth * last, 3 * lastTap, kWidth * lastOut});
    spec.spatial.push_back({kWidth, 3, kWidth, 1, 1, 1, 1, 1, false, last, lastTap, lastOut});
    spec.outSpatialDims = {1, 2};
    spec.outFeatureDim = 3;
    return spec;
  }

  // A convolution of two images of 37x37 with 77 channels, each with a window of 5x3.
  static constexpr int64_t kDepthwiseSize = 37;
  matmul::ConvolutionSpec depthwise(int64_t stride) {
    constexpr int64_t kChannels = 77, kOut = kDepthwiseSize;
    matmul::ConvolutionSpec spec;
    spec.lhs = spec.rhs = spec.out = b_.getF32Type();
    spec.batch = 2;
    spec.inputFeatures = spec.outputFeatures = spec.featureGroups = kChannels;
    spec.lhsFeatureStride = spec.outFeatureStride = spec.rhsOutputFeatureStride = 1;
    spec.rhsInputFeatureStride = 15 * kChannels;
    int64_t size = kOut * stride, row = kOut * kChannels;
    spec.lhsBatchStride = size * size * kChannels;
    spec.outBatchStride = kOut * row;
    spec.spatial.push_back({size, 5, kOut, stride, 2, 2, 1, 1, false, size * kChannels, 3 * kChannels, row});
    spec.spatial.push_back({size, 3, kOut, stride, 1, 1, 1, 1, false, kChannels, kChannels, kChannels});
    spec.outSpatialDims = {1, 2};
    spec.outFeatureDim = 3;
    return spec;
  }

  static bool has(const std::vector<Routine> &routines, const char *name) {
    return llvm::any_of(routines, [&](const Routine &routine) {
      return llvm::StringRef(routine.symbol).starts_with(std::string("tenon.routine.") + name);
    });
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

  mlir::MLIRContext mlir_;
  mlir::Builder b_{&mlir_};
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::optional<CpuTarget> target_;
};

// Products of sizes that no one had in mind, of a single pass over k and of several.
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

TEST_P(ShippedRoutinesTest, HaveThoseOfComplexMatricesAndVectors) {
  mlir::Type type = mlir::ComplexType::get(b_.getF32Type());
  for (auto [m, k] : {std::pair<int64_t, int64_t>{36, 100}, {517, 291}, {517, 2291}, {5, 77}})
    expectShipped(routinesOf(type, type, {m, 1, k}));
}

// Types that are seldom multiplied have routines where matrices are not small.
TEST_P(ShippedRoutinesTest, HaveThoseOfRareTypes) {
  for (mlir::Type type : {mlir::Type(b_.getI32Type()), mlir::Type(mlir::ComplexType::get(b_.getF64Type()))})
    for (auto [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{201, 201, 201}, {300, 200, 250}, {517, 773, 2291}}) {
      std::vector<Routine> routines = routinesOf(type, type, {m, n, k});
      EXPECT_GE(routines.size(), 3u);
      expectShipped(routines);
    }
}

// Four vectors of columns a tile, of which one, two or three are left; less than a vector, as results of a few classes;
// and an lhs whose columns are read in place.
TEST_P(ShippedRoutinesTest, HaveWhatIsLeftOfTiles) {
  for (mlir::Type type : {mlir::Type(b_.getF32Type()), mlir::Type(b_.getBF16Type()), mlir::Type(b_.getF64Type())})
    for (int64_t n : {1300, 211, 112, 2000 + 17, 520 + 64})
      for (int64_t k : {77, 900, 2500})
        expectShipped(routinesOf(type, type, {700, n, k}));
  for (int64_t n : {2, 3, 5, 7, 300})
    for (int64_t m : {9, 700})
      expectShipped(routinesOf(b_.getF32Type(), b_.getF32Type(), {m, n, 2000}));
  matmul::ContractionSpec gram;
  gram.lhs = gram.rhs = gram.out = b_.getF32Type();
  gram.m.push_back({100, 1, 0, 100});
  gram.n.push_back({100, 0, 1, 1});
  gram.k.push_back({2500, 100, 100, 0});
  expectShipped(routinesOf(gram));
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

// All that a convolution needs: what pads its input and finds its windows, too.
TEST_P(ShippedRoutinesTest, HaveThoseOfConvolutions) {
  for (bool channelsLast : {true, false}) {
    SCOPED_TRACE(channelsLast);
    std::vector<Routine> routines = routinesOf(convolution(channelsLast));
    for (const char *name : {"pad.", "rows.", "tile.", "block."})
      EXPECT_TRUE(has(routines, name)) << name;
    expectShipped(routines);
  }
}

// Few features in each group.
TEST_P(ShippedRoutinesTest, HaveThoseOfGroupedConvolutions) {
  for (bool channelsLast : {true, false})
    for (int64_t groups : {2, 4, 8}) {
      SCOPED_TRACE(std::to_string(groups) + (channelsLast ? " last" : " first"));
      std::vector<Routine> routines = routinesOf(convolution(channelsLast, groups));
      EXPECT_TRUE(has(routines, "tile."));
      expectShipped(routines);
    }
}

// Results that do not lie in rows one after the other, as those of one phase of a transposed convolution.
TEST_P(ShippedRoutinesTest, HaveThoseOfTransposedConvolutions) {
  matmul::ConvolutionSpec spec = convolution(/*channelsLast=*/true);
  for (matmul::ConvolutionWindow &window : spec.spatial) {
    window.inputDilation = 2;
    window.padHigh = window.outputSize + window.kernelSize - 2 * window.inputSize;
  }
  std::vector<Routine> routines = routinesOf(spec);
  EXPECT_TRUE(has(routines, "finish."));
  expectShipped(routines);
}

// Channels innermost, as many as are no whole vectors. With an epilogue, or channels outside, the code is the kernel's.
TEST_P(ShippedRoutinesTest, HaveDepthwiseOnes) {
  for (int64_t stride : {1, 2}) {
    std::vector<Routine> routines = routinesOf(depthwise(stride));
    ASSERT_EQ(routines.size(), 1u);
    EXPECT_TRUE(has(routines, "depthwise."));
    expectShipped(routines);
  }
  matmul::ConvolutionSpec planes = depthwise(1);
  planes.lhsFeatureStride = planes.outFeatureStride = kDepthwiseSize * kDepthwiseSize;
  for (auto [d, window] : llvm::enumerate(planes.spatial))
    window.lhsStride = window.outStride = d == 0 ? kDepthwiseSize : 1;
  EXPECT_TRUE(routinesOf(planes).empty());
  auto plan = matmul::planConvolution(depthwise(1), target_->matmulTarget(), "kernel", /*hasEpilogue=*/true);
  ASSERT_TRUE(plan.ok());
  prepare("");
  matmul::emitConvolution(*plan, *module_, [](auto &, auto &, Element sum) { return sum; });
  EXPECT_TRUE(takeRoutines(*module_, *target_).empty());
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

// What rounds to bf16 does it by an instruction; nothing else is different.
TEST_P(ShippedRoutinesTest, HaveThoseOfProcessorsThatRoundToBf16) {
  if (llvm::StringRef(GetParam()) != "x86-64-v4")
    GTEST_SKIP() << "no such processor has the instruction";
  mlir::Type f32 = b_.getF32Type(), bf16 = b_.getBF16Type();
  const char *plain = "+avx512bf16", *tiles = "+avx512bf16,+amx-tile,+amx-bf16";
  for (auto [features, factor, out] : {std::tuple<const char *, mlir::Type, mlir::Type>{plain, f32, f32},
                                       {plain, f32, bf16},
                                       {plain, bf16, bf16},
                                       {tiles, bf16, bf16}}) {
    SCOPED_TRACE(std::string(features) + (factor.isF32() ? " f32" : " bf16") + (out.isF32() ? " f32" : " bf16"));
    expectShipped(routinesOf(factor, out, {512, 768, 1024}, features));
  }
}

// A few rows times a matrix: a routine for each number of rows, but where k is short.
TEST_P(ShippedRoutinesTest, HaveThoseOfFewRows) {
  for (int64_t m : {1, 2, 3, 8}) {
    SCOPED_TRACE(m);
    std::vector<Routine> routines = routinesOf(b_.getF32Type(), b_.getF32Type(), {m, 4099, m > 3 ? 4001 : 325});
    EXPECT_TRUE(has(routines, "stream."));
    expectShipped(routines);
  }
  for (int64_t k : {56, 63, 71, 191})
    EXPECT_TRUE(routinesOf(b_.getF32Type(), b_.getF32Type(), {3, 4096, k}).empty()) << k;
  // Complex numbers, with half of a group left.
  auto c64 = mlir::ComplexType::get(b_.getF32Type());
  std::vector<Routine> routines = routinesOf(c64, c64, {1, 100, 100});
  EXPECT_TRUE(has(routines, "stream."));
  expectShipped(routines);
  EXPECT_TRUE(routinesOf(c64, c64, {1, 1000, 100}).empty()) << "many columns, which take longer than to compile them";
  EXPECT_TRUE(routinesOf(c64, c64, {1, 100, 36}).empty()) << "too few rows beside those that are left";
  expectShipped(routinesOf(b_.getBF16Type(), b_.getBF16Type(), {1, 77, 1025}));
}

// Where tiles are long, the walk over a block is a routine; where they are short, it is a part of the kernel.
TEST_P(ShippedRoutinesTest, DoNotStandBetweenShortTiles) {
  EXPECT_FALSE(has(routinesOf(b_.getF32Type(), b_.getF32Type(), {128, 128, 7}), "block."));
  EXPECT_TRUE(has(routinesOf(b_.getF32Type(), b_.getF32Type(), {128, 128, 16}), "block."));
}

TEST_P(ShippedRoutinesTest, HaveWhatElementaryFunctionsShare) {
  struct Function {
    const char *op, *routine;
  };
  for (const char *type : {"f32", "f64", "bf16"})
    for (auto [op, routine] : {Function{"stablehlo.sine", "math.sin_huge."}, {"stablehlo.tan", "math.tan_huge."}}) {
      std::string array = std::string("tensor<517x") + type + ">";
      std::string body = "%0 = stablehlo.abs %in : " + array + "\n%1 = " + op + " %0 : " + array + "\n";
      std::vector<Routine> routines = routinesOf(type, body, "%1");
      EXPECT_TRUE(has(routines, routine)) << type;
      expectShipped(routines);
    }
  // One whose parts call each other.
  std::string types = "tensor<517xf32>, tensor<517xf32> -> tensor<517xf32>\n";
  std::vector<Routine> routines = routinesOf("f32", "%0 = chlo.polygamma %in, %in : " + types, "%0");
  for (const char *part : {"polygamma_of_floats", "zeta_of_floats", "lgamma", "zeta", "digamma", "sin_huge"})
    EXPECT_TRUE(has(routines, (std::string("math.") + part + ".").c_str())) << part;
  expectShipped(routines);
}

// Functions of which there is none that ships, as those that are called since there are many calls, and what calls one.
TEST_P(ShippedRoutinesTest, LeaveOtherFunctionsInTheKernel) {
  std::string body;
  for (int i = 0; i < 20; ++i)
    body += "%" + std::to_string(i) + " = stablehlo.cosine " + (i == 0 ? "%in" : "%" + std::to_string(i - 1)) +
            " : tensor<517xf32>\n";
  std::vector<Routine> routines = routinesOf("f32", body, "%19");
  EXPECT_TRUE(has(routines, "math.cos_huge."));
  EXPECT_FALSE(has(routines, "math.stablehlo"));
  EXPECT_TRUE(llvm::any_of(*module_, [](llvm::Function &function) {
    return !function.isDeclaration() && function.getName().starts_with("tenon.math.stablehlo.cosine.");
  }));
}

INSTANTIATE_TEST_SUITE_P(Levels, ShippedRoutinesTest, ::testing::Values("x86-64-v3", "x86-64-v4"),
                         [](const auto &info) { return std::string(info.param).substr(7); });

TEST(ShippedRoutinesSizeTest, StaysSmall) { EXPECT_LT(shippedRoutines().size(), size_t(13) << 20); }

} // namespace
} // namespace tenon::codegen
