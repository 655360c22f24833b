// The register tile: plan.mr rows by a few vectors of accumulators, one broadcast of lhs and one vector of rhs at a
// time.
#include "tenon/codegen/cpu/matmul/tiled.h"

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
  os << "tenon.tile." << program::elementTypeName(p.spec.lhs) << "." << program::elementTypeName(p.spec.rhs) << "."
     << int(p.arithmetic.compute) << (p.arithmetic.rhsUnsigned ? "u" : "") << "." << kernel.plan.mr << "x" << vectors
     << "x" << kernel.plan.lanes << "." << layout.panelColumns << "." << layout.columnSums;
  if (kernel.plan.packLhs)
    os << ".a" << layout.lhsRowStride << "," << layout.lhsKStride;
  else
    os << ".in" << p.innerK().lhsStride;
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
      : kernel(kernel), p(kernel.p), layout(kernel.layout), vectors(vectors), packedRhs(packedRhs),
        rows(unsigned(kernel.plan.mr)), lanes(unsigned(kernel.plan.lanes)), parts(p.components()),
        e(kernel.module, name,
          {kernel.pointer(), kernel.pointer(), kernel.pointer(), kernel.i64(), kernel.i64(), kernel.pointer(),
           kernel.i64(), Type::getInt1Ty(kernel.context())},
          true) {
    accVector = e.vec(kernel.accumulator(), lanes);
    unitVector = e.vec(kernel.unit(), lanes);
  }

  Function *write() {
    findRows();
    Values acc = sum(Values(size_t(rows) * vectors * parts, Constant::getNullValue(accVector)));
    finish(acc);
    e.ret();
    return e.function;
  }

private:
  using Type = llvm::Type;

  void findRows() {
    Value *a = e.arg(0);
    for (unsigned i = 0; i < rows; ++i) {
      if (kernel.plan.packLhs) {
        rowPointers.push_back(e.gep(kernel.unit(), a, int64_t(i * parts) * layout.lhsRowStride));
        continue;
      }
      Value *offset = e.load(e.b.getInt64Ty(), e.gep(e.b.getInt64Ty(), e.arg(1), int64_t(i)));
      rowPointers.push_back(e.gep(lhsElement(), a, e.mul(offset, parts)));
    }
  }

  Type *lhsElement() { return storageType(e.b.getContext(), p.spec.lhs); }

  // Address of accumulator vector j (part of complex) of row i.
  Value *place(unsigned i, unsigned j, unsigned part) {
    Value *row = e.mul(e.arg(6), i);
    return e.gep(kernel.accumulator(), e.arg(5), e.add(row, part * layout.panelColumns + int64_t(j * lanes)));
  }

  // A pass sums on its own and then adds what was there: a sum over all of k would round as often as k is long.
  void finish(ArrayRef<Value *> acc) {
    auto store = [&](bool accumulate) {
      for (unsigned i = 0; i < rows; ++i)
        for (unsigned part = 0; part < parts; ++part)
          for (unsigned j = 0; j < vectors; ++j) {
            Value *value = acc[index(i, j, part)], *at = place(i, j, part);
            if (layout.columnSums)
              value = e.b.CreateAdd(value, e.load(accVector, e.gep(kernel.unit(), e.arg(2), int64_t(j * lanes))));
            if (accumulate) {
              Value *before = e.load(accVector, at);
              value = accVector->isFPOrFPVectorTy() ? e.b.CreateFAdd(before, value) : e.b.CreateAdd(before, value);
            }
            e.store(value, at);
          }
      return Values();
    };
    if (layout.kBlocks == 1)
      store(false);
    else
      e.ifElse(e.arg(7), [&] { return store(true); }, [&] { return store(false); });
  }

  unsigned index(unsigned i, unsigned j, unsigned part) { return (i * parts + part) * vectors + j; }

  // One k unit: aAt is an index of elements (in place) or units (packed), bAt where the rhs's row starts.
  Values step(Value *aAt, Value *bAt, ArrayRef<Value *> before) {
    Values acc(before.begin(), before.end());
    Values b;
    Type *bType = packedRhs ? kernel.unit() : storageType(e.b.getContext(), p.spec.rhs);
    for (unsigned part = 0; part < parts; ++part)
      for (unsigned j = 0; j < vectors; ++j) {
        Value *at = e.gep(bType, bAt, part * layout.panelColumns + int64_t(j * lanes));
        b.push_back(e.load(unitVector, at, packedRhs ? 4 : 0));
      }
    for (unsigned i = 0; i < rows; ++i) {
      Values a;
      for (unsigned part = 0; part < parts; ++part) {
        Value *at = e.add(e.mul(aAt, parts), part);
        Value *pointer = e.gep(kernel.plan.packLhs ? kernel.unit() : lhsElement(), rowPointers[i], at);
        int64_t align = kernel.plan.packLhs ? 4 : program::byteSize(p.spec.lhs) / parts;
        a.push_back(e.splat(e.load(kernel.unit(), pointer, align), lanes));
      }
      for (unsigned j = 0; j < vectors; ++j) {
        Value *&re = acc[index(i, j, 0)];
        re = dotStep(e, p.arithmetic, a[0], b[j], re, p.target);
        if (parts == 1)
          continue;
        Value *&im = acc[index(i, j, 1)];
        re = multiplyAdd(e, a[1], b[vectors + j], re, true, p.target);
        im = multiplyAdd(e, a[0], b[vectors + j], im, false, p.target);
        im = multiplyAdd(e, a[1], b[j], im, false, p.target);
      }
    }
    return acc;
  }

  int64_t aStep() { return kernel.plan.packLhs ? layout.lhsKStride : p.innerK().lhsStride * layout.groupK; }
  int64_t bStep() { return packedRhs ? layout.panelColumns * parts : p.innerK().rhsStride * layout.groupK; }

  // `count` units from element (or unit) aStart of each row and bStart of the rhs.
  Values units(Value *count, Value *aStart, Value *bStart, ArrayRef<Value *> acc) {
    Type *bType = packedRhs ? kernel.unit() : storageType(e.b.getContext(), p.spec.rhs);
    Values carried = {aStart, e.gep(bType, e.arg(2), bStart)};
    carried.append(acc.begin(), acc.end());
    carried = e.countDown(count, carried, [&](ArrayRef<Value *> before) {
      Values next = {e.opaque(e.add(before[0], aStep())), e.opaque(e.gep(bType, before[1], bStep()))};
      next.append(step(before[0], before[1], before.drop_front(2)));
      return next;
    });
    return Values(carried.begin() + 2, carried.end());
  }

  Values sum(ArrayRef<Value *> acc) {
    bool aInPlace = !kernel.plan.packLhs, bInPlace = !packedRhs;
    Value *from = e.arg(3), *to = e.arg(4);
    Value *head = e.i64(packedRhs ? layout.columnSums : 0);
    if (!kernel.multiRun()) {
      // Packed operands start at the block, operands in place at k = 0.
      Value *count = e.sub(to, from);
      Value *aStart = aInPlace ? e.mul(from, aStep()) : e.i64(0);
      Value *bStart = bInPlace ? e.mul(from, bStep()) : head;
      return units(count, aStart, bStart, acc);
    }
    int64_t runUnits = p.runLength() / layout.groupK;
    Value *tables[2] = {nullptr, nullptr};
    for (bool isLhs : {false, true})
      if (isLhs ? aInPlace : bInPlace)
        tables[isLhs] = runTable(kernel, e.function->getName(), isLhs);
    if (layout.runPasses) { // a part of one run
      Value *run = e.udiv(from, runUnits), *within = e.urem(from, runUnits);
      auto start = [&](bool isLhs, bool inPlace, int64_t stride, Value *first) -> Value * {
        if (!inPlace)
          return first;
        Value *runStart = e.load(e.b.getInt64Ty(), e.gep(e.b.getInt64Ty(), tables[isLhs], run));
        return e.add(runStart, e.mul(within, stride));
      };
      return units(e.sub(to, from), start(true, aInPlace, aStep(), e.i64(0)), start(false, bInPlace, bStep(), head),
                   acc);
    }
    return e.loop(from, to, e.i64(1), acc, [&](Value *run, ArrayRef<Value *> carried) {
      Value *position = e.mul(e.sub(run, from), runUnits);
      auto start = [&](bool isLhs, bool inPlace, int64_t stride, Value *first) {
        if (!inPlace)
          return e.add(first, e.mul(position, stride));
        return e.load(e.b.getInt64Ty(), e.gep(e.b.getInt64Ty(), tables[isLhs], run));
      };
      Value *aStart = start(true, aInPlace, aStep(), e.i64(0));
      Value *bStart = start(false, bInPlace, bStep(), head);
      return units(e.i64(runUnits), aStart, bStart, carried);
    });
  }

  const TiledKernel &kernel;
  const Problem &p;
  const TiledLayout &layout;
  unsigned vectors;
  bool packedRhs;
  unsigned rows, lanes, parts;
  Emitter e;
  Type *accVector, *unitVector;
  Values rowPointers;
};

} // namespace

Function *emitTile(const TiledKernel &kernel, unsigned vectors, bool packedRhs) {
  std::string name = tileName(kernel, vectors, packedRhs);
  if (Function *tile = kernel.module.getFunction(name))
    return tile;
  return TileWriter(kernel, vectors, packedRhs, name).write();
}

} // namespace tenon::codegen::matmul
