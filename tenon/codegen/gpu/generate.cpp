#include "tenon/codegen/gpu/access_checks.h"
#include "tenon/codegen/gpu/control_kernels.h"
#include "tenon/codegen/gpu/device_steps.h"
#include "tenon/codegen/gpu/forms.h"
#include "tenon/codegen/gpu/library_convolution.h"
#include "tenon/codegen/gpu/library_product.h"
#include "tenon/codegen/gpu/packed_integers.h"
#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/gpu/task_kernel.h"
#include "tenon/codegen/kernel/kernel_emitter.h"
#include "tenon/codegen/kernel/plan_generator.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/support/parallel.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Transforms/Utils/FunctionComparator.h"

using namespace mlir;

namespace tenon::codegen {
namespace {

// The function of each kernel's tasks, and the blocks of a cluster.
using TaskFunctions = SmallVector<std::pair<llvm::Function *, int>>;

TaskTaker takerOf(const program::DeviceKernel &kernel) {
  if (kernel.blockTasks == 1)
    return TaskTaker::kBlock;
  return hasThreadForEachTask(kernel.tasks, kernel.scratchBytes) ? TaskTaker::kThread : TaskTaker::kThreads;
}

// Kernels that compute the same are one, under the name of the first: there is no function for the others.
void shareEqualKernels(std::vector<program::DeviceKernel> &kernels, TaskFunctions &functions) {
  llvm::GlobalNumberState numbers;
  auto isLaunchedAlike = [](const program::DeviceKernel &a, const program::DeviceKernel &b) {
    return a.blockThreads == b.blockThreads && a.blockTasks == b.blockTasks && a.sharedBytes == b.sharedBytes &&
           takerOf(a) == takerOf(b);
  };
  for (size_t i = 0; i < kernels.size(); ++i)
    for (size_t first = 0; first < i; ++first) {
      llvm::Function *other = functions[first].first;
      if (!other || functions[first].second != functions[i].second || !isLaunchedAlike(kernels[first], kernels[i]) ||
          llvm::FunctionComparator(other, functions[i].first, &numbers).compare() != 0)
        continue;
      kernels[i].name = kernels[first].name;
      functions[i].first->eraseFromParent();
      functions[i].first = nullptr;
      break;
    }
}

class GpuGenerator final : public PlanGenerator {
public:
  GpuGenerator(ModuleOp module, const GpuTarget &target, const GenerateOptions &options)
      : PlanGenerator(module, target, target, options), gpu_(target) {}

  // One list for each slot, all there before slots are planned side by side.
  LogicalResult planKernels() override {
    forms_.resize(slots_.size());
    return PlanGenerator::planKernels();
  }

private:
  // Nothing of a GPU's program is decided by host code: scalars, too, are computed by kernels.
  bool hasScalarCode(Operation *) const override { return false; }
  ScalarPlaces scalarPlaces() const override { return ScalarPlaces::kMemory; }
  // A device's places count results, not the bytes of one.
  ResultUse resultUse() const override { return ResultUse::kResultsAlone; }
  bool hasGroupMemory() const override { return false; }

  void choosePlan(size_t slot) override { forms_[slot] = chooseForms(plans_[slot], gpu_.costs().blocks, gpu_.chip()); }

  void printPlan(size_t slot, llvm::raw_ostream &os) const override {
    PlanGenerator::printPlan(slot, os);
    for (const GpuForm &form : forms_[slot])
      print(form, os);
    if (std::optional<program::DeviceOp> op = libraryOp(plans_[slot]))
      os << "or " << nameOf(*op) << ", where it is there\n";
  }

  static llvm::StringRef nameOf(const program::DeviceOp &op) {
    if (const auto *product = std::get_if<program::DeviceProduct>(&op))
      return product->allowsTf32 ? "cuBLASLt's product in tf32" : "cuBLASLt's product";
    return std::get<program::DeviceConvolution>(op).allowsTf32 ? "cuDNN's convolution in tf32" : "cuDNN's convolution";
  }

  // What a library may compute in the place of this plan's kernel.
  std::optional<program::DeviceOp> libraryOp(const KernelPlan &plan) const {
    const double least = gpu_.costs().blocks.libraryOp;
    const bool allowsTf32 = *gpu_.options().allowsTf32;
    if (std::optional<program::DeviceProduct> product = libraryProduct(plan, gpu_.chip(), least, allowsTf32))
      return program::DeviceOp(*product);
    if (std::optional<program::DeviceConvolution> convolution =
            libraryConvolution(plan, gpu_.chip(), least, allowsTf32))
      return program::DeviceOp(*std::move(convolution));
    return std::nullopt;
  }

  // True for plain maps, whose threads go through one vector, and sorts, in whose loops elements are not side by side.
  // With pointers that go on by a vector, the assembler unrolls loops that run once, and kernels need more registers.
  // The machine code of teams that keep their rows in registers is the same, for they have no loops.
  bool keepsAddresses(size_t number) const {
    return llvm::all_of(llvm::zip(plans_[number].parts, forms_[number]), [](const auto &pair) {
      const auto &[part, form] = pair;
      bool isPlainMap = std::holds_alternative<loop::MapPlan>(part.schedule) && !isForm(form);
      const auto *team = std::get_if<RowTeamPlan>(&form);
      return isPlainMap || std::holds_alternative<GpuSortPlan>(form) || (team && team->inRegisters);
    });
  }

  StatusOr<program::DeviceModule> compileKernel(size_t number) const {
    const KernelSlot &slot = slots_[number];
    const KernelPlan &plan = plans_[number];
    const auto &forms = forms_[number];
    llvm::LLVMContext context;
    context.setDiscardValueNames(!options_.inspect);
    llvm::Module module(slot.symbol, context);
    gpu_.prepareModule(module);
    std::unique_ptr<GpuBuilder> builder = gpu_.makeBuilder(context);
    auto emitPart = [&](size_t part, const EmissionTarget &target) -> std::optional<LogicalResult> {
      if (!isForm(forms[part]))
        return std::nullopt;
      return emitForm(forms[part], plan.parts[part], module, target, *builder);
    };
    if (failed(emitKernel(plan, module, gpu_, emitPart)))
      return internalError("no code for kernel " + slot.symbol);
    program::DeviceModule result;
    TaskFunctions functions;
    for (auto [part, form] : llvm::zip(plan.parts, forms))
      for (auto [phase, launch] : llvm::zip(part.kernel().phases, phasesOf(form, part.kernel())))
        if (llvm::Function *tasks = module.getFunction(phase.symbol); tasks && phase.extent > 0) {
          functions.emplace_back(tasks, launch.clusterBlocks);
          result.kernels.push_back({phase.symbol, phase.extent, part.kernel().scratchBytes, launch.threads,
                                    launch.isByThreads ? launch.threads : 1, int32_t(launch.sharedBytes)});
        }
    result.op = libraryOp(plan);
    removeStopChecks(module);
    renameForPtx(module);
    for (auto [kernel, tasks] : llvm::zip(result.kernels, functions))
      kernel.name = tasks.first->getName().str();
    shareEqualKernels(result.kernels, functions);
    for (auto [kernel, tasks] : llvm::zip(result.kernels, functions)) {
      if (!tasks.first)
        continue;
      llvm::Function *function = makeTaskKernel(*tasks.first, *builder, kernel.blockThreads, takerOf(kernel));
      if (tasks.second > 1)
        builder->formClusters(*function, tasks.second);
    }
    return finish(module, std::move(result), llvm::any_of(forms, usesMaps) ? gpu_.forMaps() : gpu_,
                  keepsAddresses(number));
  }

  using JoinedResult = FailureOr<std::vector<program::DeviceKernel>>;
  JoinedResult emitJoined(const LoopKernel &loop, llvm::Module &module, GpuBuilder &builder) const {
    return emitLoopKernel(loop, module, gpu_, builder);
  }
  JoinedResult emitJoined(const StepKernel &steps, llvm::Module &module, GpuBuilder &builder) const {
    FailureOr<program::DeviceKernel> kernel = emitStepKernel(steps, module, gpu_, builder);
    return failed(kernel) ? JoinedResult(failure()) : std::vector<program::DeviceKernel>{std::move(*kernel)};
  }

  template <typename Joined> StatusOr<program::DeviceModule> compileJoined(const Joined &joined) const {
    llvm::LLVMContext context;
    context.setDiscardValueNames(!options_.inspect);
    llvm::Module module(joined.name, context);
    gpu_.prepareModule(module);
    JoinedResult kernels = emitJoined(joined, module, *gpu_.makeBuilder(context));
    if (failed(kernels))
      return internalError("no code for " + joined.name);
    renameForPtx(module);
    program::DeviceModule result;
    result.kernels = std::move(*kernels);
    return finish(module, std::move(result), gpu_, /*keepsAddresses=*/false);
  }

  // Makes code of the module, which has these kernels.
  StatusOr<program::DeviceModule> finish(llvm::Module &module, program::DeviceModule result, const GpuTarget &target,
                                         bool keepsAddresses) const {
    inlineComputations(module);
    if (gpu_.options().change)
      gpu_.options().change(module);
    if (gpu_.options().emulator && gpu_.options().checksAccesses)
      insertAccessChecks(module);
    CompileOptions options;
    options.inspect = options_.inspect;
    options.keepsAddresses = keepsAddresses;
    if (!gpu_.options().emulator)
      options.finish = splitPackedIntegers;
    TENON_ASSIGN_OR_RETURN(result.code, gpu_.options().emulator ? compileModule(module, target, options)
                                                                : compileToAssembly(module, target, options));
    return result;
  }

  // Machine code of the modules, with the first of those that it is of.
  Status assemble(std::vector<program::DeviceModule> &modules) const {
    const PtxAssembler &assembler = gpu_.options().assembler;
    if (!assembler.assemble || gpu_.options().emulator)
      return {};
    SmallVector<llvm::StringRef> texts;
    for (const program::DeviceModule &module : modules)
      texts.push_back(module.code);
    TENON_ASSIGN_OR_RETURN(MachineCode made, machineCodeOf(texts, gpu_.options().chip, assembler,
                                                           ObjectCache::ofProcess(), options_.threads));
    std::vector<int32_t> firstOf(made.codes.size(), -1);
    for (auto [i, module] : llvm::enumerate(modules)) {
      module.machineCodeOf = firstOf[made.codeOf[i]];
      if (module.machineCodeOf >= 0)
        continue;
      firstOf[made.codeOf[i]] = int32_t(i);
      module.machineCode = std::move(made.codes[made.codeOf[i]]);
    }
    return {};
  }

  LogicalResult compile(const BufferPlan &memory) override {
    program::DeviceProgram program;
    program.chip = gpu_.options().chip;
    if (gpu_.options().emulator)
      program.processor = gpu_.options().emulator->key();
    program.arenaBytes = memory.arenaBytes();
    llvm::DenseMap<Operation *, int32_t> modules;
    SmallVector<llvm::StringRef> symbols;
    for (auto [i, slot] : llvm::enumerate(slots_)) {
      symbols.push_back(slot.symbol);
      for (Operation *op : slot.ops)
        modules[op] = int32_t(i);
    }
    SmallLoops small(gpu_, instructions_, memory, modules, symbols);
    JoinedKernels joined;
    if (failed(makeDeviceSteps(main_, instructions_, memory, modules, small, joined, program)) ||
        failed(compileKernels(joined, program)))
      return failure();
    StatusOr<program::DeviceModule> control = controlModule(gpu_, program.steps);
    if (!control.ok())
      return module_.emitError(control.status().message());
    program.control = *std::move(control);
    if (gpu_.options().receive)
      gpu_.options().receive(std::move(program));
    return success();
  }

  // Those that steps start: kernels that are in loops or joined steps alone are part of others.
  LogicalResult compileKernels(const JoinedKernels &joined, program::DeviceProgram &program) {
    std::map<int32_t, int32_t> numbers; // of modules, by those that the steps have so far
    forEachKernel(program.steps, [&](program::KernelStep &step) {
      step.module = numbers.try_emplace(step.module, int32_t(numbers.size())).first->second;
    });
    std::vector<int32_t> used(numbers.size());
    for (auto [number, place] : numbers)
      used[size_t(place)] = number;
    std::vector<StatusOr<program::DeviceModule>> compiled(used.size(), internalError("not compiled"));
    forEachInParallel(used.size(), options_.threads, [&](size_t i) {
      auto found = joined.find(used[i]);
      compiled[i] = found == joined.end()
                        ? compileKernel(size_t(used[i]))
                        : std::visit([&](const auto &kernel) { return compileJoined(kernel); }, found->second);
    });
    for (StatusOr<program::DeviceModule> &module : compiled) {
      if (!module.ok())
        return module_.emitError(module.status().message());
      program.modules.push_back(*std::move(module));
    }
    if (Status status = assemble(program.modules); !status.ok())
      return module_.emitError(status.message());
    return success();
  }

  const GpuTarget &gpu_;
  std::vector<llvm::SmallVector<GpuForm, 1>> forms_; // of the parts of plans_
};

} // namespace

FailureOr<program::Program> GpuTarget::generate(ModuleOp module, const GenerateOptions &options) const {
  return GpuGenerator(module, *this, options).run();
}

} // namespace tenon::codegen
