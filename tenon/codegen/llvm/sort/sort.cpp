// A task sorts one row (all positions of the sort dimension at one index of the others): it computes the permutation
// and then gathers every operand through it.
//
// The usual comparators order by the bits of one operand; for them the permutation comes from a radix sort of unsigned
// keys, eight bits a pass, least significant first: stable, no comparisons, a few nanoseconds an element. Any other
// comparator is compiled to a function that a merge sort calls. Both are stable, whether that was asked for or not.

#include "tenon/codegen/llvm/sort/sort.h"

#include "tenon/codegen/common/region/region_indexer.h"
#include "tenon/codegen/llvm/computation.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/sort/order.h"
#include "tenon/ir/stablehlo.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen::sort {
namespace {

// Below this many elements clearing and scanning the histograms costs more than merging.
constexpr int64_t kMinRadix = 96;

int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

int64_t keyBytes(const SortPlan &plan) { return keyBits(elementTypeOf(plan.op->getOperand(plan.order->operand))) / 8; }

class SortEmitter {
public:
  SortEmitter(const SortPlan &plan, llvm::Module &module, const KernelTarget &target)
      : plan(plan), op(plan.op), e(module, plan.kernel.phases[0].symbol, kernelParameters(module.getContext()), false),
        module(module), target(target), index(e.b.getInt32Ty()), stride(plan.stride), count(plan.count) {}

  LogicalResult run() {
    if (!plan.order && failed(emitComparator()))
      return failure();
    e.loop(e.arg(1), e.arg(2), 1, [&](llvm::Value *row) { emitRow(row); });
    e.ret();
    return success();
  }

private:
private:
  Type elementOf(unsigned operand) { return elementTypeOf(op->getOperand(operand)); }
  llvm::Value *scratchAt(int64_t offset) { return e.gep(e.b.getInt8Ty(), e.arg(3), offset); }

  // Element number of position `i` in the row that starts at `base`.
  llvm::Value *place(llvm::Value *base, llvm::Value *i) { return e.add(base, e.mul(i, stride)); }

  Element loadOperand(Emitter &at, llvm::Value *table, unsigned operand, llvm::Value *position) {
    Type element = elementOf(operand);
    return loadElements(at.b, element, elementAddress(at.b, element, at.buffer(table, operand), position), 1);
  }

  // i1 less(table, base, i, j)
  LogicalResult emitComparator() {
    llvm::Type *pointer = e.b.getPtrTy(), *i64 = e.b.getInt64Ty();
    auto *type = llvm::FunctionType::get(e.b.getInt1Ty(), {pointer, i64, index, index}, false);
    comparator =
        llvm::Function::Create(type, llvm::Function::InternalLinkage, plan.kernel.phases[0].symbol + "_less", module);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "", comparator));
    SmallVector<Element> arguments;
    for (unsigned operand = 0; operand < op.getInputs().size(); ++operand)
      for (unsigned side : {2u, 3u}) {
        llvm::Value *i = b.CreateZExt(comparator->getArg(side), i64);
        llvm::Value *position = b.CreateAdd(comparator->getArg(1), b.CreateMul(i, b.getInt64(stride)));
        llvm::Value *slot = b.CreateConstInBoundsGEP1_64(pointer, comparator->getArg(0), operand);
        llvm::Value *base = b.CreateLoad(pointer, slot);
        Type element = elementOf(operand);
        arguments.push_back(loadElements(b, element, elementAddress(b, element, base, position), 1));
      }
    ElementContext context{b};
    auto results = Computations(target).emit(context, op.getComparator(), arguments, 1);
    if (failed(results))
      return failure();
    b.CreateRet((*results)[0].re);
    return success();
  }

  void emitRow(llvm::Value *row) {
    llvm::Value *base = row;
    if (stride > 1)
      base = e.add(e.mul(e.udiv(row, stride), stride * count), e.urem(row, stride));
    else
      base = e.mul(row, count);
    llvm::Value *permutation = plan.order ? emitRadix(base) : emitMerge(base);
    for (unsigned operand = 0; operand < op.getInputs().size(); ++operand) {
      Type element = elementOf(operand);
      llvm::Value *to = e.buffer(e.arg(0), op->getNumOperands() + operand);
      e.loop(e.i64(0), e.i64(count), 1, [&](llvm::Value *i) {
        llvm::Value *from = e.b.CreateZExt(e.load(index, e.gep(index, permutation, i)), e.b.getInt64Ty());
        Element value = loadOperand(e, e.arg(0), operand, place(base, from));
        storeElements(e.b, element, value, elementAddress(e.b, element, to, place(base, i)), 1);
      });
    }
  }

  llvm::Value *emitMerge(llvm::Value *base) {
    llvm::Value *first = scratchAt(0), *second = scratchAt(aligned(count * 4));
    fillIdentity(first);
    return emitMergeSort(e, index, first, second, e.i64(count), [&](llvm::Value *a, llvm::Value *b) -> llvm::Value * {
      return e.b.CreateCall(comparator, {e.arg(0), base, a, b});
    });
  }

  void fillIdentity(llvm::Value *indices) {
    e.loop(e.i64(0), e.i64(count), 1,
           [&](llvm::Value *i) { e.store(e.b.CreateTrunc(i, index), e.gep(index, indices, i)); });
  }

  llvm::Value *emitRadix(llvm::Value *base) {
    Type element = elementOf(plan.order->operand);
    keyType = e.b.getIntNTy(keyBits(element));
    int64_t offset = 0;
    auto take = [&](int64_t bytes) { return scratchAt(std::exchange(offset, offset + aligned(bytes))); };
    llvm::Value *indices[2] = {take(count * 4), take(count * 4)};
    llvm::Value *keys[2] = {take(count * keyBytes(plan)), take(count * keyBytes(plan))};
    llvm::Value *histogram = take(2048);
    fillIdentity(indices[0]);
    e.loop(e.i64(0), e.i64(count), 1, [&](llvm::Value *i) {
      llvm::Value *value = loadOperand(e, e.arg(0), plan.order->operand, place(base, i)).re;
      e.store(orderedKey(e.b, element, *plan.order, value), e.gep(keyType, keys[0], i));
    });
    for (int64_t pass = 0; pass < keyBytes(plan); ++pass)
      emitPass(keys[pass % 2], indices[pass % 2], keys[1 - pass % 2], indices[1 - pass % 2], histogram, pass * 8);
    return indices[keyBytes(plan) % 2];
  }

  llvm::Value *digit(llvm::Value *key, int64_t shift) {
    llvm::Value *wide = e.b.CreateZExtOrTrunc(e.b.CreateLShr(key, shift), e.b.getInt64Ty());
    return e.b.CreateAnd(wide, 255);
  }

  void emitPass(llvm::Value *keys, llvm::Value *indices, llvm::Value *nextKeys, llvm::Value *nextIndices,
                llvm::Value *histogram, int64_t shift) {
    llvm::Type *i64 = e.b.getInt64Ty();
    e.b.CreateMemSet(histogram, e.b.getInt8(0), 2048, llvm::MaybeAlign(64));
    e.loop(e.i64(0), e.i64(count), 1, [&](llvm::Value *i) {
      llvm::Value *slot = e.gep(i64, histogram, digit(e.load(keyType, e.gep(keyType, keys, i)), shift));
      e.store(e.add(e.load(i64, slot), 1), slot);
    });
    e.loop(e.i64(0), e.i64(256), e.i64(1), {e.i64(0)},
           [&](llvm::Value *bin, llvm::ArrayRef<llvm::Value *> total) -> Values {
             llvm::Value *slot = e.gep(i64, histogram, bin), *size = e.load(i64, slot);
             e.store(total[0], slot);
             return {e.add(total[0], size)};
           });
    e.loop(e.i64(0), e.i64(count), 1, [&](llvm::Value *i) {
      llvm::Value *key = e.load(keyType, e.gep(keyType, keys, i));
      llvm::Value *slot = e.gep(i64, histogram, digit(key, shift)), *to = e.load(i64, slot);
      e.store(e.add(to, 1), slot);
      e.store(key, e.gep(keyType, nextKeys, to));
      e.store(e.load(index, e.gep(index, indices, i)), e.gep(index, nextIndices, to));
    });
  }

  const SortPlan &plan;
  sh::SortOp op;
  Emitter e;
  llvm::Module &module;
  const KernelTarget &target;
  llvm::Type *index;
  llvm::Type *keyType = nullptr;
  llvm::Function *comparator = nullptr;
  int64_t stride, count;
};

} // namespace

bool canEmitSort(Operation *op, const KernelTarget &target) {
  auto sort = dyn_cast<sh::SortOp>(op);
  if (!sort || sort.getInputs().empty())
    return false;
  for (Type type : op->getOperandTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || !isElementTypeSupported(tensor.getElementType()) ||
        tensor.getDimSize(sort.getDimension()) > INT32_MAX)
      return false;
  }
  return isComputationSupported(sort.getComparator(), target);
}

SortPlan planSort(Operation *op, StringRef symbol) {
  SortPlan plan;
  plan.op = cast<sh::SortOp>(op);
  auto type = cast<RankedTensorType>(plan.op.getInputs()[0].getType());
  int64_t dimension = plan.op.getDimension();
  plan.count = type.getDimSize(dimension);
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dimension)
      (i < dimension ? plan.outer : plan.stride) *= type.getDimSize(i);
  if (plan.count >= kMinRadix)
    plan.order = recognizeComparator(plan.op.getComparator());
  Kernel &kernel = plan.kernel;
  kernel.kind = "sort";
  int64_t rows = plan.count == 0 ? 0 : plan.outer * plan.stride;
  double perElement = plan.order ? 3.0 * keyBytes(plan) + 4 : 12.0 * llvm::Log2_64_Ceil(plan.count + 2);
  kernel.phases.push_back({symbol.str(), rows, perElement * double(rows) * double(plan.count)});
  kernel.scratchBytes = 2 * aligned(plan.count * 4);
  if (plan.order)
    kernel.scratchBytes += 2 * aligned(plan.count * keyBytes(plan)) + 2048;
  kernel.resultInit.assign(op->getNumResults(), -1);
  for (Value operand : plan.op.getInputs())
    kernel.bytes +=
        2.0 * double(plan.count) * double(plan.outer * plan.stride) * double(storageBytes(elementTypeOf(operand)));
  return plan;
}

void SortPlan::print(llvm::raw_ostream &os) const {
  os << outer * stride << " rows of " << count << ", " << stride << " apart: ";
  if (order)
    os << "radix sort of operand " << order->operand << (order->descending ? " descending" : "")
       << (order->mergeZeros ? " with equal zeros" : "") << (order->mergeNans ? " with equal NaNs" : "") << '\n';
  else
    os << "merge sort\n";
}

LogicalResult emitSort(const SortPlan &plan, llvm::Module &module, const KernelTarget &target) {
  return SortEmitter(plan, module, target).run();
}

} // namespace tenon::codegen::sort
