// Scans of few long rows, whose blocks tell each other by messages what is before them: the bits are the same in any
// order of threads and blocks, and messages without order are noticed.

#include "test/e2e/emulated_checks_testing.h"

using namespace tenon;
using namespace tenon::testing;
using ::testing::HasSubstr;

namespace {

// The words by which blocks tell each other of their work: loads that acquire and stores that release.
std::vector<llvm::Instruction *> messagesOf(llvm::Module &module) {
  std::vector<llvm::Instruction *> found;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (instruction.isAtomic() && (llvm::isa<llvm::LoadInst>(instruction) || llvm::isa<llvm::StoreInst>(instruction)))
        found.push_back(&instruction);
  return found;
}

void dropOrder(llvm::Instruction &message) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&message))
    load->setOrdering(llvm::AtomicOrdering::Monotonic);
  else
    llvm::cast<llvm::StoreInst>(message).setOrdering(llvm::AtomicOrdering::Monotonic);
}

// Tiles of 128 elements.
codegen::GpuTargetOptions withSmallTiles() {
  codegen::GpuTargetOptions options;
  options.changeCosts = [](CostModel &costs) {
    costs.blocks.scannedPart = 256;
    costs.blocks.scanThreads = 32;
    costs.blocks.keptBytes = 16;
  };
  return options;
}

// A scan of so many elements, from the first or from the last.
std::string cumulativeSum(int64_t length, bool isReverse = false) {
  std::string type = "tensor<" + std::to_string(length) + "xf32>", rest = std::to_string(length - 1);
  return "func.func @main(%a: " + type + ") -> " + type + R"( {
    %z = stablehlo.constant dense<3.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: )" +
         std::to_string(length) + ">, padding = dense<[[" + (isReverse ? "0, " + rest : rest + ", 0") +
         R"(]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : ()" +
         type + ", tensor<f32>) -> " + type + "\n  return %0 : " + type + "\n}";
}

class EmulatedScans : public EmulatedChecks {};

// Tiles of a row by look-back, in five groups.
TEST_F(EmulatedScans, TilesOfAScanHaveTheSameBitsHoweverFarBlocksLookBack) {
  constexpr int64_t kLength = 20000;
  for (bool isReverse : {false, true}) {
    codegen::GpuTargetOptions options = withSmallTiles();
    options.checksAccesses = true;
    program::Program program;
    auto executable = load(cumulativeSum(kLength, isReverse), program, std::move(options));
    ASSERT_TRUE(executable) << failure;
    std::vector<Literal> inputs = randomInputs(program);
    auto elements = inputs[0].data<float>();
    std::vector<Bytes> first;
    for (bool isChecked : {true, false})
      for (ThreadOrder order : kOrders) {
        runtime::emulator::setChecksAccesses(isChecked);
        runtime::emulator::setThreadOrder(order);
        std::vector<Bytes> results = run(*executable, program, inputs);
        if (first.empty())
          first = results;
        EXPECT_TRUE(results == first) << "the order of threads shows";
      }
    double sum = 3, most = 0;
    const auto *scanned = reinterpret_cast<const float *>(first[0].data());
    for (int64_t i = 0; i < kLength; ++i) {
      int64_t at = isReverse ? kLength - 1 - i : i;
      sum += double(elements[size_t(at)]);
      most = std::max(most, std::abs(sum));
      ASSERT_NEAR(scanned[at], sum, 1e-5 * most) << at;
    }
  }
}

TEST_F(EmulatedScans, NoticeMessagesWithoutOrder) {
  const std::string source = cumulativeSum(70 * 128);
  size_t messages = 0;
  EXPECT_EQ(problemOf(
                source, ThreadOrder::kReverse, [&](llvm::Module &module) { messages += messagesOf(module).size(); },
                withSmallTiles()),
            "");
  EXPECT_GE(messages, 5u);
  for (size_t dropped = 0; dropped < messages; ++dropped)
    EXPECT_THAT(problemOf(
                    source, ThreadOrder::kReverse,
                    [&](llvm::Module &module) {
                      if (auto own = messagesOf(module); dropped < own.size())
                        dropOrder(*own[dropped]);
                    },
                    withSmallTiles()),
                HasSubstr("without a barrier"))
        << dropped;
}

// Maps x * m + k one after the other, of whole numbers: what is associative, but does not commute. The first are those
// that are carried.
std::string composedMaps(bool isReverse) {
  std::string text =
      R"(func.func @main(%m: tensor<3x37xi32>, %k: tensor<3x37xi32>, %c: tensor<3xi32>, %d: tensor<3xi32>)
    -> tensor<3x37xi32> {
    %0:4 = chlo.scan(%m, %k) inits(%c, %d) dimension=1 attributes {is_associative = true, is_reverse = $R} {
    ^bb0(%n: tensor<3xi32>, %l: tensor<3xi32>, %p: tensor<3xi32>, %q: tensor<3xi32>):
      %1 = stablehlo.multiply %p, %n : tensor<3xi32>
      %2 = stablehlo.multiply %q, %n : tensor<3xi32>
      %3 = stablehlo.add %2, %l : tensor<3xi32>
      stablehlo.return %1, %3, %1, %3 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
    } : (tensor<3x37xi32>, tensor<3x37xi32>, tensor<3xi32>, tensor<3xi32>)
        -> (tensor<3x37xi32>, tensor<3x37xi32>, tensor<3xi32>, tensor<3xi32>)
    %4 = stablehlo.xor %0#0, %0#1 : tensor<3x37xi32>
    %5 = stablehlo.subtract %0#2, %0#3 : tensor<3xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<3xi32>) -> tensor<3x37xi32>
    %7 = stablehlo.add %4, %6 : tensor<3x37xi32>
    return %7 : tensor<3x37xi32>
  })";
  return text.replace(text.find("$R"), 2, isReverse ? "true" : "false");
}

TEST_F(EmulatedScans, OfAnyAssociativeComputationAreNoLoops) {
  for (bool isReverse : {false, true}) {
    program::DeviceProgram device;
    codegen::GpuTargetOptions options;
    options.loops = "nodes";
    auto compiled = compiler::compileFor(emulatedTarget(&device, options), composedMaps(isReverse), {});
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    for (const program::DeviceStep &step : device.steps)
      EXPECT_FALSE(std::holds_alternative<program::LoopStep>(step.what));
    checkForm(composedMaps(isReverse));
  }
}

} // namespace
