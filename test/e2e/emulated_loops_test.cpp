// Small loops that are one kernel each, on the GPU that the host plays: one thread has a few elements in registers, and
// the threads of a block, of a cluster of blocks, or of a grid all of whose blocks are at work at once, share out
// larger ones.

#include "test/e2e/emulated_checks_testing.h"
#include "test/e2e/program_texts.h"

using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr const char *kLorenzBegin = R"(
  func.func private @slope(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>)
      -> (tensor<f32>, tensor<f32>, tensor<f32>) {
    %s = stablehlo.constant dense<10.0> : tensor<f32>
    %r = stablehlo.constant dense<28.0> : tensor<f32>
    %b = stablehlo.constant dense<2.6666667> : tensor<f32>
    %0 = stablehlo.subtract %y, %x : tensor<f32>
    %dx = stablehlo.multiply %s, %0 : tensor<f32>
    %1 = stablehlo.subtract %r, %z : tensor<f32>
    %2 = stablehlo.multiply %x, %1 : tensor<f32>
    %dy = stablehlo.subtract %2, %y : tensor<f32>
    %3 = stablehlo.multiply %x, %y : tensor<f32>
    %4 = stablehlo.multiply %b, %z : tensor<f32>
    %dz = stablehlo.subtract %3, %4 : tensor<f32>
    return %dx, %dy, %dz : tensor<f32>, tensor<f32>, tensor<f32>
  }
  func.func private @along(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %t: tensor<f32>, %dx: tensor<f32>,
      %dy: tensor<f32>, %dz: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
    %0 = stablehlo.multiply %t, %dx : tensor<f32>
    %1 = stablehlo.multiply %t, %dy : tensor<f32>
    %2 = stablehlo.multiply %t, %dz : tensor<f32>
    %3 = stablehlo.add %x, %0 : tensor<f32>
    %4 = stablehlo.add %y, %1 : tensor<f32>
    %5 = stablehlo.add %z, %2 : tensor<f32>
    return %3, %4, %5 : tensor<f32>, tensor<f32>, tensor<f32>
  }
  func.func @main(%a: tensor<f32>, %n: tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %h = stablehlo.constant dense<0.01> : tensor<f32>
    %half = stablehlo.constant dense<0.005> : tensor<f32>
    %sixth = stablehlo.constant dense<0.0016666667> : tensor<f32>
    %third = stablehlo.constant dense<0.0033333333> : tensor<f32>
    %0:4 = stablehlo.while(%x = %a, %y = %h, %z = %half, %i = %zero)
      : tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
)";

// The equations of Lorenz by the method of Runge and Kutta, in steps of 0.01.
std::string lorenz() {
  std::string text = kLorenzBegin;
  const std::string three = "(tensor<f32>, tensor<f32>, tensor<f32>)";
  auto slope = [&](const std::string &to, const std::string &at) {
    text += "        " + to + ":3 = func.call @slope(" + at + ") : " + three + " -> " + three + "\n";
  };
  auto along = [&](const std::string &to, const std::string &from, const std::string &step, const std::string &by) {
    text += "        " + to + ":3 = func.call @along(" + from + ", " + step + ", " + by + "#0, " + by + "#1, " + by +
            "#2) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> " +
            three + "\n";
  };
  auto parts = [](const std::string &name) { return name + "#0, " + name + "#1, " + name + "#2"; };
  const std::string begin = "%x, %y, %z";
  slope("%k1", begin);
  along("%p1", begin, "%half", "%k1");
  slope("%k2", parts("%p1"));
  along("%p2", begin, "%half", "%k2");
  slope("%k3", parts("%p2"));
  along("%p3", begin, "%h", "%k3");
  slope("%k4", parts("%p3"));
  along("%q1", begin, "%sixth", "%k1");
  along("%q2", parts("%q1"), "%third", "%k2");
  along("%q3", parts("%q2"), "%third", "%k3");
  along("%q4", parts("%q3"), "%sixth", "%k4");
  return text + R"(        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %q4#0, %q4#1, %q4#2, %j : tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
      }
    return %0#0, %0#1, %0#2, %0#3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>
  })";
}

// A loop over an array, which has sums of rows and changes places with another, in a loop.
constexpr const char *kHeat = R"(
  func.func @main(%a: tensor<48x24xf32>, %n: tensor<i32>) -> tensor<48x24xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %small = stablehlo.constant dense<0.125> : tensor<48x24xf32>
    %0:3 = stablehlo.while(%x = %a, %y = %small, %i = %zero) : tensor<48x24xf32>, tensor<48x24xf32>, tensor<i32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %1:3 = stablehlo.while(%u = %x, %v = %y, %j = %zero) : tensor<48x24xf32>, tensor<48x24xf32>, tensor<i32>
          cond {
            %d = stablehlo.compare LT, %j, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %d : tensor<i1>
          } do {
            %t = stablehlo.reverse %u, dims = [0, 1] : tensor<48x24xf32>
            %w = stablehlo.multiply %t, %v : tensor<48x24xf32>
            %k = stablehlo.add %j, %one : tensor<i32>
            stablehlo.return %w, %u, %k : tensor<48x24xf32>, tensor<48x24xf32>, tensor<i32>
          }
        %s = stablehlo.reduce(%1#0 init: %none) applies stablehlo.maximum across dimensions = [1]
          : (tensor<48x24xf32>, tensor<f32>) -> tensor<48xf32>
        %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<48xf32>) -> tensor<48x24xf32>
        %e = stablehlo.add %1#0, %b : tensor<48x24xf32>
        %f = stablehlo.multiply %e, %small : tensor<48x24xf32>
        %m = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %f, %small, %m : tensor<48x24xf32>, tensor<48x24xf32>, tensor<i32>
      }
    return %0#0 : tensor<48x24xf32>
  })";

class EmulatedLoops : public EmulatedChecks {
protected:
  program::DeviceProgram compiled(const std::string &source, codegen::GpuTargetOptions options = {}) {
    program::DeviceProgram device;
    codegen::GpuTarget target = emulatedTarget(&device, std::move(options));
    auto compiled = compiler::compileFor(target, source, {});
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    return device;
  }

  // The kernels that the program starts, if all that it does is to start kernels.
  std::vector<program::DeviceKernel> kernelsOf(const std::string &source) {
    program::DeviceProgram device = compiled(source);
    std::vector<program::DeviceKernel> kernels;
    for (const program::DeviceStep &step : device.steps)
      if (const auto *kernel = std::get_if<program::KernelStep>(&step.what))
        for (const program::DeviceKernel &own : device.modules[size_t(kernel->module)].kernels)
          kernels.push_back(own);
      else
        EXPECT_TRUE(std::holds_alternative<program::CopyStep>(step.what)) << "a step that is no kernel";
    return kernels;
  }

  // How many kernels run for an iteration of a loop of nodes, whose count is the program's last argument.
  int64_t kernelsOfIteration(const std::string &source) {
    program::Program program;
    auto executable = load(source, program, ofNodes());
    EXPECT_TRUE(executable) << failure;
    if (!executable)
      return 0;
    std::vector<Literal> inputs = randomInputs(program);
    auto kernelsIn = [&](int32_t iterations) {
      inputs.back() = tools::makeArray(program.arguments.back().shape, &iterations).ConsumeValueOrDie();
      int64_t before = runtime::emulator::graphCounts().kernels;
      run(*executable, program, inputs);
      return runtime::emulator::graphCounts().kernels - before;
    };
    constexpr int32_t kFew = 2, kMore = 12;
    int64_t more = kernelsIn(kMore) - kernelsIn(kFew);
    EXPECT_EQ(more % (kMore - kFew), 0);
    return more / (kMore - kFew);
  }

  static codegen::GpuTargetOptions ofNodes() { return ofForm("nodes"); }
  static codegen::GpuTargetOptions ofForm(const char *form) {
    codegen::GpuTargetOptions options;
    options.loops = form;
    return options;
  }

  void checkIn(const std::string &source, std::initializer_list<int32_t> iterations,
               codegen::GpuTargetOptions options = {}) {
    options.checksAccesses = true;
    program::Program program;
    auto executable = load(source, program, options);
    ASSERT_TRUE(executable) << failure;
    std::vector<Literal> inputs = randomInputs(program);
    for (int32_t number : iterations)
      for (ThreadOrder order : kOrders) {
        runtime::emulator::setThreadOrder(order);
        inputs.back() = tools::makeArray(program.arguments.back().shape, &number).ConsumeValueOrDie();
        checkDeviceDecides(*executable, program, source, inputs, std::to_string(number));
      }
  }
};

TEST_F(EmulatedLoops, OfScalarsAreOneThread) {
  std::vector<program::DeviceKernel> kernels = kernelsOf(lorenz());
  ASSERT_EQ(kernels.size(), 2u); // the first brings what the loop begins with
  for (const program::DeviceKernel &kernel : kernels) {
    EXPECT_EQ(kernel.blockThreads, 1);
    EXPECT_EQ(kernel.tasks, 1);
    EXPECT_EQ(kernel.sharedBytes, 0);
  }
  checkIn(lorenz(), {0, 1, 50});
}

TEST_F(EmulatedLoops, OfSmallArraysAreOneBlock) {
  for (const std::string &source : {std::string(kHeat), iterated(1024), recurrent(4)}) {
    std::vector<program::DeviceKernel> kernels = kernelsOf(source);
    ASSERT_FALSE(kernels.empty());
    EXPECT_GE(kernels.back().blockThreads, 128);
    EXPECT_EQ(kernels.back().tasks, 1);
    EXPECT_GT(kernels.back().sharedBytes, 0);
    checkIn(source, {0, 3});
  }
}

// A block has neither the multiplications nor the memory for them.
TEST_F(EmulatedLoops, OfMoreWorkAreNodes) {
  program::DeviceProgram device = compiled(recurrent(512));
  auto isLoop = [](const program::DeviceStep &step) { return std::holds_alternative<program::LoopStep>(step.what); };
  EXPECT_TRUE(std::ranges::any_of(device.steps, isLoop));
}

// An array that is computed out of another's elements, and so exchanges places with it, beside numbers.
constexpr const char *kExchanged = R"(
  func.func @main(%a: tensor<600xi32>, %n: tensor<i32>) -> (tensor<600xi32>, tensor<i32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %ones = stablehlo.constant dense<1> : tensor<600xi32>
    %0:3 = stablehlo.while(%x = %a, %i = %zero, %j = %one) : tensor<600xi32>, tensor<i32>, tensor<i32>
      cond {
        %d = stablehlo.subtract %i, %n : tensor<i32>
        %c = stablehlo.compare LT, %d, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %t = stablehlo.reverse %x, dims = [0] : tensor<600xi32>
        %z = stablehlo.add %t, %ones : tensor<600xi32>
        %k = stablehlo.add %i, %one : tensor<i32>
        %m = stablehlo.multiply %j, %k : tensor<i32>
        stablehlo.return %z, %k, %m : tensor<600xi32>, tensor<i32>, tensor<i32>
      }
    return %0#0, %0#1, %0#2 : tensor<600xi32>, tensor<i32>, tensor<i32>
  })";

// What becomes of kExchanged with arrays of so many elements.
std::string exchanged(int elements) {
  std::string text = kExchanged;
  const std::string size = "<600x";
  for (size_t at = 0; (at = text.find(size, at)) != std::string::npos; ++at)
    text.replace(at, size.size(), "<" + std::to_string(elements) + "x");
  return text;
}

// Rows that are summed and divided in each iteration, by several kernels.
constexpr const char *kNormalized = R"(
  func.func @main(%a: tensor<256x64xi32>, %n: tensor<i32>) -> tensor<256x64xi32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%x = %a, %i = %zero) : tensor<256x64xi32>, tensor<i32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<256x64xi32>, tensor<i32>) -> tensor<256xi32>
        %r = stablehlo.reverse %s, dims = [0] : tensor<256xi32>
        %b = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<256xi32>) -> tensor<256x64xi32>
        %y = stablehlo.xor %x, %b : tensor<256x64xi32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %y, %j : tensor<256x64xi32>, tensor<i32>
      }
    return %0#0 : tensor<256x64xi32>
  })";

constexpr int kExchangedByCluster = 16384; // elements of a loop that is for a cluster

TEST_F(EmulatedLoops, OfLargerArraysAreOneCluster) {
  for (const std::string &source : {exchanged(kExchangedByCluster), exchanged(kExchangedByCluster - 1000)}) {
    std::vector<program::DeviceKernel> kernels = kernelsOf(source);
    ASSERT_FALSE(kernels.empty());
    EXPECT_EQ(kernels.back().blockThreads, 256);
    EXPECT_GT(kernels.back().tasks, 1);
    EXPECT_LE(kernels.back().tasks, 8);
    EXPECT_EQ(kernels.back().sharedBytes, 0);
    checkIn(source, {0, 2});
  }
}

// A loop has the bits that it has as nodes, whoever goes through it.
TEST_F(EmulatedLoops, HaveTheSameBitsInAllForms) {
  for (const std::string &source : {iterated(kExchangedByCluster), exchanged(2000), std::string(kNormalized)}) {
    const int32_t iterations = 4;
    std::vector<std::vector<Bytes>> results;
    for (const char *form : {"nodes", "", "block", "cluster2", "cluster8", "grid"}) {
      program::Program program;
      auto executable = load(source, program, ofForm(form));
      ASSERT_TRUE(executable) << failure;
      std::vector<Literal> inputs = randomInputs(program);
      inputs.back() = tools::makeArray(program.arguments.back().shape, &iterations).ConsumeValueOrDie();
      results.push_back(run(*executable, program, inputs));
      EXPECT_EQ(results.front(), results.back()) << form;
    }
  }
}

// sm_80 has no clusters; large arrays have more work than one does in time; and the host makes calls of the runtime.
TEST_F(EmulatedLoops, AreNoClustersWhereThereAreNoneOrNodesTakeLessTime) {
  auto hasCluster = [&](const std::string &source, const std::string &chip) {
    bool found = false;
    codegen::GpuTargetOptions options;
    options.chip = chip;
    options.change = [&](llvm::Module &module) { found |= module.getFunction("tenon_emu_cluster_barrier") != nullptr; };
    compiled(source, std::move(options));
    return found;
  };
  EXPECT_TRUE(hasCluster(exchanged(kExchangedByCluster), "sm_90a"));
  EXPECT_TRUE(hasCluster(exchanged(kExchangedByCluster), "sm_100a"));
  EXPECT_FALSE(hasCluster(exchanged(kExchangedByCluster), "sm_80"));
  EXPECT_FALSE(hasCluster(exchanged(256), "sm_90a"));
  EXPECT_FALSE(hasCluster(exchanged(1 << 22), "sm_90a"));
  std::string called = exchanged(kExchangedByCluster);
  const std::string step = "%z = stablehlo.add %t, %ones :";
  called.replace(called.find(step), step.size(), "%z = stablehlo.custom_call @test(%t, %ones) :");
  const std::string type = "tensor<16384xi32>\n        %k";
  called.replace(called.find(type), type.size(),
                 "(tensor<16384xi32>, tensor<16384xi32>) -> tensor<16384xi32>\n        %k");
  EXPECT_FALSE(hasCluster(called, "sm_90a"));
}

// The loop goes through so many iterations: of random bounds some are no iteration.
std::string withIterations(std::string source, int iterations) {
  const std::string bound = "%i, %n :", begin = "    %zero =";
  source.replace(source.find(bound), bound.size(), "%i, %many :");
  source.insert(source.find(begin),
                "    %many = stablehlo.constant dense<" + std::to_string(iterations) + "> : tensor<i32>\n");
  return source;
}

// Reversed and added up, as exchanged() has it: too many elements for a cluster.
constexpr int kForGrid = 120000;

TEST_F(EmulatedLoops, OfLargeArraysAreOneGrid) {
  std::vector<program::DeviceKernel> kernels = kernelsOf(exchanged(kForGrid));
  ASSERT_GE(kernels.size(), 2u);
  const program::DeviceKernel &clear = kernels[kernels.size() - 2], &loop = kernels.back();
  EXPECT_EQ(clear.name, loop.name + "_clear");
  EXPECT_FALSE(clear.isCooperative);
  EXPECT_TRUE(loop.isCooperative);
  EXPECT_EQ(loop.blockThreads, 256);
  EXPECT_GT(loop.tasks, 8);
  checkIn(exchanged(kForGrid), {0, 2});
}

// A device that has room for fewer blocks than the program would have has so many.
TEST_F(EmulatedLoops, HaveAsManyBlocksAsTheDeviceHasRoomFor) {
  runtime::emulator::setMultiprocessors(1); // with 8 blocks of 256 threads
  checkIn(exchanged(kForGrid), {2});
  runtime::emulator::setMultiprocessors(132);
}

// Without being told that its blocks wait for each other, the device does not have them at work at once.
TEST_F(EmulatedLoops, NoticeGridsThatAreNotCooperative) {
  program::DeviceProgram device;
  codegen::GpuTarget target = emulatedTarget(&device, [] {
    codegen::GpuTargetOptions options;
    options.checksAccesses = true;
    return options;
  }());
  auto program = compiler::compileFor(target, withIterations(exchanged(kForGrid), 2), {});
  ASSERT_TRUE(program.ok()) << program.status().message();
  for (program::DeviceModule &module : device.modules)
    for (program::DeviceKernel &kernel : module.kernels)
      kernel.isCooperative = false;
  auto loaded = DeviceExecutable::load(d, std::move(device), *program, stream);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  std::vector<DeviceAddress> arguments, results;
  std::vector<Literal> inputs = randomInputs(*program);
  for (const Literal &input : inputs)
    arguments.push_back(allocate(size_t(input.size_bytes()), input.untyped_data()));
  for (const program::Result &result : program->results)
    results.push_back(allocate(size_t(result.shape.byteSize())));
  EXPECT_FALSE((*loaded)->run({arguments, results, {}}).ok());
  EXPECT_THAT(runtime::emulator::takeFailure(), ::testing::HasSubstr("waits for what no block writes"));
  for (const auto &list : {arguments, results})
    for (DeviceAddress address : list)
      check(d.memFree(address));
}

// The order of the words of a grid's barrier, and that these begin as 0.
TEST_F(EmulatedLoops, NoticeWhatGridsMiss) {
  auto problemWith = [&](const std::function<void(llvm::Instruction &)> &change) {
    auto changeAll = [&](llvm::Module &module) {
      for (llvm::Function &function : module)
        if (function.getName().starts_with("loop_"))
          for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
            change(instruction);
    };
    return problemOf(withIterations(exchanged(kForGrid), 2), ThreadOrder::kForward, changeAll);
  };
  int changed = 0;
  EXPECT_EQ(problemWith([](llvm::Instruction &) {}), "");
  EXPECT_THAT(problemWith([&](llvm::Instruction &instruction) {
                if (auto *add = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction); add && ++changed)
                  add->setOrdering(llvm::AtomicOrdering::Monotonic);
              }),
              ::testing::HasSubstr("without a barrier"));
  EXPECT_THAT(problemWith([&](llvm::Instruction &instruction) {
                if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->isAtomic() && ++changed)
                  load->setOrdering(llvm::AtomicOrdering::Monotonic);
              }),
              ::testing::HasSubstr("without a barrier"));
  EXPECT_THAT(problemWith([&](llvm::Instruction &instruction) {
                if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
                    store && store->getFunction()->getName().ends_with("_clear") && ++changed)
                  store->eraseFromParent();
              }),
              ::testing::HasSubstr("waits for what no block writes"));
  EXPECT_GE(changed, 3);
}

TEST_F(EmulatedLoops, EndIterationsByOneKernel) {
  for (const std::string &source : {iterated(600), std::string(kExchanged)}) {
    EXPECT_EQ(kernelsOfIteration(source), 2);
    checkIn(source, {0, 1, 7}, ofNodes());
  }
  EXPECT_EQ(kernelsOfIteration(lorenz()), 1);
}

TEST_F(EmulatedLoops, NoticeBarriersOfExchangesThatAreMissing) {
  std::string source = kExchanged;
  const std::string bound = "%i, %n :"; // of random ones some are no iteration
  source.replace(source.find(bound), bound.size(), "%i, %one :");
  constexpr size_t kBarriers = 2; // of one of its kernels
  for (size_t number = 0; number < kBarriers; ++number) {
    auto remove = [&](llvm::Module &module) {
      std::vector<llvm::Instruction *> barriers = barriersOf(module);
      if (barriers.empty())
        return;
      ASSERT_EQ(barriers.size(), kBarriers);
      barriers[number]->eraseFromParent();
      ++removed;
    };
    EXPECT_THAT(problemOf(source, ThreadOrder::kForward, remove, ofNodes()), ::testing::HasSubstr("without a barrier"));
  }
  EXPECT_EQ(removed, int(kBarriers));
}

// What an array is computed by has to be there before it, and what it is read by afterwards, after it.
TEST_F(EmulatedLoops, LeaveStepsBeforeWhatNeedsThem) {
  const std::string source = R"(
  func.func @main(%a: tensor<600xi32>, %n: tensor<i32>) -> (tensor<600xi32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0:3 = stablehlo.while(%x = %a, %i = %zero, %s = %one) : tensor<600xi32>, tensor<i32>, tensor<i32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %p = stablehlo.multiply %s, %s : tensor<i32>
        %q = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<600xi32>, tensor<i32>) -> tensor<1xi32>
        %r = stablehlo.reshape %q : (tensor<1xi32>) -> tensor<i32>
        %u = stablehlo.add %p, %r : tensor<i32>
        %v = stablehlo.broadcast_in_dim %u, dims = [] : (tensor<i32>) -> tensor<600xi32>
        %w = stablehlo.reverse %x, dims = [0] : tensor<600xi32>
        %y = stablehlo.add %w, %v : tensor<600xi32>
        %e = stablehlo.dynamic_slice %y, %i, sizes = [1] : (tensor<600xi32>, tensor<i32>) -> tensor<1xi32>
        %f = stablehlo.reshape %e : (tensor<1xi32>) -> tensor<i32>
        %g = stablehlo.xor %f, %s : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %y, %j, %g : tensor<600xi32>, tensor<i32>, tensor<i32>
      }
    return %0#0, %0#2 : tensor<600xi32>, tensor<i32>
  })";
  checkIn(source, {0, 1, 5}, ofNodes());
}

TEST_F(EmulatedLoops, NoticeBarriersThatAreMissing) {
  auto remove = [&](const std::string &source, int iterations) {
    codegen::GpuTargetOptions options;
    options.loops = "block";
    options.changeCosts = [](CostModel &costs) { costs.blocks.sharedLoopStep = 0.5; }; // numbers are each thread's own
    removeBarriers(withIterations(source, iterations), options);
  };
  std::string turned = iterated(64); // whose elements are not each by itself
  const std::string sine = "stablehlo.sine %x";
  turned.replace(turned.find(sine), sine.size(), "stablehlo.reverse %x, dims = [0]");
  remove(turned, 1100); // looks whether it is to end
  EXPECT_EQ(noticed, removed);
  remove(recurrent(4), 2); // does not, so that it does not come by that barrier
  EXPECT_EQ(noticed, removed - 1);
}

// Each barrier of several blocks is there for something: for loops of some iterations, of none (what all threads have
// read is then written by one at once), or of so many that the team looks whether it is to end. Those of a grid are two
// of its blocks each, with the word that they wait for between them. Two of these are there for nothing here: the first
// of a look, since the thread that writes is the one that adds, and the last one, behind which one thread alone goes
// on.
TEST_F(EmulatedLoops, NoticeBarriersOfSeveralBlocksThatAreMissing) {
  std::string small = kNormalized; // in a grid of four blocks
  for (size_t at = 0; (at = small.find("256x", at)) != std::string::npos;)
    small.replace(at, 4, "64x");
  for (const auto &[source, form] : {std::pair<std::string, const char *>{kNormalized, "cluster8"}, {small, "grid"}}) {
    auto problemWithout = [&](size_t number, int iterations) {
      auto remove = [&](llvm::Module &module) {
        std::vector<llvm::Instruction *> barriers = barriersOf(module);
        if (number < barriers.size())
          barriers[number]->eraseFromParent();
      };
      return problemOf(withIterations(source, iterations), ThreadOrder::kForward, remove, ofForm(form));
    };
    size_t barriers = 0;
    codegen::GpuTargetOptions counting = ofForm(form);
    counting.change = [&](llvm::Module &module) { barriers += barriersOf(module).size(); };
    compiled(withIterations(source, 2), counting);
    EXPECT_GE(barriers, 4u);
    std::vector<size_t> unnoticed;
    for (size_t number = 0; number < barriers; ++number) {
      std::string problem;
      for (int iterations : {2, 0, 1025})
        if (problem.empty())
          problem = problemWithout(number, iterations);
      if (problem.find("without a barrier") == std::string::npos)
        unnoticed.push_back(number);
    }
    EXPECT_THAT(unnoticed, ::testing::SizeIs(form == std::string("grid") ? 2 : 0)) << form;
  }
}

} // namespace
