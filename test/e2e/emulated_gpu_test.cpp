// A GPU that the host plays: whole programs against the interpreter, and what GpuBuilder emits that CPUs have not.

#include "test/e2e/emulated_gpu_testing.h"

#include "tenon/codegen/gpu/control_kernels.h"
#include "tenon/codegen/gpu/task_kernel.h"
#include "tenon/runtime/cpu/library.h"
#include "tenon/runtime/cuda/assembler.h"
#include "test/e2e/program_texts.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>

using namespace tenon;
using namespace tenon::runtime::cuda;
using namespace tenon::testing;

namespace {

// A function of tasks, each of which writes its number, as a kernel of blocks of so many threads.
constexpr int kWritingThreads = 32;
void emitWritingTasks(llvm::Module &module, codegen::GpuBuilder &gpu, codegen::TaskTaker taker) {
  llvm::IRBuilder<> b(module.getContext());
  auto *type =
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty(), b.getPtrTy()}, false);
  auto *tasks = llvm::Function::Create(type, llvm::Function::InternalLinkage, "write", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", tasks));
  llvm::Value *array = b.CreateLoad(b.getPtrTy(), tasks->getArg(0));
  b.CreateStore(tasks->getArg(1), b.CreateGEP(b.getInt64Ty(), array, tasks->getArg(1)));
  b.CreateRetVoid();
  codegen::makeTaskKernel(*tasks, gpu, kWritingThreads, taker);
}

// Threads that may be fewer than tasks go on to others; those that are as many do not.
TEST_F(EmulatedGpu, ThreadsTakeTheirTasks) {
  constexpr size_t kTasks = 1001, kFewBlocks = 3, kBlocks = (kTasks + kWritingThreads - 1) / kWritingThreads;
  auto written = [&](codegen::TaskTaker taker, size_t blocks) {
    ModuleHandle *module =
        loadModule([&](llvm::Module &own, codegen::GpuBuilder &gpu) { emitWritingTasks(own, gpu, taker); });
    std::vector<int64_t> numbers(kTasks, -1);
    DeviceAddress array = allocate(kTasks * sizeof(int64_t), numbers.data()), scratch = 0;
    DeviceAddress row = allocate(sizeof(array), &array);
    int64_t tasks = kTasks, scratchBytes = 0;
    launch(module, "write", unsigned(blocks), kWritingThreads, 0, {&row, &tasks, &scratch, &scratchBytes});
    check(d.memcpyDtoHAsync(numbers.data(), array, kTasks * sizeof(int64_t), stream));
    check(d.streamSynchronize(stream));
    check(d.moduleUnload(module));
    for (DeviceAddress address : {array, row})
      check(d.memFree(address));
    return numbers;
  };
  std::vector<int64_t> all(kTasks), few(kTasks, -1);
  std::iota(all.begin(), all.end(), 0);
  std::copy_n(all.begin(), kFewBlocks * kWritingThreads, few.begin());
  EXPECT_EQ(written(codegen::TaskTaker::kThreads, kFewBlocks), all);
  EXPECT_EQ(written(codegen::TaskTaker::kThreads, kBlocks), all);
  EXPECT_EQ(written(codegen::TaskTaker::kThread, kBlocks), all);
  EXPECT_EQ(written(codegen::TaskTaker::kThread, kFewBlocks), few);
}

constexpr const char *kTransformInLoop = R"(func.func @main(%a: tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<16xcomplex<f32>>
    cond { %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1> }
    do { %t = stablehlo.fft %v, type = FFT, length = [16] : (tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>>
         %s = stablehlo.add %t, %v : tensor<16xcomplex<f32>>
         %n = stablehlo.add %i, %one : tensor<i32>
         stablehlo.return %n, %s : tensor<i32>, tensor<16xcomplex<f32>> }
  return %0#1 : tensor<16xcomplex<f32>> })";

// The host does it on copies, whatever the device does at the same time for another run.
TEST_F(EmulatedGpu, CallsTheRuntimeFromRunsAtTheSameTime) {
  runtime::registerCpuLibrary();
  selfContained = false;
  program::Program program;
  auto executable = load(kTransformInLoop, program);
  ASSERT_TRUE(executable) << failure;
  ASSERT_EQ(program.runtimeCalls.size(), 1u);
  std::vector<Literal> inputs = tenon::testing::randomInputs(program);
  auto expected = tenon::testing::runReference(kTransformInLoop, inputs, program);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  ContextHandle *context = nullptr;
  check(d.primaryContextRetain(&context, 0));
  std::vector<std::vector<Bytes>> results(3);
  std::vector<std::thread> threads;
  for (std::vector<Bytes> &own : results)
    threads.emplace_back([&] {
      check(d.contextSetCurrent(context));
      own = run(*executable, program, inputs);
    });
  for (std::thread &thread : threads)
    thread.join();
  check(d.primaryContextRelease(0));
  for (const std::vector<Bytes> &own : results) {
    EXPECT_EQ(own, results[0]);
    Literal array = tools::makeArray(program.results[0].shape, own.at(0).data()).ConsumeValueOrDie();
    tenon::testing::compareArrays(array, (*expected)[0], "result");
  }
}

TEST_F(EmulatedGpu, RefusesCallsThatNobodyHasRegistered) {
  program::Program program;
  program::DeviceProgram device;
  codegen::GpuTarget target = emulatedTarget(&device);
  auto compiled = compiler::compileFor(target, R"(func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @nobody_has_this(%a) {api_version = 4 : i32, backend_config = {}}
      : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32> })",
                                       {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto loaded = DeviceExecutable::load(d, std::move(device), *compiled, stream);
  ASSERT_EQ(loaded.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(loaded.status().message(), ::testing::HasSubstr("nobody_has_this"));
}

constexpr const char *kMap = R"(func.func @main(%a: tensor<1001xf32>, %b: tensor<1001xf32>) -> tensor<1001xf32> {
  %0 = stablehlo.multiply %a, %b : tensor<1001xf32>
  %1 = stablehlo.tanh %0 : tensor<1001xf32>
  return %1 : tensor<1001xf32> })";

TEST_F(EmulatedGpu, TakesTheOtherCodeWhereMachineCodeIsForAnotherChip) {
  program::DeviceProgram device;
  codegen::GpuTarget target = emulatedTarget(&device);
  auto compiled = compiler::compileFor(target, kMap, {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  std::string header = "\x7f"
                       "ELF"; // of an object for EM_CUDA, 190
  header.resize(64);
  header[18] = char(190);
  device.modules.at(0).machineCode = header;
  auto loaded = DeviceExecutable::load(d, device, *compiled, stream);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  std::vector<Literal> inputs = tenon::testing::randomInputs(*compiled);
  device.modules.at(0).machineCode.clear();
  auto without = DeviceExecutable::load(d, std::move(device), *compiled, stream);
  ASSERT_TRUE(without.ok()) << without.status().message();
  EXPECT_EQ(run(**loaded, *compiled, inputs), run(**without, *compiled, inputs));
}

// Kernels of two modules in machine code that one of them has. The other's own code is for a driver that does not take
// it.
TEST_F(EmulatedGpu, TakesMachineCodeOfAnotherModule) {
  program::DeviceProgram device;
  codegen::GpuTarget target = emulatedTarget(&device);
  auto compiled = compiler::compileFor(target, kMap, {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  std::vector<Literal> inputs = tenon::testing::randomInputs(*compiled);
  auto alone = DeviceExecutable::load(d, device, *compiled, stream);
  ASSERT_TRUE(alone.ok()) << alone.status().message();
  const auto expected = run(**alone, *compiled, inputs);
  const std::string code = device.modules.at(0).code;
  program::DeviceModule &second = device.modules.emplace_back(device.modules.at(0));
  second.machineCodeOf = 0;
  ASSERT_EQ(device.steps.size(), 1u);
  std::get<program::KernelStep>(device.steps[0].what).module = 1;
  second.code = "no code";
  device.modules[0].machineCode = code;
  auto shared = DeviceExecutable::load(d, device, *compiled, stream);
  ASSERT_TRUE(shared.ok()) << shared.status().message();
  EXPECT_EQ(run(**shared, *compiled, inputs), expected);
  device.modules[0].machineCode = "no machine code";
  EXPECT_FALSE(DeviceExecutable::load(d, device, *compiled, stream).ok());
  device.modules[1].code = code;
  auto own = DeviceExecutable::load(d, device, *compiled, stream);
  ASSERT_TRUE(own.ok()) << own.status().message();
  EXPECT_EQ(run(**own, *compiled, inputs), expected);
}

// In every run again, with other arrays: what runs leave in tables does not show.
constexpr const char *kExchangesInBranchesAndLoops = R"(
func.func @main(%a: tensor<40xi32>, %b: tensor<40xi32>, %n: tensor<i32>) -> (tensor<40xi32>, tensor<40xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %a, %y = %b) : tensor<i32>, tensor<40xi32>, tensor<40xi32>
    cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1> }
    do { %r = stablehlo.reverse %x, dims = [0] : tensor<40xi32>
         %p:3 = stablehlo.while(%j = %zero, %u = %r, %v = %y) : tensor<i32>, tensor<40xi32>, tensor<40xi32>
           cond { %c = stablehlo.compare LE, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
                  stablehlo.return %c : tensor<i1> }
           do { %w = stablehlo.reverse %v, dims = [0] : tensor<40xi32>
                %s = stablehlo.add %u, %w : tensor<40xi32>
                %k = stablehlo.add %j, %one : tensor<i32>
                stablehlo.return %k, %w, %s : tensor<i32>, tensor<40xi32>, tensor<40xi32> }
         %m = stablehlo.remainder %i, %two : tensor<i32>
         %q = "stablehlo.case"(%m) ({
           %t = stablehlo.reverse %p#1, dims = [0] : tensor<40xi32>
           stablehlo.return %t : tensor<40xi32>
         }, {
           %t = stablehlo.subtract %p#1, %p#2 : tensor<40xi32>
           stablehlo.return %t : tensor<40xi32>
         }) : (tensor<i32>) -> tensor<40xi32>
         %o = stablehlo.add %i, %one : tensor<i32>
         stablehlo.return %o, %p#2, %q : tensor<i32>, tensor<40xi32>, tensor<40xi32> }
  return %0#1, %0#2 : tensor<40xi32>, tensor<40xi32>
})";

TEST_F(EmulatedGpu, GraphsDecideAsTheHostDoes) {
  program::Program program;
  auto executable = load(kExchangesInBranchesAndLoops, program);
  ASSERT_TRUE(executable) << failure;
  for (int32_t iterations : {0, 1, 2, 5, 4}) {
    std::vector<Literal> inputs = tenon::testing::randomInputs(program);
    inputs.back() = tools::makeArray(program.arguments.back().shape, &iterations).ConsumeValueOrDie();
    checkDeviceDecides(*executable, program, kExchangesInBranchesAndLoops, inputs,
                       std::to_string(iterations) + " iterations");
  }
}

// A loop without end ends when the run is to.
TEST_F(EmulatedGpu, StopsInLoops) {
  program::Program program;
  auto executable = load(kEndless, program);
  ASSERT_TRUE(executable) << failure;
  int32_t begin = 1;
  DeviceAddress argument = allocate(sizeof(begin), &begin), result = allocate(sizeof(begin));
  runtime::RunOptions options;
  std::vector<DeviceAddress> arguments{argument}, results{result};
  for (DeviceExecutable *mode : {executable.get(), walked.get()}) {
    options.wait.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    Status status = mode->run({arguments, results, options});
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status.message();
  }
  check(d.memFree(argument));
  check(d.memFree(result));
}

// --- Whole programs ---

std::vector<std::string> programNames() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(TENON_PROGRAMS))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  constexpr size_t kSample = 4;
  if (std::getenv("TENON_TEST_WHOLE"))
    return names;
  std::vector<std::string> sample;
  for (size_t i = 0; i < names.size(); i += kSample)
    sample.push_back(names[i]);
  return sample;
}

class EmulatedPrograms : public EmulatedGpu, public ::testing::WithParamInterface<std::string> {};

TEST_P(EmulatedPrograms, AgreeWithTheInterpreter) {
  std::ifstream file(std::string(TENON_PROGRAMS) + "/" + GetParam() + ".mlir");
  std::stringstream text;
  text << file.rdbuf();
  runtime::registerCpuLibrary();
  program::Program program;
  codegen::GpuTargetOptions gpuOptions;
  gpuOptions.checksAccesses = true;
  auto executable = load(text.str(), program, std::move(gpuOptions));
  ASSERT_TRUE(executable) << failure;
  std::vector<Literal> inputs = tenon::testing::randomInputs(program);
  auto expected = tenon::testing::runReference(text.str(), inputs, program);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  std::vector<Bytes> first;
  for (ThreadOrder order : kOrders) {
    runtime::emulator::setThreadOrder(order);
    runtime::emulator::setChecksAccesses(order == ThreadOrder::kRandom);
    std::vector<Bytes> results = run(*executable, program, inputs);
    if (order != ThreadOrder::kForward) {
      EXPECT_EQ(results, first) << "the order of threads shows";
      continue;
    }
    first = results;
    EXPECT_EQ(run(*walked, program, inputs), results) << "the host decides otherwise than the device";
    std::vector<Literal> arrays;
    for (auto [result, bytes] : llvm::zip(program.results, results))
      arrays.push_back(tools::makeArray(result.shape, bytes.data()).ConsumeValueOrDie());
    arrays = tools::cutToSizes(program.results, std::move(arrays)).ConsumeValueOrDie();
    ASSERT_EQ(arrays.size(), expected->size());
    for (size_t i = 0; i < arrays.size(); ++i)
      tenon::testing::compareArrays(arrays[i], (*expected)[i], "result " + std::to_string(i));
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, EmulatedPrograms, ::testing::ValuesIn(programNames()),
                         [](const auto &info) { return info.param; });

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

template <typename T> class GpuBuilders : public EmulatedGpu {
protected:
  std::vector<T> sums(bool hasBarrier, ThreadOrder order) {
    ModuleHandle *module = this->loadModule(
        [&](llvm::Module &module, codegen::GpuBuilder &gpu) { emitBlockSum<T>(module, gpu, hasBarrier); });
    std::vector<T> in(kThreads * kBlocks), out(kBlocks);
    std::iota(in.begin(), in.end(), T(1));
    runtime::emulator::setThreadOrder(order);
    DeviceAddress from = allocate(in.size() * sizeof(T), in.data()), to = allocate(out.size() * sizeof(T));
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
  for (unsigned block = 0; block < kBlocks; ++block) {
    unsigned twice = kThreads * (2 * block * kThreads + kThreads + 1);
    expected.push_back(TypeParam(twice) / 2);
  }
  for (ThreadOrder order : kOrders)
    EXPECT_EQ(this->sums(true, order), expected);
  EXPECT_NE(this->sums(false, ThreadOrder::kForward), this->sums(false, ThreadOrder::kReverse))
      << "a barrier that is missing has to show";
}

// Kernels alone need one that binds their arrays; all others are there where one of them is needed.
TEST(ControlKernels, AreTakenByTheAssembler) {
  auto assembler = Assembler::find();
  if (!assembler.ok() && !std::getenv("TENON_CUDA_TESTS"))
    GTEST_SKIP() << assembler.status().message();
  ASSERT_TRUE(assembler.ok()) << assembler.status().message();
  for (std::string_view chip : codegen::GpuTarget::chips()) {
    codegen::GpuTargetOptions options;
    options.chip = chip;
    auto target = codegen::GpuTarget::create(std::move(options));
    ASSERT_TRUE(target.ok());
    const program::DeviceSteps alone{{program::KernelStep{}}}, copied{{program::KernelStep{}}, {program::CopyStep{}}};
    for (const program::DeviceSteps &steps : {alone, copied}) {
      auto module = codegen::controlModule(*target, steps);
      ASSERT_TRUE(module.ok()) << module.status().message();
      EXPECT_EQ(module->kernels.size(), steps.size() == 1 ? 1 : std::size(program::kControlKernels));
      // What drivers resolve alone is left open.
      auto cubin = assembler->assemble(module->code, std::string(chip));
      ASSERT_TRUE(cubin.ok()) << cubin.status().message() << module->code;
      EXPECT_GE(cubin->functions.size(), module->kernels.size());
      EXPECT_EQ(module->code.find("cudaGraphSetConditional") != std::string::npos, steps.size() > 1);
    }
  }
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
    llvm::LLVMContext context;
    llvm::Module module("block_sum", context);
    target->prepareModule(module);
    emitBlockSum<TypeParam>(module, *target->makeBuilder(context), true);
    auto ptx = codegen::compileToAssembly(module, *target);
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
