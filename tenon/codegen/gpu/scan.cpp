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
  const bool isTiled = rows < costs.multiprocessors && length > costs.scannedPart;
  team.rows = isTiled ? 1 : std::max(1, costs.leastThreads / team.threads);
  team.tasks = divideCeilSigned(rows, team.rows);
  if (isTiled) {
    int64_t vectorBytes = accumulatorCount(plan) * team.lanes * std::max(plan.use.widestBytes, 4);
    team.vectors = int(std::max<int64_t>(1, costs.keptBytes / vectorBytes));
  }
  // A set for each vector of a tile; or two, of which one is written while the other is still read.
  team.setBytes = accumulatorCount(plan) * kSlotBytes * (team.threads * team.rows / kWarpThreads);
  team.sets = isTiled ? team.vectors : 2;
  if (isTiled) {
    int64_t tiles = divideCeilSigned(length, team.tileSize());
    team.tasks = rows * tiles;
    team.tiles = planLookBack(rows, tiles, accumulatorCount(plan), loop::accumulatorTypes(plan.op, plan.body), tempBase,
                              team.tempBytes);
  }
  return team;
}

FormPhases ScanTeamPlan::phases() const {
  FormPhases phases;
  if (isTiled())
    phases.push_back({tiles.wordCount(), kTaskBlock, 0, /*isByThreads=*/true});
  phases.push_back({tasks, threads * rows, sharedBytes()});
  return phases;
}

void ScanTeamPlan::print(raw_ostream &os) const {
  os << "a row by " << threads << " threads, " << rows << " in a block, in vectors of " << lanes;
  if (isTiled())
    os << ", " << tiles.tiles << " tiles of " << tileSize() << " by look-back";
  os << ", " << sharedBytes() << " bytes shared, " << tasks << " blocks\n";
}

namespace {

class ScanTeam : loop::ScanSteps {
public:
  ScanTeam(const ScanTeamPlan &team, const loop::ScanPlan &plan, const KernelSource &source, LoopEvaluator &evaluator,
           GpuBuilder &gpu)
      : ScanSteps(plan, source, evaluator), team_(team), b_(evaluator.builder()), gpu_(gpu) {}

  // Scans a row.
  void emitRow(Value *task) {
    bindThread();
    Value *first = b_.CreateNSWMul(task, number(team_.rows));
    row_ = b_.CreateNSWAdd(first, b_.CreateUDiv(thread_, number(team_.threads)));
    if (plan_.keptElements() % team_.rows != 0)
      isRow_ = b_.CreateICmpSLT(row_, number(plan_.keptElements()));
    bindRow();
    Value *end = number(length());
    // All threads go round as often, since they wait for each other.
    evaluator_->forLoop(number(0), end, stride(), start(1), [&](Value *iv, auto values) {
      Value *at = position(iv);
      Value *isThere = isInRow(at);
      LLVMValues own = guarded(isThere, team_.lanes, [&] { return LoopEvaluator::pack(scanned(read(at))); });
      Exchanged others = exchange(lastLane(LoopEvaluator::unpack(own, types())),
                                  b_.CreateAnd(b_.CreateUDiv(iv, number(stride())), number(1)));
      LLVMValues base = merge(values, others.before);
      guarded(isThere, 0, [&] {
        writeAfter(at, base, own);
        return LLVMValues();
      });
      return merge(values, others.total);
    });
  }

  // Scans a tile, which the thread's vectors hold until it is known what is before it.
  void emitTile() {
    bindThread();
    LookBack tiles(team_.tiles, plan_, source_, *evaluator_, gpu_, team_.slotBytes());
    Value *place = tiles.takeTile(thread_);
    row_ = b_.CreateUDiv(place, number(team_.tiles.tiles));
    Value *tile = b_.CreateURem(place, number(team_.tiles.tiles));
    bindRow();
    // What memory brings is asked for as a whole, before anything waits for it, and so is what the warps tell each
    // other.
    SmallVector<Vector> vectors;
    for (int64_t i = 0; i < team_.vectors; ++i) {
      Value *first = b_.CreateNSWAdd(b_.CreateNSWMul(tile, number(team_.tileSize())), number(i * stride()));
      Vector vector{position(first)};
      vector.isThere = isInRow(vector.at);
      vector.own = guarded(vector.isThere, team_.lanes, [&] { return LoopEvaluator::pack(read(vector.at)); });
      vectors.push_back(vector);
    }
    for (auto [i, vector] : enumerate(vectors)) {
      auto scan = [&] { return LoopEvaluator::pack(scanned(LoopEvaluator::unpack(vector.own, types()))); };
      vector.own = guarded(vector.isThere, team_.lanes, scan);
      vector.warp = inWarp(lastLane(LoopEvaluator::unpack(vector.own, types())));
      tell(vector.warp, number(int64_t(i)));
    }
    LLVMValues sum = scanVectors(vectors);
    LLVMValues before = tiles.before(thread_, row_, tile, sum);
    for (const Vector &vector : vectors) {
      LLVMValues base = merge(before, vector.warp.before);
      guarded(vector.isThere, 0, [&] {
        writeAfter(vector.at, base, vector.own);
        return LLVMValues();
      });
    }
  }

private:
  struct Exchanged {
    LLVMValues before, total; // of the threads in front, and of all
  };
  // One of a tile's for each thread.
  struct Vector {
    Value *at, *isThere = nullptr;
    LLVMValues own = {};
    Exchanged warp = {};
  };

  Value *number(int64_t value) { return evaluator_->constant(value); }
  int64_t stride() const { return int64_t(team_.threads) * team_.lanes; }
  Value *position(Value *first) { return b_.CreateNSWAdd(first, b_.CreateNSWMul(member_, number(team_.lanes))); }

  int64_t length() const { return plan_.dims.back().extent; }

  void bindThread() {
    thread_ = b_.CreateZExt(gpu_.at(b_, [&] { return gpu_.number(GpuBuilder::Number::kThread); }), b_.getInt64Ty());
    member_ = b_.CreateAnd(thread_, number(team_.threads - 1));
  }

  void bindRow() {
    Value *row = row_;
    for (unsigned d = plan_.keptDims; d-- > 0;) {
      Value *extent = number(plan_.dims[d].extent);
      Value *outer = d == 0 ? nullptr : b_.CreateUDiv(row, extent);
      evaluator_->bindDim(d, d == 0 ? row : b_.CreateSub(row, b_.CreateNSWMul(outer, extent)), 0);
      row = outer;
    }
  }

  // Whether the thread has a vector at this position; null where it always has.
  Value *isInRow(Value *at) {
    int64_t stride = team_.isTiled() ? team_.tileSize() : this->stride();
    Value *isThere = length() % stride == 0 ? nullptr : b_.CreateICmpSLT(at, number(length()));
    if (isRow_)
      isThere = isThere ? b_.CreateAnd(isThere, isRow_) : isRow_;
    return isThere;
  }

  // Where the condition holds, which is always if there is none; elsewhere values that change no others.
  LLVMValues guarded(Value *condition, unsigned lanes, function_ref<LLVMValues()> body) {
    if (condition)
      return evaluator_->ifElse(condition, body, [&] { return lanes > 0 ? neutral(lanes) : LLVMValues(); });
    LLVMValues values;
    evaluator_->withMask(nullptr, [&] { values = body(); }); // a scope of its own for the values here
    return values;
  }

  // The thread's vector.
  Elements read(Value *at) {
    evaluator_->bindDim(plan_.keptDims, at, 1);
    evaluator_->setLanes(team_.lanes);
    Elements values = inputs();
    evaluator_->setLanes(1);
    return values;
  }
  Elements scanned(Elements values) {
    evaluator_->setLanes(team_.lanes);
    if (team_.lanes > 1)
      values = scanLanes(values);
    evaluator_->setLanes(1);
    return values;
  }

  // What is before the thread's part of each vector in the tile. Returns the sum of all.
  LLVMValues scanVectors(MutableArrayRef<Vector> vectors) {
    if (hasWarps())
      emitBarrier();
    LLVMValues sum = neutral(1);
    for (auto [i, vector] : enumerate(vectors)) {
      Exchanged others = hasWarps() ? amongWarps(vector.warp, number(int64_t(i))) : vector.warp;
      vector.warp.before = merge(sum, others.before);
      sum = merge(sum, others.total);
    }
    return sum;
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

  // --- The threads of a team ---

  LLVMValues select(Value *condition, ArrayRef<Value *> a, ArrayRef<Value *> b) {
    LLVMValues chosen;
    for (auto [x, y] : zip(a, b))
      chosen.push_back(b_.CreateSelect(condition, x, y));
    return chosen;
  }

  // `set`: that of shared memory which the exchange before has not used.
  Exchanged exchange(const LLVMValues &own, Value *set) {
    Exchanged warp = inWarp(own);
    if (!hasWarps())
      return warp;
    tell(warp, set);
    emitBarrier();
    return amongWarps(warp, set);
  }

  // Whether a team is more than one warp.
  bool hasWarps() const { return team_.threads > kWarpThreads; }
  void emitBarrier() {
    gpu_.at(b_, [&]() -> Value * { return gpu_.emitBarrier(), nullptr; });
  }

  Exchanged inWarp(const LLVMValues &own) {
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
    return warp;
  }

  Value *slot(size_t value, Value *set, Value *warp) {
    Value *shared = gpu_.at(b_, [&] { return gpu_.sharedMemory(); });
    int64_t warps = team_.threads * team_.rows / kWarpThreads;
    Value *place =
        b_.CreateNSWAdd(b_.CreateNSWMul(set, number(team_.setBytes)), b_.CreateNSWMul(warp, number(kSlotBytes)));
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), shared,
                                b_.CreateNSWAdd(place, number(int64_t(value) * kSlotBytes * warps)));
  }

  // One lane of each warp writes what its warp has; other warps read it behind the next barrier.
  void tell(const Exchanged &own, Value *set) {
    if (!hasWarps())
      return;
    Value *warp = b_.CreateUDiv(thread_, number(kWarpThreads));
    Value *isFirst = b_.CreateICmpEQ(b_.CreateAnd(thread_, number(kWarpThreads - 1)), number(0));
    auto write = [&] {
      for (auto [i, value] : enumerate(own.total))
        b_.CreateStore(value, slot(i, set, warp));
      return LLVMValues();
    };
    evaluator_->ifElse(isFirst, write, nullptr);
  }

  Exchanged amongWarps(const Exchanged &own, Value *set) {
    Value *warp = b_.CreateUDiv(thread_, number(kWarpThreads));
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
  Value *thread_ = nullptr, *member_ = nullptr; // of the block, of the team
  Value *row_ = nullptr, *isRow_ = nullptr;     // isRow_: null where every thread has a row
};

} // namespace

LogicalResult emitScanTeam(const ScanTeamPlan &team, const loop::ScanPlan &plan, const KernelSource &source,
                           Module &module, const EmissionTarget &target, GpuBuilder &gpu) {
  auto emit = [&](const KernelPhase &phase, function_ref<void(LoopEvaluator &, Value *)> body) {
    return loop::emitLoopFunction(
        phase, plan, source, module, target,
        [&](LoopEvaluator &evaluator, Function *function) { body(evaluator, function->getArg(1)); });
  };
  const auto &phases = plan.kernel.phases;
  if (!team.isTiled())
    return emit(phases.back(), [&](LoopEvaluator &evaluator, Value *task) {
      ScanTeam(team, plan, source, evaluator, gpu).emitRow(task);
    });
  auto clear = [&](LoopEvaluator &evaluator, Value *word) {
    LookBack(team.tiles, plan, source, evaluator, gpu, team.slotBytes()).emitClear(word);
  };
  if (failed(emit(phases[0], clear)))
    return failure();
  return emit(phases[1],
              [&](LoopEvaluator &evaluator, Value *) { ScanTeam(team, plan, source, evaluator, gpu).emitTile(); });
}

} // namespace tenon::codegen
