// The usual comparators order by the bits of one operand; for them there are the ranks of rank.cpp, for short rows, and
// the radix sort of radix.cpp, both of which are routines. Any other comparator is compiled to a function that a merge
// sort calls: a task sorts one row (all positions of the sort dimension at one index of the others), computing the
// permutation and then gathering every operand through it. Both are stable, whether that was asked for or not.

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

int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

class MergeEmitter {
public:
  MergeEmitter(const SortPlan &plan, llvm::Module &module, const EmissionTarget &target)
      : plan_(plan), op_(plan.op),
        e_(module, plan.kernel.phases[0].symbol, kernelParameters(module.getContext()), false), module_(module),
        target_(target), index_(e_.b.getInt32Ty()), stride_(plan.stride), count_(plan.count) {}

  LogicalResult run() {
    if (failed(emitComparator()))
      return failure();
    e_.loop(e_.arg(1), e_.arg(2), 1, [&](llvm::Value *row) { emitRow(row); });
    e_.ret();
    return success();
  }

private:
  Type elementOf(unsigned operand) { return elementTypeOf(op_->getOperand(operand)); }
  llvm::Value *scratchAt(int64_t offset) { return e_.gep(e_.b.getInt8Ty(), e_.arg(3), offset); }

  // Element number of position `i` in the row that starts at `base`.
  llvm::Value *place(llvm::Value *base, llvm::Value *i) { return e_.add(base, e_.mul(i, stride_)); }

  Element loadOperand(Emitter &at, llvm::Value *table, unsigned operand, llvm::Value *position) {
    Type element = elementOf(operand);
    return loadElements(at.b, element, elementAddress(at.b, element, at.buffer(table, operand), position), 1);
  }

  // i1 less(table, base, i, j)
  LogicalResult emitComparator() {
    llvm::Type *pointer = e_.b.getPtrTy(), *i64 = e_.b.getInt64Ty();
    auto *type = llvm::FunctionType::get(e_.b.getInt1Ty(), {pointer, i64, index_, index_}, false);
    comparator_ =
        llvm::Function::Create(type, llvm::Function::InternalLinkage, plan_.kernel.phases[0].symbol + "_less", module_);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(module_.getContext(), "", comparator_));
    SmallVector<Element> arguments;
    for (unsigned operand = 0; operand < op_.getInputs().size(); ++operand)
      for (unsigned side : {2u, 3u}) {
        llvm::Value *i = b.CreateZExt(comparator_->getArg(side), i64);
        llvm::Value *position = b.CreateAdd(comparator_->getArg(1), b.CreateMul(i, b.getInt64(stride_)));
        llvm::Value *slot = b.CreateConstInBoundsGEP1_64(pointer, comparator_->getArg(0), operand);
        llvm::Value *base = b.CreateLoad(pointer, slot);
        Type element = elementOf(operand);
        arguments.push_back(loadElements(b, element, elementAddress(b, element, base, position), 1));
      }
    auto results = Computations(target_).emit(b, op_.getComparator(), arguments, 1);
    if (failed(results))
      return failure();
    b.CreateRet((*results)[0].re);
    return success();
  }

  void emitRow(llvm::Value *row) {
    llvm::Value *base = row;
    if (stride_ > 1)
      base = e_.add(e_.mul(e_.udiv(row, stride_), stride_ * count_), e_.urem(row, stride_));
    else
      base = e_.mul(row, count_);
    llvm::Value *permutation = emitMerge(base);
    for (unsigned operand = 0; operand < op_.getInputs().size(); ++operand) {
      Type element = elementOf(operand);
      llvm::Value *to = e_.buffer(e_.arg(0), op_->getNumOperands() + operand);
      e_.loop(e_.i64(0), e_.i64(count_), 1, [&](llvm::Value *i) {
        llvm::Value *from = e_.b.CreateZExt(e_.load(index_, e_.gep(index_, permutation, i)), e_.b.getInt64Ty());
        Element value = loadOperand(e_, e_.arg(0), operand, place(base, from));
        storeElements(e_.b, element, value, elementAddress(e_.b, element, to, place(base, i)), 1);
      });
    }
  }

  llvm::Value *emitMerge(llvm::Value *base) {
    llvm::Value *first = scratchAt(0), *second = scratchAt(aligned(count_ * 4));
    fillIdentity(first);
    return emitMergeSort(e_, index_, first, second, e_.i64(count_),
                         [&](llvm::Value *a, llvm::Value *b) -> llvm::Value * {
                           return e_.b.CreateCall(comparator_, {e_.arg(0), base, a, b});
                         });
  }

  void fillIdentity(llvm::Value *indices) {
    e_.loop(e_.i64(0), e_.i64(count_), 1,
            [&](llvm::Value *i) { e_.store(e_.b.CreateTrunc(i, index_), e_.gep(index_, indices, i)); });
  }

  const SortPlan &plan_;
  sh::SortOp op_;
  Emitter e_;
  llvm::Module &module_;
  const EmissionTarget &target_;
  llvm::Type *index_;
  llvm::Function *comparator_ = nullptr;
  int64_t stride_, count_;
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

SortPlan planSort(Operation *op, StringRef symbol, const KernelTarget &target) {
  SortPlan plan;
  plan.op = cast<sh::SortOp>(op);
  auto type = cast<RankedTensorType>(plan.op.getInputs()[0].getType());
  int64_t dimension = plan.op.getDimension();
  plan.count = type.getDimSize(dimension);
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dimension)
      (i < dimension ? plan.outer : plan.stride) *= type.getDimSize(i);
  Kernel &kernel = plan.kernel;
  kernel.kind = "sort";
  int64_t rows = plan.count == 0 ? 0 : plan.outer * plan.stride;
  if (std::optional<KeyOrder> order = recognizeComparator(plan.op.getComparator())) {
    SortedRows sorted = sortedRows(plan.op, *order, rows, plan.stride, plan.count);
    plan.ranks = planRanks(sorted, target);
    if (!plan.ranks)
      plan.radix = planRadix(sorted, target.costs());
  }
  if (plan.ranks) {
    kernel.phases.push_back({symbol.str(), rows, rankNanoseconds(*plan.ranks, target.costs())});
    kernel.scratchBytes = rankScratchBytes(*plan.ranks);
  } else if (plan.radix) {
    addRadixPhases(*plan.radix, symbol, target.costs(), kernel);
  } else {
    double perElement = target.costs().comparedElement * llvm::Log2_64_Ceil(plan.count + 2);
    kernel.phases.push_back({symbol.str(), rows, perElement * double(rows) * double(plan.count)});
    kernel.scratchBytes = 2 * aligned(plan.count * 4);
  }
  kernel.resultInit.assign(op->getNumResults(), -1);
  for (Value operand : plan.op.getInputs())
    kernel.bytes +=
        2.0 * double(plan.count) * double(plan.outer * plan.stride) * double(storageBytes(elementTypeOf(operand)));
  return plan;
}

void SortPlan::print(llvm::raw_ostream &os) const {
  os << outer * stride << " rows of " << count << ", " << stride << " apart: ";
  if (!ranks && !radix) {
    os << "merge sort\n";
    return;
  }
  const KeyOrder &order = ranks ? ranks->rows.order : radix->rows.order;
  os << (ranks ? "ranks by operand " : "radix sort of operand ") << order.operand
     << (order.descending ? " descending" : "") << (order.mergeZeros ? " with equal zeros" : "")
     << (order.mergeNans ? " with equal NaNs" : "");
  if (ranks) {
    os << " lanes " << ranks->lanes << '\n';
    return;
  }
  os << " by digits of";
  for (unsigned bits : radix->digits)
    os << ' ' << bits;
  os << (radix->rows.keysOnly() ? ", keys only" : "");
  if (radix->chunks > 1)
    os << ", " << radix->chunks << " chunks";
  os << '\n';
}

LogicalResult emitSort(const SortPlan &plan, llvm::Module &module, const EmissionTarget &target) {
  if (!plan.ranks && !plan.radix)
    return MergeEmitter(plan, module, target).run();
  if (plan.ranks)
    emitRanks(*plan.ranks, plan.kernel, module);
  else
    emitRadix(*plan.radix, plan.kernel, module);
  return success();
}

} // namespace tenon::codegen::sort
