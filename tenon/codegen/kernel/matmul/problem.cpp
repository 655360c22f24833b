#include "tenon/codegen/kernel/matmul/problem.h"

#include "tenon/support/insertion_sort.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace llvm;

namespace tenon::codegen::matmul {

ContractionSpec swapRoles(const ContractionSpec &spec) {
  ContractionSpec result = spec;
  std::swap(result.lhs, result.rhs);
  std::swap(result.lhsAs, result.rhsAs);
  std::swap(result.lhsOffset, result.rhsOffset);
  std::swap(result.m, result.n);
  for (auto *dims : {&result.batch, &result.m, &result.n, &result.k})
    for (ContractionDim &dim : *dims)
      std::swap(dim.lhsStride, dim.rhsStride);
  return result;
}

static int64_t product(ArrayRef<ContractionDim> dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1),
                         [](int64_t size, const ContractionDim &dim) { return size * dim.size; });
}

static StridedDims collapseFor(ArrayRef<ContractionDim> dims, int64_t ContractionDim::*stride) {
  SmallVector<StridedDims::Dim, 4> list;
  for (const ContractionDim &dim : dims)
    list.push_back({dim.size, dim.*stride});
  return collapse(list);
}

static SmallVector<Problem::KDim, 3> joined(ArrayRef<Problem::KDim> dims) {
  SmallVector<Problem::KDim, 3> result;
  for (const Problem::KDim &dim : dims) {
    if (!result.empty() && result.back().lhsStride == dim.lhsStride * dim.size &&
        result.back().rhsStride == dim.rhsStride * dim.size)
      result.back() = {result.back().size * dim.size, dim.lhsStride, dim.rhsStride};
    else
      result.push_back(dim);
  }
  return result;
}

// The order of a sum is free: inner dimensions are those that lie densest in lhs (then rhs), so that runs get long.
static void joinK(Problem &p) {
  SmallVector<Problem::KDim, 4> dims;
  for (const ContractionDim &dim : p.spec.k)
    if (dim.size != 1)
      dims.push_back({dim.size, dim.lhsStride, dim.rhsStride});
  auto key = [](const Problem::KDim &dim) { return std::pair(std::abs(dim.lhsStride), std::abs(dim.rhsStride)); };
  insertionSort(dims, [&](const Problem::KDim &x, const Problem::KDim &y) { return key(x) > key(y); });
  p.kDims = joined(dims);
  // A short run makes every loop over k short; the longest dimension goes inside then.
  if (p.kDims.size() > 1 && p.kDims.back().size < 8 && !p.lhsIsLinear()) {
    auto longest = std::max_element(dims.begin(), dims.end(), [](auto &x, auto &y) { return x.size < y.size; });
    if (longest->size > 2 * p.kDims.back().size) {
      std::rotate(longest, longest + 1, dims.end());
      p.kDims = joined(dims);
    }
  }
  if (p.kDims.empty())
    p.kDims.push_back({1, 1, 1});
}

StatusOr<Problem> makeProblem(const ContractionSpec &spec, const MatmulTarget &target, bool hasEpilogue, bool swap,
                              const ContractionBuffers &buffers) {
  Problem p;
  p.spec = swap ? swapRoles(spec) : spec;
  p.swapped = swap;
  p.buffers = buffers;
  if (swap) {
    std::swap(p.buffers.lhs, p.buffers.rhs);
    std::swap(p.buffers.lhsBytes, p.buffers.rhsBytes);
  }
  p.target = target;
  p.hasEpilogue = hasEpilogue;
  for (auto *dims : {&p.spec.batch, &p.spec.m, &p.spec.n, &p.spec.k})
    for (const ContractionDim &dim : *dims)
      if (dim.size < 0)
        return invalidArgument("contraction with a negative dimension size");
  std::optional<Arithmetic> arithmetic = chooseArithmetic(p.spec.lhsType(), p.spec.rhsType(), p.sumType(), target);
  if (!arithmetic) {
    std::string message;
    raw_string_ostream(message) << "no contraction of " << spec.lhsType() << " and " << spec.rhsType() << " into "
                                << spec.out;
    return invalidArgument(message);
  }
  p.arithmetic = *arithmetic;
  p.batch = product(p.spec.batch);
  p.m = product(p.spec.m);
  p.n = product(p.spec.n);
  p.k = product(p.spec.k);
  p.batchLhs = collapseFor(p.spec.batch, &ContractionDim::lhsStride);
  p.batchRhs = collapseFor(p.spec.batch, &ContractionDim::rhsStride);
  p.batchOut = collapseFor(p.spec.batch, &ContractionDim::outStride);
  p.mLhs = collapseFor(p.spec.m, &ContractionDim::lhsStride);
  p.mOut = collapseFor(p.spec.m, &ContractionDim::outStride);
  p.nRhs = collapseFor(p.spec.n, &ContractionDim::rhsStride);
  p.nOut = collapseFor(p.spec.n, &ContractionDim::outStride);
  joinK(p);
  return p;
}

bool Problem::lhsIsLinear() const {
  for (size_t i = 0; i + 1 < kDims.size(); ++i)
    if (kDims[i].lhsStride != kDims[i + 1].lhsStride * kDims[i + 1].size)
      return false;
  return true;
}

SmallVector<int64_t> Problem::runOffsets(bool isLhs) const {
  SmallVector<int64_t> offsets{0};
  for (const KDim &dim : ArrayRef(kDims).drop_back()) {
    SmallVector<int64_t> next;
    for (int64_t outer : offsets)
      for (int64_t i = 0; i < dim.size; ++i)
        next.push_back(outer + i * (isLhs ? dim.lhsStride : dim.rhsStride));
    offsets = std::move(next);
  }
  return offsets;
}

int64_t Problem::rhsPanelColumns() const {
  bool isInPanels = nRhs.dims.size() == 2 && nRhs.hasContiguousRuns() && innerK().rhsStride == nRhs.inner().size &&
                    nRhs.dims.front().stride == k * nRhs.inner().size;
  for (size_t i = 0; i + 1 < kDims.size(); ++i)
    isInPanels &= kDims[i].rhsStride == kDims[i + 1].rhsStride * kDims[i + 1].size;
  return isInPanels ? nRhs.inner().size : 0;
}

int64_t Problem::laneRun() const {
  if (!nOut.hasContiguousRuns())
    return 0;
  int64_t run = nOut.isAffine() ? std::max<int64_t>(n, 1) : nOut.inner().size;
  if (!hasEpilogue)
    return run;
  if (swapped && !spec.epilogueLanesAlongM)
    return 0;
  if (!spec.epilogueLanesMayWrap)
    for (const ContractionDim &dim : llvm::reverse(spec.n))
      if (dim.size != 1) {
        run = std::min(run, dim.size);
        break;
      }
  return run;
}

int Problem::laneDim() const {
  int first = int(spec.batch.size()) + (swapped ? 0 : int(spec.m.size()));
  for (size_t i = spec.n.size(); i-- > 0;)
    if (spec.n[i].size != 1)
      return first + int(i);
  return spec.n.empty() ? -1 : first + int(spec.n.size()) - 1;
}

bool Problem::storesAccumulator() const {
  return !hasEpilogue && !arithmetic.complex && haveSameBits(spec.out, arithmetic.sum);
}

static Value *bytePointer(Emitter &e, const Problem &p, Value *table, int index, int64_t bytes) {
  return e.gep(e.b.getInt8Ty(), e.buffer(table, index), bytes);
}

Value *elementPointer(Emitter &e, mlir::Type type, Value *base, Value *offset) {
  return e.gep(storageType(e.b.getContext(), type), base, e.mul(offset, isa<mlir::ComplexType>(type) ? 2 : 1));
}

Value *lhsBase(Emitter &e, const Problem &p, Value *table, Value *batch) {
  Value *start = bytePointer(e, p, table, p.buffers.lhs, p.buffers.lhsBytes);
  return elementPointer(e, p.spec.lhs, start, e.add(offsetOf(e, p.batchLhs, batch), p.spec.lhsOffset));
}

Value *rhsBase(Emitter &e, const Problem &p, Value *table, Value *batch) {
  Value *start = bytePointer(e, p, table, p.buffers.rhs, p.buffers.rhsBytes);
  return elementPointer(e, p.spec.rhs, start, e.add(offsetOf(e, p.batchRhs, batch), p.spec.rhsOffset));
}

Value *outBase(Emitter &e, const Problem &p, Value *table) { return e.buffer(table, p.buffers.out); }

Value *outBase(Emitter &e, const Problem &p, Value *table, Value *batch) {
  return elementPointer(e, p.spec.out, outBase(e, p, table), e.add(offsetOf(e, p.batchOut, batch), p.spec.outOffset));
}

static Values partsOf(Element element) { return element.im ? Values{element.re, element.im} : Values{element.re}; }

Values loadElements(Emitter &e, const Problem &p, bool isLhs, Value *base, Value *offset, unsigned lanes) {
  mlir::Type type = isLhs ? p.spec.lhs : p.spec.rhs;
  if (type.isInteger(1)) // the byte it is stored in
    type = mlir::IntegerType::get(type.getContext(), 8, mlir::IntegerType::Unsigned);
  Element element = codegen::loadElements(e.b, type, elementPointer(e, type, base, offset), lanes);
  return partsOf(toUnitElement(e, type, element, p.arithmetic, isLhs));
}

void fetchElement(Emitter &e, const Problem &p, bool isLhs, Value *base, Value *offset, PrefetchTo to) {
  emitPrefetch(e.b, elementPointer(e, isLhs ? p.spec.lhs : p.spec.rhs, base, offset), to);
}

static void unravel(Emitter &e, ArrayRef<ContractionDim> dims, Value *linear, Values &index) {
  Values reversed;
  for (size_t i = dims.size(); i-- > 0;) {
    int64_t outer = 1;
    for (size_t j = 0; j < i; ++j)
      outer *= dims[j].size;
    if (dims[i].size == 1) {
      reversed.push_back(e.i64(0));
      continue;
    }
    reversed.push_back(outer == 1 ? linear : e.urem(linear, dims[i].size));
    linear = e.udiv(linear, dims[i].size);
  }
  index.append(reversed.rbegin(), reversed.rend());
}

static Element convertedSum(Emitter &e, const Problem &p, ArrayRef<Value *> acc) {
  return emitConvert(e.b, p.arithmetic.sum, p.sumType(), {acc[0], acc.size() == 2 ? acc[1] : nullptr});
}

void storeSum(Emitter &e, const Problem &p, Value *base, Value *offset, unsigned lanes, ArrayRef<Value *> acc) {
  storeElements(e.b, p.spec.out, convertedSum(e, p, acc), elementPointer(e, p.spec.out, base, offset), lanes);
}

Value *outputOffset(Emitter &e, const Problem &p, const OutputPlace &place) {
  return e.add(e.add(offsetOf(e, p.batchOut, place.batch), p.spec.outOffset),
               e.add(offsetOf(e, p.mOut, place.m), offsetOf(e, p.nOut, place.n)));
}

static Element elementAt(Emitter &e, const Problem &p, const OutputPlace &place, Value *offset, unsigned lanes,
                         ArrayRef<Value *> acc) {
  Values index;
  unravel(e, p.spec.batch, place.batch, index);
  unravel(e, p.swapped ? p.spec.n : p.spec.m, p.swapped ? place.n : place.m, index);
  unravel(e, p.swapped ? p.spec.m : p.spec.n, p.swapped ? place.m : place.n, index);
  EpilogueContext context;
  context.index = index;
  context.laneDim = lanes == 1 ? -1 : p.laneDim();
  context.lanes = lanes;
  context.outOffset = offset;
  context.buffers = place.table;
  return (*p.epilogue)(e.b, context, convertedSum(e, p, acc));
}

void storeOutput(Emitter &e, const Problem &p, const OutputPlace &place, unsigned lanes, ArrayRef<Value *> acc) {
  Value *offset = outputOffset(e, p, place), *base = outBase(e, p, place.table);
  if (!p.hasEpilogue)
    return storeSum(e, p, base, offset, lanes, acc);
  Element result = elementAt(e, p, place, offset, lanes, acc);
  storeElements(e.b, p.spec.out, result, elementPointer(e, p.spec.out, base, offset), lanes);
}

Element outputElement(Emitter &e, const Problem &p, const OutputPlace &place, unsigned lanes, ArrayRef<Value *> acc) {
  return p.hasEpilogue ? elementAt(e, p, place, outputOffset(e, p, place), lanes, acc) : convertedSum(e, p, acc);
}

void forEachOutputPiece(Emitter &e, const Problem &p, Value *n0, Value *count, unsigned maxLanes,
                        function_ref<void(Value *, unsigned)> piece) {
  int64_t run = p.laneRun();
  unsigned lanes = unsigned(std::min<int64_t>(maxLanes, run ? llvm::bit_floor(uint64_t(run)) : 1));
  if (lanes <= 1)
    return e.loop(e.i64(0), count, 1, [&](Value *j) { piece(j, 1); });
  if (run >= p.n || run % lanes == 0) {
    // Vectors never meet the end of a run, only that of the columns.
    Value *full = e.b.CreateAnd(count, e.i64(-int64_t(lanes)));
    e.loop(e.i64(0), full, lanes, [&](Value *j) { piece(j, lanes); });
    if (auto *c = dyn_cast<ConstantInt>(count); c && c->getSExtValue() % lanes == 0)
      return;
    if (p.n % lanes == 0)
      return; // n0 is a multiple of the lanes, so is the rest
    return e.loop(full, count, 1, [&](Value *j) { piece(j, 1); });
  }
  e.whileLess(e.i64(0), count, [&](Value *j) {
    Value *left = e.min(e.sub(e.i64(run), e.urem(e.add(n0, j), run)), e.sub(count, j));
    std::function<Values(unsigned)> take = [&](unsigned width) -> Values {
      auto here = [&] {
        piece(j, width);
        return Values{e.add(j, int64_t(width))};
      };
      if (width == 1)
        return here();
      return e.ifElse(e.b.CreateICmpSGE(left, e.i64(width)), here, [&] { return take(width > 4 ? width / 4 : 1); });
    };
    return take(lanes)[0];
  });
}

} // namespace tenon::codegen::matmul
