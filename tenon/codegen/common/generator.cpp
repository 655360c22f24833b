#include "tenon/codegen/common/generator.h"

#include "tenon/codegen/common/cost.h"
#include "tenon/codegen/common/interface/constant_data.h"
#include "tenon/codegen/common/interface/folded_constant.h"
#include "tenon/codegen/common/interface/runtime_call.h"
#include "tenon/codegen/common/interface/signature.h"
#include "tenon/codegen/common/kernel_key.h"
#include "tenon/codegen/common/location.h"
#include "tenon/codegen/common/memory/meetings.h"
#include "tenon/codegen/common/memory/memory_report.h"
#include "tenon/codegen/common/memory/overlap.h"
#include "tenon/codegen/common/memory/schedule.h"
#include "tenon/codegen/common/memory/shared_results.h"
#include "tenon/ir/captures.h"
#include "tenon/ir/folded.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/program/attributes.h"

#include <numeric>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {

static constexpr int64_t kMaxConstantBytes = int64_t(1) << 36;

Generator::Generator(ModuleOp module, const CodeTarget &target, const GenerateOptions &options)
    : module_(module), main_(module.lookupSymbol<func::FuncOp>("main")), target_(target), options_(options) {}

FailureOr<program::Program> Generator::run() {
  if (!main_)
    return module_.emitError("the module has no function 'main'");
  if (failed(checkTypes()) || failed(chooseInstructions()) || failed(planKernels()))
    return failure();
  for (auto &[op, slot] : reductions_)
    instructions_.computations[op] = slot->kernel;
  listKernelCalls();
  addSignature();
  auto constants = int32_t(result_.constants.size());
  if (hasGroupMemory() && options_.groupMemory)
    instructions_.groupArrays = findGroupArrays(main_, instructions_, result_.runtimeCalls, constants);
  if (hasGroupMemory() && options_.groupMemory && !options_.overlap)
    instructions_.meetingCalls = findMeetingCalls(main_, instructions_, result_.runtimeCalls);
  BufferPlan plan = planMemory();
  markSharedResults(main_, instructions_, plan, result_.runtimeCalls);
  markGroupMemory(instructions_, plan, constants, result_.runtimeCalls);
  markMeetings(main_, instructions_, result_.runtimeCalls);
  if (failed(compile(plan)))
    return failure();
  describe(plan);
  return std::move(result_);
}

void Generator::listKernelCalls() {
  for (auto [i, slot] : llvm::enumerate(slots_))
    for (Operation *op : slot.applications ? ArrayRef<Operation *>() : ArrayRef<Operation *>(slot.ops)) {
      instructions_.kernels[op] = slot.kernel;
      instructions_.calls[op] = result_.kernelCalls.size();
      result_.kernelCalls.push_back({int32_t(i), locationName(namedOp(op)->getLoc()), sourceLocations(op)});
    }
}

// Sizes of type index are done with when shapes have been refined, and nothing computes with buffers.
LogicalResult Generator::checkTypes() {
  auto hasNoCode = [](Type type) { return isa<MemRefType>(type) || getElementTypeOrSelf(type).isIndex(); };
  for (auto [i, type] : llvm::enumerate(main_.getArgumentTypes()))
    if (hasNoCode(type))
      return main_.emitError() << "argument " << i << " has type " << type << ", which has no native code";
  WalkResult search = main_.walk([&](Operation *op) {
    auto type = llvm::find_if(op->getResultTypes(), hasNoCode);
    if (type == op->result_type_end())
      return WalkResult::advance();
    return op->emitOpError() << "cannot be compiled: it has a result of type " << *type, WalkResult::interrupt();
  });
  return failure(search.wasInterrupted());
}

LogicalResult Generator::chooseInstructions() {
  auto hasScalars = [this](Operation *op) { return hasScalarCode(op); };
  return forEachInstruction(main_.getBody().front(), hasScalars, [&](Operation *op, InstructionKind kind) {
    return kind == InstructionKind::kConstant ? addConstant(op)
           : kind == InstructionKind::kKernel ? chooseKernel(op)
                                              : success();
  });
}

LogicalResult Generator::addConstant(Operation *op) {
  bool isInMemory = scalarPlaces() == ScalarPlaces::kMemory || !isScalarTensor(op->getResult(0).getType());
  if (!isInMemory || llvm::all_of(op->getUsers(), ir::isFolded))
    return success();
  auto fusion = dyn_cast<ir::FusionOp>(op);
  auto value = fusion ? ElementsAttr() : op->getAttrOfType<ElementsAttr>("value");
  if (value) {
    auto [entry, isNew] = constantByValue_.try_emplace(value, result_.constants.size());
    constantIndex_[op] = entry->second;
    if (!isNew)
      return success();
  }
  if (int64_t bytes = tensorBytes(cast<RankedTensorType>(op->getResult(0).getType())); bytes > kMaxConstantBytes)
    return op->emitError() << "this constant takes " << bytes << " bytes in the program, more than the "
                           << kMaxConstantBytes << " that one may";
  FailureOr<program::Constant> data = fusion  ? foldedConstant(fusion)
                                      : value ? constantData(value)
                                              : FailureOr<program::Constant>(failure());
  if (failed(data))
    return op->emitError("the data of this constant is missing");
  constantIndex_[op] = int(result_.constants.size());
  result_.constants.push_back(std::move(*data));
  return success();
}

bool mayHaveKernel(Operation *op, const CodeTarget &target) {
  // What is fused was asked for then.
  return isa<ir::FusionOp>(op) || (!isa<sh::AllReduceOp, sh::ReduceScatterOp>(op) && target.canEmit(op));
}

LogicalResult Generator::chooseKernel(Operation *op) {
  if (ir::capturesValue(op))
    return op->emitOpError("cannot be compiled: its computation uses a value from around it");
  if (isa<sh::AllReduceOp, sh::ReduceScatterOp>(op))
    return chooseReduction(op);
  if (hasViews())
    if (auto view = findView(op, [this](Operation *user) { return mayHaveKernel(user, target_); })) {
      instructions_.views.try_emplace(op, std::move(*view));
      return success();
    }
  if (mayHaveKernel(op, target_)) {
    slotOf(op).ops.push_back(op);
    return success();
  }
  for (Region &region : op->getRegions())
    if (Operation *inner = findUncomputable(region))
      return op->emitOpError() << "cannot be compiled: its computation uses '" << inner->getName()
                               << "', which has no native code there";
  return addRuntimeCall(op);
}

// A reduction of a collective is a routine of the runtime, which applies a kernel to blocks of whatever arrays: one
// kernel for each computation, however many elements and processes there are.
LogicalResult Generator::chooseReduction(Operation *op) {
  Region &computation = op->getRegion(0);
  int64_t elements = reductionBlock(op);
  RankedTensorType block = cast<RankedTensorType>(computation.getArgument(0).getType()).clone({elements});
  OpBuilder builder(op->getContext());
  OwningOpRef<func::FuncOp> function =
      func::FuncOp::create(op->getLoc(), "block", builder.getFunctionType({block, block}, {block}));
  builder.setInsertionPointToStart(function->addEntryBlock());
  auto map = sh::MapOp::create(builder, op->getLoc(), block, function->getArguments(), ArrayRef<int64_t>{0});
  ir::cloneWithConstants(computation, map.getComputation());
  map->setAttr("tenon.of_collective", builder.getUnitAttr()); // its kernel is called in another way than others
  if (!target_.canEmit(map))
    return op->emitOpError("cannot be compiled: there is no native code for its computation");
  KernelSlot &slot = slotOf(map);
  slot.ops.push_back(map);
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  slot.applications = slot.applications.value_or(0) + double(type.getNumElements()) / double(elements);
  reductions_[op] = &slot;
  blockComputations_.push_back(std::move(function));
  return addRuntimeCall(op);
}

LogicalResult Generator::addRuntimeCall(Operation *op) {
  FailureOr<program::RuntimeCall> runtimeCall = makeRuntimeCall(op);
  if (failed(runtimeCall))
    return failure();
  instructions_.runtimeCalls[op] = result_.runtimeCalls.size();
  result_.runtimeCalls.push_back(std::move(*runtimeCall));
  return success();
}

Generator::KernelSlot &Generator::slotOf(Operation *op) {
  auto [entry, isNew] = slotByKey_.try_emplace(kernelKey(op), slots_.size());
  if (isNew)
    entry->second = slotFor(op);
  return slots_[entry->second];
}

// The slot of the op's kernel, whose key is new. A kernel's name says what it does, by the op or the last op of a
// fusion, and is the same in every program: so is its code then, which caches keep.
size_t Generator::slotFor(Operation *op) {
  std::string digest = kernelDigest(op);
  if (!digest.empty())
    if (auto [entry, isNew] = slotByDigest_.try_emplace(digest, slots_.size()); !isNew)
      return entry->second;
  std::string kind;
  if (auto fusion = dyn_cast<ir::FusionOp>(op))
    kind = (stringifyFusionKind(fusion.getKind()) + "_").str();
  std::string name = kind + namedOp(op)->getName().stripDialect().str() + "_";
  std::string symbol = name + (digest.empty() ? std::to_string(slots_.size()) : digest.substr(0, 8));
  if (!symbols_.insert(symbol).second)
    symbols_.insert(symbol = name + digest);
  slots_.push_back({symbol, digest, {}, nullptr});
  return slots_.size() - 1;
}

void Generator::addSignature() {
  codegen::describeSignature(main_, result_);
  for (const program::Argument &argument : result_.arguments)
    donations_.push_back(argument.aliasedResult);
}

// The runtime makes the call beside the program (runtime/core/background_calls.h).
static void markStarted(program::RuntimeCall &runtimeCall) {
  program::addAttribute(runtimeCall.attributes, {std::string(program::kStartsAttribute), {true}});
}

BufferPlan Generator::planMemory() {
  BufferPlan plan = planInBestOrder();
  return options_.overlap ? planWithOverlap(std::move(plan)) : std::move(plan);
}

// Collectives go on while others compute, unless that takes much more memory.
BufferPlan Generator::planWithOverlap(BufferPlan plan) {
  std::vector<BlockOrder> before;
  std::vector<Overlap> overlaps = overlapCollectives(main_, instructions_, before);
  size_t runtimeCalls = result_.runtimeCalls.size();
  for (const Overlap &overlap : overlaps)
    if (failed(addRuntimeCall(overlap.await)))
      llvm_unreachable("an await is a routine of the library");
  BufferPlan together = planBuffers(main_, instructions_, constantIndex_, donations_, scalarPlaces(), resultUse());
  if (together.arenaBytes() <= plan.arenaBytes() + kMaxOverlapBytes) {
    for (const Overlap &overlap : overlaps)
      markStarted(result_.runtimeCalls[instructions_.runtimeCalls.at(overlap.collective)]);
    return together;
  }
  for (const Overlap &overlap : overlaps) {
    instructions_.runtimeCalls.erase(overlap.await);
    undo(overlap);
  }
  result_.runtimeCalls.resize(runtimeCalls);
  llvm::for_each(before, putInOrder);
  return plan;
}

// In the order that takes less memory, which becomes the module's. A schedule knows bytes, but not whether their
// places fit: the plan decides.
BufferPlan Generator::planInBestOrder() {
  BufferPlan plan = planBuffers(main_, instructions_, constantIndex_, donations_, scalarPlaces(), resultUse());
  if (!options_.reorder)
    return plan;
  std::vector<BlockOrder> orders = findBetterOrders(main_, instructions_, donations_);
  if (orders.empty())
    return plan;
  std::vector<BlockOrder> own;
  for (const BlockOrder &order : orders)
    own.push_back(orderOf(*order.front()->getBlock()));
  llvm::for_each(orders, putInOrder);
  BufferPlan better = planBuffers(main_, instructions_, constantIndex_, donations_, scalarPlaces(), resultUse());
  if (isClearlyLess(better.arenaBytes(), plan.arenaBytes()))
    return better;
  llvm::for_each(own, putInOrder);
  return plan;
}

std::string Generator::opNames(Operation *op) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  if (!fusion)
    return op->getName().getStringRef().str();
  std::string names;
  for (Operation &inner : fusion.getBlock().without_terminator())
    if (!inner.hasTrait<OpTrait::ConstantLike>())
      names += (names.empty() ? "" : ",") +
               (isa<ir::FusionOp>(inner) ? opNames(&inner) : inner.getName().stripDialect().str());
  return names;
}

// Those that the entry function calls.
static int32_t calledPhases(const Kernel &kernel) {
  return int32_t(llvm::count_if(kernel.phases, [](const KernelPhase &phase) { return phase.extent > 0; }));
}

// Fills in the report of kernels and runtime calls. Returns their time, roughly, in nanoseconds.
double Generator::describeKernels() {
  double nanoseconds = 0;
  for (KernelSlot &slot : slots_) {
    const Kernel &kernel = *slot.kernel;
    Operation *op = slot.ops.front();
    OpCount count = countOps(op);
    double times = slot.applications.value_or(double(slot.ops.size()));
    result_.report.kernels.push_back({slot.symbol, kernel.kind, opNames(op), locationText(namedOp(op)->getLoc()),
                                      int64_t(slot.ops.size()), count.flops, kernel.bytes, count.transcendentals,
                                      arithmeticType(op), calledPhases(kernel)});
    result_.report.flops += count.flops * times;
    result_.report.bytes += kernel.bytes * times;
    nanoseconds += kernelNanoseconds(op, kernel, target_.costs()) * times;
  }
  for (const program::RuntimeCall &runtimeCall : result_.runtimeCalls) {
    bool isCustomCall = runtimeCall.kind == program::RuntimeCall::Kind::kCustomCall;
    result_.report.kernels.push_back({runtimeCall.target, isCustomCall ? "custom_call" : "library", runtimeCall.target,
                                      runtimeCall.location, 1, 0, 0});
  }
  // A map of addresses has another order in each process, and sums of floats would differ.
  SmallVector<double> calls(result_.runtimeCalls.size());
  for (auto [op, index] : instructions_.runtimeCalls)
    calls[index] = callNanoseconds(op, result_.runtimeCalls[index], target_.costs());
  nanoseconds = std::accumulate(calls.begin(), calls.end(), nanoseconds);
  return nanoseconds;
}

void Generator::describe(const BufferPlan &plan) {
  result_.name = module_.getName() ? module_.getName()->str() : "program";
  result_.arenaBytes = plan.arenaBytes();
  Cost scalars = scalarCost(main_, instructions_);
  result_.report.flops = scalars.flops;
  result_.report.bytes = scalars.bytes;
  result_.report.transcendentals = countTranscendentals(main_);
  double nanoseconds = describeKernels();
  main_.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ir::FusionOp>(op)) // loops in there are their kernel's
      return WalkResult::skip();
    if (isa<sh::WhileOp>(op))
      nanoseconds += target_.costs().loop;
    return WalkResult::advance();
  });
  result_.estimatedNanoseconds = int64_t(nanoseconds);
  describeMemory(main_, instructions_, plan, result_.report);
  if (auto count = module_->getAttrOfType<IntegerAttr>("mhlo.num_replicas"))
    result_.numReplicas = count.getInt();
  if (auto count = module_->getAttrOfType<IntegerAttr>("mhlo.num_partitions"))
    result_.numPartitions = count.getInt();
}

} // namespace tenon::codegen
