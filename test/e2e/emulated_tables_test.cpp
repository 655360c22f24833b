// Maps of one array of elements of 16 bits, whose results are looked up in a table of all there are: the bits are those
// of a map in which threads compute each.

#include "test/e2e/emulated_checks_testing.h"

using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr int64_t kBitPatterns = 1 << 16;
// Each block's share of vectors is no multiple of what its threads have on their way at a time.
constexpr int64_t kLength = 2 * kBitPatterns + 8 * 1501;

// `body` computes %r of %a.
std::string mapOf(const std::string &from, const std::string &to, const std::string &body) {
  std::string length = "tensor<" + std::to_string(kLength) + "x";
  std::string text = "func.func @main(%a: $A) -> $R {\n" + body + "\n  return %r : $R\n}";
  for (const auto &[mark, type] : {std::pair<std::string, std::string>("$A", from), {"$R", to}, {"$F", "f32"}})
    for (size_t at; (at = text.find(mark)) != std::string::npos;)
      text.replace(at, mark.size(), length + type + ">");
  return text;
}

const std::string kActivation = mapOf("bf16", "bf16", R"(
  %0 = stablehlo.multiply %a, %a : $A
  %1 = stablehlo.tanh %0 : $A
  %2 = stablehlo.exponential %1 : $A
  %r = stablehlo.multiply %a, %2 : $A)");
// The elements are f16, and rounded to bf16 at the end; then elements that are integers.
const std::string kConverted = mapOf("f16", "bf16", R"(
  %0 = stablehlo.convert %a : ($A) -> $F
  %1 = stablehlo.sine %0 : $F
  %r = stablehlo.convert %1 : ($F) -> $R)");
const std::string kOfIntegers = mapOf("ui16", "i16", R"(
  %0 = stablehlo.convert %a : ($A) -> $F
  %1 = stablehlo.tanh %0 : $F
  %2 = stablehlo.log_plus_one %1 : $F
  %r = stablehlo.convert %2 : ($F) -> $R)");

// A GPU for which the array is large.
codegen::GpuTargetOptions withTable() {
  codegen::GpuTargetOptions options;
  options.multiprocessors = 2;
  return options;
}

// All elements that there are, NaNs among them, more than once.
Literal allElements(const program::Shape &shape) {
  std::vector<uint16_t> elements(static_cast<size_t>(kLength));
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = uint16_t(i * 40503);
  return tools::makeArray(shape, elements.data()).ConsumeValueOrDie();
}

using EmulatedTables = EmulatedChecks;

class EmulatedTablesOf : public EmulatedChecks, public ::testing::WithParamInterface<std::string> {};

TEST_P(EmulatedTablesOf, HaveTheBitsOfComputedResults) {
  program::Program program;
  size_t barriers = 0;
  auto count = [&](llvm::Module &module) { barriers += barriersOf(module).size(); };
  codegen::GpuTargetOptions plain;
  plain.change = count;
  auto byThreads = load(GetParam(), program, std::move(plain));
  ASSERT_TRUE(byThreads) << failure;
  EXPECT_EQ(barriers, 0u);
  std::vector<Literal> inputs;
  inputs.push_back(allElements(program.arguments.at(0).shape));
  std::vector<Bytes> computed = run(*byThreads, program, inputs);

  codegen::GpuTargetOptions options = withTable();
  options.checksAccesses = true;
  options.change = count;
  auto byTable = load(GetParam(), program, std::move(options));
  ASSERT_TRUE(byTable) << failure;
  EXPECT_EQ(barriers, 3u) << "an end of copies, a wait for them and a barrier";
  for (ThreadOrder order : kOrders) {
    runtime::emulator::setThreadOrder(order);
    EXPECT_TRUE(run(*byTable, program, inputs) == computed);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, EmulatedTablesOf, ::testing::Values(kActivation, kConverted, kOfIntegers));

TEST_F(EmulatedTables, NoticeBarriersThatAreMissing) {
  removeBarriers(kActivation, withTable());
  EXPECT_EQ(noticed, removed);
  EXPECT_EQ(removed, 3);
}

// Those of two arrays, of a place, and of simple operations are not looked up.
TEST_F(EmulatedTables, AreForWhatDependsOnOneElementAndTakesLong) {
  const std::string ofPlace = mapOf("bf16", "bf16", R"(
  %0 = stablehlo.iota dim = 0 : $A
  %1 = stablehlo.tanh %a : $A
  %2 = stablehlo.tanh %1 : $A
  %r = stablehlo.add %0, %2 : $A)");
  const std::string simple = mapOf("bf16", "bf16", "  %r = stablehlo.multiply %a, %a : $A");
  const std::string wide = mapOf("bf16", "f32", R"(
  %0 = stablehlo.convert %a : ($A) -> $F
  %1 = stablehlo.tanh %0 : $F
  %r = stablehlo.tanh %1 : $F)");
  for (const std::string &source : {ofPlace, simple, wide}) {
    program::Program program;
    codegen::GpuTargetOptions options = withTable();
    size_t barriers = 0;
    options.change = [&](llvm::Module &module) { barriers += barriersOf(module).size(); };
    ASSERT_TRUE(load(source, program, std::move(options))) << failure;
    EXPECT_EQ(barriers, 0u) << source;
  }
}

} // namespace
