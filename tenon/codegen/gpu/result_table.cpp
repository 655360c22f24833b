#include "tenon/codegen/gpu/result_table.h"

#include "tenon/codegen/gpu/target.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using tenon::codegen::loop::LLVMValues, tenon::codegen::loop::LoopEvaluator;

namespace tenon::codegen {
namespace {

constexpr int64_t kEntries = 1 << 16, kEntryBytes = 2, kTableBytes = kEntries * kEntryBytes;
constexpr int64_t kVectorBytes = kGpuVectorBits / 8, kLanes = kVectorBytes / kEntryBytes;
// The block of a multiprocessor, and the vectors that a thread has on their way at a time: 64 KiB together, so that
// memory is at work while results are looked up, too.
constexpr int kThreads = 1024, kTogether = 4;

// The only array that the kernel reads, if it is read at the place that is written.
std::optional<unsigned> onlyArray(const loop::MapPlan &plan) {
  std::optional<unsigned> found;
  for (auto [number, access] : enumerate(plan.use.accesses)) {
    if (access.isOutput)
      continue;
    if (found || access.conditional || access.position != plan.outputs[0].store)
      return std::nullopt;
    found = unsigned(number);
  }
  return found;
}

} // namespace

std::optional<ResultTablePlan> planResultTable(const loop::MapPlan &plan, int64_t tempBase,
                                               const CostModel::Blocks &costs, const GpuChip &chip) {
  bool isPlain = plan.dims.size() == 1 && plan.vectorDim == 0 && plan.transposedDim < 0 && plan.outputs.size() == 1 &&
                 plan.outputs[0].inPlaceOperand < 0 && plan.use.conditions.empty() && plan.use.indices.empty() &&
                 plan.outputs[0].store == plan.indexer->space().dim(0);
  // What blocks copy of the table is no more than what they read of the array.
  if (!isPlain || chip.mostSharedBytes < kTableBytes || plan.use.nanoseconds < costs.lookedUpElement ||
      plan.elements() < kEntries * costs.multiprocessors || plan.elements() % kLanes != 0)
    return std::nullopt;
  std::optional<unsigned> array = onlyArray(plan);
  if (!array || storageBytes(elementTypeOf(plan.use.accesses[*array].value)) != kEntryBytes ||
      storageBytes(elementTypeOf(plan.outputs[0].value)) != kEntryBytes)
    return std::nullopt;
  return ResultTablePlan{*array, plan.elements() / kLanes, costs.multiprocessors, tempBase, kTableBytes};
}

FormPhases ResultTablePlan::phases() const {
  return {{kEntries / kLanes, kTaskBlock, 0, /*isByThreads=*/true}, {blocks, kThreads, kTableBytes}};
}

void ResultTablePlan::print(raw_ostream &os) const {
  os << "a table of " << kEntries << " results in shared memory, " << vectors << " vectors by " << blocks
     << " blocks\n";
}

namespace {

class ResultTable {
public:
  ResultTable(const ResultTablePlan &table, const loop::MapPlan &plan, LoopEvaluator &evaluator, GpuBuilder &gpu)
      : table_(table), plan_(plan), array_(plan.use.accesses[table.access]), evaluator_(evaluator),
        b_(evaluator.builder()), gpu_(gpu),
        results_(b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), evaluator.tempPointer(), uint64_t(table.tempBegin))) {}

  // The results of elements whose bits are the numbers of a vector's entries.
  void emitEntries(Value *task) {
    evaluator_.setLanes(kLanes);
    evaluator_.bindDim(0, b_.CreateNSWMul(task, number(kLanes)), 1);
    Value *entries = b_.CreateTrunc(evaluator_.indexValue(plan_.outputs[0].store), vectorOf(b_.getInt16Ty()));
    Type *type = valueType(b_.getContext(), elementTypeOf(array_.value), kLanes);
    evaluator_.bind(array_.value, array_.index, {b_.CreateBitCast(entries, type)});
    const OutputPlan &output = plan_.outputs[0];
    evaluator_.storeAt(elementTypeOf(output.value), results_, output.store,
                       evaluator_.evalVector(output.value, output.index));
  }

  void emitLookUps(Value *block) {
    shared_ = gpu_.at(b_, [&] { return gpu_.sharedMemory(); });
    thread_ = b_.CreateZExt(gpu_.at(b_, [&] { return gpu_.number(GpuBuilder::Number::kThread); }), b_.getInt64Ty());
    copyTable();
    from_ = evaluator_.arrayPointer(array_.value);
    int64_t share = divideCeilSigned(table_.vectors, table_.blocks);
    Value *begin = b_.CreateNSWMul(block, number(share));
    Value *end =
        b_.CreateBinaryIntrinsic(Intrinsic::smin, b_.CreateNSWAdd(begin, number(share)), number(table_.vectors));
    Value *first = b_.CreateNSWAdd(begin, thread_);
    Value *wholeEnd = b_.CreateNSWSub(end, number((kTogether - 1) * kThreads));
    LLVMValues left = evaluator_.forLoop(first, wholeEnd, kTogether * kThreads, {first}, [&](Value *vector, auto) {
      lookUp(vector, kTogether);
      return LLVMValues{b_.CreateNSWAdd(vector, number(kTogether * kThreads))};
    });
    evaluator_.forLoop(left[0], end, kThreads, [&](Value *vector) { lookUp(vector, 1); });
  }

private:
  Value *number(int64_t value) { return evaluator_.constant(value); }
  Type *vectorOf(Type *type) { return FixedVectorType::get(type, kLanes); }
  Value *vectorAt(Value *array, Value *vector) {
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), array, b_.CreateNSWMul(vector, number(kVectorBytes)));
  }

  void copyTable() {
    evaluator_.forLoop(thread_, number(kTableBytes / kVectorBytes), kThreads, [&](Value *vector) {
      Value *to = vectorAt(shared_, vector), *from = vectorAt(results_, vector);
      gpu_.at(b_, [&]() -> Value * { return gpu_.emitCopy(to, from, b_.getTrue()), nullptr; });
    });
    gpu_.at(b_, [&]() -> Value * {
      gpu_.emitEndOfCopies();
      gpu_.emitWaitForCopies(0);
      gpu_.emitBarrier();
      return nullptr;
    });
  }

  // Vectors as far apart as the block has threads, all of which are read before results are written: those may be
  // where the elements are.
  void lookUp(Value *vector, int count) {
    SmallVector<Value *, kTogether> places, elements;
    for (int i = 0; i < count; ++i) {
      places.push_back(b_.CreateNSWAdd(vector, number(i * kThreads)));
      elements.push_back(
          b_.CreateAlignedLoad(vectorOf(b_.getInt16Ty()), vectorAt(from_, places.back()), Align(kVectorBytes)));
    }
    for (auto [place, vectorOfElements] : zip(places, elements))
      b_.CreateAlignedStore(resultsOf(vectorOfElements), vectorAt(evaluator_.outputPointer(0), place),
                            Align(kVectorBytes));
  }

  Value *resultsOf(Value *elements) {
    Value *results = PoisonValue::get(elements->getType());
    for (uint64_t lane = 0; lane < uint64_t(kLanes); ++lane) {
      Value *entry = b_.CreateZExt(b_.CreateExtractElement(elements, lane), b_.getInt64Ty());
      Value *place = b_.CreateInBoundsGEP(b_.getInt16Ty(), shared_, entry);
      results = b_.CreateInsertElement(results, b_.CreateAlignedLoad(b_.getInt16Ty(), place, Align(2)), lane);
    }
    return results;
  }

  const ResultTablePlan &table_;
  const loop::MapPlan &plan_;
  const PlanAccess &array_;
  LoopEvaluator &evaluator_;
  IRBuilder<> &b_;
  GpuBuilder &gpu_;
  Value *results_; // in the temporary block
  Value *shared_ = nullptr, *thread_ = nullptr, *from_ = nullptr;
};

} // namespace

LogicalResult emitResultTable(const ResultTablePlan &table, const loop::MapPlan &plan, const KernelSource &source,
                              Module &module, const EmissionTarget &target, GpuBuilder &gpu) {
  auto emit = [&](const KernelPhase &phase, void (ResultTable::*step)(Value *)) {
    return loop::emitLoopFunction(phase, plan, source, module, target,
                                  [&](LoopEvaluator &evaluator, Function *function) {
                                    ResultTable code(table, plan, evaluator, gpu);
                                    (code.*step)(function->getArg(1));
                                  });
  };
  if (failed(emit(plan.kernel.phases[0], &ResultTable::emitEntries)))
    return failure();
  return emit(plan.kernel.phases[1], &ResultTable::emitLookUps);
}

} // namespace tenon::codegen
