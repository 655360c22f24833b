#include "tenon/codegen/gpu/skinny_product.h"

#include "tenon/codegen/gpu/product.h"
#include "tenon/codegen/gpu/product_emitter.h"
#include "tenon/codegen/gpu/target.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

#include <functional>

using namespace llvm;
using tenon::codegen::matmul::Problem;

namespace tenon::codegen {
namespace {

constexpr int64_t kVectorBytes = 16;
constexpr int kMostThreads = 256;
// The most of the few rows: of types that warps multiply, more are tiles of a product (product.h), most of whose rows
// are not there, and which take no longer than memory.
constexpr int64_t kMostRows = 16, kMostRowsBesideMatrices = 8;
// Registers: what the sums of a thread take, and what it has of the few rows at a time.
constexpr int64_t kSumBytes = 256, kFewBytes = 256;
constexpr int64_t kVectorsAhead = 8;
// The least groups of steps of a thread for which k is cut into parts.
constexpr int64_t kPartGroups = 4;

int64_t divided(int64_t extent, int64_t by) { return int64_t(divideCeil(uint64_t(extent), uint64_t(by))); }
int64_t powerOfTwo(int64_t least) { return int64_t(PowerOf2Ceil(uint64_t(least))); }

class Planner {
public:
  Planner(const Problem &p, bool mayHaveParts, const CostModel::Blocks &costs)
      : p_(p), mayHaveParts_(mayHaveParts && p.buffers.temp && !p.arithmetic.complex &&
                             !p.arithmetic.sum.isInteger(1) && !p.spec.out.isInteger(1)),
        costs_(costs), operands_(planOperands(p)) {}

  std::optional<SkinnyProductPlan> plan() {
    int64_t rows = std::min(p_.m, p_.n);
    if (rows > (operands_.matrix ? kMostRowsBesideMatrices : kMostRows) || rows * p_.batch == 0 || p_.k == 0 ||
        p_.arithmetic.groupK > 1)
      return std::nullopt;
    s_.isLhsFew = p_.m <= p_.n;
    s_.unitBytes = p_.arithmetic.unitBytes;
    s_.components = p_.components();
    chooseVectors();
    chooseRows(rows);
    shareK();
    if (s_.sharedBytes() > kMostSharedBytes)
      return std::nullopt;
    splitK();
    chooseUnroll();
    return s_;
  }

private:
  int64_t rows() const { return std::min(p_.m, p_.n); }
  int64_t columns() const { return std::max(p_.m, p_.n); }
  int64_t sumBytes() const { return s_.unitBytes * s_.components; }
  int64_t mostFew() const { return kFewBytes / sumBytes(); } // elements of a thread
  mlir::Type wideType() const { return s_.isLhsFew ? p_.spec.rhs : p_.spec.lhs; }

  void chooseVectors() {
    TileRead read = operands_.read(!s_.isLhsFew);
    s_.isAlongK = read == TileRead::kAlongK || read == TileRead::kElementsK;
    bool isVector = read == TileRead::kAlongK || read == TileRead::kAlongRows;
    int64_t bytes = storageBytes(wideType());
    s_.lanes = isVector ? unsigned(std::max<int64_t>(1, kVectorBytes / bytes)) : 1;
    // Single bytes are wider in registers.
    int64_t mostLanes = mostFew() / std::min(rows(), kMostRowsBesideMatrices);
    s_.lanes = unsigned(std::min<int64_t>(s_.lanes, llvm::bit_floor(uint64_t(mostLanes)))); // a vector is aligned
    int64_t together = std::max<int64_t>(1, kVectorBytes / sumBytes());
    s_.steps = s_.isAlongK ? s_.lanes : p_.runLength() % together == 0 ? together : 1;
    s_.ownColumns = s_.isAlongK ? 1 : s_.lanes;
  }

  void chooseRows(int64_t rows) {
    int64_t most = std::min(kSumBytes / sumBytes() / s_.ownColumns, mostFew() / s_.steps);
    s_.few = divided(rows, divided(rows, std::max<int64_t>(1, most)));
  }

  int64_t groupsOfSteps() const { return divided(p_.k, s_.steps); }

  void countTasks() { s_.tasks = p_.batch * divided(rows(), s_.few) * divided(columns(), s_.columns()); }

  // As few threads as that every one reads whole lines with its neighbours; then more, while there are multiprocessors
  // without work, or columns that are not there.
  void shareK() {
    constexpr int64_t kLineBytes = 128, kSectorBytes = 32;
    int64_t vectorBytes = s_.lanes * storageBytes(wideType()), groups = groupsOfSteps();
    int64_t mostGroups = powerOfTwo(divided(columns(), s_.ownColumns));
    auto set = [&](int64_t sharing) {
      s_.sharingK = sharing;
      s_.threads = int(std::clamp<int64_t>(mostGroups * sharing, program::kWarpThreads, kMostThreads));
      countTasks();
    };
    int64_t most = std::min<int64_t>(kMostThreads, powerOfTwo(groups));
    int64_t least = s_.isAlongK ? program::kWarpThreads : kMostThreads / program::kWarpThreads;
    set(std::min(least, most));
    if (s_.isAlongK)
      haveMoreColumns(set);
    int64_t leastGroups = s_.isAlongK ? 1 : std::max<int64_t>(1, kSectorBytes / vectorBytes);
    int64_t lineGroups = s_.isAlongK ? mostGroups : std::max<int64_t>(1, kLineBytes / vectorBytes);
    while (s_.sharingK < most) {
      bool isUnused = s_.groups() > mostGroups, isTooLarge = s_.sharedBytes() > kMostSharedBytes;
      bool mayShareMore =
          (s_.groups() > leastGroups || s_.threads < kMostThreads) && (!s_.isAlongK || groups >= 2 * s_.sharingK);
      bool hasNoWork = mayShareMore && 4 * s_.tasks < 3 * costs_.multiprocessors;
      bool isWide = s_.tasks < 4 * costs_.multiprocessors && s_.groups() > lineGroups && groups / s_.sharingK >= 8;
      if (!isUnused && !isTooLarge && !hasNoWork && !isWide)
        break;
      set(2 * s_.sharingK);
    }
  }

  // More columns of a thread: what it has of the few rows meets all of them.
  void haveMoreColumns(function_ref<void(int64_t)> set) {
    constexpr int64_t kMostColumns = 4;
    while (s_.ownColumns < kMostColumns && 2 * s_.ownColumns * s_.few * sumBytes() <= kSumBytes / 2 &&
           s_.ownColumns < s_.few && s_.tasks >= 2 * costs_.multiprocessors) {
      s_.ownColumns *= 2;
      set(s_.sharingK);
    }
  }

  // Parts that give every multiprocessor a block.
  void splitK() {
    int64_t groups = groupsOfSteps(), width = s_.sharingK;
    int64_t parts = std::min({costs_.multiprocessors / s_.tasks, costs_.productParts, groups / (width * kPartGroups)});
    s_.partSteps = p_.k;
    if (parts < 2 || !mayHaveParts_)
      return;
    s_.partSteps = divided(divided(groups, parts), width) * width * s_.steps;
    s_.parts = divided(p_.k, s_.partSteps);
    s_.combinedLanes = p_.laneRun() > 0 && p_.laneRun() % 4 == 0 && p_.n % 4 == 0 ? 4 : 1;
    s_.combined = p_.batch * p_.m * p_.n / s_.combinedLanes;
    s_.tempBytes = int64_t(alignTo(uint64_t(s_.parts * p_.batch * p_.m * p_.n * s_.unitBytes), 64));
  }

  void chooseUnroll() {
    int64_t vectors = s_.isAlongK ? s_.ownColumns : s_.steps;
    int64_t groups = divided(s_.partSteps, s_.steps * s_.sharingK);
    while (s_.unroll * vectors < kVectorsAhead && 2 * s_.unroll * s_.few * s_.steps <= mostFew() &&
           2 * s_.unroll <= groups)
      s_.unroll *= 2;
  }

  const Problem &p_;
  bool mayHaveParts_;
  const CostModel::Blocks &costs_;
  ProductPlan operands_;
  SkinnyProductPlan s_;
};

// What a thread does, in the order of the functions.
class SkinnyEmitter {
public:
  SkinnyEmitter(const SkinnyProductPlan &skinny, const Problem &problem, int64_t sharedBegin, Module &module,
                StringRef symbol, GpuBuilder &gpu)
      : s_(skinny), p_(problem), sharedBegin_(sharedBegin), gpu_(gpu),
        e_(module, symbol, kernelParameters(module.getContext()), false),
        unit_(matmul::unitType(module.getContext(), problem.arithmetic)),
        sumType_(matmul::accumulatorType(module.getContext(), problem.arithmetic)) {}

  void emit() {
    findPlace();
    Values sums = addUpLanes(sumOverK());
    keep(sums);
    barrier();
    e_.loop(thread_, e_.i64(s_.few * s_.columns()), s_.threads, [&](Value *number) { store(number); });
    e_.ret();
  }

private:
  int64_t rows() const { return s_.isLhsFew ? p_.m : p_.n; }
  int64_t columns() const { return s_.isLhsFew ? p_.n : p_.m; }
  const StridedDims &fewDims() const { return s_.isLhsFew ? p_.mLhs : p_.nRhs; }
  const StridedDims &wideDims() const { return s_.isLhsFew ? p_.nRhs : p_.mLhs; }

  // --- The block's tile, and the thread's place in it ---

  void findPlace() {
    Value *task = e_.arg(1);
    int64_t across = divided(columns(), s_.columns()), down = divided(rows(), s_.few);
    begin_ = e_.i64(0);
    if (s_.parts > 1) {
      part_ = e_.udiv(task, s_.tasks);
      task = e_.urem(task, s_.tasks);
      begin_ = e_.mul(part_, s_.partSteps);
    }
    end_ = s_.parts > 1 ? e_.min(e_.add(begin_, s_.partSteps), p_.k) : e_.i64(p_.k);
    batch_ = p_.batch == 1 ? e_.i64(0) : e_.udiv(task, across * down);
    Value *rest = p_.batch == 1 ? task : e_.urem(task, across * down);
    // What is always 0 has to be seen to be: by it alignment is known.
    firstRow_ = down == 1 ? e_.i64(0) : e_.mul(e_.udiv(rest, across), s_.few);
    firstColumn_ = e_.mul(down == 1 ? rest : e_.urem(rest, across), s_.columns());
    Value *number = gpu_.at(e_.b, [&] { return gpu_.number(GpuBuilder::Number::kThread); });
    thread_ = e_.b.CreateZExt(number, e_.b.getInt64Ty());
    // Neighbours read neighbouring vectors.
    group_ = s_.isAlongK ? e_.udiv(thread_, s_.sharingK) : e_.urem(thread_, s_.groups());
    ofK_ = s_.isAlongK ? e_.urem(thread_, s_.sharingK) : e_.udiv(thread_, s_.groups());
    findOffsets();
  }

  // Rows and columns beyond the last ones are read as the last ones.
  void findOffsets() {
    Value *table = e_.arg(0);
    fewBase_ = (s_.isLhsFew ? matmul::lhsBase : matmul::rhsBase)(e_, p_, table, batch_);
    wideBase_ = (s_.isLhsFew ? matmul::rhsBase : matmul::lhsBase)(e_, p_, table, batch_);
    for (int64_t i = 0; i < s_.few; ++i) {
      Value *row = e_.add(firstRow_, i);
      fewOffsets_.push_back(offsetOf(e_, fewDims(), rows() % s_.few == 0 ? row : e_.min(row, rows() - 1)));
    }
    int64_t vectors = s_.isAlongK ? s_.ownColumns : 1, width = s_.isAlongK ? 1 : s_.ownColumns;
    for (int64_t i = 0; i < vectors; ++i) {
      Value *column = e_.add(e_.add(firstColumn_, e_.mul(group_, s_.ownColumns)), i);
      bool isWhole = columns() % s_.columns() == 0;
      wideOffsets_.push_back(offsetOf(e_, wideDims(), isWhole ? column : e_.min(column, columns() - width)));
    }
  }

  // --- k ---

  // Elements of an operand as their components, one behind the other.
  using Elements = SmallVector<Values, 16>;

  Values load(bool isFew, Value *offset, Value *k, unsigned lanes) {
    bool isLhs = isFew == s_.isLhsFew;
    Value *at = e_.add(offset, offsetAlongK(e_, p_, isLhs, k));
    return matmul::loadElements(e_, p_, isLhs, isFew ? fewBase_ : wideBase_, at, lanes);
  }

  Values lane(const Values &vectors, int64_t number) {
    Values elements;
    for (Value *vector : vectors)
      elements.push_back(vector->getType()->isVectorTy() ? e_.b.CreateExtractElement(vector, uint64_t(number))
                                                         : vector);
    return elements;
  }

  // What the thread has of the few rows, for each of its steps from k on: those of a row one after the other.
  Elements loadFew(Value *k) {
    int64_t stride = s_.isLhsFew ? p_.innerK().lhsStride : p_.innerK().rhsStride;
    Elements elements(size_t(s_.few * s_.steps));
    auto at = [&](int64_t row, int64_t step) -> Values & { return elements[size_t(row * s_.steps + step)]; };
    if (stride == 1 || s_.steps == 1) {
      for (int64_t row = 0; row < s_.few; ++row) {
        Values vector = load(true, fewOffsets_[size_t(row)], k, unsigned(s_.steps));
        for (int64_t step = 0; step < s_.steps; ++step)
          at(row, step) = lane(vector, step);
      }
      return elements;
    }
    bool areDense = fewDims().isContiguous() && rows() % s_.few == 0;
    for (int64_t step = 0; step < s_.steps; ++step) {
      Value *next = e_.add(k, step);
      Values vector = areDense ? load(true, fewOffsets_[0], next, unsigned(s_.few)) : Values();
      for (int64_t row = 0; row < s_.few; ++row)
        at(row, step) = areDense ? lane(vector, row) : load(true, fewOffsets_[size_t(row)], next, 1);
    }
    return elements;
  }

  // The vectors of the wide operand: of each of the thread's columns, or of each step.
  Elements loadWide(Value *k) {
    Elements vectors;
    if (s_.isAlongK)
      for (Value *offset : wideOffsets_)
        vectors.push_back(load(false, offset, k, s_.lanes));
    else
      for (int64_t step = 0; step < s_.steps; ++step)
        vectors.push_back(load(false, wideOffsets_[0], e_.add(k, step), s_.lanes));
    return vectors;
  }

  Value *multiplyAdd(Value *few, Value *wide, Value *sum, bool negate = false) {
    return s_.isLhsFew ? matmul::multiplyAdd(e_, few, wide, sum, negate, p_.target)
                       : matmul::multiplyAdd(e_, wide, few, sum, negate, p_.target);
  }

  // Adds a product to the components of a sum.
  void add(const Values &few, const Values &wide, MutableArrayRef<Value *> sum) {
    sum[0] = multiplyAdd(few[0], wide[0], sum[0]);
    if (s_.components == 1)
      return;
    sum[0] = multiplyAdd(few[1], wide[1], sum[0], /*negate=*/true);
    sum[1] = multiplyAdd(few[0], wide[1], sum[1]);
    sum[1] = multiplyAdd(few[1], wide[0], sum[1]);
  }

  // Sums are vectors where columns are: of a row, its own columns one after the other.
  unsigned sumLanes() const { return s_.isAlongK ? 1 : s_.lanes; }

  void addProducts(const Elements &few, const Elements &wide, MutableArrayRef<Value *> sums) {
    int64_t vectors = s_.ownColumns / sumLanes();
    for (int64_t step = 0; step < s_.steps; ++step)
      for (int64_t row = 0; row < s_.few; ++row)
        for (int64_t own = 0; own < vectors; ++own) {
          Values left, right = s_.isAlongK ? lane(wide[size_t(own)], step) : wide[size_t(step)];
          for (Value *factor : few[size_t(row * s_.steps + step)])
            left.push_back(e_.splat(factor, sumLanes()));
          add(left, right, sums.slice(size_t(row * vectors + own) * s_.components, s_.components));
        }
  }

  // All that `count` groups of steps need is asked for before it is used.
  Values takeGroups(Value *k, int64_t count, ArrayRef<Value *> before) {
    SmallVector<Elements, 8> few, wide;
    for (int64_t i = 0; i < count; ++i)
      wide.push_back(loadWide(e_.add(k, i * stride())));
    for (int64_t i = 0; i < count; ++i)
      few.push_back(loadFew(e_.add(k, i * stride())));
    Values sums(before);
    for (int64_t i = 0; i < count; ++i)
      addProducts(few[size_t(i)], wide[size_t(i)], sums);
    return sums;
  }

  int64_t stride() const { return s_.steps * s_.sharingK; }

  Values sumOverK() {
    Values state(size_t(s_.few * s_.ownColumns / sumLanes()) * s_.components,
                 Constant::getNullValue(e_.vec(sumType_, sumLanes())));
    state.push_back(e_.add(begin_, e_.mul(ofK_, s_.steps)));
    auto loop = [&](int64_t count) {
      Value *end = count == 1 ? end_ : e_.sub(end_, e_.i64((count - 1) * stride()));
      state = e_.loop(state.back(), end, e_.i64(count * stride()), state, [&](Value *k, ArrayRef<Value *> before) {
        Values next = takeGroups(k, count, before.drop_back());
        next.push_back(e_.add(k, count * stride()));
        return next;
      });
    };
    bool isWhole = p_.k % s_.partSteps == 0 && s_.partSteps % (s_.unroll * stride()) == 0;
    if (s_.unroll > 1)
      loop(s_.unroll);
    if (s_.unroll == 1 || !isWhole)
      loop(1);
    state.pop_back();
    return state;
  }

  // --- The sums of several threads ---

  // The elements of vectors: a row's columns, of each its components.
  Values singleSums(ArrayRef<Value *> sums) {
    Values single;
    for (size_t i = 0; i < sums.size(); i += s_.components)
      for (int64_t number = 0; number < int64_t(sumLanes()); ++number)
        for (unsigned part = 0; part < s_.components; ++part)
          append_range(single, lane({sums[i + part]}, number));
    return single;
  }

  // With each exchange a lane gives away half of its sums, and gets those of the other lane for the half that it keeps;
  // a single sum they both have. What is left are the sums from number `firstSum_` on.
  Values addUpLanes(ArrayRef<Value *> sums) {
    Values own = singleSums(sums);
    own.resize(size_t(s_.placesOfSums()), Constant::getNullValue(sumType_)); // so that halves are whole
    firstSum_ = e_.i64(0);
    int64_t least = s_.isAlongK ? 1 : s_.groups(); // the difference of numbers of threads that share k
    for (int64_t difference = least * s_.lanesSharingK() / 2; difference >= least; difference /= 2) {
      auto fromOther = [&](Value *value) {
        return gpu_.at(e_.b, [&] { return gpu_.shuffleXor(value, unsigned(difference)); });
      };
      Value *bit = e_.b.CreateAnd(thread_, e_.i64(difference)), *isUpper = e_.b.CreateICmpNE(bit, e_.i64(0));
      if (own.size() == 1) {
        own[0] = sumOf(own[0], fromOther(own[0]));
        isOwner_ = isOwner_ ? e_.b.CreateAnd(isOwner_, e_.b.CreateNot(isUpper)) : e_.b.CreateNot(isUpper);
        continue;
      }
      size_t half = own.size() / 2;
      for (size_t i = 0; i < half; ++i) {
        Value *given = e_.b.CreateSelect(isUpper, own[i], own[i + half]);
        Value *kept = e_.b.CreateSelect(isUpper, own[i + half], own[i]);
        own[i] = sumOf(kept, fromOther(given));
      }
      own.resize(half);
      firstSum_ = e_.add(firstSum_, e_.b.CreateSelect(isUpper, e_.i64(int64_t(half)), e_.i64(0)));
    }
    return own;
  }

  Value *sumOf(Value *a, Value *b) {
    return matmul::accumulatorIsFloat(p_.arithmetic) ? e_.b.CreateFAdd(a, b) : e_.b.CreateAdd(a, b);
  }

  // Where a sum of the warp with this number, of those that share k, is.
  Value *placeOf(Value *warp, Value *group, Value *sum) {
    Value *shared = gpu_.at(e_.b, [&] { return gpu_.sharedMemory(); });
    Value *number = e_.add(e_.mul(e_.add(e_.mul(warp, s_.placesOfSums()), sum), s_.groups()), group);
    return e_.gep(sumType_, e_.gep(e_.b.getInt8Ty(), shared, sharedBegin_), number);
  }

  void keep(ArrayRef<Value *> sums) {
    Value *warp = e_.udiv(ofK_, s_.lanesSharingK());
    auto write = [&] {
      for (auto [i, sum] : enumerate(sums))
        e_.store(sum, placeOf(warp, group_, e_.add(firstSum_, int64_t(i))));
    };
    isOwner_ ? e_.ifThen(isOwner_, write) : write();
  }

  void barrier() {
    gpu_.at(e_.b, [&]() -> Value * { return gpu_.emitBarrier(), nullptr; });
  }

  // --- Results ---

  // The tree of the sums of warps that share k, a power of two.
  Value *sumOfWarps(Value *group, Value *sum, int64_t first, int64_t count) {
    if (count == 1)
      return e_.load(sumType_, placeOf(e_.i64(first), group, sum));
    Value *left = sumOfWarps(group, sum, first, count / 2);
    return sumOf(left, sumOfWarps(group, sum, first + count / 2, count / 2));
  }

  // The block's element of this number: neighbours are those that lie side by side in most results.
  void store(Value *number) {
    Value *row = s_.isLhsFew ? e_.udiv(number, s_.columns()) : e_.urem(number, s_.few);
    Value *column = s_.isLhsFew ? e_.urem(number, s_.columns()) : e_.udiv(number, s_.few);
    Value *atRow = e_.add(firstRow_, row), *atColumn = e_.add(firstColumn_, column);
    ifInside(atRow, rows(), s_.few, [&] {
      ifInside(atColumn, columns(), s_.columns(), [&] {
        Value *sum = e_.mul(e_.add(e_.mul(row, s_.ownColumns), e_.urem(column, s_.ownColumns)), s_.components);
        Values parts;
        for (unsigned part = 0; part < s_.components; ++part)
          parts.push_back(sumOfWarps(e_.udiv(column, s_.ownColumns), e_.add(sum, part), 0, s_.warpsSharingK()));
        storeAt(s_.isLhsFew ? atRow : atColumn, s_.isLhsFew ? atColumn : atRow, parts);
      });
    });
  }

  void storeAt(Value *m, Value *n, ArrayRef<Value *> sum) {
    if (!part_)
      return matmul::storeOutput(e_, p_, {e_.arg(0), batch_, m, n}, 1, sum);
    Value *element = e_.add(e_.mul(e_.add(e_.mul(batch_, p_.m), m), p_.n), n);
    e_.store(sum[0], partialSum(e_, p_, e_.arg(0), part_, element));
  }

  void ifInside(Value *index, int64_t extent, int64_t block, function_ref<void()> then) {
    if (extent % block == 0)
      then();
    else
      e_.ifThen(e_.b.CreateICmpSLT(index, e_.i64(extent)), then);
  }

  const SkinnyProductPlan &s_;
  const Problem &p_;
  int64_t sharedBegin_;
  GpuBuilder &gpu_;
  Emitter e_;
  llvm::Type *unit_, *sumType_;
  Value *part_ = nullptr; // of k; null: there is one
  Value *begin_ = nullptr, *end_ = nullptr, *batch_ = nullptr, *firstRow_ = nullptr, *firstColumn_ = nullptr;
  Value *thread_ = nullptr, *group_ = nullptr, *ofK_ = nullptr; // among those that share k
  Value *fewBase_ = nullptr, *wideBase_ = nullptr;
  Values fewOffsets_, wideOffsets_;
  Value *firstSum_ = nullptr, *isOwner_ = nullptr; // null: each lane has sums of its own
};

} // namespace

int64_t SkinnyProductPlan::lanesSharingK() const {
  int64_t ofOthers = isAlongK ? 1 : std::min<int64_t>(groups(), program::kWarpThreads);
  return std::min<int64_t>(sharingK, program::kWarpThreads / ofOthers);
}

// As they are halved.
int64_t SkinnyProductPlan::placesOfSums() const {
  int64_t own = sums(), places = 1;
  for (int64_t lanes = lanesSharingK(); lanes > 1 && own > 1; lanes /= 2, places *= 2)
    own = divided(own, 2);
  return own * places;
}

FormPhases SkinnyProductPlan::phases() const {
  FormPhases phases{{tasks * parts, threads, sharedBytes()}};
  if (parts > 1)
    phases.push_back({combined, kTaskBlock, 0, /*isByThreads=*/true});
  return phases;
}

void SkinnyProductPlan::print(raw_ostream &os) const {
  os << "skinny product of " << few << (isLhsFew ? " rows" : " columns") << " by " << columns() << ", vectors of "
     << lanes << (isAlongK ? " along k" : " across k") << ", " << sharingK << " of " << threads << " threads share k, "
     << steps << " steps at a time";
  if (unroll > 1)
    os << " and " << unroll << " times ahead";
  os << ", " << sharedBytes() << " bytes shared, " << tasks * parts << " blocks";
  if (parts > 1)
    os << ", " << parts << " parts of k, " << partSteps << " each";
  os << '\n';
}

std::optional<SkinnyProductPlan> planSkinnyProduct(const matmul::ContractionPlan &plan, bool mayHaveParts,
                                                   const CostModel::Blocks &costs) {
  return Planner(plan.problem, mayHaveParts, costs).plan();
}

void emitSkinnyProduct(const SkinnyProductPlan &skinny, const matmul::ContractionPlan &plan,
                       const matmul::Epilogue &epilogue, int64_t sharedBegin, Module &module, GpuBuilder &gpu) {
  Problem problem = plan.problem;
  problem.epilogue = epilogue ? &epilogue : nullptr;
  const auto &phases = plan.kernel.phases;
  SkinnyEmitter(skinny, problem, sharedBegin, module, (phases.end() - skinny.phases().size())->symbol, gpu).emit();
  if (skinny.parts > 1)
    emitCombination({skinny.parts, skinny.combinedLanes}, problem, module, phases.back().symbol);
}

} // namespace tenon::codegen
