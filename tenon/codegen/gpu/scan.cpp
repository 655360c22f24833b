#include "tenon/codegen/gpu/scan.h"

#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/llvm/loop/scan_steps.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using tenon::codegen::loop::Elements, tenon::codegen::loop::LLVMValues, tenon::codegen::loop::LoopEvaluator;

namespace tenon::codegen {
namespace {

int64_t accumulatorCount(const loop::ScanPlan &plan) {
  int64_t count = 0;
  for (mlir::Type type : loop::accumulatorTypes(plan.op, plan.body))
    count += isa<mlir::ComplexType>(type) ? 2 : 1;
  return count;
}

} // namespace

std::optional<ScanTeamPlan> planScanTeam(const loop::ScanPlan &plan, int64_t tempBase, const CostModel::Blocks &costs) {
  if (!plan.along || plan.elements() == 0)
    return std::nullopt;
  ScanTeamPlan team;
  int64_t length = plan.dims.back().extent, rows = plan.keptElements();
  team.lanes = length % int64_t(plan.lanes) == 0 ? plan.lanes : 1;
  team.threads =
      int(std::clamp<uint64_t>(PowerOf2Ceil(uint64_t(length) / team.lanes), kWarpThreads, uint64_t(costs.scanThreads)));
  team.rows = std::max(1, costs.leastThreads / team.threads);
  int64_t stride = int64_t(team.threads) * team.lanes;
  team.partSize = divideCeilSigned(length, stride) * stride;
  if (rows < costs.multiprocessors && length > costs.scannedPart) {
    int64_t part = std::max(costs.scannedPart, divideCeilSigned(length * rows, 2 * costs.multiprocessors));
    team.partSize = divideCeilSigned(part, stride) * stride;
    team.parts = divideCeilSigned(length, team.partSize);
  }
  team.tasks = divideCeilSigned(rows, team.rows) * team.parts;
  // Two sets, of which one is written while the other is still read.
  team.sharedBytes = 2 * accumulatorCount(plan) * kSlotBytes * (team.threads * team.rows / kWarpThreads);
  if (team.parts > 1)
    for (mlir::Type type : loop::accumulatorTypes(plan.op, plan.body)) {
      team.offsets.push_back(tempBase + team.tempBytes);
      team.tempBytes += int64_t(alignTo(uint64_t(team.parts * rows * storageBytes(type)), 64));
    }
  return team;
}

FormPhases ScanTeamPlan::phases() const {
  return FormPhases(parts > 1 ? 2 : 1, FormPhase{tasks, threads * rows, sharedBytes});
}

void ScanTeamPlan::print(raw_ostream &os) const {
  os << "a row by " << threads << " threads, " << rows << " in a block, in vectors of " << lanes;
  if (parts > 1)
    os << ", " << parts << " parts of " << partSize;
  os << ", " << sharedBytes << " bytes shared, " << tasks << " blocks\n";
}

namespace {

class ScanTeam : loop::ScanSteps {
public:
  ScanTeam(const ScanTeamPlan &team, const loop::ScanPlan &plan, const KernelSource &source, LoopEvaluator &evaluator,
           GpuBuilder &gpu)
      : ScanSteps(plan, source, evaluator), team_(team), b_(evaluator.builder()), gpu_(gpu) {}

  // Sums up a part.
  void emitSums(Value *task) {
    findPlace(task);
    LLVMValues sum = evaluator_->forLoop(position(begin_), end_, stride(), neutral(1), [&](Value *iv, auto values) {
      LLVMValues sums = ifRow([&] { return lastLane(scanned(iv)); });
      return merge(values, sums);
    });
    LLVMValues total = exchange(sum, number(0)).total;
    Value *isFirst = b_.CreateICmpEQ(member_, number(0));
    auto store = [&] {
      for (auto [i, element] : enumerate(LoopEvaluator::unpack(total, types())))
        storeElements(b_, types()[i], element, partial(i, part_), 1);
      return LLVMValues();
    };
    evaluator_->ifElse(isRow_ ? b_.CreateAnd(isFirst, isRow_) : isFirst, store, nullptr);
  }

  // Scans a part, or a row.
  void emitScan(Value *task) {
    findPlace(task);
    LLVMValues before = start(1);
    if (team_.parts > 1)
      before = merge(before, exchange(earlierParts(), number(1)).total);
    // All threads go round as often, since they wait for each other.
    evaluator_->forLoop(begin_, end_, stride(), before, [&](Value *iv, auto values) {
      Value *at = position(iv);
      Value *isThere = plan_.dims.back().extent % stride() == 0 ? nullptr : b_.CreateICmpSLT(at, end_);
      if (isRow_)
        isThere = isThere ? b_.CreateAnd(isThere, isRow_) : isRow_;
      LLVMValues own = guarded(isThere, team_.lanes, [&] { return LoopEvaluator::pack(scanned(at)); });
      Value *round = b_.CreateUDiv(b_.CreateSub(iv, begin_), number(stride()));
      Exchanged others = exchange(lastLane(LoopEvaluator::unpack(own, types())), b_.CreateAnd(round, number(1)));
      LLVMValues base = merge(values, others.before);
      guarded(isThere, 0, [&] {
        writeAfter(at, base, own);
        return LLVMValues();
      });
      return merge(values, others.total);
    });
  }

private:
  struct Exchanged {
    LLVMValues before, total; // of the threads in front, and of all
  };

  Value *number(int64_t value) { return evaluator_->constant(value); }
  int64_t stride() const { return int64_t(team_.threads) * team_.lanes; }
  Value *position(Value *first) { return b_.CreateNSWAdd(first, b_.CreateNSWMul(member_, number(team_.lanes))); }

  void findPlace(Value *task) {
    Value *thread =
        b_.CreateZExt(gpu_.at(b_, [&] { return gpu_.number(GpuBuilder::Number::kThread); }), b_.getInt64Ty());
    thread_ = thread;
    member_ = b_.CreateAnd(thread, number(team_.threads - 1));
    part_ = team_.parts == 1 ? number(0) : b_.CreateURem(task, number(team_.parts));
    Value *block = team_.parts == 1 ? task : b_.CreateUDiv(task, number(team_.parts));
    row_ = b_.CreateNSWAdd(b_.CreateNSWMul(block, number(team_.rows)), b_.CreateUDiv(thread, number(team_.threads)));
    if (plan_.keptElements() % team_.rows != 0)
      isRow_ = b_.CreateICmpSLT(row_, number(plan_.keptElements()));
    Value *row = row_;
    for (unsigned d = plan_.keptDims; d-- > 0;) {
      Value *extent = number(plan_.dims[d].extent);
      Value *outer = d == 0 ? nullptr : b_.CreateUDiv(row, extent);
      evaluator_->bindDim(d, d == 0 ? row : b_.CreateSub(row, b_.CreateNSWMul(outer, extent)), 0);
      row = outer;
    }
    begin_ = b_.CreateNSWMul(part_, number(team_.partSize));
    end_ = b_.CreateBinaryIntrinsic(Intrinsic::smin, b_.CreateNSWAdd(begin_, number(team_.partSize)),
                                    number(plan_.dims.back().extent));
  }

  // Where the condition holds, which is always if there is none; elsewhere values that change no others.
  LLVMValues guarded(Value *condition, unsigned lanes, function_ref<LLVMValues()> body) {
    if (condition)
      return evaluator_->ifElse(condition, body, [&] { return lanes > 0 ? neutral(lanes) : LLVMValues(); });
    LLVMValues values;
    evaluator_->withMask(nullptr, [&] { values = body(); }); // a scope of its own for the values here
    return values;
  }
  LLVMValues ifRow(function_ref<LLVMValues()> body) { return guarded(isRow_, 1, body); }

  // The thread's vector, scanned.
  Elements scanned(Value *at) {
    evaluator_->bindDim(plan_.keptDims, at, 1);
    evaluator_->setLanes(team_.lanes);
    Elements values = inputs();
    if (team_.lanes > 1)
      values = scanLanes(values);
    evaluator_->setLanes(1);
    return values;
  }

  LLVMValues lastLane(Elements values) {
    if (team_.lanes > 1)
      for (Element &value : values)
        value = extractLane(b_, value, number(team_.lanes - 1));
    return LoopEvaluator::pack(values);
  }

  void writeAfter(Value *at, ArrayRef<Value *> base, ArrayRef<Value *> own) {
    evaluator_->bindDim(plan_.keptDims, at, 1);
    evaluator_->setLanes(team_.lanes);
    Elements before = LoopEvaluator::unpack(base, types());
    if (team_.lanes > 1)
      for (Element &value : before)
        value = splat(b_, value, team_.lanes);
    store(combine(before, LoopEvaluator::unpack(own, types())));
    evaluator_->setLanes(1);
  }

  LLVMValues earlierParts() {
    LLVMValues none = neutral(1);
    return ifRow([&] {
      return evaluator_->forLoop(member_, part_, team_.threads, none, [&](Value *part, auto values) {
        Elements elements;
        for (auto [i, type] : enumerate(types()))
          elements.push_back(loadElements(b_, type, partial(i, part), 1));
        return merge(values, LoopEvaluator::pack(elements));
      });
    });
  }

  Value *partial(size_t result, Value *part) {
    Value *base =
        b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), evaluator_->tempPointer(), uint64_t(team_.offsets[result]));
    Value *at = b_.CreateNSWAdd(b_.CreateNSWMul(part, number(plan_.keptElements())), row_);
    return elementAddress(b_, types()[result], base, at);
  }

  // --- The threads of a team ---

  LLVMValues select(Value *condition, ArrayRef<Value *> a, ArrayRef<Value *> b) {
    LLVMValues chosen;
    for (auto [x, y] : zip(a, b))
      chosen.push_back(b_.CreateSelect(condition, x, y));
    return chosen;
  }

  // `set`: that of shared memory which the exchange before has not used.
  Exchanged exchange(const LLVMValues &own, Value *set) {
    Exchanged warp{neutral(1), own};
    for (unsigned lanes = 1; lanes < unsigned(kWarpThreads); lanes *= 2) {
      LLVMValues other;
      for (Value *value : warp.total)
        other.push_back(gpu_.at(b_, [&] { return gpu_.shuffleXor(value, lanes); }));
      Value *isBehind = b_.CreateICmpNE(b_.CreateAnd(member_, number(lanes)), number(0));
      warp.before = select(isBehind, merge(other, warp.before), warp.before);
      LLVMValues first = select(isBehind, other, warp.total), second = select(isBehind, warp.total, other);
      warp.total = merge(first, second);
    }
    return team_.threads > kWarpThreads ? exchangeWarps(warp, set) : warp;
  }

  Value *slot(size_t value, Value *set, Value *warp) {
    Value *shared = gpu_.at(b_, [&] { return gpu_.sharedMemory(); });
    int64_t warps = team_.threads * team_.rows / kWarpThreads;
    Value *place =
        b_.CreateNSWAdd(b_.CreateNSWMul(set, number(team_.sharedBytes / 2)), b_.CreateNSWMul(warp, number(kSlotBytes)));
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), shared,
                                b_.CreateNSWAdd(place, number(int64_t(value) * kSlotBytes * warps)));
  }

  Exchanged exchangeWarps(const Exchanged &own, Value *set) {
    Value *warp = b_.CreateUDiv(thread_, number(kWarpThreads));
    Value *isFirst = b_.CreateICmpEQ(b_.CreateAnd(thread_, number(kWarpThreads - 1)), number(0));
    auto write = [&] {
      for (auto [i, value] : enumerate(own.total))
        b_.CreateStore(value, slot(i, set, warp));
      return LLVMValues();
    };
    evaluator_->ifElse(isFirst, write, nullptr);
    gpu_.at(b_, [&]() -> Value * { return gpu_.emitBarrier(), nullptr; });
    int64_t count = team_.threads / kWarpThreads;
    Value *first = b_.CreateAnd(warp, number(-count)), *inTeam = b_.CreateAnd(warp, number(count - 1));
    Exchanged all{neutral(1), neutral(1)};
    for (int64_t i = 0; i < count; ++i) {
      all.before = select(b_.CreateICmpEQ(inTeam, number(i)), all.total, all.before);
      LLVMValues part;
      for (auto [v, value] : enumerate(own.total))
        part.push_back(b_.CreateLoad(value->getType(), slot(v, set, b_.CreateNSWAdd(first, number(i)))));
      all.total = merge(all.total, part);
    }
    all.before = merge(all.before, own.before);
    return all;
  }

  const ScanTeamPlan &team_;
  IRBuilder<> &b_;
  GpuBuilder &gpu_;
  Value *thread_ = nullptr, *member_ = nullptr, *part_ = nullptr;
  Value *row_ = nullptr, *isRow_ = nullptr; // isRow_: null where every thread has a row
  Value *begin_ = nullptr, *end_ = nullptr; // of the part
};

} // namespace

LogicalResult emitScanTeam(const ScanTeamPlan &team, const loop::ScanPlan &plan, const KernelSource &source,
                           Module &module, const EmissionTarget &target, GpuBuilder &gpu) {
  const auto &phases = plan.kernel.phases;
  auto emit = [&](const KernelPhase &phase, bool isScan) {
    return loop::emitLoopFunction(phase, plan, source, module, target,
                                  [&](LoopEvaluator &evaluator, Function *function) {
                                    ScanTeam scan(team, plan, source, evaluator, gpu);
                                    isScan ? scan.emitScan(function->getArg(1)) : scan.emitSums(function->getArg(1));
                                  });
  };
  if (team.parts > 1 && failed(emit(phases[0], false)))
    return failure();
  return emit(phases.back(), true);
}

} // namespace tenon::codegen
