// Sums that wait: what each device has of a sum goes through ops that keep summands (summands.h), and through loops
// that only add to it. It becomes the sum where something else needs it, which is where it is one array in place of
// several, or of many iterations.
//
// Gathers wait, too: a gradient of which each device has computed a part goes through elementwise ops, which then
// compute a part each, and the new weights are gathered instead. Where all devices are of one process, gathering is
// writing a part into a memory that all have: then sums of gradients are made in parts as well, and several results of
// an optimiser are computed in parts, whichever moves more bytes between processes.
#include "tenon/passes/partition/cutter.h"

#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/partition/propagate/projection.h"
#include "tenon/passes/partition/redistribute.h"
#include "tenon/passes/partition/summands.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {

// The axes of each factor, if the tensors agree.
static std::optional<SmallVector<ir::Axes>>
cutsOf(const ir::Factors &factors, ArrayRef<std::pair<const ir::TensorFactors *, const ir::Sharding *>> tensors) {
  SmallVector<ir::Axes> cuts(factors.factors.size());
  for (auto [dims, sharding] : tensors)
    for (auto [own, cut] : llvm::zip_equal(cuts, propagate::project(*dims, factors.factors, sharding).factors)) {
      if (!cut || cut->axes.empty())
        continue;
      if (!own.empty() && own != cut->axes)
        return std::nullopt;
      own = cut->axes;
    }
  return cuts;
}

// Whether parts of the dimensions are parts of the array: where several factors make up one, the major one alone is
// cut, and evenly.
static bool arePartsOfDimensions(const ir::TensorFactors &dims, const ir::Factors &factors, ArrayRef<ir::Axes> cuts) {
  return llvm::all_of(dims, [&](const ir::DimFactors &numbers) {
    SmallVector<int64_t> own(llvm::make_filter_range(
        numbers, [&](int64_t number) { return factors.factors[number].size != 1 || !cuts[number].empty(); }));
    for (auto [i, number] : llvm::enumerate(own))
      if (!cuts[number].empty() && own.size() > 1 &&
          (i > 0 || factors.factors[number].size % ir::partsOf(cuts[number]) != 0))
        return false;
    return true;
  });
}

static bool areCutAlike(const ir::Sharding &a, const ir::Sharding &b) {
  return a.mesh == b.mesh &&
         llvm::equal(a.dims, b.dims, [](const ir::DimCut &x, const ir::DimCut &y) { return x.axes == y.axes; });
}

// Whether a sum that is wanted so is in parts along axes along which devices have summands.
static bool isScattered(const ir::Sharding &own, const ir::Sharding &wanted) {
  return llvm::any_of(wanted.dims, [&](const ir::DimCut &cut) {
    return llvm::any_of(cut.axes, [&](const ir::Atom &atom) { return ir::overlapsAny(atom, own.unreduced); });
  });
}

// How an operand lies of which devices have summands; null if there is none.
const ir::Sharding *Cutter::findSummands(Operation *op) const {
  for (Value operand : op->getOperands())
    if (unfinished_.contains(operand) && !shardingOf(operand).unreduced.empty())
      return &shardingOf(operand);
  return nullptr;
}

// Whether all of them are such summands, or can be: what a loop adds to becomes that of what is added, unless devices
// have parts of it along the same axes (a stack whose layers are on different devices).
bool Cutter::areSummands(ArrayRef<OpOperand *> operands, const ir::Sharding &alike) const {
  return !operands.empty() && llvm::all_of(operands, [&](OpOperand *operand) {
    const ir::Sharding &own = shardingOf(operand->get());
    bool isOf =
        own.unreduced == alike.unreduced && own.reduction == alike.reduction && unfinished_.contains(operand->get());
    return own.mesh == alike.mesh && (isOf || (accumulators_.contains(operand->get()) && !isScattered(alike, own)));
  });
}

// A value's summands, in the type in which they are added up. What a loop carries is of that type from then on: nothing
// has taken it before.
Value Cutter::summandsIn(Value value, const ir::Sharding &sharding, Type element) {
  Value local = summandsOf(value, sharding);
  if (!accumulators_.contains(value))
    return converted(local, element);
  local.setType(ir::typeOf(local).clone(element));
  return local;
}

bool Cutter::cutSummands(Operation *op, const ir::Factors &spread) {
  // What is stacked while a loop runs is all there before the sum, and would not be otherwise.
  constexpr int64_t kMaxStackedBytes = int64_t(64) << 20;
  const ir::Sharding *alike = findSummands(op);
  if (!alike)
    return false;
  const ir::Sharding summands = *alike;
  SmallVector<OpOperand *, 2> operands = summandOperands(op, summands.reduction);
  if (!areSummands(operands, summands) ||
      (isa<sh::DynamicUpdateSliceOp>(op) && ir::storedBytes(ir::typeOf(op->getOperand(0))) > kMaxStackedBytes))
    return false;
  LocalForm form = localFormOf(op);
  ir::Factors factors = form.factors ? form.factors(op, spread) : spread;
  SmallVector<std::pair<const ir::TensorFactors *, const ir::Sharding *>> tensors;
  for (OpOperand *operand : operands)
    tensors.push_back({&factors.operands[operand->getOperandNumber()], &shardingOf(operand->get())});
  auto cuts = cutsOf(factors, tensors);
  auto areParts = [&](const ir::TensorFactors &dims) { return arePartsOfDimensions(dims, factors, *cuts); };
  if (!cuts || !llvm::all_of(factors.operands, areParts) || !llvm::all_of(factors.results, areParts))
    return false;
  for (auto [i, axes] : llvm::enumerate(*cuts))
    if (!axes.empty() && !form.isCuttable(op, factors, i, ir::partsOf(axes)))
      return false;
  LocalOp local(builder_, op, factors, summands.mesh, *cuts);
  for (OpOperand *operand : operands)
    if (!areCutAlike(local.operandSharding(operand->getOperandNumber()), shardingOf(operand->get())))
      return false;
  auto withSummands = [&](ir::Sharding sharding) {
    sharding.unreduced = summands.unreduced;
    sharding.reduction = summands.reduction;
    return sharding;
  };
  local.keepsSummands = true;
  local.addsInF32 = llvm::any_of(operands, [&](OpOperand *operand) {
    return ir::typeOf(locals_.find(operand->get())->second.front().value).getElementType().isF32();
  });
  for (OpOperand *operand : operands) {
    ir::Sharding &known = locals_.find(operand->get())->second.front().sharding;
    known = withSummands(known);
  }
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Type element = ir::typeOf(operand).getElementType();
    if (local.addsInF32 && isAddedInF32(element))
      element = Float32Type::get(op->getContext());
    ir::Sharding sharding = local.operandSharding(i);
    bool isSummand = llvm::is_contained(operands, &op->getOpOperand(i));
    local.operands.push_back(isSummand ? summandsIn(operand, withSummands(sharding), element)
                                       : converted(localOf(operand, sharding), element));
  }
  ir::Sharding own = withSummands(local.resultSharding(0));
  defineResult(op->getResult(0), build(op, form, local).front(), own, resultShardings(op)[0]);
  return true;
}

// Whether a loop adds the value up with others, so that its sum costs nothing where it is made.
bool Cutter::isAddedUp(Value value, std::optional<SumKind> kind) const {
  std::optional<sdy::ReductionOp> reduction = kind ? reductionOf(*kind) : std::nullopt;
  while (reduction && value.hasOneUse() && isa<RankedTensorType>(value.getType())) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    SmallVector<OpOperand *, 2> operands = summandOperands(user, *reduction);
    if (user->getBlock() != value.getParentBlock() || !llvm::is_contained(operands, &use))
      return false;
    if (llvm::any_of(operands, [&](OpOperand *operand) { return accumulators_.contains(operand->get()); }))
      return true;
    value = user->getResult(0);
  }
  return false;
}

// Whether who takes the value, if it is one op alone, takes summands.
bool Cutter::staySummands(Value value, const ir::Sharding &own) const {
  if (!value.hasOneUse() || own.unreduced.empty())
    return false;
  OpOperand &use = *value.use_begin();
  Operation *user = use.getOwner();
  if (user->getBlock() != value.getParentBlock())
    return false;
  if (auto loop = dyn_cast<sh::WhileOp>(user->getParentOp()); loop && isa<sh::ReturnOp>(user)) {
    if (user->getParentRegion() != &loop.getBody())
      return false;
    const ir::Sharding &carried = shardingOf(loop.getBody().getArgument(use.getOperandNumber()));
    return carried.unreduced == own.unreduced && carried.reduction == own.reduction;
  }
  return llvm::is_contained(summandOperands(user, own.reduction), &use);
}

// Whether the value, which the op before may not have made yet, may become summands such as these.
bool Cutter::mayBeSummands(Value value, const ir::Sharding &alike, int depth) const {
  constexpr int kMaxDepth = 8;
  if (auto known = locals_.find(value); known != locals_.end()) {
    const ir::Sharding &own = known->second.front().sharding;
    return (accumulators_.contains(value) && !isScattered(alike, own)) ||
           (unfinished_.contains(value) && own.unreduced == alike.unreduced);
  }
  Operation *op = value.getDefiningOp();
  if (!op || isa<sh::ConstantOp, sh::IotaOp>(op))
    return false;
  if (!op->hasTrait<ir::Elementwise>() || depth == kMaxDepth)
    return true;
  SmallVector<OpOperand *, 2> operands = summandOperands(op, alike.reduction);
  return !operands.empty() &&
         llvm::all_of(operands, [&](OpOperand *operand) { return mayBeSummands(operand->get(), alike, depth + 1); });
}

// Whether what takes the summands, one op after the other, may put them together with others, or gives each device a
// part of the sum, or the next one moves elements, as the op before can do where it stores them. Otherwise nothing is
// gained by waiting: it would be the sum of as many bytes, and ops would compute whole arrays of summands in place of
// the sum's, of which devices of one process compute parts. Where a single result is gathered of these, that moves no
// more than the whole sum.
bool Cutter::gainsByWaiting(Value value, const ir::Sharding &own) {
  bool isFirst = true;
  for (; value.hasOneUse(); isFirst = false) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (isa<sh::ReturnOp>(user) || (isFirst && !user->hasTrait<ir::Elementwise>()))
      return true;
    SmallVector<OpOperand *, 2> operands = summandOperands(user, own.reduction);
    if (user->getBlock() != value.getParentBlock() || !llvm::is_contained(operands, &use))
      return false;
    if (operands.size() > 1)
      return llvm::all_of(operands,
                          [&](OpOperand *operand) { return operand == &use || mayBeSummands(operand->get(), own); });
    if (isScattered(own, resultShardings(user)[0]))
      return true;
    value = user->getResult(0);
  }
  return false;
}

bool Cutter::isOfParts(Operation *op) {
  return op->hasTrait<ir::Elementwise>() || isa<sh::TransposeOp, sdy::ShardingConstraintOp, sdy::ReshardOp>(op);
}

// The op that alone takes the value, if it is such.
Operation *Cutter::userOfParts(Value value) {
  Operation *user = value.hasOneUse() ? *value.user_begin() : nullptr;
  return user && user->getBlock() == value.getParentBlock() && isOfParts(user) ? user : nullptr;
}

int64_t Cutter::resultsOfUpdate(Value value) {
  constexpr size_t kMaxOps = 64;
  llvm::SetVector<Operation *> users(value.user_begin(), value.user_end());
  int64_t results = 0;
  for (size_t i = 0; i < users.size(); ++i) {
    if (isa<func::ReturnOp>(users[i]))
      continue;
    if (!isOfParts(users[i]) || users.size() > kMaxOps)
      return 0;
    users.insert(users[i]->user_begin(), users[i]->user_end());
  }
  for (Operation *user : users)
    if (isa<func::ReturnOp>(user))
      results += llvm::count_if(user->getOperands(),
                                [&](Value given) { return given == value || users.contains(given.getDefiningOp()); });
  return results;
}

bool Cutter::isForAll(Value value) const {
  constexpr int64_t kLeastBytes = 32 << 10; // as of what is in one memory (codegen/common/memory/shared_results.cpp)
  return sharesMemory_ && isa<RankedTensorType>(value.getType()) && ir::storedBytes(ir::typeOf(value)) >= kLeastBytes;
}

bool Cutter::isSharedUpdate(Value value) const { return isForAll(value) && isUpdate(value); }

// The dimensions of an update in the order in which a result of the program has them.
static SmallVector<int64_t> dimensionsAsGiven(Value value) {
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, ir::typeOf(value).getRank()));
  while (!value.use_empty() && !isa<func::ReturnOp>(*value.user_begin())) {
    Operation *user = *value.user_begin();
    if (auto transpose = dyn_cast<sh::TransposeOp>(user))
      dims = llvm::map_to_vector(transpose.getPermutation(), [&](int64_t dim) { return dims[dim]; });
    value = user->getResult(0);
  }
  return dims;
}

// Along a dimension in which parts are even, and of which pieces are long enough to be copied one by one, in the sum
// and in what the program gives back.
std::optional<ir::Sharding> Cutter::partsOfUpdate(Value value, const ir::Sharding &wanted,
                                                  ArrayRef<ir::Atom> axes) const {
  constexpr int64_t kLeastPiece = 512;
  RankedTensorType type = ir::typeOf(value), local = localType(type, wanted);
  auto areLong = [&](int64_t cut, ArrayRef<int64_t> dims) {
    int64_t bytes = ir::storedBytes(local) / ir::partsOf(axes);
    for (int64_t before : dims.take_front(llvm::find(dims, cut) - dims.begin()))
      bytes /= std::max<int64_t>(1, local.getDimSize(static_cast<unsigned>(before)));
    return bytes >= kLeastPiece;
  };
  SmallVector<int64_t> own = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())), given = dimensionsAsGiven(value);
  for (int64_t dim : given) {
    ir::Sharding parts = wanted;
    for (const ir::Atom &atom : axes)
      ir::append(parts.dims[dim].axes, atom);
    if (type.getDimSize(static_cast<unsigned>(dim)) % ir::partsOf(parts.dims[dim].axes) == 0 && areLong(dim, own) &&
        areLong(dim, given))
      return parts;
  }
  return std::nullopt;
}

int64_t Cutter::bytesWith(Value value) {
  int64_t bytes = 0;
  while (Operation *user = userOfParts(value)) {
    for (Value other : user->getOperands())
      if (other != value && !other.getDefiningOp<sh::BroadcastInDimOp>() && !other.getDefiningOp<sh::ConstantOp>())
        bytes += ir::storedBytes(ir::typeOf(other));
    value = user->getResult(0);
  }
  return bytes;
}

bool Cutter::staysCut(Value value, const ir::Sharding &own, const ir::Sharding &wanted) const {
  return isCutFurther(own, wanted) && (userOfParts(value) || isSharedUpdate(value));
}

// A sum of which devices have parts is finished here, and an array that they have parts of gathered, unless that can
// wait. Summands of shorter floats are of f32 all the while.
void Cutter::defineResult(Value result, Value part, const ir::Sharding &own, const ir::Sharding &wanted,
                          std::optional<SumKind> kind, bool mayWait) {
  if (!isa<RankedTensorType>(result.getType())) // a token
    return define(result, part, wanted);
  RankedTensorType type = ir::typeOf(result), summed = type.clone(ir::typeOf(part).getElementType());
  std::string text =
      recorder_.textOf(own) + " -> " + recorder_.textOf(wanted) + " for the result of " + recorder_.reason();
  bool isInParts = isScattered(own, wanted);
  if (mayWait && (!kind || reductionOf(*kind)) && wanted.unreduced.empty() && !isInParts && staySummands(result, own) &&
      (gainsByWaiting(result, own) || resultsOfUpdate(result) != 1)) {
    unfinished_.try_emplace(result, Unfinished{std::move(text), result.getLoc()});
    return define(result, part, own);
  }
  if (summed == type && staysCut(result, own, wanted))
    return define(result, part, own);
  Recorder::Reason reason(recorder_, own.unreduced.empty() ? recorder_.kind() : kPartialSum, std::move(text));
  std::optional<ir::Sharding> parts;
  if (!own.unreduced.empty() && wanted.unreduced.empty() && own.mesh == wanted.mesh && !isInParts &&
      isSharedUpdate(result) && llvm::any_of(result.getUsers(), isOfParts))
    parts = partsOfUpdate(result, wanted, own.unreduced);
  const ir::Sharding &target = parts ? *parts : wanted;
  Value moved = redistribute(builder_, planner_, part, summed, own, target, kind);
  if (summed != type)
    moved = sh::ConvertOp::create(builder_, result.getLoc(), localTypeOf(type, target), moved);
  define(result, moved, target);
}

// Arrays that the body has added summands to are summands from the start, of the same type: the initial value, which
// counts once; of a maximum or a minimum it may count for all.
void Cutter::finishAccumulators(sh::WhileOp op, sh::WhileOp local, ArrayRef<ir::Sharding> wanted) {
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(local);
  for (auto [i, argument, before] : llvm::enumerate(op.getBody().getArguments(), wanted)) {
    const auto &[part, own] = locals_.find(argument)->second.front();
    if (own.unreduced == before.unreduced)
      continue;
    Value initial = converted(local->getOperand(i), ir::typeOf(part).getElementType());
    if (own.reduction == sdy::ReductionOp::SUM && !isZero(op->getOperand(i)))
      initial = redistribute(builder_, planner_, initial, ir::typeOf(argument).clone(ir::typeOf(part).getElementType()),
                             before, own);
    local->setOperand(i, initial);
    local->getResult(i).setType(initial.getType());
    local.getCond().getArgument(i).setType(initial.getType());
  }
}

} // namespace tenon::passes::partition
