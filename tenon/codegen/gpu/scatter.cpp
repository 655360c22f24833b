#include "tenon/codegen/gpu/scatter.h"

#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/llvm/loop/scatter_steps.h"
#include "tenon/codegen/llvm/loop/scatter_sums.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;
using tenon::codegen::loop::Elements, tenon::codegen::loop::LLVMValues, tenon::codegen::loop::LoopEvaluator;
using Way = tenon::codegen::ScatterTeamPlan::Way;

namespace tenon::codegen {
namespace {

constexpr int64_t kItemBytes = 4; // of the number of an item, or of where a segment begins or ends
constexpr int kPartThreads = 128; // of a block that adds up parts of segments

int64_t resultDimOf(const loop::ScatterPlan &plan, unsigned windowDim) {
  const auto *at = find(plan.windowDims, windowDim);
  return plan.resultDims[size_t(at - plan.windowDims.begin())];
}

// Whether windows that start apart along the dimension may have elements in common.
bool slides(const loop::ScatterPlan &plan, unsigned windowDim) {
  auto numbers = plan.numbers.getScatterDimsToOperandDims();
  return plan.updateShape[windowDim] > 1 && is_contained(numbers, resultDimOf(plan, windowDim));
}

// Whether no result is computed from what was there before.
bool ignoresEarlier(stablehlo::ScatterOp op) {
  mlir::Block &block = op.getUpdateComputation().front();
  unsigned count = op.getInputs().size();
  return all_of(block.getTerminator()->getOperands(), [&](mlir::Value value) {
    auto argument = dyn_cast<mlir::BlockArgument>(value);
    return argument && argument.getOwner() == &block && argument.getArgNumber() >= count;
  });
}

// What the hardware does with an element of the results and one of the updates, in any order.
std::optional<AtomicRMWInst::BinOp> atomicOperation(stablehlo::ScatterOp op) {
  mlir::Block &block = op.getUpdateComputation().front();
  auto type = dyn_cast<mlir::IntegerType>(elementTypeOf(op.getInputs()[0]));
  if (op.getInputs().size() != 1 || !type || (type.getWidth() != 32 && type.getWidth() != 64))
    return std::nullopt;
  mlir::Operation *operation = block.getTerminator()->getOperand(0).getDefiningOp();
  mlir::Value before = block.getArgument(0), update = block.getArgument(1);
  if (!operation || operation->getNumOperands() != 2 || operation->getNumResults() != 1)
    return std::nullopt;
  mlir::Value left = operation->getOperand(0), right = operation->getOperand(1);
  bool isUnsigned = type.isUnsigned();
  if (left == before && right == update && isa<stablehlo::SubtractOp>(operation))
    return AtomicRMWInst::Sub;
  if (!(left == before && right == update) && !(left == update && right == before))
    return std::nullopt;
  return TypeSwitch<mlir::Operation *, std::optional<AtomicRMWInst::BinOp>>(operation)
      .Case([](stablehlo::AddOp) { return AtomicRMWInst::Add; })
      .Case([](stablehlo::AndOp) { return AtomicRMWInst::And; })
      .Case([](stablehlo::OrOp) { return AtomicRMWInst::Or; })
      .Case([](stablehlo::XorOp) { return AtomicRMWInst::Xor; })
      .Case([=](stablehlo::MaximumOp) { return isUnsigned ? AtomicRMWInst::UMax : AtomicRMWInst::Max; })
      .Case([=](stablehlo::MinimumOp) { return isUnsigned ? AtomicRMWInst::UMin : AtomicRMWInst::Min; })
      .Default([](mlir::Operation *) { return std::nullopt; });
}

void chooseWay(ScatterTeamPlan &team, const loop::ScatterPlan &plan, const CostModel::Blocks &costs) {
  bool isRow = none_of(plan.windowDims, [&](unsigned dim) { return slides(plan, dim); });
  if (stablehlo::ScatterOp(plan.op).getUniqueIndices() || plan.updates == 1)
    team.way = Way::kFree;
  else if (team.atomic)
    team.way = Way::kAtomically;
  else
    team.way = isRow && plan.updates <= costs.orderedUpdates ? Way::kInOrder : Way::kBySegment;
  append_range(team.itemDims, plan.scatterDims);
  for (unsigned dim : plan.windowDims) {
    bool isOfItem = team.way == Way::kBySegment && slides(plan, dim);
    (isOfItem ? team.itemDims : team.elementDims).push_back(dim);
  }
}

// Whether items may start elsewhere than at the beginning of the dimension of the results.
bool hasPlaces(const ScatterTeamPlan &team, const loop::ScatterPlan &plan, int64_t dim) {
  return plan.isRowDim(dim) || any_of(team.itemDims, [&](unsigned itemDim) {
           return plan.isWindowDim(itemDim) && resultDimOf(plan, itemDim) == dim;
         });
}

// How far from each other items start, and how many places there are up to the last one.
void countPlaces(ScatterTeamPlan &team, const loop::ScatterPlan &plan) {
  int64_t unit = 0, last = 0;
  for (int64_t d = 0, rank = int64_t(plan.shape.size()); d < rank; ++d)
    if (hasPlaces(team, plan, d)) {
      unit = std::gcd(unit, plan.resultStride(d));
      last += (plan.shape[size_t(d)] - 1) * plan.resultStride(d);
    }
  team.unit = std::max<int64_t>(unit, 1);
  team.places = last / team.unit + 1;
}

// Whether items of one place follow each other as they come: indices are sorted, and of each update there is one item.
// Where they are said to be and are not, what becomes of the results is not defined.
bool hasSegments(const ScatterTeamPlan &team, const loop::ScatterPlan &plan) {
  stablehlo::ScatterOp op = plan.op;
  return op.getIndicesAreSorted() && plan.numbers.getInputBatchingDims().empty() &&
         none_of(team.itemDims, [&](unsigned dim) { return plan.isWindowDim(dim); });
}

void planSegments(ScatterTeamPlan &team, const loop::ScatterPlan &plan, const CostModel::Blocks &costs) {
  constexpr int64_t kNarrowPlaces = UINT32_MAX; // the largest is none
  countPlaces(team, plan);
  team.placeBytes = team.places < kNarrowPlaces ? 4 : 8;
  if (!hasSegments(team, plan))
    team.sort = planKeySort(1, team.items, team.placeBytes, int(Log2_64_Ceil(uint64_t(team.places) + 1)), costs);
  if (plan.order == ir::ScatterOrder::kWide)
    team.parts = ir::scatterParts(plan.op, plan.shape, plan.updateShape);
  if (team.hasParts()) {
    mlir::Type type = elementTypeOf(stablehlo::ScatterOp(plan.op).getInputs()[0]), wide = ir::widerSumType(type);
    team.sumBytes = storageBytes(wide) * int64_t(team.lanes) * (wide == type ? 2 : 1); // compensated: with the error
    team.tempBytes = team.rangesOffset() + int64_t(alignTo(uint64_t(2 * team.places * kItemBytes), 64));
  } else {
    const int64_t last = team.sort ? team.sortedItemsOffset() : team.endsOffset();
    team.tempBytes = last + int64_t(alignTo(uint64_t(team.items * kItemBytes), 64));
  }
}

} // namespace

int64_t ScatterTeamPlan::secondOffset() const {
  return placesOffset() + int64_t(alignTo(uint64_t(items * placeBytes), 64));
}
int64_t ScatterTeamPlan::sortedItemsOffset() const {
  return secondOffset() + int64_t(alignTo(uint64_t(items * placeBytes), 64));
}

int64_t ScatterTeamPlan::rangesOffset() const {
  return sort ? sortedItemsOffset() + int64_t(alignTo(uint64_t(items * kItemBytes), 64)) : secondOffset();
}
int64_t ScatterTeamPlan::threadsOfParts() const { return int64_t(PowerOf2Ceil(uint64_t(parts))); }

std::optional<ScatterTeamPlan> planScatterTeam(const loop::ScatterPlan &plan, const CostModel::Blocks &costs) {
  if (elementCount(plan.updateShape) == 0 || elementCount(plan.shape) == 0)
    return std::nullopt;
  ScatterTeamPlan team;
  team.atomic = atomicOperation(plan.op);
  chooseWay(team, plan, costs);
  team.onlyLast = ignoresEarlier(plan.op);
  for (unsigned dim : team.itemDims)
    team.items *= plan.updateShape[dim];
  for (unsigned dim : team.elementDims)
    team.vectors *= plan.updateShape[dim];
  bool hasVectors = team.way != Way::kAtomically && !team.elementDims.empty() &&
                    int(team.elementDims.back()) == plan.vectorDim &&
                    plan.updateShape[team.elementDims.back()] % plan.lanes == 0;
  team.lanes = hasVectors ? plan.lanes : 1;
  team.vectors /= team.lanes;
  if (team.items > INT32_MAX)
    return std::nullopt;
  if (team.way == Way::kBySegment)
    planSegments(team, plan, costs);
  return team;
}

FormPhases ScatterTeamPlan::phases() const {
  FormPhases phases;
  auto byThreads = [&](int64_t tasks) { phases.push_back({tasks, kTaskBlock, 0, /*isByThreads=*/true}); };
  if (way == Way::kBySegment) {
    byThreads(hasParts() ? std::max(items, places) : items); // places
    if (sort)
      append_range(phases, sort->phases());
    byThreads(items); // where segments end, or begin and end
  }
  if (hasParts()) {
    const int64_t tasks = divideCeilSigned(places * vectors * threadsOfParts(), kPartThreads);
    phases.push_back({tasks, kPartThreads, kPartThreads * sumBytes});
    return phases;
  }
  byThreads(way == Way::kInOrder ? vectors : items * vectors);
  return phases;
}

void ScatterTeamPlan::print(raw_ostream &os) const {
  constexpr StringLiteral kWays[] = {"free", "atomically", "in order", "by segment"};
  os << "updates " << kWays[unsigned(way)] << ", " << items << " of " << vectors << " vectors of " << lanes
     << (onlyLast ? ", the last one counts\n" : "\n");
  if (way == Way::kBySegment && !sort)
    os << "which come in order\n";
  if (hasParts())
    os << "sums in " << parts << " parts by " << threadsOfParts() << " threads, " << kPartThreads * sumBytes
       << " bytes shared\n";
  if (sort)
    sort->print(os);
}

namespace {

class ScatterTeam : loop::ScatterSteps {
public:
  ScatterTeam(const ScatterTeamPlan &team, const loop::ScatterPlan &plan, const KernelSource &source,
              LoopEvaluator &evaluator, GpuBuilder &gpu)
      : ScatterSteps(plan, evaluator), team_(team), b_(evaluator.builder()), gpu_(gpu),
        place_(b_.getIntNTy(unsigned(team.placeBytes) * 8)) {
    temp_ = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), evaluator.tempPointer(), uint64_t(source.tempBase));
  }

  // The place of an item; of segments in parts, also that none of their items are at the place of this number so far.
  void emitPlaces(Value *task) {
    auto where = [&](int64_t count, function_ref<void()> body) {
      auto then = [&] { return body(), LLVMValues(); };
      evaluator_->ifElse(b_.CreateICmpSLT(task, number(count)), then, nullptr);
    };
    if (team_.hasParts())
      where(team_.places, [&] { b_.CreateStore(Constant::getNullValue(rangeType()), rangeAt(task)); });
    where(team_.items, [&] { emitPlace(task); });
  }

  // Where an item has its first element, in units; outside of the results, the largest number.
  void emitPlace(Value *item) {
    bind(team_.itemDims, item);
    findStart();
    Value *address = startAddress(), *inside = isInside();
    for (unsigned dim : team_.itemDims)
      if (plan_.isWindowDim(dim))
        address = b_.CreateAdd(address, b_.CreateMul(coordinate(dim), number(strideOf(dim))));
    Value *place = b_.CreateTrunc(b_.CreateUDiv(address, number(team_.unit)), place_);
    if (inside)
      place = b_.CreateSelect(inside, place, Constant::getAllOnesValue(place_));
    b_.CreateStore(place, at(team_.placesOffset(), place_, item));
  }

  // Where the segment that begins with the `first` of the sorted items ends; nothing begins inside of a segment. If
  // only the last update counts, it begins with that.
  void emitEnd(Value *first) {
    Value *place = sortedPlace(first), *next = b_.CreateNSWAdd(first, number(1));
    Value *isThere = b_.CreateICmpNE(place, Constant::getAllOnesValue(place_));
    Value *neighbour = team_.onlyLast ? next : b_.CreateNSWSub(first, number(1));
    Value *hasNeighbour = b_.CreateICmpULT(neighbour, number(team_.items));
    auto isOther = [&] { return LLVMValues{b_.CreateICmpNE(sortedPlace(neighbour), place)}; };
    Value *begins = evaluator_->ifElse(hasNeighbour, isOther, [&] { return LLVMValues{b_.getTrue()}; })[0];
    auto search = [&] { return LLVMValues{team_.onlyLast ? next : endOf(next, place)}; };
    Value *end = evaluator_->ifElse(b_.CreateAnd(begins, isThere), search, [&] { return LLVMValues{first}; })[0];
    b_.CreateStore(b_.CreateTrunc(end, b_.getInt32Ty()), at(team_.endsOffset(), b_.getInt32Ty(), first));
  }

  // An item that is the first of its segment, or the last, says so.
  void emitRange(Value *item) {
    Value *place = sortedPlace(item), *last = number(team_.items - 1);
    Value *isThere = b_.CreateICmpNE(place, Constant::getAllOnesValue(place_));
    auto store = [&](Value *neighbour, Value *hasNone, unsigned side, Value *value) {
      Value *isOther = b_.CreateICmpNE(sortedPlace(neighbour), place);
      auto then = [&] {
        Value *to = b_.CreateConstInBoundsGEP2_64(rangeType(), rangeAt(b_.CreateZExt(place, b_.getInt64Ty())), 0, side);
        b_.CreateStore(b_.CreateTrunc(value, b_.getInt32Ty()), to);
        return LLVMValues();
      };
      evaluator_->ifElse(b_.CreateAnd(isThere, b_.CreateOr(hasNone, isOther)), then, nullptr);
    };
    Value *next = b_.CreateNSWAdd(item, number(1)), *isFirst = b_.CreateICmpEQ(item, number(0));
    Value *before = b_.CreateSelect(isFirst, item, b_.CreateNSWSub(item, number(1)));
    store(before, isFirst, 0, item);
    store(b_.CreateBinaryIntrinsic(Intrinsic::smin, next, last), b_.CreateICmpEQ(item, last), 1, next);
  }

  // What a block does with segments in parts: each thread adds up one part of a vector, and then the first of them the
  // sums of all.
  void emitParts(Value *block) {
    Value *thread = b_.CreateZExt(gpu_.at(b_, [&] { return gpu_.number(GpuBuilder::Number::kThread); }), i64());
    Value *own = b_.CreateNSWAdd(b_.CreateNSWMul(block, number(kPartThreads)), thread);
    Value *part = b_.CreateAnd(own, number(team_.threadsOfParts() - 1));
    Value *vector = b_.CreateUDiv(own, number(team_.threadsOfParts()));
    // Threads behind the last vector do what those of that do, but write no results.
    Value *isThere = b_.CreateICmpSLT(vector, number(team_.places * team_.vectors));
    vector = b_.CreateBinaryIntrinsic(Intrinsic::smin, vector, number(team_.places * team_.vectors - 1));
    Value *place = b_.CreateUDiv(vector, number(team_.vectors));
    Value *range = b_.CreateAlignedLoad(rangeType(), rangeAt(place), Align(kItemBytes));
    Value *first = b_.CreateZExt(b_.CreateExtractElement(range, uint64_t(0)), i64());
    Value *end = b_.CreateZExt(b_.CreateExtractElement(range, uint64_t(1)), i64());
    Value *position = b_.CreateNSWAdd(b_.CreateNSWMul(place, number(team_.unit)),
                                      bindVector(b_.CreateURem(vector, number(team_.vectors))));
    onLanes([&] {
      loop::WideArithmetic arithmetic(*evaluator_, types()[0]);
      Value *begin = partBegin(first, end, part), *stop = partBegin(begin, end, b_.CreateNSWAdd(part, number(1)));
      LLVMValues sum = wideSteps(arithmetic, begin, stop, arithmetic.nothing());
      for (auto [i, value] : enumerate(sum))
        b_.CreateAlignedStore(value, sumAt(i, value->getType(), sum.size(), thread), Align(kSlotBytes));
      gpu_.at(b_, [&]() -> Value * { return gpu_.emitBarrier(), nullptr; });
      Value *isFirst = b_.CreateAnd(isThere, b_.CreateICmpEQ(part, number(0)));
      auto combine = [&] {
        storeResults(position, {totalOfParts(arithmetic, thread, sum, loadResults(position)[0])});
        return LLVMValues();
      };
      evaluator_->ifElse(b_.CreateAnd(isFirst, b_.CreateICmpSLT(first, end)), combine, nullptr);
    });
  }

  // What a thread does by segment: the vector of the items of a segment.
  void emitSegment(Value *task) {
    Value *first = b_.CreateUDiv(task, number(team_.vectors));
    Value *end = loadItem(at(team_.endsOffset(), b_.getInt32Ty(), first));
    evaluator_->ifElse(
        b_.CreateICmpSLT(first, end),
        [&] {
          Value *within = bindVector(b_.CreateURem(task, number(team_.vectors)));
          Value *place = b_.CreateZExt(sortedPlace(first), b_.getInt64Ty());
          Value *position = b_.CreateNSWAdd(b_.CreateNSWMul(place, number(team_.unit)), within);
          onLanes([&] { storeResults(position, total(first, end, loadResults(position))); });
          return LLVMValues();
        },
        nullptr);
  }

  // The vector of an update, which no other one meets.
  void emitFree(Value *task) {
    bind(team_.itemDims, b_.CreateUDiv(task, number(team_.vectors)));
    applyWhereInside(bindVector(b_.CreateURem(task, number(team_.vectors))));
  }

  // An element of an update.
  void emitAtomically(Value *task) {
    bind(team_.itemDims, b_.CreateUDiv(task, number(team_.vectors)));
    Value *within = bindVector(b_.CreateURem(task, number(team_.vectors)));
    findStart();
    Value *position = b_.CreateNSWAdd(startAddress(), within), *inside = isInside();
    auto body = [&] {
      Value *address = elementAddress(b_, types()[0], evaluator_->outputPointer(0), position), *value = update().re;
      gpu_.at(b_, [&] { return gpu_.emitAtomic(*team_.atomic, address, value); });
      return LLVMValues();
    };
    evaluator_->ifElse(inside ? inside : b_.getTrue(), body, nullptr);
  }

  // A vector of all updates.
  void emitInOrder(Value *vector) {
    Value *within = bindVector(vector);
    evaluator_->forLoop(number(0), number(team_.items), 1, [&](Value *item) {
      bind(team_.itemDims, item);
      applyWhereInside(within);
    });
  }

private:
  Value *number(int64_t value) { return evaluator_->constant(value); }
  int64_t strideOf(unsigned windowDim) const { return plan_.resultStride(resultDimOf(plan_, windowDim)); }

  Value *at(int64_t offset, Type *type, Value *i) {
    Value *base = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), temp_, uint64_t(offset));
    return b_.CreateInBoundsGEP(type, base, i);
  }
  Type *i64() { return b_.getInt64Ty(); }
  Type *rangeType() { return FixedVectorType::get(b_.getInt32Ty(), 2); }
  Value *rangeAt(Value *place) { return at(team_.rangesOffset(), rangeType(), place); }
  Value *sortedPlace(Value *i) { return b_.CreateLoad(place_, at(team_.sortedPlacesOffset(), place_, i)); }
  Value *sortedItem(Value *i) { return team_.sort ? loadItem(at(team_.sortedItemsOffset(), b_.getInt32Ty(), i)) : i; }
  Value *loadItem(Value *address) { return b_.CreateZExt(b_.CreateLoad(b_.getInt32Ty(), address), b_.getInt64Ty()); }

  // Gives dimensions of the updates the values that they have at a row-major position.
  void bind(ArrayRef<unsigned> dims, Value *position) {
    for (unsigned i = unsigned(dims.size()); i-- > 0;) {
      Value *extent = number(updateShape_[dims[i]]);
      Value *outer = i == 0 ? nullptr : b_.CreateUDiv(position, extent);
      evaluator_->bindDim(dims[i], i == 0 ? position : b_.CreateNSWSub(position, b_.CreateNSWMul(outer, extent)), 0);
      position = outer;
    }
  }
  Value *coordinate(unsigned dim) {
    return evaluator_->uniformIndex(mlir::getAffineDimExpr(dim, plan_.space().context()));
  }

  // The same for a vector of an item. Returns how far its first element is from that of the window.
  Value *bindVector(Value *vector) {
    Value *within = number(0);
    for (unsigned i = unsigned(team_.elementDims.size()); i-- > 0;) {
      unsigned dim = team_.elementDims[i];
      int64_t lanes = i + 1 == team_.elementDims.size() ? team_.lanes : 1;
      Value *count = number(updateShape_[dim] / lanes);
      Value *outer = i == 0 ? nullptr : b_.CreateUDiv(vector, count);
      Value *iv = i == 0 ? vector : b_.CreateNSWSub(vector, b_.CreateNSWMul(outer, count));
      iv = b_.CreateNSWMul(iv, number(lanes));
      evaluator_->bindDim(dim, iv, int(dim) == plan_.vectorDim ? 1 : 0);
      within = b_.CreateNSWAdd(within, b_.CreateNSWMul(iv, number(strideOf(dim))));
      vector = outer;
    }
    return within;
  }

  void onLanes(function_ref<void()> body) {
    evaluator_->setLanes(team_.lanes);
    body();
    evaluator_->setLanes(1);
  }

  void applyWhereInside(Value *within) {
    findStart();
    Value *position = b_.CreateNSWAdd(startAddress(), within), *inside = isInside();
    auto body = [&] {
      onLanes([&] { storeResults(position, apply(loadResults(position))); });
      return LLVMValues();
    };
    evaluator_->ifElse(inside ? inside : b_.getTrue(), body, nullptr);
  }

  // The first of the sorted items from `from` on that is elsewhere.
  Value *endOf(Value *from, Value *place) {
    return search(from, number(team_.items), [&](Value *i) { return b_.CreateICmpEQ(sortedPlace(i), place); });
  }

  // The first number of [from, to) that is not `before` what is searched for; those that are come first.
  Value *search(Value *from, Value *to, function_ref<Value *(Value *i)> isBefore) {
    Value *steps = number(Log2_64_Ceil(uint64_t(team_.items)) + 1);
    LLVMValues range = evaluator_->forLoop(number(0), steps, 1, {from, to}, [&](Value *, auto now) {
      Value *low = now[0], *high = now[1], *middle = b_.CreateLShr(b_.CreateNSWAdd(low, high), 1);
      auto compare = [&] {
        Value *goesOn = isBefore(middle);
        return LLVMValues{b_.CreateSelect(goesOn, b_.CreateNSWAdd(middle, number(1)), low),
                          b_.CreateSelect(goesOn, high, middle)};
      };
      return evaluator_->ifElse(b_.CreateICmpSLT(low, high), compare, [&] { return LLVMValues{low, high}; });
    });
    return range[0];
  }

  // What the sorted items of [first, end) make of elements of the results.
  Elements total(Value *first, Value *end, const Elements &before) {
    if (plan_.order == ir::ScatterOrder::kWide)
      return {wideTotal(first, end, before[0])};
    if (plan_.order == ir::ScatterOrder::kBlocks)
      return {blockTotal(first, end, before[0])};
    return LoopEvaluator::unpack(steps(first, end, LoopEvaluator::pack(before)), types());
  }

  using Step = function_ref<LLVMValues(const Elements &update, ArrayRef<Value *> values)>;

  // What an item brings.
  Elements readItem(Value *number) {
    Elements update;
    evaluator_->withMask(evaluator_->mask(), [&] { // what is known of one item is not that of the next
      bind(team_.itemDims, number);
      update = updates();
    });
    return update;
  }

  // The items in their order. Several are read before the first of them counts, so that a thread with many of them does
  // not wait for memory for each.
  LLVMValues overItems(Value *first, Value *end, const LLVMValues &init, Step step) {
    constexpr int64_t kTogether = 8;
    auto run = [&](Value *from, Value *to, int64_t count, const LLVMValues &before) {
      return evaluator_->forLoop(from, to, count, before, [&](Value *i, ArrayRef<Value *> values) {
        SmallVector<Value *, kTogether> items;
        for (int64_t k = 0; k < count; ++k)
          items.push_back(sortedItem(b_.CreateNSWAdd(i, number(k))));
        SmallVector<Elements, kTogether> updates;
        for (Value *item : items)
          updates.push_back(readItem(item));
        LLVMValues next(values);
        for (const Elements &update : updates)
          next = step(update, next);
        return next;
      });
    };
    Value *count = b_.CreateNSWSub(end, first);
    Value *whole = b_.CreateNSWAdd(first, b_.CreateAnd(count, number(-kTogether)));
    return run(whole, end, 1, run(first, whole, kTogether, init));
  }

  LLVMValues steps(Value *first, Value *end, const LLVMValues &before) {
    return overItems(first, end, before, [&](const Elements &update, ArrayRef<Value *> values) {
      return LoopEvaluator::pack(apply(LoopEvaluator::unpack(values, types()), update));
    });
  }

  // ScatterOrder::kWide, in one part.
  Element wideTotal(Value *first, Value *end, Element before) {
    loop::WideArithmetic arithmetic(*evaluator_, types()[0]);
    return arithmetic.rounded(arithmetic.unpack(wideSteps(arithmetic, first, end, arithmetic.start(before))));
  }
  LLVMValues wideSteps(const loop::WideArithmetic &arithmetic, Value *first, Value *end, const loop::WideSum &before) {
    return overItems(first, end, arithmetic.pack(before), [&](const Elements &update, ArrayRef<Value *> values) {
      return arithmetic.pack(arithmetic.add(arithmetic.unpack(values), update[0], ir::isDifference(op_)));
    });
  }

  // The first of the items of [first, end), of one segment, that is of this part or a later one.
  Value *partBegin(Value *first, Value *end, Value *part) {
    const int64_t partItems = int64_t(divideCeil(plan_.updates, team_.parts)) * (team_.items / plan_.updates);
    Value *least = b_.CreateNSWMul(part, number(partItems));
    if (!team_.sort)
      return b_.CreateBinaryIntrinsic(Intrinsic::smax, first, b_.CreateBinaryIntrinsic(Intrinsic::smin, end, least));
    return search(first, end, [&](Value *i) { return b_.CreateICmpSLT(sortedItem(i), least); });
  }

  // Where in shared memory a thread has a value of its sum, of so many.
  Value *sumAt(size_t value, Type *type, size_t values, Value *thread) {
    const int64_t bytes = team_.sumBytes / int64_t(values);
    Value *shared = gpu_.at(b_, [&] { return gpu_.sharedMemory(); });
    Value *place =
        b_.CreateNSWAdd(b_.CreateNSWMul(thread, number(bytes)), number(int64_t(value) * bytes * kPartThreads));
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), shared, place);
  }

  // What the sums of this thread and of those behind it, of all parts, make of an element.
  Element totalOfParts(const loop::WideArithmetic &arithmetic, Value *thread, ArrayRef<Value *> like, Element before) {
    LLVMValues init = arithmetic.pack(arithmetic.start(before));
    LLVMValues all = evaluator_->forLoop(number(0), number(team_.parts), 1, init, [&](Value *part, auto values) {
      Value *owner = b_.CreateNSWAdd(thread, part);
      LLVMValues sum;
      for (auto [i, value] : enumerate(like))
        sum.push_back(
            b_.CreateAlignedLoad(value->getType(), sumAt(i, value->getType(), like.size(), owner), Align(kSlotBytes)));
      return arithmetic.pack(arithmetic.merge(arithmetic.unpack(values), arithmetic.unpack(sum)));
    });
    return arithmetic.rounded(arithmetic.unpack(all));
  }

  // ScatterOrder::kBlocks. Carried: the sum of the block that is not full, and that of those that are.
  Element blockTotal(Value *first, Value *end, Element before) {
    mlir::Type type = types()[0];
    loop::WideArithmetic arithmetic(*evaluator_, type);
    Element none = loop::negativeZero(b_.getContext(), type, team_.lanes);
    LLVMValues init = LoopEvaluator::pack({before});
    size_t own = init.size();
    append_range(init, arithmetic.pack(arithmetic.nothing()));
    LLVMValues last = evaluator_->forLoop(first, end, plan_.block, init, [&](Value *begin, ArrayRef<Value *> values) {
      Value *next = b_.CreateNSWAdd(begin, number(plan_.block));
      LLVMValues block =
          steps(begin, b_.CreateBinaryIntrinsic(Intrinsic::smin, next, end), LLVMValues(values.take_front(own)));
      Element sum = LoopEvaluator::unpack(block, {type})[0];
      LLVMValues full = LoopEvaluator::pack({none});
      append_range(full, arithmetic.pack(arithmetic.add(arithmetic.unpack(values.drop_front(own)), sum, false)));
      append_range(block, values.drop_front(own));
      Value *isFull = b_.CreateICmpSLE(next, end);
      for (auto [value, ofFull] : zip(block, full))
        value = b_.CreateSelect(isFull, ofFull, value);
      return block;
    });
    Element rest = LoopEvaluator::unpack(ArrayRef(last).take_front(own), {type})[0];
    loop::WideSum sum = arithmetic.add(arithmetic.unpack(ArrayRef(last).drop_front(own)), rest, false);
    Value *hasBlocks = b_.CreateICmpSGE(b_.CreateNSWSub(end, first), number(plan_.block));
    return selectElement(b_, hasBlocks, arithmetic.rounded(sum), rest);
  }

  const ScatterTeamPlan &team_;
  IRBuilder<> &b_;
  GpuBuilder &gpu_;
  Type *place_;
  Value *temp_;
};

// Sorts the places. The last phase leaves places and items in order.
void emitSort(const ScatterTeamPlan &team, const loop::ScatterPlan &plan, const KernelSource &source, int phase,
              Module &module, GpuBuilder &gpu) {
  Emitter e(module, plan.kernel.phases[size_t(phase) + 1].symbol, kernelParameters(module.getContext()), false);
  Type *byte = e.b.getInt8Ty(), *place = e.b.getIntNTy(unsigned(team.placeBytes) * 8), *i32 = e.b.getInt32Ty();
  unsigned buffers = plan.op->getNumOperands() + plan.op->getNumResults();
  Value *temp = e.gep(byte, e.buffer(e.arg(0), int(buffers)), source.tempBase);
  auto sink = [&](Value *, Value *item, Value *at, Value *key) {
    e.store(key, e.gep(place, e.gep(byte, temp, team.sortedPlacesOffset()), at));
    e.store(e.b.CreateTrunc(item, i32), e.gep(i32, e.gep(byte, temp, team.sortedItemsOffset()), at));
  };
  auto keyAt = [&](Value *, Value *item) {
    return e.load(place, e.gep(place, e.gep(byte, temp, team.placesOffset()), item));
  };
  emitKeySort(*team.sort, phase, e, gpu, temp, keyAt, sink);
}

} // namespace

LogicalResult emitScatterTeam(const ScatterTeamPlan &team, const loop::ScatterPlan &plan, const KernelSource &source,
                              Module &module, const EmissionTarget &target, GpuBuilder &gpu) {
  const auto &phases = plan.kernel.phases;
  auto emit = [&](const KernelPhase &phase, void (ScatterTeam::*step)(Value *)) {
    return loop::emitLoopFunction(phase, plan, source, module, target,
                                  [&](LoopEvaluator &evaluator, Function *function) {
                                    ScatterTeam code(team, plan, source, evaluator, gpu);
                                    (code.*step)(function->getArg(1)); // a thread calls it for each task
                                  });
  };
  if (team.way != Way::kBySegment)
    return emit(phases.back(), team.way == Way::kFree         ? &ScatterTeam::emitFree
                               : team.way == Way::kAtomically ? &ScatterTeam::emitAtomically
                                                              : &ScatterTeam::emitInOrder);
  const int sorts = team.sort ? int(team.sort->phases().size()) : 0;
  for (int phase = 0; phase < sorts; ++phase)
    emitSort(team, plan, source, phase, module, gpu);
  if (failed(emit(phases.front(), &ScatterTeam::emitPlaces)) ||
      failed(emit(phases[phases.size() - 2], team.hasParts() ? &ScatterTeam::emitRange : &ScatterTeam::emitEnd)))
    return failure();
  return emit(phases.back(), team.hasParts() ? &ScatterTeam::emitParts : &ScatterTeam::emitSegment);
}

} // namespace tenon::codegen
