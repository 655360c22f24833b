// Programs that check themselves: those of tenon/tools/test compiled with and without optimisation, and every check on
// every element type, where the native code and the interpreter must say the same.

#include "test/execution.h"

#include "tenon/frontend/import/import.h"
#include "tenon/interpreter/interpreter.h"
#include "tenon/ir/register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tenon;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

Status runCompiled(const std::string &source, llvm::ArrayRef<llvm::ArrayRef<uint8_t>> arguments, bool optimize) {
  compiler::CompileOptions options;
  options.optimize = optimize;
  options.verifyStages = true;
  auto program = tenon::testing::compileAndLoad(source, options);
  return program.ok() ? tenon::testing::run(**program, arguments).status() : program.status();
}

Status runInterpreted(const std::string &source, llvm::ArrayRef<llvm::ArrayRef<uint8_t>> arguments) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  auto module = frontend::importModule(source, context);
  if (!module)
    return invalidArgument("cannot be read");
  std::vector<interpreter::Value> values;
  auto types = module->lookupSymbol<mlir::func::FuncOp>("main").getArgumentTypes();
  for (auto [type, bytes] : llvm::zip_equal(types, arguments))
    values.emplace_back(*interpreter::Tensor::fromBytes(mlir::cast<mlir::RankedTensorType>(type), bytes));
  return interpreter::interpret(*module, "main", values, {}).status();
}

TEST(Checks, PassInEveryProgram) {
  for (const auto &entry : std::filesystem::directory_iterator(TENON_SELF_CHECKING)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    for (bool optimize : {true, false})
      EXPECT_EQ(runCompiled(text.str(), {}, optimize).message(), "") << entry.path();
    EXPECT_EQ(runInterpreted(text.str(), {}).message(), "") << entry.path();
  }
}

struct Type {
  const char *name;
  int64_t bytes;
  unsigned bits = 8; // that count in a byte of a type narrower than one
};

class ChecksOf : public ::testing::TestWithParam<Type> {};

// Two arrays of any bits, one of them with some elements of the other.
TEST_P(ChecksOf, SayTheSame) {
  constexpr int64_t kCount = 40;
  const Type &type = GetParam();
  std::vector<uint8_t> actual(size_t(kCount * type.bytes)), expected;
  uint32_t state = 12345;
  for (uint8_t &byte : actual)
    byte = uint8_t((state = state * 1664525 + 1013904223) >> 24) & ((1U << type.bits) - 1);
  if (type.name[0] == 'i' && type.bits > 1)
    for (uint8_t &byte : actual)
      byte = uint8_t(int8_t(byte << (8 - type.bits)) >> (8 - type.bits));
  expected = actual;
  for (int64_t i = 7; i < kCount; i += 5)
    expected[size_t(i * type.bytes)] ^= 1;
  for (const char *check : {"expect_eq", "expect_almost_eq", "eq", "expect_close"}) {
    std::string call = std::string("check.") + check, array = std::string("tensor<8x5x") + type.name + ">";
    std::string source = "func.func @main(%x: " + array + ", %y: " + array + ") { stablehlo.custom_call @" + call +
                         "(%x, %y) : (" + array + ", " + array + ") -> () return }";
    for (bool optimize : {true, false})
      EXPECT_TRUE(runCompiled(source, {actual, actual}, optimize).ok()) << call;
    EXPECT_TRUE(runInterpreted(source, {actual, actual}).ok()) << call;
    Status interpreted = runInterpreted(source, {actual, expected});
    if (std::string(check) == "expect_eq")
      EXPECT_THAT(interpreted.message(), HasSubstr("check.expect_eq: element [1, 2] is "));
    for (bool optimize : {true, false}) {
      Status compiled = runCompiled(source, {actual, expected}, optimize);
      EXPECT_EQ(compiled.code(), interpreted.code()) << call;
      std::string message = compiled.message().substr(0, compiled.message().find(" (at "));
      EXPECT_THAT(interpreted.message(), HasSubstr(message));
      EXPECT_THAT(message, ::testing::AnyOf("", StartsWith(call + ": element [")));
    }
  }
}

constexpr Type kTypes[] = {
    {"i1", 1, 1},         {"i2", 1, 2},  {"i4", 1, 4},      {"i8", 1},           {"i16", 2},
    {"i32", 4},           {"i64", 8},    {"ui2", 1, 2},     {"ui4", 1, 4},       {"ui8", 1},
    {"ui16", 2},          {"ui32", 4},   {"ui64", 8},       {"f4E2M1FN", 1, 4},  {"f6E2M3FN", 1, 6},
    {"f6E3M2FN", 1, 6},   {"f8E3M4", 1}, {"f8E4M3", 1},     {"f8E4M3FN", 1},     {"f8E4M3FNUZ", 1},
    {"f8E4M3B11FNUZ", 1}, {"f8E5M2", 1}, {"f8E5M2FNUZ", 1}, {"f8E8M0FNU", 1},    {"bf16", 2},
    {"f16", 2},           {"f32", 4},    {"f64", 8},        {"complex<f32>", 8}, {"complex<f64>", 16}};

INSTANTIATE_TEST_SUITE_P(Types, ChecksOf, ::testing::ValuesIn(kTypes), [](const auto &info) {
  std::string name = info.param.name;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

} // namespace
