// The register tile: plan.mr rows by a few vectors of accumulators, one broadcast of lhs and one vector of rhs at a
// time.
#include "tenon/codegen/cpu/matmul/tiled.h"
#include "tenon/codegen/llvm/routines.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

GlobalVariable *offsetTable(Module &module, const Twine &name, ArrayRef<int64_t> offsets) {
  Constant *data = ConstantDataArray::get(module.getContext(), offsets);
  auto *table = new GlobalVariable(module, data->getType(), true, GlobalValue::InternalLinkage, data, name);
  table->setAlignment(Align(8));
  return table;
}

// Offsets of the runs of k in one operand.
SmallVector<int64_t> runOffsets(const Problem &p, bool isLhs) {
  SmallVector<int64_t> offsets{0};
  for (const Problem::KDim &dim : ArrayRef(p.kDims).drop_back()) {
    SmallVector<int64_t> next;
    for (int64_t outer : offsets)
      for (int64_t i = 0; i < dim.size; ++i)
        next.push_back(outer + i * (isLhs ? dim.lhsStride : dim.rhsStride));
    offsets = std::move(next);
  }
  return offsets;
}

GlobalVariable *runTable(const TiledKernel &kernel, const Twine &tile, bool isLhs) {
  return offsetTable(kernel.module, tile + (isLhs ? ".lhs_runs" : ".rhs_runs"), runOffsets(kernel.p, isLhs));
}

// Everything a tile's code depends on, so that kernels (the parts of a convolution above all) share equal tiles.
std::string tileName(const TiledKernel &kernel, unsigned vectors, bool packedRhs) {
  const Problem &p = kernel.p;
  const TiledLayout &layout = kernel.layout;
  std::string name;
  raw_string_ostream os(name);
  os << "tenon.tile." << p.spec.lhs << "." << p.spec.rhs << "." << int(p.arithmetic.compute)
     << (p.arithmetic.rhsUnsigned ? "u" : "") << (p.arithmetic.lhsUnsigned ? "v" : "") << "." << kernel.plan.mr << "x"
     << vectors << "x" << kernel.plan.lanes << "." << layout.panelColumns << "." << layout.columnSums;
  if (kernel.plan.packLhs)
    os << ".a" << layout.lhsRowStride << "," << layout.lhsKStride;
  else
    os << ".in" << p.innerK().lhsStride;
  if (!kernel.plan.packLhs && p.arithmetic.inTiles())
    os << "," << p.mLhs.inner().stride;
  if (!packedRhs)
    os << ".b" << p.innerK().rhsStride;
  if (layout.kBlocks > 1)
    os << ".more";
  if (kernel.multiRun()) {
    os << (layout.runPasses ? ".parts" : ".runs") << p.runLength();
    for (bool isLhs : {true, false})
      if (isLhs ? !kernel.plan.packLhs : !packedRhs)
        for (int64_t offset : runOffsets(p, isLhs))
          os << "," << offset;
  }
  if (name.size() > 200) // many runs
    name = name.substr(0, 100) + "." + utohexstr(xxh3_64bits(name));
  return name;
}

class TileWriter {
public:
  TileWriter(const TiledKernel &kernel, unsigned vectors, bool packedRhs, StringRef name)
      : kernel_(kernel), p_(kernel.p), layout_(kernel.layout), vectors_(vectors), packedRhs_(packedRhs),
        rows_(unsigned(kernel.plan.mr)), lanes_(unsigned(kernel.plan.lanes)), parts_(p_.components()),
        e_(kernel.module, name,
           {kernel.pointer(), kernel.pointer(), kernel.pointer(), kernel.i64(), kernel.i64(), kernel.pointer(),
            kernel.i64(), Type::getInt1Ty(kernel.context())},
           true) {
    accVector_ = e_.vec(kernel.accumulator(), lanes_);
    unitVector_ = e_.vec(kernel.unit(), lanes_);
  }

  Function *write() {
    findRows();
    Values acc = sum(Values(size_t(rows_) * vectors_ * parts_, Constant::getNullValue(accVector_)));
    finish(acc);
    e_.ret();
    return e_.function;
  }

private:
  using Type = llvm::Type;

  void findRows() {
    Value *a = e_.arg(0);
    for (unsigned i = 0; i < rows_; ++i) {
      if (kernel_.plan.packLhs) {
        rowPointers_.push_back(e_.gep(kernel_.unit(), a, int64_t(i * parts_) * layout_.lhsRowStride));
        continue;
      }
      Value *offset = e_.load(e_.b.getInt64Ty(), e_.gep(e_.b.getInt64Ty(), e_.arg(1), int64_t(i)));
      rowPointers_.push_back(e_.gep(lhsElement(), a, e_.mul(offset, parts_)));
    }
  }

  Type *lhsElement() { return storageType(e_.b.getContext(), p_.spec.lhs); }

  // Address of accumulator vector j (part of complex) of row i.
  Value *place(unsigned i, unsigned j, unsigned part) {
    Value *row = e_.mul(e_.arg(6), i);
    return e_.gep(kernel_.accumulator(), e_.arg(5), e_.add(row, part * layout_.panelColumns + int64_t(j * lanes_)));
  }

  // A pass sums on its own and then adds what was there: a sum over all of k would round as often as k is long.
  void finish(ArrayRef<Value *> acc) {
    auto store = [&](bool accumulate) {
      for (unsigned i = 0; i < rows_; ++i)
        for (unsigned part = 0; part < parts_; ++part)
          for (unsigned j = 0; j < vectors_; ++j) {
            Value *value = acc[index(i, j, part)], *at = place(i, j, part);
            if (layout_.columnSums)
              value =
                  e_.b.CreateAdd(value, e_.load(accVector_, e_.gep(kernel_.unit(), e_.arg(2), int64_t(j * lanes_))));
            if (accumulate) {
              Value *before = e_.load(accVector_, at);
              value = accVector_->isFPOrFPVectorTy() ? e_.b.CreateFAdd(before, value) : e_.b.CreateAdd(before, value);
            }
            e_.store(value, at);
          }
      return Values();
    };
    if (layout_.kBlocks == 1)
      store(false);
    else
      e_.ifElse(e_.arg(7), [&] { return store(true); }, [&] { return store(false); });
  }

  unsigned index(unsigned i, unsigned j, unsigned part) { return (i * parts_ + part) * vectors_ + j; }

  // One k unit: aAt is an index of elements (in place) or units (packed), bAt where the rhs's row starts.
  Values step(Value *aAt, Value *bAt, ArrayRef<Value *> before) {
    Values acc(before.begin(), before.end());
    Values b;
    Type *bType = packedRhs_ ? kernel_.unit() : storageType(e_.b.getContext(), p_.spec.rhs);
    for (unsigned part = 0; part < parts_; ++part)
      for (unsigned j = 0; j < vectors_; ++j) {
        Value *at = e_.gep(bType, bAt, part * layout_.panelColumns + int64_t(j * lanes_));
        b.push_back(e_.load(unitVector_, at, packedRhs_ ? 4 : 0));
      }
    for (unsigned i = 0; i < rows_; ++i) {
      Values a;
      for (unsigned part = 0; part < parts_; ++part) {
        Value *at = e_.add(e_.mul(aAt, parts_), part);
        Value *pointer = e_.gep(kernel_.plan.packLhs ? kernel_.unit() : lhsElement(), rowPointers_[i], at);
        int64_t align = kernel_.plan.packLhs ? 4 : storageBytes(p_.spec.lhs) / parts_;
        a.push_back(e_.splat(e_.load(kernel_.unit(), pointer, align), lanes_));
      }
      for (unsigned j = 0; j < vectors_; ++j) {
        Value *&re = acc[index(i, j, 0)];
        re = dotStep(e_, p_.arithmetic, a[0], b[j], re, p_.target);
        if (parts_ == 1)
          continue;
        Value *&im = acc[index(i, j, 1)];
        re = multiplyAdd(e_, a[1], b[vectors_ + j], re, true, p_.target);
        im = multiplyAdd(e_, a[0], b[vectors_ + j], im, false, p_.target);
        im = multiplyAdd(e_, a[1], b[j], im, false, p_.target);
      }
    }
    return acc;
  }

  int64_t aStep() { return kernel_.plan.packLhs ? layout_.lhsKStride : p_.innerK().lhsStride * layout_.groupK; }
  int64_t bStep() { return packedRhs_ ? layout_.panelColumns * parts_ : p_.innerK().rhsStride * layout_.groupK; }

  // `count` units from element (or unit) aStart of each row and bStart of the rhs.
  Values units(Value *count, Value *aStart, Value *bStart, ArrayRef<Value *> acc) {
    Type *bType = packedRhs_ ? kernel_.unit() : storageType(e_.b.getContext(), p_.spec.rhs);
    Values carried = {aStart, e_.gep(bType, e_.arg(2), bStart)};
    carried.append(acc.begin(), acc.end());
    carried = e_.countDown(count, carried, [&](ArrayRef<Value *> before) {
      Values next = {e_.opaque(e_.add(before[0], aStep())), e_.opaque(e_.gep(bType, before[1], bStep()))};
      next.append(step(before[0], before[1], before.drop_front(2)));
      return next;
    });
    return Values(carried.begin() + 2, carried.end());
  }

  Values sum(ArrayRef<Value *> acc) {
    bool aInPlace = !kernel_.plan.packLhs, bInPlace = !packedRhs_;
    Value *from = e_.arg(3), *to = e_.arg(4);
    Value *head = e_.i64(packedRhs_ ? layout_.columnSums : 0);
    if (!kernel_.multiRun()) {
      // Packed operands start at the block, operands in place at k = 0.
      Value *count = e_.sub(to, from);
      Value *aStart = aInPlace ? e_.mul(from, aStep()) : e_.i64(0);
      Value *bStart = bInPlace ? e_.mul(from, bStep()) : head;
      return units(count, aStart, bStart, acc);
    }
    int64_t runUnits = p_.runLength() / layout_.groupK;
    Value *tables[2] = {nullptr, nullptr};
    for (bool isLhs : {false, true})
      if (isLhs ? aInPlace : bInPlace)
        tables[isLhs] = runTable(kernel_, e_.function->getName(), isLhs);
    if (layout_.runPasses) { // a part of one run
      Value *run = e_.udiv(from, runUnits), *within = e_.urem(from, runUnits);
      auto start = [&](bool isLhs, bool inPlace, int64_t stride, Value *first) -> Value * {
        if (!inPlace)
          return first;
        Value *runStart = e_.load(e_.b.getInt64Ty(), e_.gep(e_.b.getInt64Ty(), tables[isLhs], run));
        return e_.add(runStart, e_.mul(within, stride));
      };
      return units(e_.sub(to, from), start(true, aInPlace, aStep(), e_.i64(0)), start(false, bInPlace, bStep(), head),
                   acc);
    }
    return e_.loop(from, to, e_.i64(1), acc, [&](Value *run, ArrayRef<Value *> carried) {
      Value *position = e_.mul(e_.sub(run, from), runUnits);
      auto start = [&](bool isLhs, bool inPlace, int64_t stride, Value *first) {
        if (!inPlace)
          return e_.add(first, e_.mul(position, stride));
        return e_.load(e_.b.getInt64Ty(), e_.gep(e_.b.getInt64Ty(), tables[isLhs], run));
      };
      Value *aStart = start(true, aInPlace, aStep(), e_.i64(0));
      Value *bStart = start(false, bInPlace, bStep(), head);
      return units(e_.i64(runUnits), aStart, bStart, carried);
    });
  }

  const TiledKernel &kernel_;
  const Problem &p_;
  const TiledLayout &layout_;
  unsigned vectors_;
  bool packedRhs_;
  unsigned rows_, lanes_, parts_;
  Emitter e_;
  Type *accVector_, *unitVector_;
  Values rowPointers_;
};

} // namespace

Function *emitTile(const TiledKernel &kernel, unsigned vectors, bool packedRhs) {
  std::string name = tileName(kernel, vectors, packedRhs);
  if (Function *tile = kernel.module.getFunction(name))
    return tile;
  bool inTiles = kernel.p.arithmetic.inTiles();
  Function *tile = inTiles ? emitAmxTile(kernel, vectors, name) : TileWriter(kernel, vectors, packedRhs, name).write();
  std::string shape =
      std::to_string(kernel.plan.mr) + "x" + std::to_string(vectors) + "x" + std::to_string(kernel.plan.lanes);
  // A product of four registers of AMX takes as long as 64 instructions.
  double products = inTiles ? 2 : double(kernel.plan.mr) * vectors * kernel.p.components() * kernel.p.components();
  markRoutine(*tile, (inTiles ? "amx." : "tile.") + shape, 2 * products * double(kernel.layout.blockUnits));
  return tile;
}

} // namespace tenon::codegen::matmul
