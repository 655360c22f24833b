// Plain loops: for tiny problems, where packing and register tiles cost more than they save, and for empty sums.
#include "tenon/codegen/kernel/matmul/kernels.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen::matmul {

void emitTasks(Module &module, StringRef symbol, const MatmulTarget &target,
               function_ref<void(Emitter &, Value *, Value *, Value *)> body) {
  Emitter e(module, symbol, kernelParameters(module.getContext()), false);
  e.function->addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
  Value *table = e.arg(0), *scratch = e.arg(3);
  e.loop(e.arg(1), e.arg(2), e.i64(1), {}, [&](Value *task, ArrayRef<Value *>) {
    body(e, table, task, scratch);
    return Values();
  });
  e.ret();
}

namespace {

// Which rows a task computes: [first, first + plan.mc) of batch * m.
template <typename Body> void forEachRow(Emitter &e, const Problem &p, const MatmulPlan &plan, Value *task, Body body) {
  Value *first = e.mul(task, plan.mc);
  Value *last = e.min(e.add(first, plan.mc), p.batch * p.m);
  e.loop(first, last, e.i64(1), {}, [&](Value *row, ArrayRef<Value *>) {
    body(e.udiv(row, p.m), p.batch == 1 ? row : e.urem(row, p.m));
    return Values();
  });
}

class SimpleWriter {
public:
  SimpleWriter(Emitter &e, const Problem &p, const MatmulPlan &plan, Value *table, Value *scratch)
      : e_(e), p_(p), plan_(plan), table_(table), scratch_(scratch) {}

  void writeTask(Value *task) {
    if (!plan_.packRhs)
      return forEachRow(e_, p_, plan_, task, [&](Value *batch, Value *m) {
        writeRow(batch, m, {rhsBase(e_, p_, table_, batch), rhsStrides()});
      });
    int64_t batches = plan_.mc / p_.m; // of a task
    Value *first = e_.mul(task, batches), *last = e_.min(e_.add(first, batches), p_.batch);
    e_.loop(first, last, 1, [&](Value *batch) {
      pack(rhsBase(e_, p_, table_, batch));
      e_.loop(e_.i64(0), e_.i64(p_.m), 1, [&](Value *m) { writeRow(batch, m, {scratch_, packedStrides()}); });
    });
  }

private:
  // Where the elements of one batch's rhs are.
  struct Rhs {
    Value *base;
    SmallVector<int64_t, 4> strides; // of the dimensions of k
  };

  SmallVector<int64_t, 4> rhsStrides() const {
    return llvm::map_to_vector<4>(p_.kDims, [](const Problem::KDim &dim) { return dim.rhsStride; });
  }
  // [k, n]
  SmallVector<int64_t, 4> packedStrides() const {
    SmallVector<int64_t, 4> strides(p_.kDims.size());
    int64_t stride = p_.n;
    for (size_t dim = strides.size(); dim-- > 0; stride *= p_.kDims[dim].size)
      strides[dim] = stride;
    return strides;
  }

  llvm::Type *accumulator() { return accumulatorType(e_.b.getContext(), p_.arithmetic); }

  // Columns that are apart are copied side by side, and to the type of sums.
  void pack(Value *rhs) {
    e_.loop(e_.i64(0), e_.i64(p_.n), 1, [&](Value *n) { packColumn(0, rhs, offsetOf(e_, p_.nRhs, n), n); });
  }

  void packColumn(size_t depth, Value *rhs, Value *from, Value *to) {
    if (depth == p_.kDims.size())
      return e_.store(loadElements(e_, p_, false, rhs, from, 1)[0], e_.gep(accumulator(), scratch_, to));
    int64_t stride = packedStrides()[depth];
    e_.loop(e_.i64(0), e_.i64(p_.kDims[depth].size), 1, [&](Value *i) {
      packColumn(depth + 1, rhs, e_.add(from, e_.mul(i, p_.kDims[depth].rhsStride)), e_.add(to, e_.mul(i, stride)));
    });
  }

  void writeRow(Value *batch, Value *m, const Rhs &rhs) {
    Value *lhs = lhsBase(e_, p_, table_, batch), *lhsOffset = offsetOf(e_, p_.mLhs, m);
    forEachPiece([&](Value *n, unsigned lanes) {
      Values acc(chains() * p_.components(), Constant::getNullValue(e_.vec(accumulator(), lanes)));
      Value *rhsOffset = plan_.packRhs ? n : offsetOf(e_, p_.nRhs, n);
      acc = sumOverK(0, lhs, rhs, lhsOffset, rhsOffset, lanes, acc);
      storeOutput(e_, p_, {table_, batch, m, n}, lanes, totals(acc));
    });
  }

  // A sum waits for one product after the other. Where a row has no sums beside it that go on meanwhile, the products
  // of neighbours in the last dimension of k go to several sums.
  unsigned chains() const {
    constexpr int64_t kLongSum = 64;
    return p_.n == 1 && p_.k >= kLongSum && p_.kDims.back().size >= 2 * int64_t(kChains) ? kChains : 1;
  }

  Values totals(Values acc) {
    unsigned parts = p_.components();
    for (size_t half = acc.size() / 2; half >= parts; half /= 2) {
      for (size_t i = 0; i < half; ++i)
        acc[i] = acc[i]->getType()->isFPOrFPVectorTy() ? e_.b.CreateFAdd(acc[i], acc[half + i])
                                                       : e_.b.CreateAdd(acc[i], acc[half + i]);
      acc.resize(half);
    }
    return acc;
  }

  // The columns in vectors, and what is left of them in vectors of half as many lanes, and half of that.
  void forEachPiece(function_ref<void(Value *, unsigned)> piece) {
    unsigned lanes = p_.nRhs.isContiguous() || plan_.packRhs ? unsigned(plan_.lanes) : 1;
    if (p_.laneRun() < p_.n)
      return forEachOutputPiece(e_, p_, e_.i64(0), e_.i64(p_.n), lanes, piece);
    for (int64_t begin = 0; begin < p_.n; lanes /= 2) {
      int64_t end = begin + (p_.n - begin) / lanes * lanes;
      if (begin < end)
        e_.loop(e_.i64(begin), e_.i64(end), lanes, [&](Value *n) { piece(n, lanes); });
      begin = end;
    }
  }

  // acc += lhs[m, k] * rhs[k, n..] over dimension `depth` of k and those inside it.
  Values sumOverK(size_t depth, Value *lhs, const Rhs &rhs, Value *lhsOffset, Value *rhsOffset, unsigned lanes,
                  ArrayRef<Value *> acc) {
    if (depth == p_.kDims.size())
      return addProduct(loadElements(e_, p_, true, lhs, lhsOffset, 1), columnsAt(rhs, rhsOffset, lanes), lanes, acc);
    const Problem::KDim &dim = p_.kDims[depth];
    auto step = [&](Value *i, ArrayRef<Value *> carried) {
      return sumOverK(depth + 1, lhs, rhs, e_.add(lhsOffset, e_.mul(i, dim.lhsStride)),
                      e_.add(rhsOffset, e_.mul(i, rhs.strides[depth])), lanes, carried);
    };
    if (dim.size == 1)
      return step(e_.i64(0), acc);
    if (depth + 1 < p_.kDims.size() || chains() == 1)
      return e_.loop(e_.i64(0), e_.i64(dim.size), e_.i64(1), acc, step);
    unsigned parts = p_.components();
    auto addTo = [&](MutableArrayRef<Value *> sums, unsigned chain, Value *i) {
      MutableArrayRef<Value *> sum = sums.slice(chain * parts, parts);
      llvm::copy(step(i, sum), sum.begin());
    };
    int64_t whole = dim.size / kChains * kChains;
    Values sums = e_.loop(e_.i64(0), e_.i64(whole), e_.i64(kChains), acc, [&](Value *i, ArrayRef<Value *> before) {
      Values after(before.begin(), before.end());
      for (unsigned chain = 0; chain < kChains; ++chain)
        addTo(after, chain, e_.add(i, chain));
      return after;
    });
    for (int64_t i = whole; i < dim.size; ++i)
      addTo(sums, unsigned(i - whole), e_.i64(i));
    return sums;
  }

  Values columnsAt(const Rhs &rhs, Value *offset, unsigned lanes) {
    if (!plan_.packRhs)
      return loadElements(e_, p_, false, rhs.base, offset, lanes);
    return {e_.load(e_.vec(accumulator(), lanes), e_.gep(accumulator(), rhs.base, offset))};
  }

  Values addProduct(Values a, const Values &b, unsigned lanes, ArrayRef<Value *> acc) {
    for (Value *&part : a)
      part = e_.splat(part, lanes);
    Values next;
    next.push_back(multiplyAdd(e_, a[0], b[0], acc[0], false, p_.target));
    if (p_.arithmetic.complex) {
      next[0] = multiplyAdd(e_, a[1], b[1], next[0], true, p_.target);
      next.push_back(multiplyAdd(e_, a[0], b[1], acc[1], false, p_.target));
      next[1] = multiplyAdd(e_, a[1], b[0], next[1], false, p_.target);
    }
    return next;
  }

  static constexpr unsigned kChains = 4; // sums of one element, a power of two

  Emitter &e_;
  const Problem &p_;
  const MatmulPlan &plan_;
  Value *table_, *scratch_;
};

} // namespace

int64_t simpleScratchBytes(const Problem &p, const MatmulPlan &plan) {
  return plan.packRhs ? p.k * p.n * p.arithmetic.unitBytes : 0;
}

void emitSimple(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  emitTasks(module, symbol, p.target, [&](Emitter &e, Value *table, Value *task, Value *scratch) {
    SimpleWriter(e, p, plan, table, scratch).writeTask(task);
  });
}

void emitFill(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  emitTasks(module, symbol, p.target, [&](Emitter &e, Value *table, Value *task, Value *) {
    llvm::Type *accumulator = accumulatorType(e.b.getContext(), p.arithmetic);
    forEachRow(e, p, plan, task, [&](Value *batch, Value *m) {
      forEachOutputPiece(e, p, e.i64(0), e.i64(p.n), unsigned(plan.lanes), [&](Value *n, unsigned lanes) {
        Values zero(p.components(), Constant::getNullValue(e.vec(accumulator, lanes)));
        storeOutput(e, p, {table, batch, m, n}, lanes, zero);
      });
    });
  });
}

} // namespace tenon::codegen::matmul
