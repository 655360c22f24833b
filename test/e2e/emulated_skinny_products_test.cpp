// Products of few rows or columns, on a GPU that the host plays: in every order of their dimensions, of every type,
// with what is computed on the way, in one phase and in parts of k.

#include "test/e2e/emulated_checks_testing.h"
#include "test/e2e/program_texts.h"
#include "test/gpu/loop_programs.h"

#include <limits>

using namespace tenon;
using namespace tenon::testing;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

struct SkinnyCase {
  std::string name, source;
  std::string plan;        // part of what the plan says
  int multiprocessors = 0; // 0: as many as most chips have
};

void PrintTo(const SkinnyCase &skinny, std::ostream *os) { *os << skinny.name; }

std::string vectorProduct(int64_t rows, int64_t k, bool isVectorFirst, const std::string &element) {
  std::string matrix = tensor(isVectorFirst ? Sizes{k, rows} : Sizes{rows, k}, element);
  std::string vector = tensor({k}, element), result = tensor({rows}, element);
  return mainOf("%a: " + matrix + ", %b: " + vector,
                std::string("%r = stablehlo.dot_general ") +
                    (isVectorFirst ? "%b, %a, contracting_dims = [0] x [0] : (" + vector + ", " + matrix
                                   : "%a, %b, contracting_dims = [1] x [0] : (" + matrix + ", " + vector) +
                    ") -> " + result,
                result);
}

// Some rows have an infinity or NaNs.
constexpr const char *kEdges = R"(
  func.func @main(%a: tensor<3x44xf32>, %b: tensor<44x36xf32>) -> tensor<3x36xf32> {
    %i = stablehlo.iota dim = 1 : tensor<3x44xf32>
    %j = stablehlo.iota dim = 0 : tensor<3x44xi32>
    %one = stablehlo.constant dense<1> : tensor<3x44xi32>
    %infinities = stablehlo.log %i : tensor<3x44xf32>
    %c = stablehlo.constant dense<-1.0> : tensor<3x44xf32>
    %m = stablehlo.add %i, %c : tensor<3x44xf32>
    %nans = stablehlo.sqrt %m : tensor<3x44xf32>
    %p = stablehlo.compare EQ, %j, %one : (tensor<3x44xi32>, tensor<3x44xi32>) -> tensor<3x44xi1>
    %q = stablehlo.compare GT, %j, %one : (tensor<3x44xi32>, tensor<3x44xi32>) -> tensor<3x44xi1>
    %0 = stablehlo.select %p, %infinities, %a : tensor<3x44xi1>, tensor<3x44xf32>
    %1 = stablehlo.select %q, %nans, %0 : tensor<3x44xi1>, tensor<3x44xf32>
    %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0]
      : (tensor<3x44xf32>, tensor<44x36xf32>) -> tensor<3x36xf32>
    return %2 : tensor<3x36xf32>
  })";

// Operands that are converted on the way in, a bias, and what becomes of the sums; in batches.
constexpr const char *kFused = R"(
  func.func @main(%a: tensor<2x5x72xbf16>, %b: tensor<2x72x40xbf16>, %c: tensor<40xf32>) -> tensor<2x5x40xbf16> {
    %x = stablehlo.convert %a : (tensor<2x5x72xbf16>) -> tensor<2x5x72xf32>
    %y = stablehlo.convert %b : (tensor<2x72x40xbf16>) -> tensor<2x72x40xf32>
    %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<2x5x72xf32>, tensor<2x72x40xf32>) -> tensor<2x5x40xf32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<40xf32>) -> tensor<2x5x40xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x5x40xf32>
    %3 = stablehlo.tanh %2 : tensor<2x5x40xf32>
    %4 = stablehlo.convert %3 : (tensor<2x5x40xf32>) -> tensor<2x5x40xbf16>
    return %4 : tensor<2x5x40xbf16>
  })";

// Two dimensions of k, of which neither operand has one run, and a result that is transposed.
constexpr const char *kRuns = R"(
  func.func @main(%a: tensor<7x12x5xf32>, %b: tensor<5x33x12xf32>) -> tensor<33x7xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1, 2] x [2, 0]
      : (tensor<7x12x5xf32>, tensor<5x33x12xf32>) -> tensor<7x33xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<7x33xf32>) -> tensor<33x7xf32>
    return %1 : tensor<33x7xf32>
  })";

const SkinnyCase kCases[] = {
    {"MatrixTimesVector", vectorProduct(150, 520, false, "f32"), "of 1 rows by 2, vectors of 4 along k, 128 of 256"},
    {"VectorTimesMatrix", vectorProduct(300, 200, true, "f32"), "of 1 rows by 16, vectors of 4 across k, 64 of 256"},
    {"VectorOfBf16", vectorProduct(40, 520, false, "bf16"), "vectors of 8 along k"},
    {"VectorOfF64", vectorProduct(70, 130, true, "f64"), "vectors of 2 across k"},
    {"VectorOfOddLength", vectorProduct(37, 101, false, "f32"), "vectors of 1 along k"},
    {"VectorTimesOddMatrix", vectorProduct(37, 101, true, "f32"), "vectors of 1 across k"},
    {"FewRows", product({5, 100}, {100, 132}, 1, 0, "f32", "f32"), "of 5 rows by 32, vectors of 4 across k"},
    {"FewRowsTransposed", product({100, 6}, {100, 132}, 0, 0, "f32", "f32"), "of 6 rows by 32, vectors of 4 across k"},
    {"FewRowsOfRows", product({7, 100}, {130, 100}, 1, 1, "f32", "f32"), "of 7 rows by 8, vectors of 4 along k, 32"},
    {"ManyColumnsOfRows", product({8, 64}, {600, 64}, 1, 1, "f32", "f32"), "of 8 rows by 64, vectors of 4 along k, 16",
     2},
    {"FewColumns", product({90, 68}, {68, 3}, 1, 0, "f32", "f32"), "of 3 columns by"},
    {"FewColumnsTransposed", product({68, 92}, {3, 68}, 0, 1, "f32", "f32"), "of 3 columns by"},
    {"SixteenRows", product({16, 96}, {96, 64}, 1, 0, "f32", "f32"), "of 16 rows by"},
    {"SixteenRowsOfF64", product({16, 96}, {96, 64}, 1, 0, "f64", "f64"), "of 16 rows by"},
    {"ThirteenRowsOfRows", product({13, 96}, {64, 96}, 1, 1, "f32", "f32"), "of 13 rows by"},
    {"FewRowsOfF16", product({8, 96}, {96, 136}, 1, 0, "f16", "f16"), "of 8 rows by 64, vectors of 8 across k"},
    {"FewRowsOfRowsOfF16", product({8, 96}, {136, 96}, 1, 1, "f16", "f32"), "vectors of 8 along k"},
    {"FewRowsOfInt8", product({3, 96}, {96, 64}, 1, 0, "i8", "i32"), "of 3 rows by"},
    {"FewRowsOfRowsOfUint8", product({8, 96}, {40, 96}, 1, 1, "ui8", "i32"), "of 8 rows by"},
    {"FiveRowsOfInt8", product({5, 96}, {96, 32}, 1, 0, "i8", "i32"), "of 5 rows by 32, vectors of 8 across k"},
    {"SevenRowsOfRowsOfUint8", product({7, 96}, {40, 96}, 1, 1, "ui8", "i32"), "vectors of 8 along k"},
    {"FewRowsOfInt32", product({5, 64}, {64, 40}, 1, 0, "i32", "i32"), "of 5 rows by"},
    {"FewRowsOfInt64", product({4, 64}, {40, 64}, 1, 1, "i64", "i64"), "of 4 rows by"},
    {"FewRowsOfComplex", product({3, 64}, {64, 40}, 1, 0, "complex<f32>", "complex<f32>"), "of 3 rows by"},
    {"FewRowsOfRowsOfComplex", product({5, 66}, {40, 66}, 1, 1, "complex<f64>", "complex<f64>"), "of 5 rows by"},
    {"FewSteps", product({8, 6}, {6, 500}, 1, 0, "f32", "f32"), "of 8 rows by"},
    {"FewOfAll", product({4, 1030}, {1030, 4}, 1, 0, "f32", "f32"),
     "of 4 rows by 4, vectors of 4 across k, 256 of 256"},
    {"Parts", product({4, 5000}, {5000, 16}, 1, 0, "f32", "f32"), "parts of k"},
    {"PartsOfRows", product({2, 9000}, {3, 9000}, 1, 1, "f32", "f32"), "parts of k"},
    {"PartsOfBf16", product({8, 9000}, {9000, 16}, 1, 0, "bf16", "bf16"), "parts of k"},
    {"Edges", kEdges, "of 3 rows by"},
    {"Fused", kFused, "of 5 rows by"},
    {"Runs", kRuns, "skinny product of 7"},
};

class EmulatedSkinnyProducts : public EmulatedChecks {
protected:
  static codegen::GpuTargetOptions optionsOf(int multiprocessors) {
    codegen::GpuTargetOptions options;
    options.chip = "sm_90a";
    options.multiprocessors = multiprocessors;
    return options;
  }

  std::string planOf(const std::string &source, int multiprocessors = 0) {
    std::string plans;
    compiler::CompileOptions options;
    options.dumpAfter = {"plan"};
    options.dump = [&](std::string_view, std::string_view text) { plans += text; };
    auto compiled = compiler::compileFor(emulatedTarget(nullptr, optionsOf(multiprocessors)), source, options);
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    return plans;
  }
};

class EmulatedSkinnyCases : public EmulatedSkinnyProducts, public ::testing::WithParamInterface<SkinnyCase> {};

TEST_P(EmulatedSkinnyCases, AreAsTheInterpreters) {
  EXPECT_THAT(planOf(GetParam().source, GetParam().multiprocessors), HasSubstr(GetParam().plan));
  checkForm(GetParam().source, optionsOf(GetParam().multiprocessors));
}

INSTANTIATE_TEST_SUITE_P(Programs, EmulatedSkinnyCases, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

// More rows and columns are tiles; of types that warps multiply, more than eight are.
TEST_F(EmulatedSkinnyProducts, AreOfFewRowsAlone) {
  auto isSkinny = [&](int64_t rows, const std::string &element) {
    return planOf(product({rows, 96}, {96, 64}, 1, 0, element, element)).find("skinny") != std::string::npos;
  };
  EXPECT_TRUE(isSkinny(16, "f32"));
  EXPECT_FALSE(isSkinny(17, "f32"));
  EXPECT_TRUE(isSkinny(8, "bf16"));
  EXPECT_FALSE(isSkinny(9, "bf16"));
  EXPECT_THAT(planOf(product({9, 96}, {96, 64}, 1, 0, "bf16", "bf16")), HasSubstr("by warps"));
}

// A chip of few multiprocessors has work without parts of k, and short parts are none.
TEST_F(EmulatedSkinnyProducts, HavePartsOfKWhereBlocksAreFew) {
  EXPECT_THAT(planOf(product({4, 5000}, {5000, 16}, 1, 0, "f32", "f32"), 2), Not(HasSubstr("parts of k")));
  EXPECT_THAT(planOf(product({4, 500}, {500, 16}, 1, 0, "f32", "f32")), Not(HasSubstr("parts of k")));
}

TEST_F(EmulatedSkinnyProducts, NoticeBarriersThatAreMissing) {
  removeBarriers(product({5, 100}, {100, 132}, 1, 0, "f32", "f32"));
  EXPECT_EQ(removed, 1);
  EXPECT_EQ(noticed, removed);
}

// Vectors that a matrix multiplies again and again.
std::string powerLoop(int size) {
  std::string text = R"(func.func @main(%m: tensor<$Nx$Nxf32>, %a: tensor<$Nxf32>) -> tensor<$Nxf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %end = stablehlo.constant dense<5> : tensor<i32>
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<$Nxf32>
      cond { %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %c : tensor<i1> }
      do { %n = stablehlo.add %i, %one : tensor<i32>
           %p = stablehlo.dot_general %m, %x, contracting_dims = [1] x [0]
             : (tensor<$Nx$Nxf32>, tensor<$Nxf32>) -> tensor<$Nxf32>
           %q = stablehlo.multiply %p, %p : tensor<$Nxf32>
           %s = stablehlo.reduce(%q init: %f) applies stablehlo.add across dimensions = [0]
             : (tensor<$Nxf32>, tensor<f32>) -> tensor<f32>
           %r = stablehlo.rsqrt %s : tensor<f32>
           %b = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> tensor<$Nxf32>
           %y = stablehlo.multiply %p, %b : tensor<$Nxf32>
           stablehlo.return %n, %y : tensor<i32>, tensor<$Nxf32> }
    return %0#1 : tensor<$Nxf32> })";
  return replaceAll(text, "$N", std::to_string(size));
}

// The product of five rows, three times.
std::string rowsLoop(int columns = 128) {
  return replaceAll(productLoop(5, columns), "stablehlo.reshape %l : (tensor<1xi32>) -> tensor<i32>",
                    "stablehlo.constant dense<3> : tensor<i32>");
}

class EmulatedSkinnyLoops : public EmulatedSkinnyProducts {
protected:
  // Whether the kernel of the program's loop has products by blocks, whose lanes exchange sums.
  bool hasBlockProducts(const std::string &source, const std::string &form) {
    codegen::GpuTargetOptions options;
    options.chip = "sm_90a";
    options.loops = form;
    bool exchanges = false;
    options.change = [&](llvm::Module &module) {
      exchanges |= module.getName().starts_with("loop_") && module.getFunction("tenon_emu_shuffle_xor");
    };
    program::DeviceProgram device;
    auto compiled = compiler::compileFor(emulatedTarget(&device, options), source, {});
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    return exchanges;
  }
};

// Clusters, too, where a block has many columns at once.
TEST_F(EmulatedSkinnyLoops, HaveProductsByBlocks) {
  const std::pair<std::string, const char *> cases[] = {
      {powerLoop(132), "grid"}, {rowsLoop(), "grid"}, {rowsLoop(), "cluster2"}, {rowsLoop(), "cluster8"}};
  for (const auto &[source, form] : cases) {
    EXPECT_TRUE(hasBlockProducts(source, form)) << form;
    codegen::GpuTargetOptions options;
    options.chip = "sm_90a";
    options.loops = form;
    checkForm(source, options);
  }
}

// More rows are tiles, and what is too little for a block's threads is shared out among them.
TEST_F(EmulatedSkinnyLoops, HaveTilesOfMoreRows) {
  EXPECT_FALSE(hasBlockProducts(productLoop(64, 128), "grid"));
  EXPECT_FALSE(hasBlockProducts(productLoop(2, 4), "grid"));
}

// Between the sums of warps, behind each of a block's tasks, and between steps. Two others are for loops of no
// iteration, and for those of so many that the team looks whether it is to end.
TEST_F(EmulatedSkinnyLoops, NoticeBarriersThatAreMissing) {
  codegen::GpuTargetOptions options;
  options.chip = "sm_90a";
  options.loops = "cluster2";
  size_t barriers = 0, unnoticed = 0;
  auto problemWithout = [&](size_t number) {
    auto remove = [&](llvm::Module &module) {
      std::vector<llvm::Instruction *> found = barriersOf(module);
      barriers = std::max(barriers, found.size());
      if (number < found.size())
        found[number]->eraseFromParent();
    };
    return problemOf(rowsLoop(512), ThreadOrder::kForward, remove, options);
  };
  EXPECT_EQ(problemWithout(std::numeric_limits<size_t>::max()), "");
  EXPECT_GE(barriers, 5u);
  for (size_t number = 0; number < barriers; ++number)
    unnoticed += problemWithout(number).empty();
  EXPECT_EQ(unnoticed, 2u);
}

} // namespace
