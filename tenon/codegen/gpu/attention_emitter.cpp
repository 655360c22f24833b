// The code of an attention (attention.h). Each warp has rows of the block's tile: of the sums of both products a lane
// has those of multiplyMatrices, two side by side of a row and two of the row eight below. As they lie, sixteen keys of
// weights are a factor of the second product: of warps, and of warp groups, which take it from registers.
#include "tenon/codegen/gpu/attention.h"
#include "tenon/codegen/gpu/group_tiles.h"
#include "tenon/codegen/gpu/warp_tiles.h"
#include "tenon/ir/reshapes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include <numbers>

using namespace llvm;
using tenon::codegen::matmul::Problem;

namespace tenon::codegen {
namespace {

// What one instruction takes: rows, columns, and steps of k. Of rows a lane has two of these, of each so many sums in
// every tile of columns.
constexpr int64_t kRows = 16, kColumns = 8, kSteps = 16, kHalfRows = 8, kLanesOfRow = 4;
constexpr size_t kSums = 4, kRowSums = 2;

// The first values of `values` and those behind them.
struct State {
  Values sums;               // of the second product
  Values maxima, quantities; // of each row: the greatest so far, and the lane's part of the sum of exponentials

  Values packed() const {
    Values all(sums);
    append_range(all, maxima);
    append_range(all, quantities);
    return all;
  }
  static State unpacked(ArrayRef<Value *> values, size_t rows) {
    auto part = [](ArrayRef<Value *> from) { return Values(from.begin(), from.end()); };
    return {part(values.drop_back(2 * rows)), part(values.take_back(2 * rows).take_front(rows)),
            part(values.take_back(rows))};
  }
};

class GpuAttentionWriter : PartsWriter {
public:
  GpuAttentionWriter(const GpuAttentionPlan &attention, const AttentionPlan &plan, Module &module,
                     const EmissionTarget &target, GpuBuilder &gpu)
      : PartsWriter(module, plan.kernel.phases.back().symbol, plan.scoresOp->getParentOp(), plan.shape.keys),
        attention_(attention), plan_(plan), target_(target), gpu_(gpu),
        scoresEpilogue_(epilogueOf(plan.scores.epilogue, target)),
        productEpilogue_(epilogueOf(plan.product.epilogue, target)), scores_(problemOf(plan.scores, scoresEpilogue_)),
        product_(problemOf(plan.product, productEpilogue_)),
        unit_(matmul::unitType(module.getContext(), scores_.arithmetic)) {}

  LogicalResult write() {
    scoresTable_ = table(plan_.scoresOp);
    rowsTable_ = table(plan_.rows.op);
    productTable_ = table(plan_.productOp, 0);
    findPlace();
    store(overKeys());
    e_.ret();
    return success(!failed_);
  }

private:
  static Problem problemOf(const DotPlan &plan, const matmul::Epilogue &epilogue) {
    Problem problem = plan.problem;
    problem.arithmetic.factor = problem.spec.rhs;
    problem.epilogue = epilogue ? &epilogue : nullptr;
    return problem;
  }

  // --- Places ---

  size_t down() const { return size_t(attention_.scores.blockRows() / kRows / warps()); }
  int64_t warps() const { return attention_.scores.threads / kWarpThreads; }
  size_t rowsOfLane() const { return 2 * down(); }
  size_t keyColumns() const { return size_t(attention_.keys() / kColumns); }
  size_t valueColumns() const { return size_t(product_.n / kColumns); }
  int64_t keyTiles() const { return attention_.keyTiles(plan_.shape.keys); }

  // Reads a warp's tile, as each operand of a part is read.
  WarpReader reader(const ProductPlan &part) { return {e_, gpu_, part, unit_, lane_}; }

  void findPlace() {
    Value *task = e_.arg(1);
    int64_t block = attention_.scores.blockRows();
    auto blocks = int64_t(divideCeil(uint64_t(plan_.shape.rowCount), uint64_t(block)));
    batch_ = e_.udiv(task, blocks);
    Value *number = e_.urem(task, blocks);
    if (attention_.hidden) // those of most keys first
      number = e_.sub(e_.i64(blocks - 1), number);
    firstRow_ = e_.mul(number, block);
    Value *thread = gpu_.at(e_.b, [&] { return gpu_.number(GpuBuilder::Number::kThread); });
    thread_ = e_.b.CreateZExt(thread, e_.b.getInt64Ty());
    lane_ = e_.urem(thread_, kWarpThreads);
    warpRow_ = e_.mul(e_.udiv(thread_, kWarpThreads), block / warps());
  }

  // The rows of this lane.
  Value *row(size_t number) {
    Value *first = e_.add(firstRow_, e_.add(warpRow_, e_.udiv(lane_, kLanesOfRow)));
    return e_.add(first, int64_t(number) * kHalfRows);
  }
  // The first of two neighbours that it has.
  Value *column(Value *first, size_t tile) {
    return e_.add(e_.add(first, e_.mul(e_.urem(lane_, kLanesOfRow), 2)), int64_t(tile) * kColumns);
  }

  Value *shared(int64_t elements) {
    constexpr int64_t kTileAlignment = 1024; // of warp groups
    bool isByGroups = attention_.isByGroups();
    Value *memory = gpu_.at(e_.b, [&] { return isByGroups ? gpu_.sharedMemory(kTileAlignment) : gpu_.sharedMemory(); });
    return e_.gep(unit_, memory, elements);
  }
  Value *tile(bool ofKeys, Value *stage) {
    int64_t keys = attention_.scores.tileElements(false), values = attention_.product.tileElements(false);
    Value *first = shared(attention_.scores.tileElements(true) + (ofKeys ? 0 : keys));
    return e_.gep(unit_, first, e_.mul(stage, keys + values));
  }

  void emit(function_ref<void()> what) {
    gpu_.at(e_.b, [&]() -> Value * { return what(), nullptr; });
  }

  // --- Copies ---

  void copyRows() {
    Value *base = matmul::lhsBase(e_, scores_, scoresTable_, batch_);
    TileCopier(e_, scores_, attention_.scores, true, base, firstRow_, thread_).copy(shared(0), e_.i64(0), gpu_);
  }

  // A pair of tiles, if there is one of this number, is a group of copies.
  void copyKeys(Value *number, Value *end) {
    e_.ifThen(e_.b.CreateICmpSLT(number, end), [&] {
      Value *first = e_.mul(number, attention_.keys()), *stage = e_.urem(number, attention_.stages);
      Value *keys = matmul::rhsBase(e_, scores_, scoresTable_, batch_);
      Value *values = matmul::rhsBase(e_, product_, productTable_, batch_);
      TileCopier(e_, scores_, attention_.scores, false, keys, first, thread_).copy(tile(true, stage), e_.i64(0), gpu_);
      TileCopier(e_, product_, attention_.product, false, values, e_.i64(0), thread_)
          .copy(tile(false, stage), first, gpu_);
    });
    emit([&] { gpu_.emitEndOfCopies(); });
  }

  // What every thread has waited for, all may read; and what is filled next, nobody reads any more.
  void waitForCopies() {
    emit([&] {
      gpu_.emitWaitForCopies(unsigned(attention_.stages) - 2);
      if (attention_.isByGroups())
        gpu_.emitFenceForGroups();
      gpu_.emitBarrier();
    });
  }

  // --- Over the keys ---

  State overKeys() {
    copyRows();
    if (attention_.keepsRows) {
      emit([&] {
        gpu_.emitEndOfCopies();
        gpu_.emitWaitForCopies(0);
        gpu_.emitBarrier();
      });
      for (int64_t k = 0; k < scores_.k; k += kSteps)
        append_range(rowWords_, wordsOfRows(k));
    }
    Value *zero = Constant::getNullValue(e_.b.getFloatTy());
    State start{Values(down() * valueColumns() * kSums, zero),
                Values(rowsOfLane(), ConstantFP::getInfinity(e_.b.getFloatTy(), /*Negative=*/true)),
                Values(rowsOfLane(), zero)};
    Value *none = e_.i64(0), *all = e_.i64(keyTiles());
    if (!attention_.hidden)
      return overTiles(none, all, start);
    // Twice: the second time over none, or over all that the first time has left out.
    Values carried = start.packed();
    carried.append({none, visibleTiles()});
    auto round = [&](Value *, ArrayRef<Value *> before) {
      Value *begin = before[before.size() - 2], *end = before.back();
      State state = overTiles(begin, end, State::unpacked(before.drop_back(2), rowsOfLane()));
      Values after = state.packed();
      after.append({end, e_.b.CreateSelect(mayLeaveOut(state), end, all)});
      return after;
    };
    Values last = e_.loop(e_.i64(0), e_.i64(2), e_.i64(1), carried, round);
    return State::unpacked(ArrayRef(last).drop_back(2), rowsOfLane());
  }

  State overTiles(Value *begin, Value *end, const State &start) {
    for (int number = 0; number + 1 < attention_.stages; ++number)
      copyKeys(e_.add(begin, number), end);
    auto pass = [&](Value *number, ArrayRef<Value *> carried) {
      waitForCopies();
      copyKeys(e_.add(number, int64_t(attention_.stages) - 1), end);
      Value *stage = e_.urem(number, attention_.stages);
      Values scores = multiplyScores(tile(true, stage));
      State state = State::unpacked(carried, rowsOfLane());
      Values weights = normalize(logits(scores, e_.mul(number, attention_.keys())), state);
      state.sums = multiplyWeights(weights, tile(false, stage), state.sums);
      return state.packed();
    };
    return State::unpacked(e_.loop(begin, end, e_.i64(1), start.packed(), pass), rowsOfLane());
  }

  // --- Keys that no row of the block sees ---

  // So many tiles are not left out: all where values are not finite.
  Value *visibleTiles() {
    Value *temp = e_.buffer(e_.arg(0), int(plan_.scoresOp->getParentOp()->getNumOperands()) + 1);
    Value *finite = areFinite(e_, attention_.hidden->values, temp, batch_, lane_, gpu_);
    Value *seen = e_.add(firstRow_, attention_.scores.blockRows() + attention_.hidden->offset);
    seen = e_.b.CreateBinaryIntrinsic(Intrinsic::smax, seen, e_.i64(0));
    Value *tiles = e_.min(e_.udiv(e_.add(seen, attention_.keys() - 1), attention_.keys()), keyTiles());
    return e_.b.CreateSelect(finite, tiles, e_.i64(keyTiles()));
  }

  // Whether the exponentials of hidden logits are zeros in all rows of the block, all of whose threads are here.
  Value *mayLeaveOut(const State &state) {
    constexpr double kLeastLogarithm = -88; // of a number that is not subnormal
    Value *count = e_.b.getInt32(0);
    for (auto [number, greatest] : enumerate(state.maxima)) {
      llvm::Type *f32 = greatest->getType();
      Value *difference = e_.b.CreateFSub(ConstantFP::get(f32, double(attention_.hidden->logit)), greatest);
      Value *counts = e_.b.CreateFCmpUGT(difference, ConstantFP::get(f32, kLeastLogarithm));
      counts = e_.b.CreateAnd(counts, e_.b.CreateICmpSLT(row(number), e_.i64(plan_.shape.rowCount)));
      count = e_.b.CreateOr(count, e_.b.CreateZExt(counts, count->getType()));
    }
    return e_.b.CreateIsNull(ofBlock(count));
  }

  // The words of all threads of the block together. Each warp has a place behind the tiles.
  Value *ofBlock(Value *word) {
    for (unsigned lanes = kWarpThreads / 2; lanes > 0; lanes /= 2)
      word = e_.b.CreateOr(word, gpu_.at(e_.b, [&] { return gpu_.shuffleXor(word, lanes); }));
    llvm::Type *i32 = e_.b.getInt32Ty();
    Value *places = tile(true, e_.i64(attention_.stages));
    e_.ifThen(e_.b.CreateICmpEQ(lane_, e_.i64(0)),
              [&] { e_.store(word, e_.gep(i32, places, e_.udiv(thread_, kWarpThreads))); });
    emit([&] { gpu_.emitBarrier(); });
    for (int64_t warp = 0; warp < warps(); ++warp)
      word = e_.b.CreateOr(word, e_.load(i32, e_.gep(i32, places, warp)));
    emit([&] { gpu_.emitBarrier(); });
    return word;
  }

  // The words of all rows of this warp, from step k on.
  Values wordsOfRows(int64_t k) {
    Values words;
    for (size_t i = 0; i < down(); ++i)
      append_range(words,
                   loadWords(reader(attention_.scores), shared(0), true, e_.add(warpRow_, int64_t(i) * kRows), k));
    return words;
  }

  // Adds the products of the warp's rows and some steps of k, and sixteen columns at a time.
  void addProducts(const ProductPlan &part, ArrayRef<Value *> rowWords, Value *rhs, int64_t k, Values &sums) {
    size_t across = sums.size() / down() / kSums, ofRow = rowWords.size() / down();
    for (size_t j = 0; j < across; j += 2) {
      Values right = loadWords(reader(part), rhs, false, e_.i64(int64_t(j) * kColumns), k);
      for (size_t i = 0; i < down(); ++i)
        for (size_t of = 0; of < 2; ++of) {
          auto added = MutableArrayRef(sums).slice((i * across + j + of) * kSums, kSums);
          emit([&] {
            llvm::copy(gpu_.multiplyMatrices(*part.matrix, rowWords.slice(i * ofRow, ofRow),
                                             ArrayRef(right).slice(2 * of, 2), added),
                       added.begin());
          });
        }
    }
  }

  // The same by warp groups, all steps of k as one product, which is waited for. `lhs`: of a step.
  Values productOfGroup(const ProductPlan &part, function_ref<GpuBuilder::GroupTile(int64_t)> lhs, Value *rhs,
                        ArrayRef<Value *> sums) {
    SmallVector<Value *> results(sums);
    emit([&] { gpu_.emitStartOfProducts(); });
    for (int64_t k = 0; k < part.steps; k += kSteps) {
      GpuBuilder::GroupTile left = lhs(k), right = groupFactor(e_, part, rhs, false, nullptr, k);
      emit([&] { results = gpu_.multiplyInGroup(*part.matrix, unsigned(part.blockColumns()), left, right, results); });
    }
    emit([&] {
      gpu_.emitEndOfProducts();
      results = gpu_.waitForProducts(0, results);
    });
    return Values(results.begin(), results.end());
  }

  Values multiplyScores(Value *keys) {
    Values sums(down() * keyColumns() * kSums, Constant::getNullValue(e_.b.getFloatTy()));
    if (attention_.isByGroups()) {
      Value *group = e_.udiv(thread_, kGroupThreads);
      auto rows = [&](int64_t k) { return groupFactor(e_, attention_.scores, shared(0), true, group, k); };
      return productOfGroup(attention_.scores, rows, keys, sums);
    }
    size_t ofStep = rowWords_.size() * size_t(kSteps) / size_t(scores_.k);
    for (int64_t k = 0; k < scores_.k; k += kSteps) {
      Values loaded = attention_.keepsRows ? Values() : wordsOfRows(k);
      ArrayRef<Value *> words = attention_.keepsRows ? ArrayRef(rowWords_).slice(size_t(k / kSteps) * ofStep, ofStep)
                                                     : ArrayRef<Value *>(loaded);
      addProducts(attention_.scores, words, keys, k, sums);
    }
    return sums;
  }

  // The words of sixteen keys of all rows of this warp, from key k on.
  Values wordsOfWeights(ArrayRef<Value *> weights, int64_t k) const {
    Values words;
    for (size_t i = 0; i < down(); ++i)
      append_range(words, weights.slice((i * keyColumns() + size_t(k / kColumns)) * 2, size_t(kSteps / kColumns) * 2));
    return words;
  }

  Values multiplyWeights(ArrayRef<Value *> weights, Value *values, Values sums) {
    if (attention_.isByGroups()) {
      auto factor = [&](int64_t k) {
        Values words = wordsOfWeights(weights, k);
        return GpuBuilder::GroupTile{nullptr, 0, SmallVector<Value *, 4>(words.begin(), words.end())};
      };
      return productOfGroup(attention_.product, factor, values, sums);
    }
    for (int64_t k = 0; k < attention_.keys(); k += kSteps)
      addProducts(attention_.product, wordsOfWeights(weights, k), values, k, sums);
    return sums;
  }

  // --- The softmax ---

  // The scores as the first product stores them, and then what the rows make of them, in the place of the scores.
  // There is nothing at rows and keys that are none: what is at the last one stands there, or what is no weight.
  Values logits(ArrayRef<Value *> scores, Value *firstKey) {
    Values results(scores);
    unsigned together = attention_.together;
    loop::LoopEvaluator evaluator(plan_.rows.source, *plan_.rows.plan.indexer, e_.b.saveIP(), rowsTable_, target_);
    evaluator.setLanes(together);
    for (size_t number = 0; number < rowsOfLane(); ++number) {
      Value *m = e_.min(row(number), plan_.shape.rowCount - 1);
      for (size_t tile = 0; tile < keyColumns(); ++tile)
        for (unsigned part = 0; part < kRowSums; part += together) {
          size_t first = placeOf(number, tile, keyColumns()) + part;
          Value *key = e_.add(column(firstKey, tile), part);
          Value *n = hasAllKeys() ? key : e_.min(key, plan_.shape.keys - int64_t(together));
          Value *sum = join(ArrayRef(scores).slice(first, together));
          Element score = matmul::outputElement(e_, scores_, {scoresTable_, batch_, m, n}, together, sum);
          evaluator.builder().restoreIP(e_.b.saveIP());
          Value *logit = logitAt(evaluator, m, n, score);
          e_.b.restoreIP(evaluator.builder().saveIP());
          if (!hasAllKeys())
            logit = e_.b.CreateSelect(e_.b.CreateICmpSLT(key, e_.i64(plan_.shape.keys)), logit,
                                      ConstantFP::getInfinity(logit->getType(), /*Negative=*/true));
          for (unsigned i = 0; i < together; ++i)
            results[first + i] = together == 1 ? logit : e_.b.CreateExtractElement(logit, uint64_t(i));
        }
    }
    failed_ |= evaluator.failed();
    return results;
  }

  bool hasAllKeys() const { return plan_.shape.keys % attention_.keys() == 0; }
  // Which of a lane's sums, with so many tiles of columns, is the first of a row's in one of them.
  static size_t placeOf(size_t row, size_t tile, size_t across) {
    return (row / 2 * across + tile) * kSums + row % 2 * kRowSums;
  }
  Value *join(ArrayRef<Value *> values) {
    if (values.size() == 1)
      return values[0];
    Value *vector = PoisonValue::get(e_.vec(values[0]->getType(), unsigned(values.size())));
    for (auto [i, value] : enumerate(values))
      vector = e_.b.CreateInsertElement(vector, value, uint64_t(i));
    return vector;
  }

  Value *logitAt(loop::LoopEvaluator &evaluator, Value *m, Value *n, Element score) {
    const loop::RowKernelPlan &rows = plan_.rows.plan;
    mlir::Value scores = argumentOf(plan_.rows.op, plan_.scoresOp);
    Value *logit = nullptr;
    evaluator.withMask(nullptr, [&] { // a scope of its own
      llvm::IRBuilder<> &b = evaluator.builder();
      Value *number = b.CreateAdd(b.CreateMul(batch_, evaluator.constant(plan_.shape.rowCount)), m);
      for (auto [d, stride] : enumerate(plan_.rows.rowStrides)) {
        Value *outer = b.CreateUDiv(number, evaluator.constant(stride == 0 ? 1 : stride));
        evaluator.bindDim(unsigned(d), b.CreateURem(outer, evaluator.constant(rows.dims[d].extent)), 0);
      }
      evaluator.bindDim(rows.keptDims, n, attention_.together == 1 ? 0 : 1);
      for (const PlanAccess &access : rows.use.accesses)
        if (access.value == scores)
          evaluator.bind(scores, access.index, score);
      logit = evaluator.evalVector(attention_.logit.first, attention_.logit.second).re;
    });
    return logit;
  }

  // What the exponentials of a tile are, as factors of the second product: words of two weights each, by columns and
  // then rows. The sums that there are are made smaller by as much as the maxima have become greater.
  Values normalize(ArrayRef<Value *> logits, State &state) {
    Values words(logits.size() / 2);
    for (size_t number = 0; number < rowsOfLane(); ++number) {
      Values row;
      for (size_t tile = 0; tile < keyColumns(); ++tile)
        append_range(row, logits.slice(placeOf(number, tile, keyColumns()), kRowSums));
      Value *before = state.maxima[number], *greatest = greatestOf(row, before), *reference = referenceOf(greatest);
      Value *smaller = exponential(before, reference);
      for (Value *&logit : row)
        logit = exponential(logit, reference);
      for (size_t tile = 0; tile < keyColumns(); ++tile)
        words[(number / 2 * keyColumns() + tile) * 2 + number % 2] = weightsOf({row[2 * tile], row[2 * tile + 1]});
      state.maxima[number] = greatest;
      state.quantities[number] = e_.b.CreateFAdd(e_.b.CreateFMul(state.quantities[number], smaller), sumOf(row));
      for (size_t tile = 0; tile < valueColumns(); ++tile)
        for (size_t i = 0; i < kRowSums; ++i) {
          Value *&sum = state.sums[placeOf(number, tile, valueColumns()) + i];
          sum = e_.b.CreateFMul(sum, smaller);
        }
    }
    return words;
  }

  Value *maximum(Value *a, Value *b) { return e_.b.CreateBinaryIntrinsic(Intrinsic::maximum, a, b); }

  // The greatest of all lanes that have parts of the row. NaN where one of them is.
  Value *greatestOf(ArrayRef<Value *> row, Value *before) {
    Value *greatest = before;
    for (Value *value : row)
      greatest = maximum(greatest, value);
    return ofRow(greatest, [&](Value *a, Value *b) { return maximum(a, b); });
  }

  Value *ofRow(Value *value, function_ref<Value *(Value *, Value *)> combine) {
    for (unsigned lanes = 1; lanes < kLanesOfRow; lanes *= 2)
      value = combine(value, gpu_.at(e_.b, [&] { return gpu_.shuffleXor(value, lanes); }));
    return value;
  }

  // All exponentials of a row without a weight so far are zeros.
  Value *referenceOf(Value *greatest) {
    llvm::Type *f32 = e_.b.getFloatTy();
    Value *hasNone = e_.b.CreateFCmpOEQ(greatest, ConstantFP::getInfinity(f32, /*Negative=*/true));
    return e_.b.CreateSelect(hasNone, Constant::getNullValue(f32), greatest);
  }

  // The difference comes first: what a factor makes of great numbers may be infinite.
  Value *exponential(Value *x, Value *reference) {
    Value *difference = e_.b.CreateFSub(x, reference);
    Value *scaled = e_.b.CreateFMul(difference, ConstantFP::get(e_.b.getFloatTy(), std::numbers::log2e));
    return gpu_.at(e_.b, [&] { return gpu_.approximateExp2(scaled); });
  }

  // In pairs, so that additions do not wait for each other.
  Value *sumOf(Values values) {
    while (values.size() > 1) {
      Values sums;
      for (size_t i = 0; i + 1 < values.size(); i += 2)
        sums.push_back(e_.b.CreateFAdd(values[i], values[i + 1]));
      values = std::move(sums);
    }
    return values[0];
  }

  Value *weightsOf(ArrayRef<Value *> exponentials) {
    mlir::Type f32 = mlir::Float32Type::get(plan_.rows.op->getContext());
    Element weights = emitConvert(e_.b, f32, product_.spec.lhs, {join(exponentials)});
    return e_.b.CreateBitCast(weights.re, e_.b.getInt32Ty());
  }

  // --- Results ---

  void store(const State &state) {
    unsigned lanes = product_.laneRun() % 2 == 0 && product_.laneRun() > 0 ? 2 : 1;
    for (size_t number = 0; number < rowsOfLane(); ++number) {
      auto add = [&](Value *a, Value *b) { return e_.b.CreateFAdd(a, b); };
      Value *quantity = ofRow(state.quantities[number], add);
      Value *part = gpu_.at(e_.b, [&] { return gpu_.approximateReciprocal(quantity); }), *m = row(number);
      auto storeRow = [&] {
        for (size_t tile = 0; tile < valueColumns(); ++tile)
          for (unsigned i = 0; i < kRowSums; i += lanes) {
            Values sums;
            for (unsigned lane = 0; lane < lanes; ++lane) {
              Value *sum = state.sums[placeOf(number, tile, valueColumns()) + i + lane];
              sums.push_back(e_.b.CreateFMul(sum, part));
            }
            Value *n = e_.add(column(e_.i64(0), tile), i);
            matmul::storeOutput(e_, product_, {productTable_, batch_, m, n}, lanes, join(sums));
          }
      };
      if (plan_.shape.rowCount % attention_.scores.blockRows() == 0)
        storeRow();
      else
        e_.ifThen(e_.b.CreateICmpSLT(m, e_.i64(plan_.shape.rowCount)), storeRow);
    }
  }

  const GpuAttentionPlan &attention_;
  const AttentionPlan &plan_;
  const EmissionTarget &target_;
  GpuBuilder &gpu_;
  matmul::Epilogue scoresEpilogue_, productEpilogue_;
  Problem scores_, product_;
  llvm::Type *unit_; // of an element in shared memory
  Value *scoresTable_ = nullptr, *rowsTable_ = nullptr, *productTable_ = nullptr;
  Value *batch_ = nullptr, *firstRow_ = nullptr, *warpRow_ = nullptr, *thread_ = nullptr, *lane_ = nullptr;
  Values rowWords_; // of all steps, if they are kept
  bool failed_ = false;
};

} // namespace

LogicalResult emitGpuAttention(const GpuAttentionPlan &attention, const AttentionPlan &plan, Module &module,
                               const EmissionTarget &target, GpuBuilder &gpu) {
  if (attention.hidden) {
    const Problem &product = plan.product.problem;
    mlir::Value values = ir::throughReshapes(plan.productOp->getOperand(unsigned(product.buffers.rhs)));
    int arrays = int(plan.scoresOp->getParentOp()->getNumOperands()) + 1;
    emitFiniteValues(attention.hidden->values, product, int(cast<mlir::BlockArgument>(values).getArgNumber()), arrays,
                     module, plan.kernel.phases.front().symbol, gpu);
  }
  return GpuAttentionWriter(attention, plan, module, target, gpu).write();
}

} // namespace tenon::codegen
