// Kernels of rows whose sizes are no part of the code: the same bits as with sizes as constants, for any partition.
#include "tenon/codegen/llvm/loop/test/loop_testing.h"
#include "tenon/codegen/llvm/loop/test/sum_testing.h"
#include "tenon/codegen/llvm/routines.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

#include <cstring>
#include <limits>

namespace tenon::codegen::testing {
namespace {

// Aliases of the types of rows (!x), of one number a row (!r), of a column (!c) and of a number (!s), and `program`.
std::string program(int64_t rows, int64_t columns, const std::string &type, const std::string &body) {
  std::string r = std::to_string(rows) + "x", c = std::to_string(columns) + "x";
  return "!x = tensor<" + r + c + type + ">\n!r = tensor<" + r + type + ">\n!c = tensor<" + c + type +
         ">\n!s = tensor<" + type + ">\n" + body;
}

std::string reduction(const char *combiner, const char *init, const char *dims, const std::string &result) {
  return "func.func @main(%a: !x) -> " + result + " {\n%r = tenon.fusion reduce(%in = %a) : (!x) -> " + result +
         " {\n%i = stablehlo.constant dense<" + init +
         "> : !s\n%0 = stablehlo.reduce(%in init: %i) applies stablehlo." + combiner + " across dimensions = [" + dims +
         "] : (!x, !s) -> " + result + "\ntenon.yield %0 : " + result + "\n}\nreturn %r : " + result + "\n}";
}

constexpr const char *kSoftmax = R"(func.func @main(%a: !x) -> !x {
  %r = tenon.fusion rows(%in = %a) : (!x) -> !x {
    %low = stablehlo.constant dense<-1.0e30> : !s
    %zero = stablehlo.constant dense<0.0> : !s
    %1 = stablehlo.reduce(%in init: %low) applies stablehlo.maximum across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (!r) -> !x
    %3 = stablehlo.subtract %in, %2 : !x
    %4 = stablehlo.exponential %3 : !x
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (!r) -> !x
    %7 = stablehlo.divide %4, %6 : !x
    tenon.yield %7 : !x
  }
  return %r : !x
})";

constexpr const char *kNorm = R"(func.func @main(%a: !x, %b: !c) -> (!x, !r) {
  %r:2 = tenon.fusion rows(%in = %a, %scale = %b) : (!x, !c) -> (!x, !r) {
    %zero = stablehlo.constant dense<0.0> : !s
    %count = stablehlo.constant dense<769.0> : !r
    %small = stablehlo.constant dense<1.0e-5> : !r
    %1 = stablehlo.multiply %in, %in : !x
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %3 = stablehlo.divide %2, %count : !r
    %4 = stablehlo.add %3, %small : !r
    %5 = stablehlo.rsqrt %4 : !r
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (!r) -> !x
    %7 = stablehlo.multiply %in, %6 : !x
    %8 = stablehlo.broadcast_in_dim %scale, dims = [1] : (!c) -> !x
    %9 = stablehlo.multiply %7, %8 : !x
    tenon.yield %9, %3 : !x, !r
  }
  return %r#0, %r#1 : !x, !r
})";

struct Case {
  int64_t rows, columns;
  const char *type;
  std::string body;
};

// Rows of whole vectors and others, sums in trees, and sums in parts.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{70, 1024}, {12, 33000}, {1501, 1001}}) {
    std::string sumOfRows = reduction("add", "0.0", "1", "!r"), sumOfAll = reduction("add", "0.0", "0, 1", "!s");
    for (const std::string &body : {sumOfRows, sumOfAll, reduction("add", "0.0", "0", "!c"),
                                    reduction("maximum", "-1.0", "1", "!r"), std::string(kSoftmax), std::string(kNorm)})
      all.push_back({rows, columns, "f32", body});
    for (const std::string &body : {sumOfRows, sumOfAll})
      all.push_back({rows, columns, "f64", body});
    all.push_back({rows, columns, "bf16", kSoftmax});
    all.push_back({rows, columns, "i32", reduction("minimum", "7", "0", "!c")});
  }
  return all;
}

// Whether the target's code of the kernel calls a routine.
bool hasRoutine(const LoopKernel &kernel) { return kernel.ir.find("tenon-routine-if-shipped") != std::string::npos; }

void putSpecialValues(Bytes &input, const char *type) {
  if (std::strcmp(type, "f32") != 0)
    return;
  const float values[] = {-0.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::denorm_min(),
                          std::numeric_limits<float>::quiet_NaN()};
  for (size_t i = 0; i < std::size(values); ++i)
    std::memcpy(&input[(i * 7919 + 5) * sizeof(float) % input.size() / 4 * 4], &values[i], sizeof(float));
}

TEST(RowRoutines, HaveTheBitsOfTheKernelsOwnCode) {
  setenv("TENON_TEST_DUMP", "1", 1); // for LoopKernel::ir
  std::vector<Case> all = cases();
  for (const CpuTarget *target : sumTargets()) {
    std::vector<std::vector<Bytes>> inputs, expected;
    for (const Case &test : all) {
      LoopKernel own(program(test.rows, test.columns, test.type, test.body), *target);
      ASSERT_TRUE(own.ok()) << own.error;
      ASSERT_FALSE(hasRoutine(own));
      inputs.push_back(own.randomInputs(3));
      putSpecialValues(inputs.back().front(), test.type);
      expected.push_back(own.run(inputs.back()));
    }
    RoutineStore::ofProcess().shipAnyName(true);
    for (auto [test, input, wanted] : llvm::zip(all, inputs, expected)) {
      SCOPED_TRACE(test.body + " of " + std::to_string(test.rows) + "x" + std::to_string(test.columns) + test.type);
      LoopKernel routine(program(test.rows, test.columns, test.type, test.body), *target);
      ASSERT_TRUE(routine.ok()) << routine.error;
      EXPECT_TRUE(hasRoutine(routine));
      for (int64_t piece : {0, 1, 3})
        EXPECT_EQ(routine.run(input, piece), wanted);
    }
    RoutineStore::ofProcess().shipAnyName(false);
  }
}

// The code of loops of a turn or two had better know how many it is.
TEST(RowRoutines, AreNotOfShortRows) {
  setenv("TENON_TEST_DUMP", "1", 1);
  RoutineStore::ofProcess().shipAnyName(true);
  LoopKernel shortRows(program(1000, 24, "i32", reduction("maximum", "0", "1", "!r")), CpuTarget::host());
  LoopKernel shortColumns(program(6, 4000, "i32", reduction("maximum", "0", "0", "!c")), CpuTarget::host());
  LoopKernel longRows(program(1000, 2400, "i32", reduction("maximum", "0", "1", "!r")), CpuTarget::host());
  EXPECT_FALSE(hasRoutine(shortRows));
  EXPECT_FALSE(hasRoutine(shortColumns));
  EXPECT_TRUE(hasRoutine(longRows));
  RoutineStore::ofProcess().shipAnyName(false);
}

// What the attribute of the kernel's routine is.
std::string attribute(const LoopKernel &kernel, const std::string &name) {
  std::string start = '"' + name + "\"=\"";
  size_t at = kernel.ir.find(start);
  return at == std::string::npos
             ? ""
             : kernel.ir.substr(at + start.size(), kernel.ir.find('"', at + start.size()) - at - start.size());
}

// Code for any sizes is longer, so it is written only where it ships.
TEST(RowRoutines, AreNotWrittenIfTheyDoNotShip) {
  setenv("TENON_TEST_DUMP", "1", 1);
  std::string text = program(7000, 50, "f32", reduction("add", "0.0", "0", "!c"));
  RoutineStore &store = RoutineStore::ofProcess();
  store.shipAnyName(true);
  LoopKernel any(text, CpuTarget::host());
  store.shipAnyName(false);
  ASSERT_TRUE(hasRoutine(any));
  std::string name = attribute(any, "tenon-routine"), symbol = attribute(any, "tenon-routine-symbol");
  std::string other = makeRoutineArchive({{"tenon.routine." + name + ".0", "an object"}});
  std::string same = makeRoutineArchive({{symbol, "an object"}});
  store.ship(other);
  LoopKernel own(text, CpuTarget::host());
  store.ship(same);
  LoopKernel shipped(text, CpuTarget::host());
  store.ship("");
  EXPECT_FALSE(hasRoutine(own));
  EXPECT_EQ(own.ir.find(".sizes"), std::string::npos);
  EXPECT_LT(own.ir.size(), shipped.ir.size());
  EXPECT_TRUE(hasRoutine(shipped));
}

} // namespace
} // namespace tenon::codegen::testing
