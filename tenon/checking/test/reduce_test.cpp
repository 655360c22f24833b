#include "tenon/checking/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::checking {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

interpreter::Tensor zeros(mlir::RankedTensorType type, uint64_t /*number*/) {
  return {type.getShape(), type.getElementType()};
}

// A chain of additions, with a tangent of arrays behind so many of them.
std::string chain(int length, int position) {
  std::string text = "func.func @main(%v0: tensor<99xf32>) -> tensor<99xf32> {\n";
  for (int i = 0; i < length; ++i) {
    std::string from = "%v" + std::to_string(i);
    text += "%v" + std::to_string(i + 1) + " = stablehlo." +
            (i == position ? "tanh " + from : "add " + from + ", " + from) + " : tensor<99xf32>\n";
  }
  return text + "return %v" + std::to_string(length) + " : tensor<99xf32>\n}\n";
}

TEST(Reduce, CutsLongProgramsInHalves) {
  int tries = 0;
  auto fails = [&](const std::string &program) {
    ++tries;
    return program.find("stablehlo.tanh") != std::string::npos;
  };
  std::string reduced = reduceProgram(chain(1000, 700), zeros, fails, 60);
  EXPECT_THAT(reduced, HasSubstr("stablehlo.tanh"));
  EXPECT_THAT(reduced, Not(HasSubstr("stablehlo.add")));
  EXPECT_LT(tries, 60);
}

// What two parts of a program do together stays together.
TEST(Reduce, KeepsAllThatIsNeeded) {
  auto fails = [](const std::string &program) {
    return llvm::StringRef(program).count("stablehlo.tanh") == 2 && program.find("99") != std::string::npos;
  };
  std::string twice = chain(40, 10);
  twice.replace(twice.find("add %v30, %v30"), 14, "tanh %v30");
  std::string reduced = reduceProgram(twice, zeros, fails, 60);
  EXPECT_EQ(llvm::StringRef(reduced).count("stablehlo.tanh"), 2U) << reduced;
  EXPECT_THAT(reduced, Not(HasSubstr("stablehlo.add")));
}

} // namespace
} // namespace tenon::checking
