// What the emulation finds out about kernels: races, accesses to memory that is not there or not aligned, shared memory
// that nobody has written. Programs in every form of kernel pass all of it, and barriers that are taken out of them are
// noticed.

#include "test/e2e/emulated_checks_testing.h"
#include "test/e2e/program_texts.h"

#include "tenon/codegen/gpu/access_checks.h"

using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr const char *kTranspose = R"(
  func.func @main(%a: tensor<70x130xf32>, %b: tensor<130x70xf32>) -> tensor<130x70xf32> {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<70x130xf32>) -> tensor<130x70xf32>
    %1 = stablehlo.add %0, %b : tensor<130x70xf32>
    return %1 : tensor<130x70xf32>
  })";
const std::string kSoftmax = softmax(9, 4100);
const std::string kProduct = product({70, 50}, {50, 66}, 1, 0, "f32", "f32");
// The second kernel could write its sums where the maxima are, which its warps read.
const std::string kSoftmaxOfColumns = softmax(33, 65, /*ofRows=*/false);
// Rows whose vectors are whole in some types only, and that are no multiple of a warp's.
constexpr const char *kNorm = R"(
  func.func @main(%a: tensor<37x520xbf16>, %g: tensor<520xf32>) -> tensor<37x520xbf16> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %e = stablehlo.constant dense<1.0> : tensor<37xf32>
    %c = stablehlo.convert %a : (tensor<37x520xbf16>) -> tensor<37x520xf32>
    %s = stablehlo.multiply %c, %c : tensor<37x520xf32>
    %0 = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [1]
      : (tensor<37x520xf32>, tensor<f32>) -> tensor<37xf32>
    %1 = stablehlo.add %0, %e : tensor<37xf32>
    %r = stablehlo.rsqrt %1 : tensor<37xf32>
    %2 = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<37xf32>) -> tensor<37x520xf32>
    %3 = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<520xf32>) -> tensor<37x520xf32>
    %4 = stablehlo.multiply %c, %2 : tensor<37x520xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<37x520xf32>
    %6 = stablehlo.convert %5 : (tensor<37x520xf32>) -> tensor<37x520xbf16>
    return %6 : tensor<37x520xbf16>
  })";
constexpr const char *kLongRows = R"(
  func.func @main(%a: tensor<16x150000xf32>) -> tensor<16xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.multiply %a, %a : tensor<16x150000xf32>
    %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]
      : (tensor<16x150000xf32>, tensor<f32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  })";
const std::string kColumns = sums({2000, 44}, 0);
const std::string kShortScan = runningSums({3, 700}, 1);
// In tiles. The interpreter would take a minute.
const std::string kScan = runningSums({2, 20000}, 1);
// Sums in blocks and parts, across rows.
const std::string kColumnScan = runningSums({300, 24}, 0);
constexpr const char *kTopK = R"(
  func.func @main(%a: tensor<2x2500xf32>) -> tensor<2x20xi32> {
    %v, %p = chlo.top_k(%a, k = 20) : tensor<2x2500xf32> -> (tensor<2x20xf32>, tensor<2x20xi32>)
    return %p : tensor<2x20xi32>
  })";
const std::string kSelectAndScatter = gradientOfMaxima({2, 9, 9, 8}, {2, 4, 4, 8}, "0.0");
constexpr const char *kSort = R"(
  func.func @main(%a: tensor<1x1500xi32>) -> tensor<1x1500xi32> {
    %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %1 = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<1x1500xi32>) -> tensor<1x1500xi32>
    return %0 : tensor<1x1500xi32>
  })";
constexpr const char *kSortByDigits = R"(
  func.func @main(%a: tensor<1x2100xi8>) -> tensor<1x2100xi8> {
    %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<i8>, %y: tensor<i8>):
      %1 = stablehlo.compare LT, %x, %y : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<1x2100xi8>) -> tensor<1x2100xi8>
    return %0 : tensor<1x2100xi8>
  })";
// The sums of rows; of indices some are outside.
const std::string kScatter = updatedRows(6, 300, 18);
// In two parts.
const std::string kScatterInParts = updatedRows(6, 512, 64, "bf16");
constexpr const char *kProductOfBf16 = R"(
  func.func @main(%a: tensor<2x70x72xbf16>, %b: tensor<2x72x130xbf16>, %c: tensor<130xf32>) -> tensor<2x70x130xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<2x70x72xbf16>, tensor<2x72x130xbf16>) -> tensor<2x70x130xf32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<130xf32>) -> tensor<2x70x130xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x70x130xf32>
    %3 = stablehlo.tanh %2 : tensor<2x70x130xf32>
    return %3 : tensor<2x70x130xf32>
  })";
// Whose tiles warps transpose.
const std::string kProductOfTransposedBf16 = product({72, 96}, {72, 136}, 0, 0, "bf16", "f32");
constexpr const char *kProductInParts = R"(
  func.func @main(%a: tensor<2x40x1100xbf16>, %b: tensor<2x1100x50xbf16>) -> tensor<2x40x50xbf16> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<2x40x1100xbf16>, tensor<2x1100x50xbf16>) -> tensor<2x40x50xbf16>
    return %0 : tensor<2x40x50xbf16>
  })";
const std::string kProductOfF16 = product({65, 33}, {67, 33}, 1, 1, "f16", "f16");
const std::string kProductOfInt8 = product({40, 100}, {100, 50}, 1, 0, "i8", "i32");
const std::string kProductOfUint8 = product({64, 64}, {64, 64}, 1, 1, "ui8", "i32");
constexpr const char *kProductOfF64 = R"(
  func.func @main(%a: tensor<4x10x70xf64>, %b: tensor<70x33xf64>) -> tensor<4x10x33xf64> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [0]
      : (tensor<4x10x70xf64>, tensor<70x33xf64>) -> tensor<4x10x33xf64>
    return %0 : tensor<4x10x33xf64>
  })";
// Two dimensions of k, of which neither operand has one run.
constexpr const char *kProductOfRuns = R"(
  func.func @main(%a: tensor<20x12x5xf32>, %b: tensor<5x33x12xf32>) -> tensor<20x33xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1, 2] x [2, 0]
      : (tensor<20x12x5xf32>, tensor<5x33x12xf32>) -> tensor<20x33xf32>
    return %0 : tensor<20x33xf32>
  })";

// Channels last; its kernel has the epilogue, too.
constexpr const char *kConvolution = R"(
  func.func @main(%a: tensor<2x9x10x16xbf16>, %k: tensor<3x3x16x24xbf16>, %b: tensor<24xf32>) -> tensor<2x9x10x24xf32> {
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x9x10x16xbf16>, tensor<3x3x16x24xbf16>) -> tensor<2x9x10x24xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<24xf32>) -> tensor<2x9x10x24xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x9x10x24xf32>
    return %2 : tensor<2x9x10x24xf32>
  })";

// A product of few columns, behind the padding.
constexpr const char *kConvolutionOfFewFeatures = R"(
  func.func @main(%a: tensor<2x9x10x3xf32>, %k: tensor<3x3x3x8xf32>, %b: tensor<8xf32>) -> tensor<2x5x5x8xf32> {
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x9x10x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x5x5x8xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<8xf32>) -> tensor<2x5x5x8xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x5x5x8xf32>
    return %2 : tensor<2x5x5x8xf32>
  })";
// The gradient of such a kernel: few results, of a k that is in parts, whose sums lie behind the padded input.
constexpr const char *kGradientOfFewFeatures = R"(
  func.func @main(%a: tensor<4x40x40x3xf32>, %b: tensor<4x40x40x8xf32>) -> tensor<3x3x3x8xf32> {
    %0 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
      window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<4x40x40x3xf32>, tensor<4x40x40x8xf32>) -> tensor<3x3x3x8xf32>
    return %0 : tensor<3x3x3x8xf32>
  })";
// Tiles of threads: some are cut off at an edge.
const std::string kProductOfComplex = product({21, 24}, {24, 22}, 1, 0, "complex<f32>", "complex<f32>");
const std::string kProductOfComplexDoubles = product({40, 18}, {36, 18}, 1, 1, "complex<f64>", "complex<f64>");

constexpr const char *kDepthwiseConvolution = R"(
  func.func @main(%a: tensor<2x9x10x22xf32>, %k: tensor<3x3x1x22xf32>) -> tensor<2x9x10x22xf32> {
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 22 : i64}
      : (tensor<2x9x10x22xf32>, tensor<3x3x1x22xf32>) -> tensor<2x9x10x22xf32>
    return %0 : tensor<2x9x10x22xf32>
  })";

class EmulatedForms : public EmulatedChecks, public ::testing::WithParamInterface<std::string> {};

TEST_P(EmulatedForms, PassTheChecksAndAgreeWithTheInterpreter) { checkForm(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Forms, EmulatedForms,
                         ::testing::Values(kTranspose, kSoftmax, kSoftmaxOfColumns, kNorm, kLongRows, kColumns,
                                           kShortScan, kColumnScan, kSort, kSortByDigits, kTopK, kScatter,
                                           kScatterInParts, kSelectAndScatter, kProduct, kProductOfBf16,
                                           kProductOfTransposedBf16, kProductInParts, kProductOfF16, kProductOfInt8,
                                           kProductOfUint8, kProductOfF64, kProductOfRuns, kConvolution,
                                           kDepthwiseConvolution, kConvolutionOfFewFeatures, kGradientOfFewFeatures,
                                           kProductOfComplex, kProductOfComplexDoubles));

// The places of sorted keys, of which `key` computes %k.
std::string sortedPlaces(const std::string &shape, const std::string &element, const std::string &key) {
  std::string text = R"(
  func.func @main(%a: $K) -> $P {
    %i = stablehlo.iota dim = 1 : $P
    %k = $C
    %0:2 = "stablehlo.sort"(%k, %i) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: $E, %y: $E, %p: tensor<i32>, %q: tensor<i32>):
      %1 = stablehlo.compare LT, %x, %y : ($E, $E) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : ($K, $P) -> ($K, $P)
    return %0#1 : $P
  })";
  using Replacement = std::pair<std::string, std::string>;
  for (const auto &[mark, by] :
       {Replacement("$C", key + " : $K"), Replacement("$K", "tensor<" + shape + "x" + element + ">"),
        Replacement("$P", "tensor<" + shape + "xi32>"), Replacement("$E", "tensor<" + element + ">")})
    for (size_t at; (at = text.find(mark)) != std::string::npos;)
      text.replace(at, mark.size(), by);
  return text;
}

// There are eight digits, keys that are all alike, and more tiles than a thread adds up.
TEST_F(EmulatedChecks, SortByDigitsWhateverTheKeysAre) {
  codegen::GpuTargetOptions options;
  options.changeCosts = [](CostModel &costs) {
    costs.blocks.digitsOfMerge = 1000; // a digit takes no time, and a phase none, either
    costs.blocks.node = 0;
  };
  checkForm(sortedPlaces("2x2100", "i64", "stablehlo.negate %a"), options);
  checkForm(sortedPlaces("2x5000", "ui16", "stablehlo.subtract %a, %a"), options);
  checkForm(sortedPlaces("1x36000", "i8", "stablehlo.negate %a"), options);
}

// Which says in memory which merge is next.
TEST_F(EmulatedChecks, SortByMergesInTurns) { checkForm(sortedPlaces("1x9001", "i32", "stablehlo.negate %a")); }

// Each barrier in turn, of each form; of many a sample.
TEST_F(EmulatedChecks, NoticeBarriersThatAreMissing) {
  for (const std::string &source :
       std::initializer_list<std::string>{kTranspose, kSoftmax, kColumns, kScan, kSort, kSortByDigits, kTopK, kScatter,
                                          kScatterInParts, kProduct, kProductOfInt8, kProductOfTransposedBf16})
    removeBarriers(source);
  EXPECT_GE(noticed * 100, removed * 95) << noticed << " of " << removed;
}

// --- Single accesses ---

enum class Mistake : uint8_t { kNone, kOutside, kUnaligned, kPastShared, kUnwritten, kOtherBlock };

// Each thread copies its own element of 4 bytes, but for one mistake.
void emitCopy(llvm::Module &module, codegen::GpuBuilder &gpu, Mistake mistake) {
  llvm::IRBuilder<> &b = gpu.b;
  llvm::Type *global = gpu.globalPointerType(), *i32 = b.getInt32Ty();
  gpu.startKernel(module, "copy", {global, global}, 32);
  llvm::Value *number = gpu.threadInGrid();
  llvm::Value *thread = b.CreateZExt(gpu.number(codegen::GpuBuilder::Number::kThread), b.getInt64Ty());
  llvm::Value *from = b.CreateGEP(i32, gpu.parameter(0), number), *to = b.CreateGEP(i32, gpu.parameter(1), number);
  llvm::Value *shared = b.CreateGEP(i32, gpu.sharedMemory(), thread);
  if (mistake == Mistake::kOutside)
    from = b.CreateConstGEP1_32(i32, from, 1);
  if (mistake == Mistake::kUnaligned)
    from = b.CreateConstGEP1_32(b.getInt8Ty(), gpu.parameter(0), 2);
  if (mistake == Mistake::kPastShared)
    shared = b.CreateConstGEP1_32(i32, shared, 1);
  if (mistake == Mistake::kOtherBlock)
    to = b.CreateGEP(i32, gpu.parameter(1), thread);
  if (mistake != Mistake::kUnwritten)
    b.CreateStore(b.CreateLoad(i32, from), shared);
  b.CreateStore(b.CreateLoad(i32, shared), to);
  b.CreateRetVoid();
}

class EmulatedAccesses : public EmulatedChecks {
protected:
  std::string problemOf(Mistake mistake) {
    constexpr unsigned kThreads = 32, kBlocks = 2;
    ModuleHandle *module = loadModule([&](llvm::Module &module, codegen::GpuBuilder &gpu) {
      emitCopy(module, gpu, mistake);
      codegen::insertAccessChecks(module);
    });
    EXPECT_TRUE(module);
    if (!module)
      return "";
    std::vector<uint32_t> in(kThreads * kBlocks, 7);
    DeviceAddress from = allocate(in.size() * 4, in.data()), to = allocate(in.size() * 4);
    launch(module, "copy", kBlocks, kThreads, kThreads * 4, {&from, &to});
    Result result = d.streamSynchronize(stream);
    std::string problem = runtime::emulator::takeFailure();
    EXPECT_EQ(result == Result::kSuccess, problem.empty());
    check(d.moduleUnload(module));
    check(d.memFree(from));
    check(d.memFree(to));
    return problem;
  }
};

TEST_F(EmulatedAccesses, AreRefusedWhereTheyAreWrong) {
  EXPECT_EQ(problemOf(Mistake::kNone), "");
  EXPECT_EQ(problemOf(Mistake::kOutside), "thread 31 of block 1 reads 4 bytes outside of allocated memory");
  EXPECT_EQ(problemOf(Mistake::kUnaligned), "thread 0 of block 0 reads what is not aligned to 4 bytes");
  EXPECT_EQ(problemOf(Mistake::kPastShared), "thread 31 of block 0 writes 4 bytes outside of shared memory");
  EXPECT_EQ(problemOf(Mistake::kUnwritten), "thread 0 of block 0 reads what nobody has written");
  EXPECT_EQ(problemOf(Mistake::kOtherBlock),
            "thread 0 of block 1 writes what thread 0 of block 0 has written, without a barrier between them");
}

} // namespace
