#include "tenon/codegen/cpu/test/target_testing.h"
#include "tenon/codegen/llvm/emitter.h"
#include "tenon/codegen/llvm/math/fp.h"
#include "tenon/codegen/llvm/math/instruction_set.h"
#include "tenon/support/tile_permission.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace tenon::codegen {
namespace {

using testing::emitKernel;
using ::testing::HasSubstr;
using testing::manyJobs;
using ::testing::Not;

CpuTarget make(const std::string &cpu, const std::string &features = "", int maxVectorBits = 0) {
  CpuTargetOptions options;
  options.triple = "x86_64-unknown-linux-gnu";
  options.cpu = cpu;
  options.features = features;
  options.maxVectorBits = maxVectorBits;
  auto target = CpuTarget::create(options);
  EXPECT_TRUE(target.ok()) << target.status().message();
  return *std::move(target);
}

// Gives `use` a module for the target that has what `emit` puts there.
template <typename Emit, typename Use> auto withModule(const CpuTarget &target, Emit emit, Use use) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  target.prepareModule(module);
  emit(module);
  return use(module);
}

// A module's kernel with this body.
auto kernelOf(llvm::function_ref<void(Emitter &)> body) {
  return [body](llvm::Module &module) {
    Emitter e(module, "kernel", kernelParameters(module.getContext()), /*internal=*/false);
    body(e);
    e.b.CreateRetVoid();
  };
}

template <typename Emit>
std::string assembly(const CpuTarget &target, Emit emit, const CompileOptions &options = CompileOptions()) {
  return withModule(target, emit, [&](llvm::Module &module) {
    auto text = compileToAssembly(module, target, options);
    EXPECT_TRUE(text.ok()) << text.status().message();
    return text.ok() ? *text : "";
  });
}

std::string assembly(const CpuTarget &target, int lanes) {
  return assembly(target, [&](llvm::Module &module) { emitKernel(module, "kernel", lanes); });
}

TEST(CpuTarget, HostIsDescribed) {
  const CpuTarget &host = CpuTarget::host();
  EXPECT_FALSE(host.cpu().empty());
  EXPECT_GE(host.vectorBits(), 128);
  EXPECT_GE(host.l1Bytes(), 8 << 10);
  EXPECT_GE(host.l2Bytes(), 64 << 10);
  EXPECT_EQ(host.key(), (*CpuTarget::create()).key());
}

TEST(CpuTarget, Levels) {
  CpuTarget v1 = make("x86-64"), v2 = make("x86-64-v2"), v3 = make("x86-64-v3"), v4 = make("x86-64-v4");
  EXPECT_EQ(v1.vectorBits(), 128);
  EXPECT_EQ(v2.vectorBits(), 128);
  EXPECT_EQ(v3.vectorBits(), 256);
  EXPECT_EQ(v4.vectorBits(), 512);
  EXPECT_TRUE(v3.fma() && v3.f16c() && v3.avx2() && !v3.avx512());
  EXPECT_FALSE(v2.fma() || v2.avx());
  EXPECT_TRUE(v4.avx512());
  EXPECT_FALSE(v4.avx512bf16() || v4.avx512vnni());
  EXPECT_TRUE(v3.hasFeature("avx2"));
  EXPECT_FALSE(v3.hasFeature("avx512f"));
  EXPECT_EQ(v4.lanes(32), 16);
  EXPECT_EQ(v1.lanes(64), 2);
  EXPECT_EQ(v1.lanes(256), 1);
  CpuTarget zen4 = make("znver4");
  EXPECT_TRUE(zen4.avx512bf16() && zen4.avx512vnni());
}

// What emitters without a target learn of it from the module, and what a routine that uses it needs.
TEST(CpuTarget, Instructions) {
  llvm::LLVMContext context;
  auto check = [&](const CpuTarget &target, unsigned scaled, unsigned permuted, bool halves, bool mergesVectors) {
    llvm::Module module("module", context);
    target.prepareModule(module);
    Emitter e(module, "function", {}, true);
    const math::InstructionSet &instructions = math::instructionsOf(e.b);
    EXPECT_EQ(instructions.scaledLanes(e.b.getFloatTy()), scaled);
    EXPECT_EQ(instructions.scaledLanes(e.b.getDoubleTy()), scaled / 2);
    EXPECT_EQ(instructions.permutedLanes(16), permuted);
    EXPECT_EQ(instructions.convertsHalves(), halves);
    EXPECT_EQ(instructions.fusesMultiplyAdd(), halves);
    EXPECT_TRUE(instructions.mergesExtremaByMasks(1));
    EXPECT_EQ(instructions.mergesExtremaByMasks(8), mergesVectors);
    EXPECT_EQ(instructions.keepsExtremaOfBits(8), halves);
    EXPECT_FALSE(instructions.keepsExtremaOfBits(1));
  };
  check(make("x86-64-v2"), 0, 0, false, false);
  check(make("x86-64-v3"), 0, 8, true, false);
  check(make("x86-64-v4"), 16, 16, true, true);
  check(make("x86-64-v4", "", 256), 0, 8, true, false); // no registers of 512 bits
  auto roundsToBfloat = [&](const CpuTarget &target, unsigned lanes) {
    llvm::Module module("module", context);
    target.prepareModule(module);
    Emitter e(module, "function", {}, true);
    return math::instructionsOf(e.b).roundsToBfloat(lanes);
  };
  EXPECT_FALSE(roundsToBfloat(make("x86-64-v4"), 16));
  EXPECT_TRUE(roundsToBfloat(make("znver4"), 16));
  EXPECT_TRUE(roundsToBfloat(make("znver4"), 32));
  EXPECT_FALSE(roundsToBfloat(make("znver4"), 4));
  EXPECT_FALSE(roundsToBfloat(make("znver4", "", 256), 8));
  EXPECT_EQ(make("x86-64-v4").featureOfIntrinsic("llvm.fma.f32"), "");
  EXPECT_EQ(make("sapphirerapids").featureOfIntrinsic("llvm.x86.avx512.vpdpbusd.512"), "avx512vnni");
  EXPECT_EQ(make("x86-64-v3", "+avxvnni").featureOfIntrinsic("llvm.x86.avx512.vpdpbusd.256"), "avxvnni");
  EXPECT_EQ(make("x86-64-v4").featureOfIntrinsic("llvm.x86.rdtsc"), std::nullopt);
}

TEST(CpuTarget, Amx) {
  CpuTarget whole = make("sapphirerapids"), half = make("x86-64-v3", "+amx-tile,+amx-int8");
  EXPECT_TRUE(whole.amxBf16() && whole.amxInt8());
  EXPECT_TRUE(half.amxInt8());
  EXPECT_FALSE(half.amxBf16() || half.avx512());
  EXPECT_FALSE(make("x86-64-v4").amxBf16() || make("x86-64-v4").amxInt8());
  EXPECT_FALSE(make("sapphirerapids", "-amx-tile").amxBf16());
  // Having the instructions is not enough.
  const CpuTarget &host = CpuTarget::host();
  if (!mayUseTiles())
    EXPECT_FALSE(host.hasFeature("amx-tile") || host.amxBf16() || host.amxInt8());
}

// Whose arithmetic shift by zero is wrong.
TEST(CpuTarget, DoesWithoutGfni) {
  CpuTarget zen4 = make("znver4", "+gfni");
  EXPECT_THAT(zen4.features(), HasSubstr("-gfni"));
  EXPECT_THAT(zen4.features(), Not(HasSubstr("+gfni")));
  EXPECT_FALSE(CpuTarget::host().hasFeature("gfni"));
}

// What LLVM reads again and again is short, and means the same.
TEST(CpuTarget, SaysInWhatItDiffersFromItsName) {
  EXPECT_EQ(make("x86-64-v3").distinctFeatures(), "");
  EXPECT_EQ(make("znver4").distinctFeatures(), "-gfni");
  EXPECT_EQ(make("x86-64-v3", "+amx-tile,-bmi2").distinctFeatures(), "-bmi2,+amx-tile");
  // AVX-512's parts fall with it.
  EXPECT_THAT(make("x86-64-v4", "-avx512f").distinctFeatures(), HasSubstr("-avx512dq"));
  const CpuTarget &host = CpuTarget::host();
  std::unique_ptr<llvm::TargetMachine> machine = host.createTargetMachine();
  auto bitsOf = [&](const std::string &features) {
    const llvm::Target &target = machine->getTarget();
    std::unique_ptr<llvm::MCSubtargetInfo> info(
        target.createMCSubtargetInfo(llvm::Triple(host.triple()), host.cpu(), features));
    return info->getFeatureBits();
  };
  EXPECT_LT(host.distinctFeatures().size(), host.features().size());
  EXPECT_TRUE(bitsOf(host.distinctFeatures()) == bitsOf(host.features()));
}

TEST(CpuTarget, FeaturesAndWidthCanBeLimited) {
  CpuTarget narrow = make("x86-64-v4", "", 256);
  EXPECT_EQ(narrow.vectorBits(), 256);
  EXPECT_FALSE(narrow.avx512());
  CpuTarget partial = make("x86-64-v4", "-avx512dq");
  EXPECT_EQ(partial.vectorBits(), 256);
  EXPECT_TRUE(make("x86-64-v4", "+avx512bf16").avx512bf16());
  setenv("TENON_MAX_VECTOR_BITS", "256", 1);
  EXPECT_EQ(make("x86-64-v4").vectorBits(), 256);
  unsetenv("TENON_MAX_VECTOR_BITS");
}

// A limit takes features away and gives none; another machine's code has nothing to do with it.
TEST(CpuTarget, TheHostCanBeLimitedToALevel) {
  CpuTarget unlimited = make("host");
  setenv("TENON_MAX_CPU", "x86-64", 1);
  CpuTarget limited = make("host");
  EXPECT_FALSE(limited.avx());
  EXPECT_EQ(limited.vectorBits(), 128);
  EXPECT_NE(limited.key(), unlimited.key());
  EXPECT_TRUE(make("x86-64-v3").avx2());
  setenv("TENON_MAX_CPU", "sapphirerapids", 1);
  EXPECT_LE(make("host").vectorBits(), unlimited.vectorBits());
  EXPECT_LE(make("host").avx512(), unlimited.avx512());
  setenv("TENON_MAX_CPU", "pentium-9000", 1);
  CpuTargetOptions options;
  EXPECT_THAT(CpuTarget::create(options).status().message(), HasSubstr("TENON_MAX_CPU: unknown CPU 'pentium-9000'"));
  unsetenv("TENON_MAX_CPU");
}

TEST(CpuTarget, RefusesUnknownNames) {
  CpuTargetOptions options;
  options.cpu = "pentium-9000";
  EXPECT_EQ(CpuTarget::create(options).status().code(), StatusCode::kInvalidArgument);
  options.cpu = "host";
  options.features = "+warp-drive";
  EXPECT_THAT(CpuTarget::create(options).status().message(), HasSubstr("warp-drive"));
  options.features = "avx2";
  EXPECT_THAT(CpuTarget::create(options).status().message(), HasSubstr("must begin with + or -"));
  options.features = "";
  options.triple = "z80-unknown-cpm";
  EXPECT_EQ(CpuTarget::create(options).status().code(), StatusCode::kUnimplemented);
}

// Every module gets the target's width and instructions.
TEST(CompileModule, UsesTheTargetsInstructions) {
  EXPECT_THAT(assembly(make("x86-64-v4"), 16), HasSubstr("zmm"));
  EXPECT_THAT(assembly(make("x86-64-v4"), 16), HasSubstr("vfmadd"));
  std::string narrow = assembly(make("x86-64-v4", "", 256), 16);
  EXPECT_THAT(narrow, Not(HasSubstr("zmm")));
  EXPECT_THAT(narrow, HasSubstr("ymm"));
  EXPECT_THAT(assembly(make("x86-64-v3"), 8), HasSubstr("ymm"));
  EXPECT_THAT(assembly(make("x86-64-v3"), 8), HasSubstr("vfmadd"));
  EXPECT_THAT(assembly(make("x86-64-v3", "-fma"), 8), Not(HasSubstr("vfmadd")));
  // No FMA instruction: a call, not a rounded product.
  EXPECT_THAT(assembly(make("x86-64"), 4), HasSubstr("fmaf"));
}

TEST(CompileModule, KeepsAddressesWhereToldTo) {
  CpuTarget target = make("x86-64-v3");
  auto body = [](Emitter &e) {
    e.loop(e.i64(0), e.arg(2), 1, [&](llvm::Value *i) {
      llvm::Value *element = e.gep(e.b.getFloatTy(), e.arg(3), e.mul(i, 1001));
      e.store(e.b.CreateFNeg(e.load(e.b.getFloatTy(), element)), element);
    });
  };
  auto loopOf = [&](bool keepsAddresses) {
    CompileOptions options;
    options.keepsAddresses = keepsAddresses;
    return assembly(target, kernelOf(body), options);
  };
  EXPECT_THAT(loopOf(true), HasSubstr("imulq"));
  // A pointer that goes on by 1001 elements.
  EXPECT_THAT(loopOf(false), Not(HasSubstr("imulq")));
  EXPECT_THAT(loopOf(true), HasSubstr("imulq"));
}

// Tables looked up for several vectors stay side by side, unless there are so many that their values do not fit, or
// they are behind a product.
TEST(CompileModule, KeepsTheOrderOfFewVectorsOfLookups) {
  CpuTarget target = make("x86-64-v3");
  auto inARow = [&](unsigned vectors, bool keepsAddresses = true) { // lookups by the index of the one before, of 100
    auto body = [&](Emitter &e) {
      e.loop(e.i64(0), e.arg(2), int64_t(8 * vectors), [&](llvm::Value *i) {
        llvm::Value *at = e.gep(e.b.getFloatTy(), e.arg(3), i);
        auto *type = llvm::FixedVectorType::get(e.b.getFloatTy(), 8 * vectors);
        math::F x{&e.b, e.load(type, at, 4)};
        math::I index = math::lshr(math::bits(x), 22);
        math::F y = x;
        for (int table = 0; table < 12; ++table) {
          double first = table + 0.5;
          double entries[] = {first, first * 2, first * 3, first * 4, first * 5, first * 6, first * 7, first * 8};
          y = math::fma(y, x, math::lookupOfEight("table" + std::to_string(table), entries, index));
        }
        e.store(y.v, at);
      });
    };
    CompileOptions options;
    options.keepsAddresses = keepsAddresses;
    std::string text = assembly(target, kernelOf(body), options), before;
    int same = 0, all = 0;
    for (size_t at = text.find("\tvperm"); at != std::string::npos; at = text.find("\tvperm", at + 1), ++all) {
      llvm::StringRef line = llvm::StringRef(text).substr(at).split('\n').first;
      std::string index = line.rsplit(", ").first.rsplit(", ").second.str();
      same += std::exchange(before, index) == index;
    }
    EXPECT_EQ(all, int(12 * vectors));
    return 100 * same / std::max(all, 1);
  };
  EXPECT_LT(inARow(4), 50);
  EXPECT_GT(inARow(8), 50);
  EXPECT_GT(inARow(4, false), 50) << "as behind a product";
}

// So do polynomials of more coefficients than there are registers, but nothing else that is computed with so many
// values.
TEST(CompileModule, KeepsTheOrderOfLongPolynomials) {
  CpuTarget target = make("x86-64-v3");
  auto productsInARow = [&](int coefficients, bool isDivided) { // at most, of four vectors
    auto body = [&](Emitter &e) {                               // a loop of one block, as those over elements are
      llvm::BasicBlock *before = e.b.GetInsertBlock();
      auto *loop = llvm::BasicBlock::Create(e.b.getContext(), "loop", before->getParent());
      auto *after = llvm::BasicBlock::Create(e.b.getContext(), "after", before->getParent());
      e.b.CreateBr(loop);
      e.b.SetInsertPoint(loop);
      llvm::PHINode *i = e.b.CreatePHI(e.b.getInt64Ty(), 2);
      llvm::Value *at = e.gep(e.b.getFloatTy(), e.arg(3), i);
      math::F x{&e.b, e.load(llvm::FixedVectorType::get(e.b.getFloatTy(), 32), at, 4)};
      math::F y = x;
      for (int coefficient = 1; coefficient < coefficients; ++coefficient)
        y = y * x + math::constant(x, coefficient + 0.25);
      e.store(isDivided ? (y / x).v : y.v, at);
      llvm::Value *next = e.b.CreateAdd(i, e.i64(32));
      e.b.CreateCondBr(e.b.CreateICmpSLT(next, e.arg(2)), loop, after);
      i->addIncoming(e.i64(0), before);
      i->addIncoming(next, loop);
      e.b.SetInsertPoint(after);
    };
    CompileOptions options;
    options.keepsAddresses = true;
    llvm::SmallVector<llvm::StringRef> lines;
    std::string text = assembly(target, kernelOf(body), options);
    llvm::StringRef(text).split(lines, '\n');
    int longest = 0, run = 0;
    for (llvm::StringRef line : lines) {
      run = line.contains("vmulps") ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    return longest;
  };
  EXPECT_EQ(productsInARow(12, false), 4);
  EXPECT_LT(productsInARow(12, true), 4);
}

// Which passes a compiler has already decides which ones it takes for such code.
TEST(CompileModule, QuickCodeIsTheSameWhateverWasCompiledBefore) {
  CpuTarget target = make("x86-64-v3", "-avx2"); // of no other test: with compilers of its own
  auto body = [](Emitter &e) { e.store(e.b.CreateFNeg(e.load(e.b.getFloatTy(), e.arg(0))), e.arg(3)); };
  auto textOf = [&](bool isQuick, bool keepsAddresses) {
    CompileOptions options;
    options.isQuick = isQuick;
    options.keepsAddresses = keepsAddresses;
    return assembly(target, kernelOf(body), options);
  };
  textOf(false, false);
  std::string afterAll = textOf(true, true);
  textOf(false, true);
  EXPECT_EQ(textOf(true, true), afterAll);
  EXPECT_EQ(textOf(true, false), afterAll);
}

// As the entry function has them: of a program with very many, each becomes a function.
TEST(CompileModule, PartsFunctionsOfVeryManyLoops) {
  CpuTarget target = make("x86-64-v3");
  auto functionsOf = [&](int loops) {
    auto body = [&](Emitter &e) {
      llvm::Value *sum = e.i64(0);
      for (int i = 0; i < loops; ++i) {
        auto add = [&](llvm::Value *counter, llvm::ArrayRef<llvm::Value *> carried) -> Values {
          return {e.b.CreateXor(e.add(carried[0], counter), e.arg(1))};
        };
        sum = e.loop(e.i64(0), e.arg(2), e.i64(i + 1), {sum}, add).front();
      }
      e.store(sum, e.arg(3));
    };
    CompileOptions options;
    options.promoteAllocas = true;
    size_t functions = 0;
    options.inspect = [&](const llvm::Module &cleaned) { functions = cleaned.size(); };
    EXPECT_TRUE(withModule(target, kernelOf(body),
                           [&](llvm::Module &module) { return compileModule(module, target, options).ok(); }));
    return functions;
  };
  EXPECT_EQ(functionsOf(100), 1u);
  EXPECT_GE(functionsOf(1500), 1500u);
}

TEST(CompileModule, BadModulesAreErrors) {
  llvm::LLVMContext context;
  llvm::Module module("broken", context);
  auto *function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                          llvm::Function::ExternalLinkage, "f", module);
  llvm::BasicBlock::Create(context, "no terminator", function);
  CompileOptions options;
  options.verify = true;
  auto object = compileModule(module, CpuTarget::host(), options);
  ASSERT_FALSE(object.ok());
  EXPECT_EQ(object.status().code(), StatusCode::kInternal);
  EXPECT_THAT(object.status().message(), HasSubstr("broken"));
}

TEST(CompileModules, CompilesEveryJobOnce) {
  for (int threads : {1, 2, 5}) {
    std::atomic<int> emitted{0};
    auto objects = compileModules(manyJobs(30, emitted), CpuTarget::host(), nullptr, threads);
    ASSERT_TRUE(objects.ok()) << objects.status().message();
    EXPECT_EQ(emitted.load(), 30);
    ASSERT_EQ(objects->size(), 30u);
    for (int i = 0; i < 30; ++i)
      EXPECT_NE((*objects)[i].bytes.find("kernel" + std::to_string(i) + '\0'), std::string::npos);
  }
  EXPECT_TRUE(compileModules({}, CpuTarget::host(), nullptr)->empty());
}

// Another thread would first have to make what LLVM needs, which takes longer than a small kernel.
TEST(CompileModules, LeavesSmallJobsToTheCaller) {
  for (const char *cpu : {"nehalem", "westmere", "sandybridge", "ivybridge"}) { // of each the first program
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::vector<CompileJob> jobs(2);
    for (CompileJob &job : jobs) {
      job.name = "kernel";
      job.weight = 3;
      job.emit = [&](llvm::Module &module) {
        emitKernel(module, "kernel", 4, 200);
        std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        return Status();
      };
    }
    ASSERT_TRUE(compileModules(jobs, make(cpu), nullptr, 2).ok());
    EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
  }
}

// A compiler is used again, with LLVM's passes and their state.
TEST(CompileModules, LeavesNothingBehind) {
  auto bytesOf = [](const std::string &name, int lanes, int copies) {
    CompileJob job;
    job.name = name;
    job.emit = [&](llvm::Module &module) {
      emitKernel(module, name, lanes, copies);
      return Status();
    };
    auto objects = compileModules({job}, make("x86-64-v3"), nullptr, 1);
    return objects.ok() ? objects->front().bytes : objects.status().message();
  };
  std::string first = bytesOf("first", 8, 3), large = bytesOf("large", 24, 40);
  EXPECT_GT(large.size(), first.size());
  EXPECT_EQ(bytesOf("first", 8, 3), first);
  EXPECT_EQ(bytesOf("large", 24, 40), large);
}

TEST(CompileModules, ReportsAnEmittersError) {
  std::atomic<int> emitted{0};
  std::vector<CompileJob> jobs = manyJobs(10, emitted);
  jobs[7].emit = [](llvm::Module &) { return unimplemented("seven"); };
  jobs[3].emit = [](llvm::Module &) { return unimplemented("three"); };
  auto objects = compileModules(jobs, CpuTarget::host(), nullptr, 2);
  ASSERT_FALSE(objects.ok());
  EXPECT_EQ(objects.status().message(), "three");
}

TEST(CompileModules, InspectsTheCleanedModule) {
  std::atomic<int> emitted{0}, inspected{0};
  std::vector<CompileJob> jobs = manyJobs(3, emitted);
  jobs[1].options.inspect = [&](const llvm::Module &module) {
    ++inspected;
    EXPECT_EQ(module.getName(), "kernel1");
    EXPECT_TRUE(module.getFunction("kernel1")->hasFnAttribute("target-features"));
  };
  ASSERT_TRUE(compileModules(jobs, CpuTarget::host(), nullptr, 2).ok());
  EXPECT_EQ(inspected.load(), 1);
}

} // namespace
} // namespace tenon::codegen
