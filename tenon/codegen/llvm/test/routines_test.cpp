#include "tenon/codegen/llvm/routines.h"

#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/codegen/llvm/object_cache.h"
#include "tenon/codegen/llvm/stop_checks.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>

namespace tenon::codegen {
namespace {

namespace files = std::filesystem;
using ::testing::StartsWith;

llvm::Function *startFunction(llvm::IRBuilder<> &b, llvm::Module &module, const std::string &name, bool isInternal) {
  auto *type = llvm::FunctionType::get(b.getInt64Ty(), {b.getInt64Ty()}, false);
  auto linkage = isInternal ? llvm::GlobalValue::InternalLinkage : llvm::GlobalValue::ExternalLinkage;
  auto *function = llvm::Function::Create(type, linkage, name, module);
  if (isInternal)
    function->addFnAttr(llvm::Attribute::NoInline);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  return function;
}

// i64 leaf(x) = table[x] * factor; i64 middle(x) = leaf(x) + 1; i64 kernel(x) = middle(x). The first two are routines,
// named after the kernel as emitters do.
void emitKernel(llvm::Module &module, const std::string &name, int64_t factor, double cost = 1) {
  llvm::IRBuilder<> b(module.getContext());
  auto *data = llvm::ConstantDataArray::get(module.getContext(), llvm::ArrayRef<int64_t>{3, 5, 7});
  auto *table = new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::InternalLinkage, data,
                                         name + ".table");
  llvm::Function *leaf = startFunction(b, module, name + ".leaf", true);
  llvm::Value *loaded = b.CreateLoad(b.getInt64Ty(), b.CreateGEP(b.getInt64Ty(), table, leaf->getArg(0)));
  b.CreateRet(b.CreateMul(loaded, b.getInt64(uint64_t(factor))));
  markRoutine(*leaf, "leaf", cost);
  llvm::Function *middle = startFunction(b, module, name + ".middle", true);
  b.CreateRet(b.CreateAdd(b.CreateCall(leaf, {middle->getArg(0)}), b.getInt64(1)));
  markRoutine(*middle, "middle", cost);
  llvm::Function *kernel = startFunction(b, module, name, false);
  b.CreateRet(b.CreateCall(middle, {kernel->getArg(0)}));
}

CompileJob jobFor(const std::string &name, int64_t factor) {
  CompileJob job;
  job.name = name;
  job.identity = "plan of " + name;
  job.emit = [=](llvm::Module &module) {
    emitKernel(module, name, factor);
    return Status();
  };
  return job;
}

using Objects = std::vector<program::ObjectCode>;

Objects compile(llvm::ArrayRef<CompileJob> jobs, ObjectCache *cache = nullptr) {
  StatusOr<Objects> objects = compileModules(jobs, CpuTarget::host(), cache, 2);
  EXPECT_TRUE(objects.ok()) << objects.status().message();
  return objects.ok() ? *std::move(objects) : Objects();
}

std::vector<std::string> namesOf(const Objects &objects) {
  std::vector<std::string> names;
  for (const program::ObjectCode &object : objects)
    names.push_back(object.name);
  return names;
}

int64_t compiled() { return RoutineStore::ofProcess().compiled(); }

TEST(RoutinesTest, AreObjectsOfTheirOwn) {
  Objects objects = compile({jobFor("one", 101)});
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_THAT(namesOf(objects),
              ::testing::ElementsAre("one", StartsWith("tenon.routine.leaf."), StartsWith("tenon.routine.middle.")));
  EXPECT_THAT(routinesOf(objects[0].bytes), ::testing::ElementsAre(objects[2].name));
  EXPECT_THAT(routinesOf(objects[2].bytes), ::testing::ElementsAre(objects[1].name));
  EXPECT_TRUE(routinesOf(objects[1].bytes).empty());
  EXPECT_TRUE(routinesOf("no object").empty());
}

TEST(RoutinesTest, AreCompiledOnceForAllKernels) {
  int64_t before = compiled();
  Objects together = compile({jobFor("a", 102), jobFor("b", 102)});
  EXPECT_EQ(together.size(), 4u);
  EXPECT_EQ(compiled() - before, 2);
  Objects later = compile({jobFor("c", 102)});
  EXPECT_EQ(compiled() - before, 2);
  EXPECT_EQ(later.at(1).bytes, together.at(2).bytes);
  EXPECT_EQ(later.at(2).name, together.at(3).name);
}

// Another factor makes another leaf, and by its symbol another function that calls it.
TEST(RoutinesTest, AreKnownByTheirCode) {
  int64_t before = compiled();
  Objects objects = compile({jobFor("d", 103), jobFor("e", 104)});
  EXPECT_EQ(compiled() - before, 4);
  EXPECT_EQ(objects.size(), 6u);
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  CpuTarget::host().prepareModule(module);
  emitKernel(module, "f", 105);
  CpuTargetOptions lower;
  lower.cpu = "x86-64-v2";
  llvm::Module other("kernel", context);
  emitKernel(other, "f", 105);
  EXPECT_NE(takeRoutines(module, CpuTarget::host())[0].symbol,
            takeRoutines(other, *CpuTarget::create(lower))[0].symbol);
}

// What a call costs is of the kernel; it decides where that asks whether to stop, not what the routine is.
TEST(RoutinesTest, HaveCosts) {
  llvm::LLVMContext context;
  llvm::Module cheap("kernel", context), dear("kernel", context);
  emitKernel(cheap, "g", 106, 10);
  emitKernel(dear, "g", 106, 1e9);
  std::vector<Routine> first = takeRoutines(cheap, CpuTarget::host()), second = takeRoutines(dear, CpuTarget::host());
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].symbol, second[0].symbol);
  EXPECT_EQ(first[1].symbol, second[1].symbol);
  EXPECT_EQ(routineCost(*cheap.getFunction(first[1].symbol)), 10);
  EXPECT_EQ(routineCost(*dear.getFunction(first[1].symbol)), 1e9);
  EXPECT_EQ(routineCost(*dear.getFunction("g")), std::nullopt);
}

TEST(RoutinesTest, ShipInArchives) {
  std::map<std::string, std::string> objects{{"b", "two"}, {"a", ""}, {"tenon.c", std::string(1000, 'x')}};
  std::string archive = makeRoutineArchive(objects);
  for (const auto &[symbol, object] : objects)
    EXPECT_EQ(findInRoutineArchive(archive, symbol), llvm::StringRef(object));
  for (const char *other : {"", "0", "aa", "bb", "tenon.c.d"})
    EXPECT_EQ(findInRoutineArchive(archive, other), std::nullopt);
  EXPECT_EQ(findInRoutineArchive("", "a"), std::nullopt);
  EXPECT_EQ(findInRoutineArchive(std::string(100, 'x'), "a"), std::nullopt);
  EXPECT_EQ(findInRoutineArchive(makeRoutineArchive({}), "a"), std::nullopt);
  RoutineStore store;
  store.ship(archive);
  EXPECT_EQ(*store.find("b", nullptr), "two");
  EXPECT_EQ(store.compiled(), 0);
}

TEST(RoutinesTest, StayInModulesThatAreInspected) {
  CompileJob job = jobFor("h", 107);
  int functions = 0;
  job.options.inspect = [&](const llvm::Module &module) {
    for (const llvm::Function &function : module)
      functions += !function.isDeclaration();
  };
  EXPECT_EQ(compile({job}).size(), 1u);
  EXPECT_EQ(functions, 3);
}

class CachedRoutinesTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("routines_test", root_));
    StatusOr<std::unique_ptr<ObjectCache>> opened = ObjectCache::open(root_.str().str(), 1 << 30);
    ASSERT_TRUE(opened.ok());
    cache_ = *std::move(opened);
  }
  void TearDown() override { files::remove_all(root_.str().str()); }

  std::vector<files::path> cached() const {
    std::vector<files::path> found;
    for (const files::directory_entry &entry : files::directory_iterator(root_.str().str()))
      if (entry.path().filename().string().starts_with("llvmcache-"))
        found.push_back(entry.path());
    return found;
  }

  llvm::SmallString<128> root_;
  std::unique_ptr<ObjectCache> cache_;
};

// Another store stands for that of another process.
TEST_F(CachedRoutinesTest, AreKeptOnDisk) {
  Objects objects = compile({jobFor("i", 108)}, cache_.get());
  EXPECT_EQ(cached().size(), 3u);
  RoutineStore other;
  RoutineStore::Object found = other.find(objects.at(1).name, cache_.get());
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, objects[1].bytes);
  EXPECT_EQ(other.compiled(), 0);
  EXPECT_FALSE(RoutineStore().find(objects[1].name, nullptr));
  for (const files::path &file : cached())
    std::ofstream(file, std::ios::app).put('x');
  EXPECT_FALSE(RoutineStore().find(objects[1].name, cache_.get()));
}

// A kernel whose routine has gone is emitted again.
TEST_F(CachedRoutinesTest, AreMissedByTheirKernels) {
  CompileJob job = jobFor("j", 109);
  Objects fresh = compile({job}, cache_.get());
  int emitted = 0;
  job.emit = [&, emit = job.emit](llvm::Module &module) {
    ++emitted;
    return emit(module);
  };
  EXPECT_EQ(namesOf(compile({job}, cache_.get())), namesOf(fresh));
  EXPECT_EQ(emitted, 0);
  RoutineStore::ofProcess().forget();
  EXPECT_EQ(namesOf(compile({job}, cache_.get())), namesOf(fresh));
  EXPECT_EQ(emitted, 0); // they are on disk
  RoutineStore::ofProcess().forget();
  uintmax_t size = fresh.at(1).bytes.size();
  for (const files::path &file : cached())
    if (files::file_size(file) > size && files::file_size(file) < size + 100)
      files::remove(file);
  Objects again = compile({job}, cache_.get());
  EXPECT_EQ(namesOf(again), namesOf(fresh));
  EXPECT_EQ(emitted, 1);
  for (size_t i = 0; i < fresh.size(); ++i)
    EXPECT_EQ(again.at(i).bytes, fresh[i].bytes);
}

// x - x, which the cleanup knows to be zero.
TEST(QuickFunctionsTest, AreNotCleanedUp) {
  for (bool isQuick : {false, true}) {
    llvm::LLVMContext context;
    llvm::Module module("kernel", context);
    CpuTarget::host().prepareModule(module);
    llvm::IRBuilder<> b(context);
    llvm::Function *function = startFunction(b, module, "kernel", false);
    b.CreateRet(b.CreateSub(function->getArg(0), function->getArg(0)));
    if (isQuick)
      compileQuickly(*function);
    CompileOptions options;
    unsigned instructions = 0;
    options.inspect = [&](const llvm::Module &cleaned) {
      instructions = cleaned.getFunction("kernel")->getInstructionCount();
    };
    ASSERT_TRUE(compileModule(module, CpuTarget::host(), options).ok());
    EXPECT_EQ(instructions, isQuick ? 2u : 1u);
  }
}

} // namespace
} // namespace tenon::codegen
