// Making a TargetMachine and the pass manager's registries costs as much as compiling a small kernel, so each thread
// borrows an ObjectCompiler that has both from a pool and gives it back.

#include "tenon/codegen/llvm/module_compiler.h"

#include "tenon/codegen/llvm/bfloat_rounding.h"
#include "tenon/codegen/llvm/even_odd_lanes.h"
#include "tenon/codegen/llvm/gathers.h"
#include "tenon/codegen/llvm/masked_stores.h"
#include "tenon/codegen/llvm/object_cache.h"
#include "tenon/codegen/llvm/pass_analyses.h"
#include "tenon/codegen/llvm/routines.h"
#include "tenon/codegen/llvm/split_loops.h"
#include "tenon/codegen/llvm/stop_checks.h"
#include "tenon/support/cpu_quota.h"
#include "tenon/support/parallel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
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

// Passes that find nothing to do in kernels: no calls of the C library, no exceptions, garbage collection or
// instrumentation, no debug information, and no protection that the code would ask for. Even so they take a tenth of
// the time that machine code takes, and half a hundred pages of code that a process otherwise never touches.
constexpr llvm::StringLiteral kIdlePasses[] = {
    "Merge contiguous icmps into a memcmp",
    "Expand memcmp() to load/stores",
    "Lower Garbage Collection Instructions",
    "Shadow Stack GC Lowering",
    "Replace intrinsics with calls to vector library",
    "Partially inline calls to library functions",
    "Instrument function entry/exit with calls to e.g. mcount() (post inlining)",
    "Expand indirectbr instructions",
    "ObjC ARC contraction",
    "Prepare callbr",
    "Safe Stack instrumentation pass",
    "Insert stack protectors",
    "X86 speculative load hardening",
    "X86 Load Value Injection (LVI) Load Hardening",
    "Remove Redundant DEBUG_VALUE analysis",
    "Analyze Machine Code For Garbage Collection",
    "Insert fentry calls",
    "Insert XRay ops",
    "Implement the 'patchable-function' attribute",
    "Insert KCFI indirect call checks",
    "X86 Atom pad short functions",
    "Contiguously Lay Out Funclets",
    "Remove Loads Into Fake Uses",
    "StackMap Liveness Analysis",
    "Live DEBUG_VALUE analysis",
    "Machine Sanitizer Binary Metadata",
    "Stack Frame Layout Analysis",
    "X86 Speculative Execution Side Effect Suppression",
    "X86 Return Thunks",
    "X86 Load Value Injection (LVI) Ret-Hardening",
    "Pseudo Probe Inserter",
};
// What NVPTX begins with: sums and products that differ from others by a constant or an operand. Addresses are written
// so that there are hardly any: of 36 kernels 28 have the same PTX without, the others up to 2 % more or less. To look
// for them took two fifths of the time for a sort.
constexpr llvm::StringLiteral kStraightLineReduction[] = {
    "Straight line strength reduction",
    "Nary reassociation",
};
// Loop strength reduction, and what only prepares loops for it: not just skipped, for what it would look at (the uses
// of each induction variable) takes longer than the pass itself.
constexpr llvm::StringLiteral kStrengthReduction[] = {
    "Loop Strength Reduction",
    "Canonicalize Freeze Instructions in Loops",
};

constexpr llvm::StringLiteral kScheduling = "Machine Instruction Scheduler";

// Whether instructions stay in the order in which they were emitted, vectors side by side: functions that look
// coefficients up in registers of AVX2. LLVM's scheduler takes the tables, more than there are registers, for values
// that live all through the loop, and so puts one vector behind the other, whose ops then wait for each other: tanh
// took 1.2 of the time. Of more than four vectors the values do not fit in the registers.
bool looksUpSideBySide(const llvm::Module &module) {
  constexpr unsigned kMostVectors = 4;
  const llvm::Function *permutation = module.getFunction("llvm.x86.avx2.permps");
  if (!permutation || permutation->use_empty())
    return false;
  llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::Value *>, unsigned> vectors; // of a table in a block
  return llvm::all_of(permutation->users(), [&](const llvm::User *user) {
    const auto *call = llvm::cast<llvm::CallInst>(user);
    return ++vectors[{call->getParent(), call->getArgOperand(0)}] <= kMostVectors;
  });
}

// The operands of wide vectors that live all through the loop, where the block is one that computes nothing but sums
// and products of them; otherwise 0.
size_t valuesAroundSums(const llvm::BasicBlock &block, unsigned wideBits) {
  llvm::SmallPtrSet<const llvm::Value *, 16> around;
  if (!llvm::is_contained(llvm::successors(&block), &block))
    return 0;
  for (const llvm::Instruction &instruction : block) {
    if (!instruction.getType()->isVectorTy() || llvm::isa<llvm::LoadInst>(instruction))
      continue;
    unsigned opcode = instruction.getOpcode();
    bool isSum =
        opcode == llvm::Instruction::FAdd || opcode == llvm::Instruction::FSub || opcode == llvm::Instruction::FMul;
    if (!isSum || instruction.getType()->getPrimitiveSizeInBits() < wideBits)
      return 0;
    for (const llvm::Value *operand : instruction.operands()) {
      const auto *inside = llvm::dyn_cast<llvm::Instruction>(operand);
      if (!inside || inside->getParent() != &block)
        around.insert(operand);
    }
  }
  return around.size();
}

// The same of polynomials whose coefficients, with the values of four vectors, are more than there are registers: one
// of degree 11 by Horner's rule took 1.4 times as long.
bool sumsSideBySide(const llvm::Module &module) {
  constexpr unsigned kVectors = 4, kValues = 2; // of each, at a time
  return llvm::any_of(module, [](const llvm::Function &function) {
    unsigned bits = 0;
    if (function.getFnAttribute("prefer-vector-width").getValueAsString().getAsInteger(10, bits) || bits < 256)
      return false;
    size_t registers = bits >= 512 ? 32 : 16;
    return llvm::any_of(function, [&](const llvm::BasicBlock &block) {
      return valuesAroundSums(block, kVectors * bits) > registers - kVectors * kValues;
    });
  });
}

bool keepsOrder(const llvm::Module &module) { return looksUpSideBySide(module) || sumsSideBySide(module); }

// Leaves some of the passes out that a target asks for.
class FewerPasses final : public llvm::legacy::PassManager {
public:
  FewerPasses(bool keepsAddresses, bool keepsOrder) : omitted_(std::begin(kIdlePasses), std::end(kIdlePasses)) {
    omitted_.insert(std::begin(kStraightLineReduction), std::end(kStraightLineReduction));
    if (keepsAddresses)
      omitted_.insert(std::begin(kStrengthReduction), std::end(kStrengthReduction));
    if (keepsOrder)
      omitted_.insert(kScheduling);
  }

  void add(llvm::Pass *pass) override {
    if (omitted_.contains(pass->getPassName()))
      delete pass;
    else
      llvm::legacy::PassManager::add(pass);
  }

private:
  llvm::DenseSet<llvm::StringRef> omitted_;
};

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
    std::unique_ptr<llvm::legacy::PassManager> passes;
  };
  struct EmissionKind {
    llvm::CodeGenFileType file;
    bool keepsAddresses, keepsOrder;
    auto operator<=>(const EmissionKind &) const = default;
  };

  void cleanUp(llvm::Module &module, const KernelTarget &target, const CompileOptions &options);
  StatusOr<Emission *> emission(const KernelTarget &target, EmissionKind kind);

  std::unique_ptr<llvm::TargetMachine> machine_;
  PassAnalyses analyses_;
  llvm::FunctionPassManager promotion_, cleanup_;
  std::map<EmissionKind, std::unique_ptr<Emission>> emissions_;
};

ObjectCompiler::ObjectCompiler(const KernelTarget &target) : machine_(target.createTargetMachine()) {
  llvm::PassBuilder builder(machine_.get());
  // Kernels call no libraries: a function that happens to be called "exp" is not the C library's.
  analyses_.functions.registerPass([&] {
    llvm::TargetLibraryInfoImpl library(machine_->getTargetTriple());
    library.disableAllFunctions();
    return llvm::TargetLibraryAnalysis(library);
  });
  analyses_.add(builder);

  promotion_.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  cleanup_.addPass(llvm::EarlyCSEPass());
  cleanup_.addPass(llvm::InstCombinePass());
  cleanup_.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  cleanup_.addPass(llvm::SimplifyCFGPass());
  if (const llvm::Triple &triple = machine_->getTargetTriple(); triple.isX86() || triple.isAArch64())
    cleanup_.addPass(BfloatRoundingPass());
  cleanup_.addPass(EvenOddLanesPass());
  cleanup_.addPass(ElementGathersPass());
  cleanup_.addPass(SingleLaneStoresPass());
}

// One setting for every function: a module that mixes widths would be compiled for the narrowest.
void stampAttributes(llvm::Module &module, const KernelTarget &target) {
  std::string width = std::to_string(target.vectorBits());
  // Registers are spilled to where the stack happens to be, which LLVM aligns for arrays alone: of vectors that cross
  // lines of the cache a complex product takes three times as long.
  bool isWide = llvm::Triple(module.getTargetTriple()).isX86() && target.vectorBits() > 128;
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu());
    function.addFnAttr("target-features", target.distinctFeatures());
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    function.addFnAttr("no-trapping-math", "true");
    if (isWide)
      function.addFnAttr("stackrealign");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

void ObjectCompiler::cleanUp(llvm::Module &module, const KernelTarget &target, const CompileOptions &options) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (options.promoteAllocas) {
      promotion_.run(function, analyses_.functions);
      if (size_t blocks = function.size(); !options.isQuick) {
        splitLoops(function, analyses_.functions);
        if (function.size() != blocks)
          promotion_.run(function, analyses_.functions);
      }
    }
    if (options.isQuick)
      compileQuickly(function);
    if (!function.hasFnAttribute(llvm::Attribute::OptimizeNone))
      cleanup_.run(function, analyses_.functions);
  }
  insertStopChecks(module, analyses_.functions, unsigned(target.vectorBits()));
  analyses_.clear(); // the functions are about to go away
}

Status verify(const llvm::Module &module, const char *when) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!llvm::verifyModule(module, &stream))
    return {};
  return internalError("module '" + module.getName().str() + "' is invalid " + when + ": " + text);
}

// Whether compileQuickly was called for all of it: loop strength reduction leaves that as it is.
bool isCompiledQuickly(const llvm::Module &module) {
  return llvm::all_of(module,
                      [](const llvm::Function &function) { return function.isDeclaration() || function.hasOptNone(); });
}

StatusOr<ObjectCompiler::Emission *> ObjectCompiler::emission(const KernelTarget &target, EmissionKind kind) {
  std::unique_ptr<Emission> &made = emissions_[kind];
  if (made)
    return made.get();
  auto fresh = std::make_unique<Emission>();
  fresh->passes = std::make_unique<FewerPasses>(kind.keepsAddresses, kind.keepsOrder);
  if (machine_->addPassesToEmitFile(*fresh->passes, fresh->stream, nullptr, kind.file, /*DisableVerify=*/true))
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
  cleanUp(module, target, options);
  if (options.finish)
    options.finish(module);
  if (options.inspect)
    options.inspect(module);
  if (options.bitcode)
    return bitcodeOf(module);
  // Products, whose addresses are not kept, need the scheduler whatever is behind them.
  EmissionKind needed{kind, options.keepsAddresses || isCompiledQuickly(module),
                      options.keepsAddresses && keepsOrder(module)};
  // To make the passes takes as long as two small kernels, and those of either kind make the same of code without
  // loops.
  if (EmissionKind other{kind, !needed.keepsAddresses, needed.keepsOrder};
      options.isQuick && !emissions_.contains(needed) && emissions_.contains(other))
    needed = other;
  TENON_ASSIGN_OR_RETURN(Emission * emission, this->emission(target, needed));
  emission->passes->run(module);
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

  size_t idle(const KernelTarget &target) {
    std::lock_guard lock(mutex_);
    return idle_[target.key()].size();
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

// What a job became, and the routines that it needs, each as often as it is referred to.
struct CompiledJob {
  std::string object;
  std::map<std::string, RoutineStore::Object> routines;
};

// Compiles one job, or finds what it would give.
class JobCompiler {
public:
  JobCompiler(const KernelTarget &target, ObjectCache *cache) : target_(target), cache_(cache) {}

  StatusOr<CompiledJob> compile(const CompileJob &job) const {
    ObjectCache *cache = job.options.inspect || job.options.bitcode ? nullptr : cache_;
    std::optional<ObjectCache::Key> key;
    if (cache && !job.identity.empty()) {
      key = keyOf(job, "identity", job.identity);
      if (std::optional<CompiledJob> found = find(*cache, *key))
        return *std::move(found);
    }
    llvm::LLVMContext context;
    context.setDiscardValueNames(!job.options.inspect);
    llvm::Module module(job.name, context);
    target_.prepareModule(module);
    TENON_RETURN_IF_ERROR(job.emit(module));
    CompiledJob result;
    if (!job.options.inspect) { // who looks at a kernel sees all of it in one place
      TENON_ASSIGN_OR_RETURN(result.routines, compileRoutines(module, job.options.bitcode));
    }
    if (cache && !key) {
      key = keyOf(job, "module", bitcodeOf(module));
      if (std::optional<CompiledJob> found = find(*cache, *key))
        return *std::move(found);
    }
    TENON_ASSIGN_OR_RETURN(result.object, compileModule(module, target_, job.options));
    if (cache)
      cache->store(*key, result.object);
    return result;
  }

private:
  // None as well if a routine is missing that the object needs.
  static std::optional<CompiledJob> find(ObjectCache &cache, const ObjectCache::Key &key) {
    std::optional<std::string> object = cache.find(key);
    if (!object)
      return std::nullopt;
    CompiledJob result{*std::move(object), {}};
    std::vector<std::string> missing = routinesOf(result.object);
    while (!missing.empty()) {
      std::string symbol = std::move(missing.back());
      missing.pop_back();
      RoutineStore::Object &routine = result.routines[symbol];
      if (routine)
        continue;
      routine = RoutineStore::ofProcess().find(symbol, &cache);
      if (!routine)
        return std::nullopt;
      llvm::append_range(missing, routinesOf(*routine));
    }
    return result;
  }

  StatusOr<std::map<std::string, RoutineStore::Object>> compileRoutines(llvm::Module &module, bool bitcode) const {
    std::map<std::string, RoutineStore::Object> objects;
    auto ships = [](llvm::StringRef symbol) { return RoutineStore::ofProcess().ships(symbol); };
    CompileOptions options;
    options.bitcode = bitcode;
    for (const Routine &routine : takeRoutines(module, target_, ships)) {
      auto compile = [&] { return compileModule(*routine.module, *routine.targetFor(&target_), options); };
      if (bitcode) {
        TENON_ASSIGN_OR_RETURN(std::string code, compile());
        objects[routine.symbol] = std::make_shared<const std::string>(std::move(code));
        continue;
      }
      TENON_ASSIGN_OR_RETURN(objects[routine.symbol],
                             RoutineStore::ofProcess().findOrCompile(routine.symbol, cache_, compile));
    }
    return objects;
  }

  ObjectCache::Key keyOf(const CompileJob &job, llvm::StringRef kind, llvm::StringRef contents) const {
    std::string cacheBytes = std::to_string(target_.lastLevelCacheBytes());
    return ObjectCache::keyOf({target_.key(), cacheBytes, job.options.promoteAllocas ? "promote" : "",
                               job.options.isQuick ? "quick" : "", job.options.keepsAddresses ? "addresses" : "", kind,
                               job.name, contents});
  }

  const KernelTarget &target_;
  ObjectCache *cache_;
};

// How many threads are to share jobs of the given weights. A thread that has no compiler yet makes one first, which
// takes as long as a few small kernels do.
int threadsFor(llvm::ArrayRef<CompileJob> jobs, const KernelTarget &target, int most) {
  constexpr double kWeightOfCompiler = 8;
  double all = 0, heaviest = 0;
  for (const CompileJob &job : jobs) {
    all += job.weight;
    heaviest = std::max(heaviest, job.weight);
  }
  auto worthwhile = int64_t(1 + (all - heaviest) / kWeightOfCompiler);
  auto ready = int64_t(CompilerPool::instance().idle(target));
  return int(std::min<int64_t>(most > 0 ? most : usableCpus(), std::max(worthwhile, ready)));
}

} // namespace

void compileQuickly(llvm::Function &function) {
  function.addFnAttr(llvm::Attribute::NoInline);
  function.addFnAttr(llvm::Attribute::OptimizeNone);
}

StatusOr<std::string> compileModule(llvm::Module &module, const KernelTarget &target, const CompileOptions &options) {
  return BorrowedCompiler(target)->compile(module, target, options, llvm::CodeGenFileType::ObjectFile);
}

StatusOr<std::string> compileToAssembly(llvm::Module &module, const KernelTarget &target,
                                        const CompileOptions &options) {
  return BorrowedCompiler(target)->compile(module, target, options, llvm::CodeGenFileType::AssemblyFile);
}

StatusOr<std::vector<program::ObjectCode>> compileModules(llvm::ArrayRef<CompileJob> jobs, const KernelTarget &target,
                                                          ObjectCache *cache, int threads) {
  std::vector<size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return jobs[a].weight > jobs[b].weight; });
  std::vector<StatusOr<CompiledJob>> results(jobs.size(), internalError("not compiled"));
  JobCompiler compiler(target, cache);
  threads = threadsFor(jobs, target, threads);
  forEachInParallel(jobs.size(), threads, [&](size_t i) { results[order[i]] = compiler.compile(jobs[order[i]]); });
  std::vector<program::ObjectCode> objects;
  std::map<std::string, RoutineStore::Object> routines;
  for (auto [job, result] : llvm::zip(jobs, results)) {
    TENON_RETURN_IF_ERROR(result.status());
    objects.push_back({job.name, std::move(result->object)});
    routines.merge(result->routines);
  }
  for (const auto &[symbol, object] : routines)
    objects.push_back({symbol, *object});
  return objects;
}

} // namespace tenon::codegen
