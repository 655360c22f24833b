// Making a TargetMachine and the pass manager's registries costs as much as compiling a small kernel, so each thread
// borrows an ObjectCompiler that has both from a pool and gives it back.

#include "tenon/codegen/llvm/module_compiler.h"

#include "tenon/codegen/llvm/masked_stores.h"
#include "tenon/codegen/llvm/stop_checks.h"
#include "tenon/support/cpu_quota.h"
#include "tenon/support/parallel.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

namespace tenon::codegen {
namespace {

class ObjectCompiler {
public:
  explicit ObjectCompiler(const KernelTarget &target);
  // `target` equals the one that the compiler was made for.
  StatusOr<std::string> compile(llvm::Module &module, const KernelTarget &target, const CompileOptions &options,
                                llvm::CodeGenFileType kind);

private:
  // LLVM's passes behind the cleanup, with where their output goes. They forget a module when they are done with it
  // (llc -compile-twice), and to make them takes as long as they do for a kernel of a few instructions.
  struct Emission {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream{bytes};
    llvm::legacy::PassManager passes;
  };

  void cleanUp(llvm::Module &module, const KernelTarget &target, bool promoteAllocas);
  StatusOr<Emission *> emission(const KernelTarget &target, llvm::CodeGenFileType kind);

  std::unique_ptr<llvm::TargetMachine> machine_;
  llvm::LoopAnalysisManager loopAnalyses_;
  llvm::FunctionAnalysisManager functionAnalyses_;
  llvm::CGSCCAnalysisManager callGraphAnalyses_;
  llvm::ModuleAnalysisManager moduleAnalyses_;
  llvm::FunctionPassManager cleanup_, promoteAndCleanup_;
  std::map<llvm::CodeGenFileType, std::unique_ptr<Emission>> emissions_;
};

ObjectCompiler::ObjectCompiler(const KernelTarget &target) : machine_(target.createTargetMachine()) {
  llvm::PassBuilder builder(machine_.get());
  // Kernels call no libraries: a function that happens to be called "exp" is not the C library's.
  functionAnalyses_.registerPass([&] {
    llvm::TargetLibraryInfoImpl library(machine_->getTargetTriple());
    library.disableAllFunctions();
    return llvm::TargetLibraryAnalysis(library);
  });
  builder.registerModuleAnalyses(moduleAnalyses_);
  builder.registerCGSCCAnalyses(callGraphAnalyses_);
  builder.registerFunctionAnalyses(functionAnalyses_);
  builder.registerLoopAnalyses(loopAnalyses_);
  builder.crossRegisterProxies(loopAnalyses_, functionAnalyses_, callGraphAnalyses_, moduleAnalyses_);

  promoteAndCleanup_.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  for (llvm::FunctionPassManager *passes : {&cleanup_, &promoteAndCleanup_}) {
    passes->addPass(llvm::EarlyCSEPass());
    passes->addPass(llvm::InstCombinePass());
    passes->addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
    passes->addPass(llvm::SimplifyCFGPass());
    passes->addPass(SingleLaneStoresPass());
  }
}

// One setting for every function: a module that mixes widths would be compiled for the narrowest.
void stampAttributes(llvm::Module &module, const KernelTarget &target) {
  std::string width = std::to_string(target.vectorBits());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu());
    function.addFnAttr("target-features", target.features());
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    function.addFnAttr("no-trapping-math", "true");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

void ObjectCompiler::cleanUp(llvm::Module &module, const KernelTarget &target, bool promoteAllocas) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      (promoteAllocas ? promoteAndCleanup_ : cleanup_).run(function, functionAnalyses_);
  insertStopChecks(module, functionAnalyses_, unsigned(target.vectorBits()));
  // Results are kept by the address of functions that are about to go away.
  loopAnalyses_.clear();
  functionAnalyses_.clear();
  callGraphAnalyses_.clear();
  moduleAnalyses_.clear();
}

Status verify(const llvm::Module &module, const char *when) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!llvm::verifyModule(module, &stream))
    return {};
  return internalError("module '" + module.getName().str() + "' is invalid " + when + ": " + text);
}

StatusOr<ObjectCompiler::Emission *> ObjectCompiler::emission(const KernelTarget &target, llvm::CodeGenFileType kind) {
  std::unique_ptr<Emission> &made = emissions_[kind];
  if (made)
    return made.get();
  auto fresh = std::make_unique<Emission>();
  if (machine_->addPassesToEmitFile(fresh->passes, fresh->stream, nullptr, kind, /*DisableVerify=*/true))
    return unimplemented("LLVM cannot emit this kind of file for '" + target.triple() + "'");
  made = std::move(fresh);
  return made.get();
}

StatusOr<std::string> ObjectCompiler::compile(llvm::Module &module, const KernelTarget &target,
                                              const CompileOptions &options, llvm::CodeGenFileType kind) {
  target.prepareModule(module);
  if (options.verify)
    TENON_RETURN_IF_ERROR(verify(module, "as emitted"));
  stampAttributes(module, target);
  cleanUp(module, target, options.promoteAllocas);
  if (options.inspect)
    options.inspect(module);
  TENON_ASSIGN_OR_RETURN(Emission * emission, this->emission(target, kind));
  emission->passes.run(module);
  std::string object(emission->bytes.data(), emission->bytes.size());
  llvm::SmallVector<char, 0>().swap(emission->bytes);
  return object;
}

// Idle compilers by target.
class CompilerPool {
public:
  static CompilerPool &instance() {
    static CompilerPool *pool = new CompilerPool();
    return *pool;
  }

  std::unique_ptr<ObjectCompiler> take(const KernelTarget &target) {
    {
      std::lock_guard lock(mutex_);
      auto &idle = idle_[target.key()];
      if (!idle.empty()) {
        std::unique_ptr<ObjectCompiler> compiler = std::move(idle.back());
        idle.pop_back();
        return compiler;
      }
    }
    return std::make_unique<ObjectCompiler>(target);
  }

  void put(const KernelTarget &target, std::unique_ptr<ObjectCompiler> compiler) {
    std::lock_guard lock(mutex_);
    idle_[target.key()].push_back(std::move(compiler));
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<ObjectCompiler>>> idle_;
};

class BorrowedCompiler {
public:
  explicit BorrowedCompiler(const KernelTarget &target)
      : target_(target), compiler_(CompilerPool::instance().take(target)) {}
  ~BorrowedCompiler() { CompilerPool::instance().put(target_, std::move(compiler_)); }
  ObjectCompiler *operator->() const { return compiler_.get(); }

private:
  const KernelTarget &target_;
  std::unique_ptr<ObjectCompiler> compiler_;
};

// Jobs that share a module: indices in the order they were given.
using Group = std::vector<size_t>;

// A module costs about half a millisecond however little is in it, so small jobs travel together; but there must be
// enough groups to keep all threads busy to the end. Heavy groups come first.
std::vector<Group> groupJobs(const std::vector<CompileJob> &jobs, int threads) {
  double total = 0;
  for (const CompileJob &job : jobs)
    total += job.weight;
  double limit = total / (6.0 * threads);
  std::vector<Group> groups;
  std::vector<double> weights;
  int open[2] = {-1, -1}; // by promoteAllocas
  for (size_t i = 0; i < jobs.size(); ++i) {
    int &last = open[jobs[i].options.promoteAllocas];
    bool alone = bool(jobs[i].options.inspect);
    if (alone || last < 0 || weights[last] + jobs[i].weight > limit) {
      groups.emplace_back();
      weights.push_back(0);
      if (!alone)
        last = int(groups.size()) - 1;
      groups.back().push_back(i);
      weights.back() += jobs[i].weight;
      continue;
    }
    groups[last].push_back(i);
    weights[last] += jobs[i].weight;
  }
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return std::pair(-weights[a], a) < std::pair(-weights[b], b); });
  std::vector<Group> sorted;
  for (size_t i : order)
    sorted.push_back(std::move(groups[i]));
  return sorted;
}

struct GroupResult {
  Status status;
  size_t failedJob = 0;
  program::ObjectCode object;
};

GroupResult compileGroup(const std::vector<CompileJob> &jobs, const Group &group, const KernelTarget &target) {
  GroupResult result;
  llvm::LLVMContext context;
  const CompileOptions &options = jobs[group.front()].options;
  context.setDiscardValueNames(!options.inspect);
  llvm::Module module(jobs[group.front()].name, context);
  target.prepareModule(module);
  for (size_t job : group) {
    result.failedJob = job;
    result.status = jobs[job].emit(module);
    if (!result.status.ok())
      return result;
  }
  StatusOr<std::string> object = compileModule(module, target, options);
  result.failedJob = group.front();
  if (!object.ok())
    result.status = object.status();
  else
    result.object = {jobs[group.front()].name, *std::move(object)};
  return result;
}

} // namespace

StatusOr<std::string> compileModule(llvm::Module &module, const KernelTarget &target, const CompileOptions &options) {
  return BorrowedCompiler(target)->compile(module, target, options, llvm::CodeGenFileType::ObjectFile);
}

StatusOr<std::string> compileToAssembly(llvm::Module &module, const KernelTarget &target,
                                        const CompileOptions &options) {
  return BorrowedCompiler(target)->compile(module, target, options, llvm::CodeGenFileType::AssemblyFile);
}

StatusOr<std::vector<program::ObjectCode>> compileModules(std::vector<CompileJob> jobs, const KernelTarget &target,
                                                          int threads) {
  std::vector<Group> groups = groupJobs(jobs, threads > 0 ? threads : usableCpus());
  std::vector<GroupResult> results(groups.size());
  forEachInParallel(groups.size(), threads, [&](size_t i) { results[i] = compileGroup(jobs, groups[i], target); });

  const GroupResult *failed = nullptr;
  for (const GroupResult &result : results)
    if (!result.status.ok() && (!failed || result.failedJob < failed->failedJob))
      failed = &result;
  if (failed)
    return failed->status;
  // In the order of the jobs, whatever order they ran in.
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return groups[a].front() < groups[b].front(); });
  std::vector<program::ObjectCode> objects;
  for (size_t i : order)
    objects.push_back(std::move(results[i].object));
  return objects;
}

} // namespace tenon::codegen
