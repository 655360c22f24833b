// Products on a GPU that the host plays, in the forms that large ones have: with more shared memory than blocks have
// without being given it.

#include "test/e2e/emulated_checks_testing.h"
#include "test/e2e/program_texts.h"

using namespace tenon;
using namespace tenon::testing;
using ::testing::HasSubstr;

namespace {

// In some blocks, and of some tiles of k more than there are stages.
constexpr const char *kProduct = R"(
  func.func @main(%a: tensor<2x136x168xbf16>, %b: tensor<2x168x152xbf16>, %c: tensor<152xf32>)
      -> tensor<2x136x152xbf16> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<2x136x168xbf16>, tensor<2x168x152xbf16>) -> tensor<2x136x152xf32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<152xf32>) -> tensor<2x136x152xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x136x152xf32>
    %3 = stablehlo.convert %2 : (tensor<2x136x152xf32>) -> tensor<2x136x152xbf16>
    return %3 : tensor<2x136x152xbf16>
  })";

// k is dense in each operand, or the other dimension is, and blocks have 64 columns, 128 or 256.
constexpr const char *kDense = R"(
  func.func @main(%a: tensor<130x104xf16>, %b: tensor<250x104xf16>) -> tensor<130x250xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]
      : (tensor<130x104xf16>, tensor<250x104xf16>) -> tensor<130x250xf32>
    return %0 : tensor<130x250xf32>
  })";
constexpr const char *kTransposed = R"(
  func.func @main(%a: tensor<456x136xbf16>, %b: tensor<456x120xbf16>) -> tensor<136x120xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0]
      : (tensor<456x136xbf16>, tensor<456x120xbf16>) -> tensor<136x120xf32>
    return %0 : tensor<136x120xf32>
  })";
constexpr const char *kIntegers = R"(
  func.func @main(%a: tensor<70x144xi8>, %b: tensor<72x144xi8>) -> tensor<70x72xi32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]
      : (tensor<70x144xi8>, tensor<72x144xi8>) -> tensor<70x72xi32>
    return %0 : tensor<70x72xi32>
  })";
constexpr const char *kUnsigned = R"(
  func.func @main(%a: tensor<70x64xui8>, %b: tensor<130x64xui8>) -> tensor<70x130xi32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]
      : (tensor<70x64xui8>, tensor<130x64xui8>) -> tensor<70x130xi32>
    return %0 : tensor<70x130xi32>
  })";
constexpr const char *kConvolution = R"(
  func.func @main(%a: tensor<1x9x9x64xbf16>, %k: tensor<3x3x64x72xbf16>) -> tensor<1x9x9x72xf32> {
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x9x9x64xbf16>, tensor<3x3x64x72xbf16>) -> tensor<1x9x9x72xf32>
    return %0 : tensor<1x9x9x72xf32>
  })";

// The gradient of a convolution's kernel: few results, which many products add up to. Rows are windows' elements, which
// are dense in runs of 72.
constexpr const char *kKernelGradient = R"(
  func.func @main(%a: tensor<5x11x13x24xbf16>, %b: tensor<5x11x13x40xbf16>) -> tensor<3x3x24x40xf32> {
    %0 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
      window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<5x11x13x24xbf16>, tensor<5x11x13x40xbf16>) -> tensor<3x3x24x40xf32>
    %1 = stablehlo.add %0, %0 : tensor<3x3x24x40xf32>
    return %1 : tensor<3x3x24x40xf32>
  })";

// A GPU so small that a few blocks are work for it.
codegen::GpuTargetOptions smallGpu(const std::string &chip) {
  codegen::GpuTargetOptions options;
  options.chip = chip;
  options.multiprocessors = 1;
  return options;
}

using EmulatedProducts = EmulatedChecks;

TEST_F(EmulatedProducts, HaveFourStagesInSharedMemoryThatTheyAreGiven) {
  program::DeviceProgram device;
  auto compiled = compiler::compileFor(emulatedTarget(&device, smallGpu("sm_80")), kProduct, {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  ASSERT_EQ(device.modules.size(), 1u);
  EXPECT_EQ(device.modules[0].kernels.at(0).sharedBytes, 75776);
  checkForm(kProduct, smallGpu("sm_80"));
}

// The sums of each part of k are behind the padded input, and another kernel adds them up: where there are fewer blocks
// than multiprocessors.
TEST_F(EmulatedProducts, OfGradientsOfKernelsHavePartsOfK) {
  for (const auto &[options, kernels] : {std::pair(codegen::GpuTargetOptions(), 3), {smallGpu("sm_80"), 2}}) {
    program::DeviceProgram device;
    auto compiled = compiler::compileFor(emulatedTarget(&device, options), kKernelGradient, {});
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    ASSERT_EQ(device.modules.size(), 1u);
    EXPECT_EQ(device.modules[0].kernels.size(), size_t(kernels));
    checkForm(kKernelGradient, options);
  }
}

std::string productOfFloats(int64_t rows, int64_t k, int64_t columns) {
  return product({rows, k}, {k, columns}, 1, 0, "f32", "f32");
}

// Threads have 4x8 or 8x4 sums of few rows or columns, and 8x8 where parts of k are long.
TEST_F(EmulatedProducts, OfFloatsHaveTilesAsWideAsThereAreColumns) {
  auto check = [&](const std::string &source, int multiprocessors, int64_t sharedBytes, size_t kernels) {
    codegen::GpuTargetOptions options = smallGpu("sm_80");
    options.multiprocessors = multiprocessors;
    program::DeviceProgram device;
    auto compiled = compiler::compileFor(emulatedTarget(&device, options), source, {});
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    ASSERT_EQ(device.modules.at(0).kernels.size(), kernels);
    EXPECT_EQ(device.modules[0].kernels[0].sharedBytes, sharedBytes);
    checkForm(source, options);
  };
  check(productOfFloats(130, 40, 60), 1, 25600, 1);
  check(productOfFloats(50, 40, 132), 1, 25600, 1);
  check(productOfFloats(72, 40, 68), 1, 33792, 1);
  check(productOfFloats(72, 4100, 68), 2, 33792, 2);
  check(productOfFloats(72, 400, 68), 2, 17408, 1);
}

// What is behind the last step is read as zeros; of rows most of a tile are not there.
TEST_F(EmulatedProducts, MayHaveFewStepsOrFewRowsOfMatrices) {
  for (const std::string &source :
       {productOfFloats(70, 5, 90), product({70, 7}, {90, 7}, 1, 1, "bf16", "f32"),
        product({9, 100}, {100, 72}, 1, 0, "bf16", "bf16"), product({80, 64}, {64, 12}, 1, 0, "i8", "i32")}) {
    program::DeviceProgram device;
    auto compiled = compiler::compileFor(emulatedTarget(&device), source, {});
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    EXPECT_EQ(device.modules.at(0).kernels.at(0).blockThreads, 256) << "no product in tiles";
    checkForm(source);
  }
}

TEST_F(EmulatedProducts, NoticeBarriersThatAreMissing) {
  removeBarriers(kProduct, smallGpu("sm_80"));
  EXPECT_EQ(noticed, removed);
}

class EmulatedGroupProducts : public EmulatedChecks, public ::testing::WithParamInterface<std::string> {};

TEST_P(EmulatedGroupProducts, AreAsTheInterpreters) {
  bool isByGroups = false, isByBoxes = false;
  codegen::GpuTargetOptions options = smallGpu("sm_90a");
  options.change = [&](llvm::Module &module) {
    isByGroups = module.getFunction("tenon_emu_multiply_in_group");
    isByBoxes = module.getFunction("tenon_emu_copy_box");
  };
  checkForm(GetParam(), options);
  EXPECT_TRUE(isByGroups);
  EXPECT_EQ(isByBoxes, GetParam() != kConvolution) << "windows are no boxes";
}

INSTANTIATE_TEST_SUITE_P(Programs, EmulatedGroupProducts,
                         ::testing::Values(kProduct, kDense, kTransposed, kIntegers, kUnsigned, kConvolution));

// Fences, ends of products and what waits for them, too.
TEST_F(EmulatedProducts, NoticeWhatIsMissingAroundProductsOfGroups) {
  constexpr size_t kAll = 100;
  removeBarriers(kTransposed, smallGpu("sm_90a"), kAll);
  removeBarriers(kConvolution, smallGpu("sm_90a"), kAll);
  EXPECT_EQ(noticed, removed);
  EXPECT_GE(removed, 20);
}

// A function is given more shared memory than 48 KiB by its attribute alone, and no more than the chip has.
TEST_F(EmulatedGpu, RefusesSharedMemoryThatAFunctionHasNotBeenGiven) {
  constexpr unsigned kMore = 100U << 10;
  ModuleHandle *module = loadModule([](llvm::Module &module, codegen::GpuBuilder &gpu) {
    gpu.startKernel(module, "empty", {}, 32);
    gpu.b.CreateRetVoid();
  });
  ASSERT_TRUE(module);
  FunctionHandle *function = functionOf(module, "empty");
  auto start = [&](unsigned bytes) {
    return d.launchKernel(function, 1, 1, 1, 32, 1, 1, bytes, stream, nullptr, nullptr);
  };
  auto give = [&](int bytes) {
    return d.functionSetAttribute(function, FunctionAttribute::kMaxDynamicSharedBytes, bytes);
  };
  EXPECT_EQ(start(unsigned(kPlainSharedBytes)), Result::kSuccess);
  EXPECT_EQ(start(kMore), Result::kInvalidValue);
  EXPECT_THAT(runtime::emulator::takeFailure(), HasSubstr("may have 49152 bytes of shared memory, not 102400"));
  EXPECT_EQ(give(kMore), Result::kSuccess);
  EXPECT_EQ(start(kMore), Result::kSuccess);
  EXPECT_EQ(give(228 << 10), Result::kInvalidValue);
  EXPECT_THAT(runtime::emulator::takeFailure(), HasSubstr("up to 232448 bytes"));
  check(d.streamSynchronize(stream));
  check(d.moduleUnload(module));
}

} // namespace
