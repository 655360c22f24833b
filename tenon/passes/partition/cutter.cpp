// Ops are visited in the program's order and built anew, on local operands. Each value is then known by its part and
// how that is cut; who needs it otherwise moves it (redistribute.h), once for all uses in a block.
#include "tenon/passes/partition/cutter.h"

#include "tenon/ir/types.h"
#include "tenon/passes/partition/combine.h"
#include "tenon/passes/partition/groups_by_axes.h"
#include "tenon/passes/partition/local/collectives.h"
#include "tenon/passes/partition/local/remedy.h"
#include "tenon/passes/partition/local/roll.h"
#include "tenon/passes/partition/place.h"
#include "tenon/passes/partition/propagate/values.h"
#include "tenon/passes/partition/redistribute.h"
#include "tenon/passes/partition/summands.h"
#include "tenon/passes/partition/transforms.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {

const ir::Mesh *meshOfDevices(ModuleOp module, ir::MeshTable &meshes, int64_t devices) {
  for (auto op : module.getOps<sdy::MeshOp>()) {
    ir::Mesh mesh;
    for (sdy::MeshAxisAttr axis : op.getMesh().getAxes())
      mesh.axes.push_back({axis.getName().str(), axis.getSize()});
    mesh.ids.assign(op.getMesh().getDeviceIds().begin(), op.getMesh().getDeviceIds().end());
    if (mesh.size() == devices)
      return meshes.intern(std::move(mesh));
  }
  ir::Mesh line;
  line.axes.push_back({"devices", devices});
  return meshes.intern(std::move(line));
}

Cutter::Cutter(func::FuncOp main, int64_t devices, bool sharesMemory)
    : main_(main), sharesMemory_(sharesMemory), meshes_(main->getParentOfType<ModuleOp>()),
      mesh_(meshOfDevices(main->getParentOfType<ModuleOp>(), meshes_, devices)), recorder_(meshes_, main.getLoc()),
      builder_(main, &recorder_) {}

//===- Shardings -------------------------------------------------------------------------------------------------===//

// Tokens, which each device has its own of, are like scalars.
static int64_t rankOf(Type type) { return isa<RankedTensorType>(type) ? cast<RankedTensorType>(type).getRank() : 0; }

ir::Sharding Cutter::whole(Type type) const { return ir::Sharding::whole(mesh_, rankOf(type), /*isClosed=*/true); }

ir::Sharding Cutter::read(Attribute attribute, Type type) {
  auto written = dyn_cast_or_null<sdy::TensorShardingAttr>(attribute);
  if (!written)
    return whole(type);
  StatusOr<ir::Sharding> sharding = meshes_.read(written, rankOf(type));
  if (!sharding.ok() || sharding->mesh->axes.empty())
    return whole(type);
  auto dropTrivial = [](ir::Axes &axes) { llvm::erase_if(axes, [](const ir::Atom &atom) { return atom.size == 1; }); };
  for (ir::DimCut &cut : sharding->dims)
    dropTrivial(cut.axes);
  dropTrivial(sharding->unreduced);
  sharding->replicated.clear();
  return *std::move(sharding);
}

std::vector<ir::Sharding> Cutter::resultShardings(Operation *op) {
  auto perValue = op->getAttrOfType<sdy::TensorShardingPerValueAttr>("sdy.sharding");
  ArrayRef<sdy::TensorShardingAttr> attributes;
  if (perValue && perValue.getShardings().size() == op->getNumResults())
    attributes = perValue.getShardings();
  std::vector<ir::Sharding> shardings;
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    shardings.push_back(read(attributes.empty() ? sdy::TensorShardingAttr() : attributes[i], type));
  return shardings;
}

Type Cutter::localTypeOf(Type type, const ir::Sharding &sharding) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? localType(tensor, sharding) : type;
}

void Cutter::record(Operation *op, const Twine &reason, std::string remedy) {
  op->emitRemark() << "computed on gathered operands: " << reason << "; " << remedy;
  int64_t bytes = 0;
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += ir::storedBytes(tensor);
  recorder_.addFallback({op->getName().getStringRef().str(), op->getLoc(), reason.str(), std::move(remedy), bytes});
}

//===- Values ----------------------------------------------------------------------------------------------------===//

void Cutter::define(Value value, Value local, ir::Sharding sharding) {
  recorder_.place(value, sharding);
  locals_[value].push_back({local, std::move(sharding)});
}

// What is in a block around this one has been built before.
bool Cutter::isKnownHere(Value local) const {
  for (Block *block = builder_.getInsertionBlock(); block;
       block = block->getParentOp() ? block->getParentOp()->getBlock() : nullptr)
    if (block == local.getParentBlock())
      return true;
  return false;
}

// The outermost loop before which an array of another block can be moved once for all iterations. Those that are there
// during the whole loop must not take too much memory.
Operation *Cutter::loopToLeave(Value local, RankedTensorType type, const ir::Sharding &wanted) {
  constexpr int64_t kMaxHoistedBytes = int64_t(64) << 20;
  Operation *loop = nullptr;
  for (Block *block = builder_.getInsertionBlock();
       block != local.getParentBlock() && isa<sh::WhileOp>(block->getParentOp()); block = loop->getBlock())
    loop = block->getParentOp();
  int64_t bytes = loop ? ir::storedBytes(localType(type, wanted)) : 0;
  if (hoistedBytes_ + bytes > kMaxHoistedBytes)
    return nullptr;
  hoistedBytes_ += bytes;
  return loop;
}

Value Cutter::converted(Value local, Type element) {
  RankedTensorType type = ir::typeOf(local).clone(element);
  return local.getType() == type ? local : sh::ConvertOp::create(builder_, local.getLoc(), type, local).getResult();
}

Value Cutter::localOf(Value value, const ir::Sharding &wanted) {
  Value local = summandsOf(value, wanted);
  return isa<RankedTensorType>(value.getType()) ? converted(local, ir::typeOf(value).getElementType()) : local;
}

Value Cutter::summandsOf(Value value, const ir::Sharding &wanted) {
  SmallVector<Local, 1> &known = locals_.find(value)->second;
  if (!isa<RankedTensorType>(value.getType()))
    return known.front().value;
  RankedTensorType type = ir::typeOf(value);
  const Local *from = nullptr;
  int64_t least = 0;
  for (const Local &local : known) {
    if (!isKnownHere(local.value))
      continue;
    if (liesAlike(local.sharding, wanted))
      return local.value;
    int64_t bytes = redistributionBytes(planner_, type, local.sharding, wanted);
    if (!from || bytes < least) {
      from = &local;
      least = bytes;
    }
  }
  std::string text =
      recorder_.textOf(from->sharding) + " -> " + recorder_.textOf(wanted) + " for " + recorder_.reason();
  Recorder::Reason redistribution(recorder_, recorder_.kind() == kProgram ? kRedistribution : recorder_.kind(),
                                  std::move(text));
  std::optional<Recorder::Reason> sum;
  if (auto unfinished = unfinished_.find(value); unfinished != unfinished_.end() && !from->sharding.unreduced.empty())
    sum.emplace(recorder_, kPartialSum, unfinished->second.reason, unfinished->second.place);
  OpBuilder::InsertionGuard guard(builder_);
  if (Operation *loop = loopToLeave(from->value, type, wanted))
    builder_.setInsertionPoint(loop);
  RankedTensorType summed = type.clone(ir::typeOf(from->value).getElementType());
  Value moved = redistribute(builder_, planner_, from->value, summed, from->sharding, wanted);
  if (wanted.unreduced.empty())
    moved = converted(moved, type.getElementType());
  known.push_back({moved, wanted});
  return moved;
}

// What computations on single elements take from outside, which they need whole.
IRMapping Cutter::capturesOf(Operation *op) {
  IRMapping mapping;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    mapping.map(value, localOf(value, whole(value.getType())));
  return mapping;
}

//===- Ops -------------------------------------------------------------------------------------------------------===//

void Cutter::cutBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    cut(&op);
}

// What the user says of where arrays lie, and what follows from it.
static StringRef kindOf(Operation *op) {
  if (isCollective(op))
    return kProgram;
  return isa<sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::ManualComputationOp>(op) ? kRequired : kRedistribution;
}

void Cutter::cut(Operation *op) {
  Recorder::Reason reason(recorder_, kindOf(op), op->getName().getStringRef().str(), op->getLoc());
  llvm::TypeSwitch<Operation *>(op)
      .Case<sh::ConstantOp, sdy::ConstantOp, sh::PartitionIdOp, sh::ReplicaIdOp>([&](Operation *op) { cutSource(op); })
      .Case([&](sh::IotaOp op) { cutIota(op); })
      .Case([&](sh::FftOp op) { cutTransform(op); })
      .Case<sdy::ShardingConstraintOp, sdy::ReshardOp>([&](Operation *op) {
        ir::Sharding wanted = read(op->getAttr("sharding"), op->getResult(0).getType());
        ir::Sharding own = shardingOf(op->getOperand(0));
        if (!staysCut(op->getResult(0), own, wanted))
          own = wanted;
        Value moved = localOf(op->getOperand(0), own);
        define(op->getResult(0), moved, own);
      })
      .Case<sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp>([&](Operation *op) {
        ir::Sharding own = shardingOf(op->getOperand(0));
        Value same = summandsOf(op->getOperand(0), own);
        define(op->getResult(0), same, own);
      })
      .Case([&](sh::OptimizationBarrierOp op) { cutInPlace(op); })
      .Case([&](sh::WhileOp op) { cutLoop(op); })
      .Case<sh::IfOp, sh::CaseOp>([&](Operation *op) { cutBranches(op); })
      .Case([&](sdy::ManualComputationOp op) { cutManual(op); })
      .Case<sh::InfeedOp, sh::OutfeedOp, sh::SendOp, sh::RecvOp>([&](Operation *op) { cutEffect(op); })
      .Default([&](Operation *op) {
        if (isCutAsRoll(op))
          return cutRoll(cast<sh::ConcatenateOp>(op));
        if (isa<sh::SliceOp>(op) && !op->use_empty() &&
            llvm::all_of(op->getUsers(), [&](Operation *user) { return isCutAsRoll(user); }))
          return; // rolls take the whole array
        if (ir::MaybeFactors factors = ir::findFactors(op))
          cutByFactors(op, *factors);
        else if (auto call = dyn_cast<sh::CustomCallOp>(op))
          cutCall(call);
        else
          computeWhole(op);
      });
}

// A constant that is the same everywhere has a smaller type; of others each device has its part.
void Cutter::cutSource(Operation *op) {
  std::vector<ir::Sharding> wanted = resultShardings(op);
  Type type = op->getResult(0).getType();
  auto elements = op->getAttrOfType<DenseElementsAttr>("value");
  if (elements && elements.isSplat() && wanted[0].unreduced.empty()) {
    auto local = cast<RankedTensorType>(localTypeOf(type, wanted[0]));
    Value constant = sh::ConstantOp::create(builder_, op->getLoc(), elements.resizeSplat(local));
    return define(op->getResult(0), constant, wanted[0]);
  }
  Operation *copy = builder_.clone(*op);
  copy->removeAttr("sdy.sharding");
  define(op->getResult(0), copy->getResult(0), whole(type));
  if (auto tensor = cast<RankedTensorType>(type); tensor.getRank() > 0) {
    SmallVector<Local, 1> &known = locals_[op->getResult(0)];
    Value part = redistribute(builder_, planner_, known.front().value, tensor, known.front().sharding, wanted[0]);
    known.front() = {part, wanted[0]};
  }
}

// Counts from where the device's part begins.
void Cutter::cutIota(sh::IotaOp op) {
  ir::Sharding wanted = resultShardings(op)[0];
  wanted.unreduced.clear();
  RankedTensorType type = ir::typeOf(op.getResult());
  auto local = localType(type, wanted);
  auto dimension = static_cast<int64_t>(op.getIotaDimension());
  ArrayBuilder builder(builder_, op.getLoc());
  Value numbers;
  if (wanted.dims[dimension].axes.empty()) {
    numbers = sh::IotaOp::create(builder_, op.getLoc(), local, op.getIotaDimension());
  } else {
    Value start = partStart(builder, type, wanted, dimension);
    numbers = builder.add(builder.iota(local.getShape(), dimension), builder.broadcast(start, local.getShape(), {}));
    if (numbers.getType() != local)
      numbers = sh::ConvertOp::create(builder_, op.getLoc(), local, numbers);
  }
  define(op.getResult(), numbers, wanted);
}

// Operands as the results lie.
void Cutter::cutInPlace(Operation *op) {
  std::vector<ir::Sharding> wanted = resultShardings(op);
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (auto [operand, sharding] : llvm::zip_equal(op->getOperands(), wanted)) {
    operands.push_back(localOf(operand, sharding));
    types.push_back(operands.back().getType());
  }
  auto local = sh::OptimizationBarrierOp::create(builder_, op->getLoc(), types, operands);
  for (auto [result, part, sharding] : llvm::zip_equal(op->getResults(), local->getResults(), wanted))
    define(result, part, sharding);
}

void Cutter::cutByFactors(Operation *op, const ir::Factors &spread) {
  if (cutSummands(op, spread))
    return;
  std::vector<PlacedTensor> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back({.type = ir::typeOf(operand), .sharding = shardingOf(operand), .isForAll = isForAll(operand)});
  LocalForm form = localFormOf(op);
  std::optional<SumKind> sum = form.sum ? form.sum(op) : std::nullopt;
  for (auto [result, sharding] : llvm::zip_equal(op->getResults(), resultShardings(op)))
    results.push_back({.type = ir::typeOf(result),
                       .sharding = sharding,
                       .isAddedUp = isAddedUp(result, sum),
                       .isUpdate = isUpdate(result),
                       .staysCut = (isOfParts(op) || isa<sh::ScatterOp>(op)) && isSharedUpdate(result),
                       .bytesWith = bytesWith(result)});
  const ir::Mesh *mesh = nullptr;
  for (const PlacedTensor &tensor : llvm::concat<const PlacedTensor>(results, operands))
    if (bool isCut = llvm::any_of(tensor.sharding.dims, [](const ir::DimCut &cut) { return !cut.axes.empty(); });
        isCut && !mesh)
      mesh = tensor.sharding.mesh;
  ir::Factors factors = form.factors ? form.factors(op, spread) : spread;
  if (!mesh)
    mesh = mesh_;
  Choice choice = chooseCuts(op, factors, form, mesh, operands, results, planner_);
  for (const auto &[factor, parts] : choice.notCut)
    record(op, "a dimension of size " + Twine(factors.factors[factor].size) + " is cut along which it needs all",
           remedyOf(op, factors, form, factor, parts));
  Recorder::Reason reason(recorder_, choice.notCut.empty() ? recorder_.kind() : kFallback, recorder_.reason());
  if (!choice.notCut.empty() && isForOneDevice(op, choice.cuts))
    return doOnDevice(op, 0);
  LocalOp local(builder_, op, factors, mesh, choice.cuts);
  local.addsInF32 = form.addsInF32;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    local.operands.push_back(localOf(operand, local.operandSharding(i)));
  local.captures = capturesOf(op);
  finish(op, form, local, build(op, form, local));
}

void Cutter::cutTransform(sh::FftOp op) {
  Operation *before = op->getPrevNode();
  Value last = splitTransform(op, shardingOf(op.getOperand()), meshes_);
  if (!last)
    return cutByFactors(op, *ir::findFactors(op));
  for (Operation *step = before ? before->getNextNode() : &op->getBlock()->front(); step != op;
       step = step->getNextNode())
    if (isa<sh::FftOp>(step)) // which is not split again
      cutByFactors(step, *ir::findFactors(step));
    else
      cut(step);
  ir::Sharding wanted = resultShardings(op)[0];
  Value part = localOf(last, wanted);
  define(op.getResult(), part, wanted);
}

bool Cutter::isCutAsRoll(Operation *op) {
  std::optional<Roll> roll = rollOf(op);
  if (!roll)
    return false;
  ir::Sharding wanted = resultShardings(op)[0];
  int64_t parts = ir::partsOf(wanted.dims[roll->dimension].axes);
  return wanted.unreduced.empty() && ir::typeOf(roll->source).getDimSize(roll->dimension) % parts == 0;
}

void Cutter::cutRoll(sh::ConcatenateOp op) {
  Roll roll = *rollOf(op);
  ir::Sharding wanted = resultShardings(op)[0];
  Value local = localOf(roll.source, wanted);
  Recorder::Reason reason(recorder_, kHalo, recorder_.reason());
  ArrayBuilder builder(builder_, op.getLoc());
  Value part = rolled(builder, local, roll, *wanted.mesh, wanted.dims[roll.dimension].axes);
  define(op.getResult(), part, wanted);
}

// In the body of a manual computation each device computes for itself.
bool Cutter::mayBeForOneDevice(Operation *op) const {
  return sharesMemory_ && !op->getParentOfType<sdy::ManualComputationOp>();
}

LocalForm Cutter::localFormOf(Operation *op) const { return formOf(op, mayBeForOneDevice(op)); }

// Whether an op that each device would compute whole is left to one of them, since all are of one process, have its
// processors between them, and are told what came of it sooner than each computes it.
bool Cutter::isForOneDevice(Operation *op, ArrayRef<ir::Axes> cuts) const {
  constexpr int64_t kLeastElements = 512; // some microseconds, as another meeting of eight devices
  return mayBeForOneDevice(op) && isa<sh::SortOp, sh::FftOp, sh::CholeskyOp, sh::TriangularSolveOp>(op) &&
         ir::typeOf(op->getOperand(0)).getNumElements() >= kLeastElements &&
         llvm::all_of(cuts, [](const ir::Axes &axes) { return axes.empty(); });
}

SmallVector<Value> Cutter::build(Operation *op, const LocalForm &form, LocalOp &local) {
  if (!form.build)
    return local.cloneWith(local.operands);
  Recorder::Reason reason(recorder_,
                          isCollective(op)    ? kProgram
                          : form.finishesSums ? kPartialSum
                                              : kHalo,
                          recorder_.reason());
  return form.build(local);
}

// Brings results to where they are wanted. Sums may still be summands then.
void Cutter::finish(Operation *op, const LocalForm &form, LocalOp &local, ValueRange results) {
  std::optional<SumKind> kind = form.sum ? form.sum(op) : std::nullopt;
  for (auto [i, result, wanted] : llvm::enumerate(op->getResults(), resultShardings(op))) {
    ir::Sharding own = local.resultSharding(i);
    if (form.finishesSums)
      own.unreduced.clear();
    // What is picked from parts is no sum of several: as one, it would lose the sign of a zero on its way.
    bool isSum = isa<sh::DotGeneralOp, sh::ReduceOp, sh::ConvolutionOp, sh::ScatterOp>(op);
    own.reduction = reductionOf(kind.value_or(SumKind::kAdd)).value_or(own.reduction);
    defineResult(result, results[i], own, wanted, kind, isSum);
  }
}

void Cutter::computeWhole(Operation *op) {
  Recorder::Reason reason(recorder_, kFallback, recorder_.reason());
  SmallVector<Value> operands;
  bool isCut = false;
  for (Value operand : op->getOperands()) {
    const ir::Sharding &own = shardingOf(operand);
    isCut |= llvm::any_of(own.dims, [](const ir::DimCut &cut) { return !cut.axes.empty(); });
    operands.push_back(localOf(operand, whole(operand.getType())));
  }
  if (isCut)
    record(op, "how its dimensions belong together is not known", remedyOfUnknown(op));
  copyWith(op, operands);
}

// The op on whole operands, of whose results each device keeps what is wanted.
void Cutter::copyWith(Operation *op, ArrayRef<Value> operands) {
  IRMapping mapping = capturesOf(op);
  mapping.map(op->getOperands(), operands);
  Operation *copy = builder_.clone(*op, mapping);
  copy->removeAttr("sdy.sharding");
  copy->removeAttr(kOperandShardings);
  for (auto [result, value, wanted] : llvm::zip_equal(op->getResults(), copy->getResults(), resultShardings(op)))
    defineWhole(result, value, wanted);
}

// All devices have the value, and keep what is wanted.
void Cutter::defineWhole(Value value, Value known, const ir::Sharding &wanted) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  define(value, type ? redistribute(builder_, planner_, known, type, whole(type), wanted) : known, wanted);
}

//===- Regions ---------------------------------------------------------------------------------------------------===//

// What a region is given and gives is cut as `shardings` say: those of its arguments, or, without, of its results.
void Cutter::cutRegion(Region &from, Region &to, ArrayRef<ir::Sharding> shardings) {
  OpBuilder::InsertionGuard guard(builder_);
  Block *block = builder_.createBlock(&to);
  Operation *end = from.front().getTerminator();
  auto loop = dyn_cast<sh::WhileOp>(from.getParentOp());
  bool isCondition = loop && from.getRegionNumber() == 0;
  auto isUnchanged = [&](BlockArgument argument) {
    return loop && !isCondition && isa<RankedTensorType>(argument.getType()) && argument.getOwner() == &from.front() &&
           end->getOperand(argument.getArgNumber()) == argument;
  };
  for (auto [argument, sharding] : llvm::zip(from.getArguments(), shardings)) {
    Value part = block->addArgument(localTypeOf(argument.getType(), sharding), argument.getLoc());
    // What is the same in all iterations is what it is before the loop, and can be moved there.
    if (isUnchanged(argument))
      part = localOf(loop->getOperand(argument.getArgNumber()), sharding);
    define(argument, part, sharding);
  }
  cutBlock(from.front());
  SmallVector<Value> returned;
  for (auto [i, value] : llvm::enumerate(end->getOperands()))
    if (auto argument = dyn_cast<BlockArgument>(value); argument && isUnchanged(argument))
      returned.push_back(block->getArgument(i));
    else if (isCondition)
      returned.push_back(localOf(value, whole(value.getType())));
    else if (loop && isa<RankedTensorType>(value.getType()))
      returned.push_back(converted(summandsOf(value, shardingOf(from.getArgument(i))),
                                   ir::typeOf(block->getArgument(i)).getElementType()));
    else
      returned.push_back(localOf(value, loop ? shardingOf(from.getArgument(i)) : shardings[i]));
  sh::ReturnOp::create(builder_, end->getLoc(), returned);
}

void Cutter::cutLoop(sh::WhileOp op) {
  std::vector<ir::Sharding> wanted = resultShardings(op);
  SmallVector<Value> operands;
  for (auto [operand, sharding] : llvm::zip_equal(op->getOperands(), wanted))
    operands.push_back(localOf(operand, sharding));
  auto local = sh::WhileOp::create(builder_, op.getLoc(), ValueRange(operands).getTypes(), operands);
  for (auto [i, argument] : llvm::enumerate(op.getBody().getArguments()))
    if (isAccumulated(op, static_cast<unsigned>(i)) && wanted[i].unreduced.empty())
      accumulators_.insert(argument);
  cutRegion(op.getCond(), local.getCond(), wanted);
  cutRegion(op.getBody(), local.getBody(), wanted);
  finishAccumulators(op, local, wanted);
  for (auto [i, result, part] : llvm::enumerate(op->getResults(), local->getResults()))
    defineResult(result, part, shardingOf(op.getBody().getArgument(i)), wanted[i]);
}

void Cutter::cutBranches(Operation *op) {
  std::vector<ir::Sharding> wanted = resultShardings(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(localOf(op->getOperand(0), whole(op->getOperand(0).getType())));
  for (auto [type, sharding] : llvm::zip_equal(op->getResultTypes(), wanted))
    state.addTypes(localTypeOf(type, sharding));
  for (size_t i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *local = builder_.create(state);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), local->getRegions()))
    cutRegion(from, to, wanted);
  for (auto [result, part, sharding] : llvm::zip_equal(op->getResults(), local->getResults(), wanted))
    define(result, part, sharding);
}

// The body is written for one device of the manual axes already; along others it is cut as all else.
void Cutter::cutManual(sdy::ManualComputationOp op) {
  auto manualOf = [&](const ir::Sharding &sharding) {
    return propagate::ValueShardings::manualAxes(op, sharding.mesh);
  };
  Block &body = op.getBody().front();
  for (auto [argument, operand, attribute] :
       llvm::zip_equal(body.getArguments(), op->getOperands(), op.getInShardings().getShardings())) {
    ir::Sharding outside = read(attribute, operand.getType());
    Value part = localOf(operand, outside);
    define(argument, part, propagate::withoutAxes(outside, manualOf(outside)));
  }
  cutBlock(body);
  for (auto [result, value, attribute] :
       llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands(), op.getOutShardings().getShardings())) {
    ir::Sharding outside = read(attribute, result.getType());
    Value part = localOf(value, propagate::withoutAxes(outside, manualOf(outside)));
    define(result, part, outside);
  }
}

//===- The function ----------------------------------------------------------------------------------------------===//

void Cutter::run() {
  std::vector<ir::Sharding> arguments, results;
  SmallVector<Type> argumentTypes, resultTypes;
  for (auto [i, type] : llvm::enumerate(main_.getArgumentTypes())) {
    arguments.push_back(read(main_.getArgAttr(i, "sdy.sharding"), type));
    argumentTypes.push_back(localTypeOf(type, arguments.back()));
  }
  for (auto [i, type] : llvm::enumerate(main_.getResultTypes())) {
    results.push_back(read(main_.getResultAttr(i, "sdy.sharding"), type));
    resultTypes.push_back(localTypeOf(type, results.back()));
  }
  auto local = func::FuncOp::create(builder_, main_.getLoc(), main_.getName(),
                                    builder_.getFunctionType(argumentTypes, resultTypes));
  local->setAttrs(main_->getAttrs());
  local.setFunctionType(builder_.getFunctionType(argumentTypes, resultTypes));
  for (auto [i, alias] : llvm::enumerate(argumentTypes)) // an array of another size is another array
    if (auto result = local.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output");
        result && resultTypes[result.getInt()] != alias)
      local.removeArgAttr(i, "tf.aliasing_output");
  Block *block = builder_.createBlock(&local.getBody());
  for (auto [argument, type, sharding] : llvm::zip_equal(main_.getArguments(), argumentTypes, arguments)) {
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType()))
      recorder_.place("argument " + std::to_string(argument.getArgNumber()), argument.getLoc(), tensor, sharding);
    Value part = block->addArgument(type, argument.getLoc());
    define(argument, part, sharding);
  }
  cutBlock(main_.front());
  Operation *end = main_.front().getTerminator();
  SmallVector<Value> returned;
  for (auto [i, value, sharding] : llvm::enumerate(end->getOperands(), results)) {
    std::string name = "result " + std::to_string(i);
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
      recorder_.place(name, value.getLoc(), tensor, sharding);
    Recorder::Reason reason(recorder_, kRequired, name, end->getLoc());
    returned.push_back(localOf(value, sharding));
  }
  func::ReturnOp::create(builder_, end->getLoc(), returned);
  main_.erase();
  if (int64_t replicas = ir::processGrid(local).replicas; replicas > 1)
    addReplicas(local, replicas);
  else
    nameGroupsByAxes(local, *mesh_, recorder_);
  combineCollectives(local, recorder_);
}

} // namespace tenon::passes::partition
