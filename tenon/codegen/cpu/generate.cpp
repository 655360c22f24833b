#include "tenon/codegen/cpu/generate.h"

#include "tenon/codegen/common/buffer_plan.h"
#include "tenon/codegen/common/constant_data.h"
#include "tenon/codegen/common/cost.h"
#include "tenon/codegen/common/location.h"
#include "tenon/codegen/common/memory_report.h"
#include "tenon/codegen/common/schedule.h"
#include "tenon/codegen/common/service.h"
#include "tenon/codegen/common/signature.h"
#include "tenon/codegen/common/steps.h"
#include "tenon/codegen/cpu/computation.h"
#include "tenon/codegen/cpu/entry.h"
#include "tenon/codegen/cpu/kernel_emitter.h"
#include "tenon/codegen/cpu/stop_checks.h"
#include "tenon/ir/captures.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <deque>
#include <map>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

constexpr llvm::StringLiteral kEntrySymbol = "tenon_entry";
constexpr int64_t kMaxConstantBytes = int64_t(1) << 36;
// The least estimated time of a kernel that gets checks whether its run has been stopped.
constexpr double kLongNanoseconds = 2e6;

// One kernel and the ops that call it.
struct KernelSlot {
  std::string symbol;
  SmallVector<Operation *, 1> ops;
  KernelPlan plan;
};

class Generator {
public:
  Generator(ModuleOp module, const CpuTarget &target, const GenerateOptions &options)
      : module(module), main(module.lookupSymbol<func::FuncOp>("main")), target(target), options(options) {}

  FailureOr<program::Program> run() {
    if (!main)
      return module.emitError("the module has no function 'main'");
    if (failed(checkTypes()) || failed(chooseSteps()) || failed(planKernels()))
      return failure();
    for (auto [i, slot] : llvm::enumerate(slots))
      for (Operation *op : slot.ops) {
        steps.kernels[op] = &slot.plan.kernel;
        steps.calls[op] = result.kernelCalls.size();
        result.kernelCalls.push_back({int32_t(i), locationName(namedOp(op)->getLoc()), sourceLocations(op)});
      }
    describeSignature();
    BufferPlan plan = planMemory();
    if (failed(compile(plan)))
      return failure();
    describe(plan);
    return std::move(result);
  }

private:
  // Sizes of type index are done with when shapes have been refined, and nothing computes with buffers.
  LogicalResult checkTypes() {
    auto hasNoCode = [](Type type) { return isa<MemRefType>(type) || getElementTypeOrSelf(type).isIndex(); };
    for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
      if (hasNoCode(type))
        return main.emitError() << "argument " << i << " has type " << type << ", which has no native code";
    WalkResult search = main.walk([&](Operation *op) {
      auto type = llvm::find_if(op->getResultTypes(), hasNoCode);
      if (type == op->result_type_end())
        return WalkResult::advance();
      return op->emitOpError() << "cannot be compiled: it has a result of type " << *type, WalkResult::interrupt();
    });
    return failure(search.wasInterrupted());
  }

  LogicalResult chooseSteps() {
    return forEachStep(main.getBody().front(), [&](Operation *op, StepKind kind) {
      return kind == StepKind::kConstant ? addConstant(op) : kind == StepKind::kKernel ? chooseKernel(op) : success();
    });
  }

  LogicalResult addConstant(Operation *op) {
    if (isScalarTensor(op->getResult(0).getType()) || op->use_empty())
      return success();
    auto value = op->getAttrOfType<ElementsAttr>("value");
    auto [entry, isNew] = constantByValue.try_emplace(value, result.constants.size());
    constantIndex[op] = entry->second;
    if (!isNew)
      return success();
    if (int64_t bytes = tensorBytes(cast<RankedTensorType>(op->getResult(0).getType())); bytes > kMaxConstantBytes)
      return op->emitError() << "this constant takes " << bytes << " bytes in the program, more than the "
                             << kMaxConstantBytes << " that one may";
    FailureOr<program::Constant> data = value ? constantData(value) : FailureOr<program::Constant>(failure());
    if (failed(data))
      return op->emitError("the data of this constant is missing");
    result.constants.push_back(std::move(*data));
    return success();
  }

  LogicalResult chooseKernel(Operation *op) {
    if (ir::capturesValue(op))
      return op->emitOpError("cannot be compiled: its computation uses a value from around it");
    if (canEmitKernel(op)) {
      auto [entry, isNew] = slotByKey.try_emplace(kernelKey(op), slots.size());
      if (isNew)
        slots.push_back({symbolFor(op), {}, {}});
      slots[entry->second].ops.push_back(op);
      return success();
    }
    for (Region &region : op->getRegions())
      if (Operation *inner = findUncomputable(region))
        return op->emitOpError() << "cannot be compiled: its computation uses '" << inner->getName()
                                 << "', which has no native code there";
    FailureOr<program::Service> service = makeService(op);
    if (failed(service))
      return failure();
    steps.services[op] = result.services.size();
    result.services.push_back(std::move(*service));
    return success();
  }

  // Names what the kernel does: the op, or the last op of a fusion.
  std::string symbolFor(Operation *op) {
    std::string kind;
    if (auto fusion = dyn_cast<ir::FusionOp>(op))
      kind = (stringifyFusionKind(fusion.getKind()) + "_").str();
    StringRef name = namedOp(op)->getName().stripDialect();
    return (kind + name + "_" + llvm::Twine(slots.size())).str();
  }

  // Kernels are planned side by side; errors are reported at their ops.
  LogicalResult planKernels() {
    std::vector<LogicalResult> outcomes(slots.size(), failure());
    forEachInParallel(slots.size(), options.threads, [&](size_t i) {
      FailureOr<KernelPlan> plan = planKernel(slots[i].ops.front(), slots[i].symbol, target);
      outcomes[i] = plan;
      if (succeeded(plan))
        slots[i].plan = std::move(*plan);
    });
    bool isPlanned = llvm::all_of(outcomes, [](LogicalResult outcome) { return succeeded(outcome); });
    if (isPlanned && options.showPlans)
      options.showPlans(plansAsText());
    return success(isPlanned);
  }

  std::string plansAsText() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const KernelSlot &slot : slots) {
      os << "// " << slot.symbol << ": " << opNames(slot.ops.front());
      if (slot.ops.size() > 1)
        os << ", called " << slot.ops.size() << " times";
      os << '\n';
      slot.plan.print(os);
    }
    return text;
  }

  CompileJob jobFor(const KernelSlot &slot) {
    CompileJob job;
    job.name = slot.symbol;
    job.options.inspect = options.inspect;
    job.emit = [this, &slot](llvm::Module &llvmModule) -> Status {
      if (failed(emitKernel(slot.plan, llvmModule, target)))
        return internalError("no code for kernel " + slot.symbol);
      for (const KernelPhase &phase : slot.plan.kernel.phases)
        if (llvm::Function *function = llvmModule.getFunction(phase.symbol);
            function && phase.nanoseconds >= kLongNanoseconds)
          markLongKernel(*function, phase.extent);
      return {};
    };
    return job;
  }

  CompileJob jobForEntry(const BufferPlan &plan) {
    CompileJob job;
    job.name = "entry";
    job.options.promoteAllocas = true;
    job.options.inspect = options.inspect;
    job.emit = [this, &plan](llvm::Module &llvmModule) -> Status {
      if (failed(emitEntry(main, steps, plan, kEntrySymbol, llvmModule, options.splitKernels)))
        return internalError("no code for the entry function");
      return {};
    };
    return job;
  }

  LogicalResult compile(const BufferPlan &plan) {
    std::vector<CompileJob> jobs;
    for (const KernelSlot &slot : slots)
      jobs.push_back(jobFor(slot));
    jobs.push_back(jobForEntry(plan));
    StatusOr<std::vector<program::ObjectCode>> objects = compileModules(std::move(jobs), target, options.threads);
    if (!objects.ok())
      return module.emitError(objects.status().message());
    std::move(objects->begin(), objects->end(), std::back_inserter(result.objects));
    return success();
  }

  void describeSignature() {
    codegen::describeSignature(main, result);
    for (const program::Argument &argument : result.arguments)
      donations.push_back(argument.aliasedResult);
  }

  // In the order that takes less memory, which becomes the module's. A schedule knows bytes, but not whether their
  // places fit: the plan decides.
  BufferPlan planMemory() {
    BufferPlan plan = planBuffers(main, steps, constantIndex, donations);
    if (!options.reorder)
      return plan;
    std::vector<BlockOrder> orders = findBetterOrders(main, steps, donations);
    if (orders.empty())
      return plan;
    std::vector<BlockOrder> own;
    for (const BlockOrder &order : orders)
      own.push_back(orderOf(*order.front()->getBlock()));
    llvm::for_each(orders, putInOrder);
    BufferPlan better = planBuffers(main, steps, constantIndex, donations);
    if (isClearlyLess(better.arenaBytes(), plan.arenaBytes()))
      return better;
    llvm::for_each(own, putInOrder);
    return plan;
  }

  static std::string opNames(Operation *op) {
    auto fusion = dyn_cast<ir::FusionOp>(op);
    if (!fusion)
      return op->getName().getStringRef().str();
    std::string names;
    for (Operation &inner : fusion.getBlock().without_terminator())
      if (!inner.hasTrait<OpTrait::ConstantLike>())
        names += (names.empty() ? "" : ",") + inner.getName().stripDialect().str();
    return names;
  }

  void describe(const BufferPlan &plan) {
    result.name = module.getName() ? module.getName()->str() : "program";
    result.triple = target.triple();
    result.cpu = target.cpu();
    result.features = target.features();
    result.entrySymbol = kEntrySymbol.str();
    result.arenaBytes = plan.arenaBytes();
    Cost scalars = scalarCost(main, steps);
    result.report.flops = scalars.flops;
    result.report.bytes = scalars.bytes;
    result.report.transcendentals = countTranscendentals(main);
    double nanoseconds = 0;
    for (KernelSlot &slot : slots) {
      const Kernel &kernel = slot.plan.kernel;
      double flops = countOps(slot.ops.front()).flops;
      result.scratchBytes = std::max(result.scratchBytes, kernel.scratchBytes);
      result.report.kernels.push_back({slot.symbol, kernel.kind, opNames(slot.ops.front()),
                                       locationText(namedOp(slot.ops.front())->getLoc()), int64_t(slot.ops.size()),
                                       flops, kernel.bytes});
      result.report.flops += flops * slot.ops.size();
      result.report.bytes += kernel.bytes * slot.ops.size();
      for (const KernelPhase &phase : kernel.phases)
        nanoseconds += phase.nanoseconds * slot.ops.size();
    }
    for (const program::Service &service : result.services) {
      bool isCustomCall = service.kind == program::Service::Kind::kCustomCall;
      result.report.kernels.push_back(
          {service.target, isCustomCall ? "custom_call" : "library", service.target, service.location, 1, 0, 0});
      nanoseconds += isCustomCall ? 20000 : 100000;
    }
    main.walk([&](sh::WhileOp) { nanoseconds += 20000; }); // trip counts are unknown; never treat a loop as tiny
    result.estimatedNanoseconds = int64_t(nanoseconds);
    describeMemory(main, steps, plan, result.report);
    if (auto count = module->getAttrOfType<IntegerAttr>("mhlo.num_replicas"))
      result.numReplicas = count.getInt();
    if (auto count = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions"))
      result.numPartitions = count.getInt();
  }

  ModuleOp module;
  func::FuncOp main;
  const CpuTarget &target;
  const GenerateOptions &options;
  program::Program result;
  ProgramSteps steps;
  std::deque<KernelSlot> slots;
  std::map<std::vector<uintptr_t>, size_t> slotByKey;
  llvm::DenseMap<Operation *, int> constantIndex;
  llvm::DenseMap<Attribute, int> constantByValue;
  SmallVector<int32_t> donations;
};

} // namespace

FailureOr<program::Program> generateProgram(ModuleOp module, const CpuTarget &target, const GenerateOptions &options) {
  return Generator(module, target, options).run();
}

} // namespace tenon::codegen
