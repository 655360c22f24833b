// Kernels for GPUs run by the emulation of one, by way of the driver's table: ops of each kind against the CPU, and
// what GpuBuilder emits that CPUs have not.

#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/runtime/cuda/assembler.h"
#include "tenon/runtime/emulator/driver.h"
#include "test/execution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

using namespace tenon;
using namespace tenon::runtime::cuda;
using runtime::emulator::ThreadOrder;
using tenon::testing::Bytes;

namespace {

constexpr ThreadOrder kOrders[] = {ThreadOrder::kForward, ThreadOrder::kReverse, ThreadOrder::kRandom};

codegen::GpuTarget emulatedTarget(std::vector<codegen::GpuModule> *modules = nullptr) {
  codegen::GpuTargetOptions options;
  options.isEmulated = true;
  if (modules)
    options.show = [modules](const codegen::GpuModule &module) { modules->push_back(module); };
  auto target = codegen::GpuTarget::create(std::move(options));
  EXPECT_TRUE(target.ok()) << target.status().message();
  return *std::move(target);
}

// A device with a stream, and the kernels of one module.
class EmulatedGpu : public ::testing::Test {
protected:
  void SetUp() override {
    runtime::emulator::takeFailure();
    check(d.init(0));
    ContextHandle *context = nullptr;
    check(d.primaryContextRetain(&context, 0));
    check(d.contextSetCurrent(context));
    check(d.streamCreate(&stream, 0));
    allocated = runtime::emulator::allocatedBytes();
  }
  void TearDown() override {
    runtime::emulator::setThreadOrder(ThreadOrder::kForward);
    check(d.streamDestroy(stream));
    check(d.primaryContextRelease(0));
    EXPECT_EQ(runtime::emulator::allocatedBytes(), allocated);
  }

  static void check(Result result) { ASSERT_EQ(result, Result::kSuccess) << runtime::emulator::takeFailure(); }

  DeviceAddress allocate(size_t bytes, const void *contents = nullptr) {
    DeviceAddress address = 0;
    check(d.memAlloc(&address, std::max<size_t>(bytes, 1)));
    if (contents)
      check(d.memcpyHtoDAsync(address, contents, bytes, stream));
    return address;
  }

  void launch(ModuleHandle *module, const std::string &name, unsigned blocks, unsigned threads, unsigned sharedBytes,
              std::vector<void *> parameters) {
    FunctionHandle *function = nullptr;
    check(d.moduleGetFunction(&function, module, name.c_str()));
    check(d.launchKernel(function, blocks, 1, 1, threads, 1, 1, sharedBytes, stream, parameters.data(), nullptr));
  }

  // Runs the kernels of an op on the operands' bytes.
  std::vector<Bytes> run(const codegen::GpuModule &op, const std::vector<Bytes> &operands,
                         const std::vector<size_t> &resultBytes, int64_t mostBlocks) {
    std::vector<DeviceAddress> row;
    for (const Bytes &operand : operands)
      row.push_back(allocate(operand.size(), operand.data()));
    for (auto [bytes, init] : llvm::zip_equal(resultBytes, op.resultInit))
      row.push_back(allocate(bytes, init < 0 ? nullptr : operands[size_t(init)].data()));
    if (op.temporary)
      row.push_back(allocate(size_t(op.temporary)));
    DeviceAddress rowAddress = allocate(row.size() * sizeof(DeviceAddress), row.data());
    ModuleHandle *module = nullptr;
    check(d.moduleLoadData(&module, op.code.data()));
    std::vector<DeviceAddress> scratches;
    for (const codegen::GpuKernel &kernel : op.kernels) {
      int64_t blocks = std::min((kernel.tasks + codegen::kTaskBlock - 1) / codegen::kTaskBlock, mostBlocks);
      int64_t tasks = kernel.tasks, scratchBytes = kernel.scratch;
      scratches.push_back(allocate(size_t(blocks * codegen::kTaskBlock * scratchBytes)));
      launch(module, kernel.name, unsigned(blocks), codegen::kTaskBlock, 0,
             {&rowAddress, &tasks, &scratches.back(), &scratchBytes});
    }
    std::vector<Bytes> results;
    for (size_t bytes : resultBytes)
      results.emplace_back(bytes);
    for (size_t i = 0; i < results.size(); ++i)
      check(d.memcpyDtoHAsync(results[i].data(), row[operands.size() + i], resultBytes[i], stream));
    check(d.streamSynchronize(stream));
    check(d.moduleUnload(module));
    for (DeviceAddress address : llvm::concat<DeviceAddress>(row, scratches))
      check(d.memFree(address));
    check(d.memFree(rowAddress));
    return results;
  }

  const Driver &d = runtime::emulator::driver();
  StreamHandle *stream = nullptr;
  size_t allocated = 0;
};

// Integers from -50 to 50, or floats of that size.
Bytes numbers(const program::Shape &shape) {
  Bytes bytes(size_t(shape.byteSize()));
  std::minstd_rand random(7);
  auto fill = [&](auto zero) {
    using T = decltype(zero);
    for (size_t i = 0; i * sizeof(T) < bytes.size(); ++i) {
      T value = T(int(random() % 101) - 50) / T(std::is_floating_point_v<T> ? 16 : 1);
      std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
    }
  };
  shape.type == program::ElementType::kF32 ? fill(0.0f) : fill(int32_t{0});
  return bytes;
}

struct Case {
  const char *name, *text;
};

// Each becomes one kernel, or the phases of one, whose operands are the arguments. Integers where the order of a sum
// would show: a GPU's tasks are others than a CPU's.
constexpr Case kCases[] = {
    {"Map", R"(func.func @main(%a: tensor<1001xf32>, %b: tensor<1001xf32>) -> tensor<1001xf32> {
      %0 = stablehlo.multiply %a, %b : tensor<1001xf32>
      %1 = stablehlo.tanh %0 : tensor<1001xf32>
      return %1 : tensor<1001xf32> })"},
    {"Transpose", R"(func.func @main(%a: tensor<70x130xf32>) -> tensor<130x70xf32> {
      %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<70x130xf32>) -> tensor<130x70xf32>
      return %0 : tensor<130x70xf32> })"},
    {"Rows", R"(func.func @main(%a: tensor<37x300xi32>) -> tensor<37xi32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1]
        : (tensor<37x300xi32>, tensor<i32>) -> tensor<37xi32>
      return %0 : tensor<37xi32> })"},
    {"All", R"(func.func @main(%a: tensor<100000xi32>) -> tensor<i32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0]
        : (tensor<100000xi32>, tensor<i32>) -> tensor<i32>
      return %0 : tensor<i32> })"},
    {"Sort", R"(func.func @main(%a: tensor<5x777xi32>) -> tensor<5x777xi32> {
      %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %1 = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }) : (tensor<5x777xi32>) -> tensor<5x777xi32>
      return %0 : tensor<5x777xi32> })"},
    {"Scatter", R"(func.func @main(%a: tensor<50xi32>, %i: tensor<90x1xi32>, %u: tensor<90xi32>) -> tensor<50xi32> {
      %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %1 = stablehlo.add %x, %y : tensor<i32>
        stablehlo.return %1 : tensor<i32>
      }) : (tensor<50xi32>, tensor<90x1xi32>, tensor<90xi32>) -> tensor<50xi32>
      return %0 : tensor<50xi32> })"},
    {"Product", R"(func.func @main(%a: tensor<33x70xi32>, %b: tensor<70x45xi32>) -> tensor<33x45xi32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<33x70xi32>, tensor<70x45xi32>) -> tensor<33x45xi32>
      return %0 : tensor<33x45xi32> })"},
    {"Loop", R"(func.func @main(%a: tensor<64xi32>) -> tensor<64xi32> {
      %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
      ^bb0(%x: tensor<i32>):
        %n = stablehlo.constant dense<1000> : tensor<i32>
        %3 = stablehlo.constant dense<3> : tensor<i32>
        %r = stablehlo.while(%v = %x) : tensor<i32>
          cond { %c = stablehlo.compare LT, %v, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
                 stablehlo.return %c : tensor<i1> }
          do { %s = stablehlo.multiply %v, %v : tensor<i32>
               %t = stablehlo.add %s, %3 : tensor<i32>
               stablehlo.return %t : tensor<i32> }
        stablehlo.return %r : tensor<i32>
      }) : (tensor<64xi32>) -> tensor<64xi32>
      return %0 : tensor<64xi32> })"},
};

class EmulatedOps : public EmulatedGpu, public ::testing::WithParamInterface<Case> {};

// The CPU's bits, in whatever order threads take their turns, and by fewer threads than there are tasks.
TEST_P(EmulatedOps, GiveTheBitsOfTheCpu) {
  std::string source = GetParam().text;
  auto loaded = tenon::testing::compileAndLoad(source, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  std::vector<Bytes> operands;
  for (const program::Argument &argument : (*loaded)->program().arguments)
    operands.push_back(numbers(argument.shape));
  std::vector<size_t> resultBytes;
  for (const program::Result &result : (*loaded)->program().results)
    resultBytes.push_back(size_t(result.shape.byteSize()));
  std::vector<llvm::ArrayRef<uint8_t>> arguments(operands.begin(), operands.end());
  auto expected = tenon::testing::run(**loaded, arguments);
  ASSERT_TRUE(expected.ok()) << expected.status().message();

  std::vector<codegen::GpuModule> modules;
  codegen::GpuTarget target = emulatedTarget(&modules);
  auto compiled = compiler::compileFor(target, source, {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  ASSERT_EQ(modules.size(), 1u);
  for (ThreadOrder order : kOrders) {
    runtime::emulator::setThreadOrder(order);
    for (int64_t mostBlocks : {int64_t{1} << 30, int64_t{1}})
      EXPECT_EQ(run(modules.front(), operands, resultBytes, mostBlocks), *expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EmulatedOps, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

// --- GpuBuilder ---

constexpr unsigned kThreads = 128, kWarp = 32, kBlocks = 3;

// out[block] = the sum of in[block * kThreads ...]: within warps by shuffles, then through shared memory.
template <typename T> void emitBlockSum(llvm::Module &module, codegen::GpuBuilder &gpu, bool hasBarrier) {
  llvm::IRBuilder<> &b = gpu.b;
  llvm::Type *global = gpu.globalPointerType(), *type = sizeof(T) == 4 ? b.getFloatTy() : b.getDoubleTy();
  llvm::Function *kernel = gpu.startKernel(module, "block_sum", {global, global}, kThreads);
  using Number = codegen::GpuBuilder::Number;
  llvm::Value *thread = gpu.number(Number::kThread), *block = gpu.number(Number::kBlock);
  llvm::Value *sum = b.CreateLoad(type, b.CreateGEP(type, gpu.parameter(0), gpu.threadInGrid()));
  for (unsigned lanes = kWarp / 2; lanes > 0; lanes /= 2)
    sum = b.CreateFAdd(sum, gpu.shuffleXor(sum, lanes));
  llvm::Value *shared = gpu.sharedMemory();
  b.CreateStore(sum, b.CreateGEP(type, shared, b.CreateUDiv(thread, b.getInt32(kWarp))));
  if (hasBarrier)
    gpu.emitBarrier();
  auto *first = llvm::BasicBlock::Create(module.getContext(), "first", kernel);
  auto *end = llvm::BasicBlock::Create(module.getContext(), "end", kernel);
  b.CreateCondBr(b.CreateIsNull(thread), first, end);
  b.SetInsertPoint(first);
  llvm::Value *total = llvm::ConstantFP::get(type, 0);
  for (unsigned warp = 0; warp < kThreads / kWarp; ++warp)
    total = b.CreateFAdd(total, b.CreateLoad(type, b.CreateConstGEP1_32(type, shared, warp)));
  b.CreateStore(total, b.CreateGEP(type, gpu.parameter(1), block));
  b.CreateBr(end);
  b.SetInsertPoint(end);
  b.CreateRetVoid();
}

template <typename T> StatusOr<std::string> compileBlockSum(const codegen::GpuTarget &target, bool hasBarrier) {
  llvm::LLVMContext context;
  llvm::Module module("block_sum", context);
  target.prepareModule(module);
  emitBlockSum<T>(module, *target.makeBuilder(context), hasBarrier);
  return target.options().isEmulated ? codegen::compileModule(module, target)
                                     : codegen::compileToAssembly(module, target);
}

template <typename T> class GpuBuilders : public EmulatedGpu {
protected:
  std::vector<T> sums(bool hasBarrier, ThreadOrder order) {
    auto code = compileBlockSum<T>(emulatedTarget(), hasBarrier);
    EXPECT_TRUE(code.ok()) << code.status().message();
    std::vector<T> in(kThreads * kBlocks), out(kBlocks);
    std::iota(in.begin(), in.end(), T(1));
    runtime::emulator::setThreadOrder(order);
    DeviceAddress from = allocate(in.size() * sizeof(T), in.data()), to = allocate(out.size() * sizeof(T));
    ModuleHandle *module = nullptr;
    check(d.moduleLoadData(&module, code->data()));
    launch(module, "block_sum", kBlocks, kThreads, kThreads / kWarp * sizeof(T), {&from, &to});
    check(d.memcpyDtoHAsync(out.data(), to, out.size() * sizeof(T), stream));
    check(d.streamSynchronize(stream));
    check(d.moduleUnload(module));
    check(d.memFree(from));
    check(d.memFree(to));
    return out;
  }
};

using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuBuilders, Numbers);

TYPED_TEST(GpuBuilders, EmitShufflesBarriersAndSharedMemory) {
  std::vector<TypeParam> expected;
  for (unsigned block = 0; block < kBlocks; ++block)
    expected.push_back(TypeParam(kThreads * (2 * block * kThreads + kThreads + 1) / 2));
  for (ThreadOrder order : kOrders)
    EXPECT_EQ(this->sums(true, order), expected);
  EXPECT_NE(this->sums(false, ThreadOrder::kForward), this->sums(false, ThreadOrder::kReverse))
      << "a barrier that is missing has to show";
}

TYPED_TEST(GpuBuilders, EmitWhatTheAssemblerTakes) {
  auto assembler = Assembler::find();
  if (!assembler.ok() && !std::getenv("TENON_CUDA_TESTS"))
    GTEST_SKIP() << assembler.status().message();
  ASSERT_TRUE(assembler.ok()) << assembler.status().message();
  for (std::string_view chip : codegen::GpuTarget::chips()) {
    codegen::GpuTargetOptions options;
    options.chip = chip;
    auto target = codegen::GpuTarget::create(std::move(options));
    ASSERT_TRUE(target.ok());
    auto ptx = compileBlockSum<TypeParam>(*target, true);
    ASSERT_TRUE(ptx.ok()) << ptx.status().message();
    auto cubin = assembler->assemble(*ptx, std::string(chip));
    ASSERT_TRUE(cubin.ok()) << cubin.status().message() << *ptx;
    auto text = assembler->disassemble(cubin->bytes);
    ASSERT_TRUE(text.ok()) << text.status().message();
    EXPECT_THAT(*text, ::testing::HasSubstr("SHFL.BFLY"));
    EXPECT_THAT(*text, ::testing::HasSubstr("BAR.SYNC"));
    EXPECT_THAT(*text, ::testing::HasSubstr("STS"));
  }
}

} // namespace
