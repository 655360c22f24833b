#include "tenon/codegen/gpu/product_emitter.h"

#include "tenon/codegen/gpu/product_boxes.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using tenon::codegen::matmul::Problem;

namespace tenon::codegen {

Value *offsetAlongK(Emitter &e, const Problem &p, bool isLhs, Value *k) {
  Value *offset = e.i64(0);
  int64_t inside = p.k;
  for (auto [i, dim] : enumerate(p.kDims)) {
    inside /= dim.size;
    Value *index = e.udiv(k, inside);
    if (i > 0)
      index = e.urem(index, dim.size);
    offset = e.add(offset, e.mul(index, isLhs ? dim.lhsStride : dim.rhsStride));
  }
  return offset;
}

// --- TileCopier ---

TileCopier::TileCopier(Emitter &e, const Problem &p, const ProductPlan &product, bool isLhs, Value *base, Value *first,
                       Value *thread)
    : e_(e), p_(p), product_(product), isLhs_(isLhs), read_(isLhs ? product.lhs : product.rhs), base_(base),
      rows_(isLhs ? product.blockRows() : product.blockColumns()), extent_(isLhs ? p.m : p.n) {
  constexpr int64_t kVectorBytes = 16;
  bool isVector = read_ == TileRead::kAlongK || read_ == TileRead::kAlongRows;
  int64_t bytes = storageBytes(isLhs ? p.spec.lhs : p.spec.rhs);
  lanes_ = isVector ? unsigned(std::max<int64_t>(1, kVectorBytes / bytes)) : 1;
  int64_t pieces = rows_ * product.steps / lanes_;
  for (int64_t done = 0; done < pieces; done += product.threads)
    addPiece(e.add(thread, done), first, pieces - done < product.threads);
}

void TileCopier::addPiece(Value *number, Value *first, bool isLast) {
  int64_t inner = (isAlongK() ? product_.steps : rows_) / lanes_;
  Value *outer = e_.udiv(number, inner), *vector = e_.mul(e_.urem(number, inner), lanes_);
  Piece piece{isAlongK() ? outer : vector, isAlongK() ? vector : outer, nullptr, nullptr, nullptr};
  if (isLast)
    piece.hasPlace = e_.b.CreateICmpSLT(outer, e_.i64(isAlongK() ? rows_ : product_.steps));
  Value *row = e_.add(first, piece.row);
  piece.offset = offsetOf(e_, isLhs_ ? p_.mLhs : p_.nRhs, row);
  piece.isThere = piece.hasPlace;
  if (extent_ % rows_ != 0) {
    Value *isInside = e_.b.CreateICmpSLT(row, e_.i64(extent_));
    piece.isThere = piece.isThere ? e_.b.CreateAnd(piece.isThere, isInside) : isInside;
  }
  pieces_.push_back(piece);
}

Values TileCopier::load(Value *k) {
  Values values;
  llvm::Type *type = e_.vec(matmul::unitType(e_.b.getContext(), p_.arithmetic), lanes_);
  for (const Piece &piece : pieces_) {
    Value *at = e_.add(k, piece.k);
    Value *isThere = e_.b.CreateICmpSLT(at, e_.i64(p_.k));
    if (piece.isThere)
      isThere = e_.b.CreateAnd(isThere, piece.isThere);
    auto read = [&] {
      return matmul::loadElements(e_, p_, isLhs_, base_, e_.add(piece.offset, offsetOfK(at)), lanes_);
    };
    auto nothing = [&] { return Values{Constant::getNullValue(type)}; };
    append_range(values, e_.ifElse(isThere, read, nothing));
  }
  return values;
}

// As GpuBuilder::GroupTile says; in elements.
Value *TileCopier::shuffledPlace(const Piece &piece) {
  constexpr int64_t kVectorBytes = 16, kLineVectors = 8;
  int64_t lanes = kVectorBytes / product_.elementBytes, ofLine = kLineVectors * lanes;
  Value *line = piece.row, *vector = e_.udiv(piece.k, lanes);
  if (product_.steps > ofLine) { // lines of the next steps of k follow those of all rows
    line = e_.add(line, e_.mul(e_.udiv(piece.k, ofLine), rows_));
    vector = e_.urem(vector, kLineVectors);
  }
  if (!product_.hasDenseK(isLhs_)) {
    line = e_.add(e_.mul(e_.udiv(piece.row, ofLine), product_.steps), piece.k);
    vector = e_.udiv(e_.urem(piece.row, ofLine), lanes);
  }
  Value *place = e_.b.CreateXor(vector, e_.urem(line, kLineVectors));
  return e_.add(e_.mul(line, ofLine), e_.mul(place, lanes));
}

Value *TileCopier::placeOf(Value *tile, const Piece &piece) {
  if (product_.isByGroups)
    return e_.gep(matmul::unitType(e_.b.getContext(), p_.arithmetic), tile, shuffledPlace(piece));
  Value *at = e_.add(e_.mul(piece.row, product_.rowPitch(isLhs_)), e_.mul(piece.k, product_.stepPitch(isLhs_)));
  return e_.gep(matmul::unitType(e_.b.getContext(), p_.arithmetic), tile, at);
}

void TileCopier::copy(Value *tile, Value *k, GpuBuilder &gpu) {
  llvm::Type *type = storageType(e_.b.getContext(), isLhs_ ? p_.spec.lhs : p_.spec.rhs);
  for (const Piece &piece : pieces_) {
    Value *at = e_.add(k, piece.k), *isThere = e_.b.CreateICmpSLT(at, e_.i64(p_.k));
    if (piece.isThere)
      isThere = e_.b.CreateAnd(isThere, piece.isThere);
    auto start = [&] {
      Value *from = e_.gep(type, base_, e_.add(piece.offset, offsetOfK(at))), *to = placeOf(tile, piece);
      gpu.at(e_.b, [&]() -> Value * { return gpu.emitCopy(to, from, isThere), nullptr; });
    };
    piece.hasPlace ? e_.ifThen(piece.hasPlace, start) : start();
  }
}

void TileCopier::storePiece(Value *tile, const Piece &piece, Value *value) {
  constexpr int64_t kVectorBytes = 16;
  llvm::Type *unit = matmul::unitType(e_.b.getContext(), p_.arithmetic);
  int64_t ofLane = isAlongK() ? product_.stepPitch(isLhs_) : product_.rowPitch(isLhs_);
  Value *place = placeOf(tile, piece);
  if (lanes_ == 1 || ofLane == 1)
    return e_.store(value, place, std::min<int64_t>(kVectorBytes, lanes_ * product_.elementBytes));
  for (unsigned i = 0; i < lanes_; ++i)
    e_.store(e_.b.CreateExtractElement(value, uint64_t(i)), e_.gep(unit, place, i * ofLane));
}

void TileCopier::store(Value *tile, ArrayRef<Value *> values) {
  for (auto [piece, value] : zip(pieces_, values))
    if (piece.hasPlace)
      e_.ifThen(piece.hasPlace, [&, &piece = piece, value = value] { storePiece(tile, piece, value); });
    else
      storePiece(tile, piece, value);
}

// --- ProductEmitter ---

ProductEmitter::ProductEmitter(const ProductPlan &product, const Problem &problem, Module &module, StringRef symbol,
                               GpuBuilder &gpu)
    : product_(product), p_(problem), gpu_(gpu), e_(module, symbol, kernelParameters(module.getContext()), false),
      unit_(matmul::unitType(module.getContext(), problem.arithmetic)) {}

std::pair<Value *, Value *> ProductEmitter::passes() {
  auto all = int64_t(divideCeil(uint64_t(p_.k), uint64_t(product_.steps)));
  if (!part_)
    return {e_.i64(0), e_.i64(all)};
  Value *begin = e_.mul(part_, product_.partSteps);
  return {begin, e_.min(e_.add(begin, product_.partSteps), all)};
}

void ProductEmitter::emit() {
  findPlace();
  store(finish(product_.isByMaps ? byBoxes() : tileByTile()));
  e_.ret();
}

Values ProductEmitter::tileByTile() {
  Value *table = e_.arg(0);
  TileCopier lhs(e_, p_, product_, true, matmul::lhsBase(e_, p_, table, batch_), firstRow_, thread_);
  TileCopier rhs(e_, p_, product_, false, matmul::rhsBase(e_, p_, table, batch_), firstColumn_, thread_);
  return product_.isAsync ? byCopies(lhs, rhs) : throughRegisters(lhs, rhs);
}

Values ProductEmitter::throughRegisters(TileCopier &lhs, TileCopier &rhs) {
  auto fill = [&](Value *buffer, ArrayRef<Value *> left, ArrayRef<Value *> right) {
    lhs.store(tile(true, buffer), left);
    rhs.store(tile(false, buffer), right);
    barrier();
  };
  auto [begin, end] = passes();
  Value *k = e_.mul(begin, product_.steps);
  Values left = lhs.load(k), right = rhs.load(k);
  fill(e_.urem(begin, 2), left, right);
  // The tile behind the last one is of zeros.
  auto pass = [&](Value *number, ArrayRef<Value *> sums) {
    Value *next = e_.mul(e_.add(number, 1), product_.steps), *buffer = e_.urem(number, 2);
    Values nextLeft = lhs.load(next), nextRight = rhs.load(next);
    Values added = multiply(tile(true, buffer), tile(false, buffer), sums);
    fill(e_.sub(e_.i64(1), buffer), nextLeft, nextRight);
    return added;
  };
  return e_.loop(begin, end, e_.i64(1), start(), pass);
}

// Each stage has a group of copies, of which all but one are under way. The barrier is for two things: what each thread
// has waited for, all may read; and nobody reads the stage any more that is filled next. Warp groups still read the
// stage before.
Values ProductEmitter::byCopies(TileCopier &lhs, TileCopier &rhs) {
  int64_t ahead = product_.stages - 1 - product_.heldStages();
  auto copyTiles = [&](Value *number) {
    Value *k = e_.mul(number, product_.steps), *buffer = e_.urem(number, product_.stages);
    lhs.copy(tile(true, buffer), k, gpu_);
    rhs.copy(tile(false, buffer), k, gpu_);
    gpu_.at(e_.b, [&]() -> Value * { return gpu_.emitEndOfCopies(), nullptr; });
  };
  auto [begin, end] = passes();
  for (int64_t number = 0; number < ahead; ++number)
    copyTiles(e_.add(begin, number));
  auto pass = [&](Value *number, ArrayRef<Value *> sums) {
    gpu_.at(e_.b, [&]() -> Value * {
      gpu_.emitWaitForCopies(unsigned(ahead) - 1);
      if (product_.isByGroups)
        gpu_.emitFenceForGroups();
      return nullptr;
    });
    barrier();
    copyTiles(e_.add(number, ahead)); // behind the last one, of zeros
    Value *buffer = e_.urem(number, product_.stages);
    return multiply(tile(true, buffer), tile(false, buffer), sums);
  };
  return e_.loop(begin, end, e_.i64(1), start(), pass);
}

// One thread starts the copies, of which each stage has a barrier in shared memory; all wait for it. No copy is started
// that nobody waits for.
Values ProductEmitter::byBoxes() {
  int64_t ahead = product_.stages - 1 - product_.heldStages();
  int64_t stageBytes = product_.elementBytes * (product_.tileElements(true) + product_.tileElements(false));
  Value *first = e_.b.CreateICmpEQ(thread_, e_.i64(0));
  BoxCopier lhs(e_, p_, product_, true, batch_, firstRow_), rhs(e_, p_, product_, false, batch_, firstColumn_);
  auto emit = [&](function_ref<void()> what) { gpu_.at(e_.b, [&]() -> Value * { return what(), nullptr; }); };
  auto barrierOf = [&](Value *buffer) {
    return e_.gep(e_.b.getInt64Ty(), tile(true, e_.i64(product_.stages)), buffer);
  };
  auto [begin, end] = passes();
  auto fill = [&](Value *number) {
    e_.ifThen(e_.b.CreateAnd(first, e_.b.CreateICmpSLT(number, end)), [&] {
      Value *buffer = e_.urem(number, product_.stages), *barrier = barrierOf(buffer);
      emit([&] { gpu_.emitExpectedBytes(barrier, stageBytes); });
      lhs.copy(tile(true, buffer), e_.mul(number, product_.steps), barrier, gpu_);
      rhs.copy(tile(false, buffer), e_.mul(number, product_.steps), barrier, gpu_);
    });
  };
  e_.ifThen(first, [&] {
    for (int64_t buffer = 0; buffer < product_.stages; ++buffer) {
      Value *barrier = barrierOf(e_.i64(buffer));
      emit([&] { gpu_.emitStartOfPhases(barrier); });
    }
    lhs.useMap(gpu_);
    rhs.useMap(gpu_);
  });
  barrier();
  for (int64_t number = 0; number < ahead; ++number)
    fill(e_.add(begin, number));
  auto pass = [&](Value *number, ArrayRef<Value *> sums) {
    Value *buffer = e_.urem(number, product_.stages), *stage = barrierOf(buffer);
    Value *parity = e_.b.CreateTrunc(e_.urem(e_.udiv(number, product_.stages), 2), e_.b.getInt32Ty());
    emit([&] { gpu_.emitWaitForPhase(stage, parity); });
    barrier();
    fill(e_.add(number, ahead));
    return multiply(tile(true, buffer), tile(false, buffer), sums);
  };
  return e_.loop(begin, end, e_.i64(1), start(), pass);
}

// The block's batch, rows and columns.
void ProductEmitter::findPlace() {
  Value *task = e_.arg(1);
  auto blocks = [](int64_t extent, int64_t block) { return int64_t(divideCeil(uint64_t(extent), uint64_t(block))); };
  int64_t across = blocks(p_.n, product_.blockColumns()), down = blocks(p_.m, product_.blockRows());
  if (product_.parts > 1) {
    part_ = e_.udiv(task, product_.tasks);
    task = e_.urem(task, product_.tasks);
  }
  batch_ = p_.batch == 1 ? e_.i64(0) : e_.udiv(task, across * down);
  Value *rest = p_.batch == 1 ? task : e_.urem(task, across * down);
  firstRow_ = e_.mul(e_.udiv(rest, across), product_.blockRows());
  firstColumn_ = e_.mul(e_.urem(rest, across), product_.blockColumns());
  Value *thread = gpu_.at(e_.b, [&] { return gpu_.number(GpuBuilder::Number::kThread); });
  thread_ = e_.b.CreateZExt(thread, e_.b.getInt64Ty());
}

void ProductEmitter::barrier() {
  gpu_.at(e_.b, [&]() -> Value * { return gpu_.emitBarrier(), nullptr; });
}

Value *ProductEmitter::tile(bool isLhs, Value *buffer) {
  constexpr int64_t kTileAlignment = 1024; // of warp groups
  Value *shared =
      gpu_.at(e_.b, [&] { return product_.isByGroups ? gpu_.sharedMemory(kTileAlignment) : gpu_.sharedMemory(); });
  int64_t lhs = product_.tileElements(true), rhs = product_.tileElements(false);
  return e_.gep(unit_, shared, e_.add(e_.mul(buffer, lhs + rhs), e_.i64(isLhs ? 0 : lhs)));
}

bool ProductEmitter::storesVectors(unsigned lanes) const {
  if (part_)
    return p_.n % lanes == 0;
  int64_t run = p_.laneRun();
  return run > 0 && run % lanes == 0 && p_.n % lanes == 0;
}

void ProductEmitter::storePairs(ArrayRef<PairsOfRow> rows) {
  if (product_.isStaged)
    return storeThroughShared(rows);
  for (const PairsOfRow &row : rows) {
    Value *m = e_.add(firstRow_, row.row);
    ifInside(m, p_.m, product_.blockRows(), [&] {
      for (const auto &[column, first, second] : row.pairs)
        storePair(m, e_.add(firstColumn_, column), first, second);
    });
  }
}

// Copies of tiles behind the last one are still under way.
void ProductEmitter::storeThroughShared(ArrayRef<PairsOfRow> rows) {
  constexpr int64_t kVectorBytes = 16;
  llvm::Type *type = matmul::accumulatorType(e_.b.getContext(), p_.arithmetic);
  int64_t bytes = storageBytes(p_.arithmetic.sum), pitch = product_.stagedPitch();
  Value *staged = tile(true, e_.i64(0));
  auto at = [&](Value *row, Value *column) { return e_.gep(type, staged, e_.add(e_.mul(row, pitch), column)); };
  if (product_.isAsync && !product_.isByMaps)
    gpu_.at(e_.b, [&]() -> Value * { return gpu_.emitWaitForCopies(0), nullptr; });
  barrier();
  for (const PairsOfRow &row : rows)
    for (const auto &[column, first, second] : row.pairs) {
      Value *pair = e_.b.CreateInsertElement(PoisonValue::get(e_.vec(type, 2)), first, uint64_t(0));
      e_.store(e_.b.CreateInsertElement(pair, second, uint64_t(1)), at(row.row, column), 2 * bytes);
    }
  barrier();
  unsigned lanes = 8;
  while (lanes > 1 && (lanes * storageBytes(p_.spec.out) > kVectorBytes || !storesVectors(lanes)))
    lanes /= 2;
  int64_t vectors = product_.blockColumns() / lanes;
  e_.loop(thread_, e_.i64(product_.blockRows() * vectors), product_.threads, [&](Value *number) {
    Value *row = e_.udiv(number, vectors), *column = e_.mul(e_.urem(number, vectors), lanes);
    Value *m = e_.add(firstRow_, row);
    Value *sums = e_.load(e_.vec(type, lanes), at(row, column), std::min(kVectorBytes, lanes * bytes));
    ifInside(m, p_.m, product_.blockRows(), [&] { storeAt(m, e_.add(firstColumn_, column), lanes, sums); });
  });
}

void ProductEmitter::storePair(Value *m, Value *n, Value *first, Value *second) {
  if (!storesVectors(2)) {
    storeAt(m, n, 1, first);
    return storeAt(m, e_.add(n, e_.i64(1)), 1, second);
  }
  Value *pair = PoisonValue::get(e_.vec(first->getType(), 2));
  pair = e_.b.CreateInsertElement(pair, first, uint64_t(0));
  storeAt(m, n, 2, e_.b.CreateInsertElement(pair, second, uint64_t(1)));
}

void ProductEmitter::storeAt(Value *m, Value *n, unsigned lanes, Value *sum) {
  ifInside(n, p_.n, product_.blockColumns(), [&] {
    if (!part_)
      return matmul::storeOutput(e_, p_, {e_.arg(0), batch_, m, n}, lanes, sum);
    Value *element = e_.add(e_.mul(e_.add(e_.mul(batch_, p_.m), m), p_.n), n);
    e_.store(sum, partialSum(e_, p_, e_.arg(0), part_, element), lanes * storageBytes(p_.arithmetic.sum));
  });
}

void ProductEmitter::ifInside(Value *index, int64_t extent, int64_t block, function_ref<void()> then) {
  if (extent % block == 0)
    then();
  else
    e_.ifThen(e_.b.CreateICmpSLT(index, e_.i64(extent)), then);
}

// --- Parts of k ---

Value *temporary(Emitter &e, const Problem &p, Value *table) {
  Value *block = e.buffer(table, *p.buffers.temp);
  return p.buffers.tempBytes == 0 ? block : e.gep(e.b.getInt8Ty(), block, p.buffers.tempBytes);
}

Value *partialSum(Emitter &e, const Problem &p, Value *table, Value *part, Value *element) {
  Value *at = e.add(e.mul(part, p.batch * p.m * p.n), element);
  return e.gep(matmul::accumulatorType(e.b.getContext(), p.arithmetic), temporary(e, p, table), at);
}

void emitCombination(CombinedParts combined, const Problem &problem, Module &module, StringRef symbol) {
  Emitter e(module, symbol, kernelParameters(module.getContext()), false);
  Value *table = e.arg(0), *element = e.mul(e.arg(1), combined.lanes); // a thread calls it for each task
  unsigned lanes = combined.lanes;
  llvm::Type *type = e.vec(matmul::accumulatorType(module.getContext(), problem.arithmetic), lanes);
  auto sumOf = [&](Value *part) {
    return e.load(type, partialSum(e, problem, table, part, element), lanes * storageBytes(problem.arithmetic.sum));
  };
  bool isFloat = matmul::accumulatorIsFloat(problem.arithmetic);
  Values sum = e.loop(e.i64(1), e.i64(combined.parts), e.i64(1), {sumOf(e.i64(0))},
                      [&](Value *part, ArrayRef<Value *> before) -> Values {
                        Value *next = sumOf(part);
                        return {isFloat ? e.b.CreateFAdd(before[0], next) : e.b.CreateAdd(before[0], next)};
                      });
  Value *row = e.udiv(element, problem.n), *n = e.urem(element, problem.n);
  bool isBatch = problem.batch > 1;
  Value *batch = isBatch ? e.udiv(row, problem.m) : e.i64(0), *m = isBatch ? e.urem(row, problem.m) : row;
  matmul::storeOutput(e, problem, {table, batch, m, n}, lanes, sum);
  e.ret();
}

} // namespace tenon::codegen
