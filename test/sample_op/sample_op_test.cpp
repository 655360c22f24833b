// Two ops that the project does not have, chlo.softsign and chlo.rotate, in a compiler that has them: the product's
// files with what softsign.txt and rotate.txt add to them (docs/adding-an-op.md).
#include "test/e2e/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tenon::testing {
namespace {

std::unique_ptr<runtime::LoadedProgram> load(const std::string &source) {
  compiler::CompileOptions options;
  options.verifyStages = true;
  auto program = compileAndLoad(source, options);
  EXPECT_TRUE(program.ok()) << program.status().message() << source;
  return program.ok() ? *std::move(program) : nullptr;
}

// A function of x, of this type.
std::string functionOf(const std::string &type, const std::string &body) {
  return "func.func @main(%x: " + type + ") -> " + type + " {\n" + body + "\n  return %r : " + type + "\n}\n";
}

std::vector<float> resultOf(const std::string &source, const std::vector<float> &x) {
  auto program = load(source);
  if (!program)
    return {};
  llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(x.data()), x.size() * sizeof(float));
  auto results = testing::run(*program, {bytes});
  EXPECT_TRUE(results.ok()) << results.status().message();
  if (!results.ok())
    return {};
  std::vector<float> values(results->front().size() / sizeof(float));
  std::memcpy(values.data(), results->front().data(), results->front().size());
  return values;
}

void expectAsInterpreted(const std::string &source) {
  auto program = load(source);
  ASSERT_TRUE(program);
  std::vector<xla::Literal> inputs = randomInputs(program->program());
  auto actual = runNative(*program, inputs), expected = runReference(source, inputs, program->program());
  ASSERT_TRUE(actual.ok() && expected.ok()) << actual.status().message() << expected.status().message();
  compareArrays(actual->front(), expected->front(), source);
}

TEST(SampleOp, ComputesElements) {
  std::vector<float> x = {0.0f, -0.0f, 1, -3, 0.25f, INFINITY, -INFINITY, NAN};
  std::vector<float> y =
      resultOf(functionOf("tensor<8xf32>", "  %r = chlo.softsign %x : tensor<8xf32> -> tensor<8xf32>"), x);
  ASSERT_EQ(y.size(), x.size());
  EXPECT_THAT(std::vector<float>(y.begin(), y.end() - 1), ::testing::ElementsAre(0, 0, 0.5f, -0.75f, 0.2f, 1, -1));
  EXPECT_TRUE(std::signbit(y[1]) && std::isnan(y[7]));
}

TEST(SampleOp, MovesElements) {
  std::vector<float> x = {1, 2, 3, 4, 5, 6};
  auto rotated = [&](const std::string &dimension, const std::string &amount) {
    return resultOf(functionOf("tensor<2x3xf32>", "  %r = chlo.rotate %x dim = " + dimension + " by " + amount +
                                                      " : tensor<2x3xf32> -> tensor<2x3xf32>"),
                    x);
  };
  EXPECT_THAT(rotated("1", "1"), ::testing::ElementsAre(3, 1, 2, 6, 4, 5));
  EXPECT_THAT(rotated("1", "-4"), ::testing::ElementsAre(2, 3, 1, 5, 6, 4));
  EXPECT_THAT(rotated("0", "3"), ::testing::ElementsAre(4, 5, 6, 1, 2, 3));
}

TEST(SampleOp, AgreesWithTheInterpreter) {
  for (std::string element : {"f32", "f64", "bf16", "f8E4M3FN"}) {
    std::string type = "tensor<5x37x" + element + ">";
    expectAsInterpreted(functionOf(type, "  %r = chlo.softsign %x : " + type + " -> " + type));
    expectAsInterpreted(functionOf(type, "  %r = chlo.rotate %x dim = 1 by 9 : " + type + " -> " + type));
  }
}

// Their records say how they take part in fusion and in the report.
TEST(SampleOp, IsFusedAndCounted) {
  std::string type = "tensor<16x64xf32>";
  std::string source = functionOf(type, "  %0 = chlo.softsign %x : " + type + " -> " + type +
                                            "\n  %1 = chlo.rotate %0 dim = 1 by 3 : " + type + " -> " + type +
                                            "\n  %r = stablehlo.add %1, %x : " + type);
  auto program = load(source);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->program().report.kernels.size(), 1u);
  EXPECT_EQ(program->program().report.flops, 2 * 16 * 64);
  EXPECT_EQ(program->program().report.transcendentals, 0);
  expectAsInterpreted(source);
}

TEST(SampleOp, IsRefusedWhereItsRulesAreBroken) {
  auto program = compileAndLoad(
      functionOf("tensor<4xf32>", "  %r = chlo.rotate %x dim = 1 by 3 : tensor<4xf32> -> tensor<4xf32>"), {});
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(std::string(program.status().message()), ::testing::HasSubstr("operand has no dimension 1"));
}

} // namespace
} // namespace tenon::testing
