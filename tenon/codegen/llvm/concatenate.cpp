#include "tenon/codegen/llvm/concatenate.h"

#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/emitter.h"
#include "tenon/ir/stablehlo.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace tenon::codegen {
namespace {

// Operands that a loop kernel reads: the code for each keeps its size in bounds.
constexpr unsigned kMostInLoops = 32;

class ConcatenationEmitter {
public:
  ConcatenationEmitter(const ConcatenationPlan &plan, llvm::Module &module)
      : module_(module), e_(module, plan.kernel.phases[0].symbol, kernelParameters(module.getContext()), false),
        plan_(plan) {}

  void emit() {
    e_.loop(e_.arg(1), e_.arg(2), 1, [&](llvm::Value *task) {
      llvm::Value *first = e_.mul(task, plan_.perTask);
      e_.loop(first, e_.min(e_.add(first, plan_.perTask), plan_.pieces), 1, [&](llvm::Value *piece) { copy(piece); });
    });
    e_.ret();
  }

private:
  int64_t count() const { return static_cast<int64_t>(plan_.sizes.size()); }

  // Entry `index` of a table that is part of the code.
  llvm::Value *lookup(llvm::StringRef name, llvm::ArrayRef<int64_t> table, llvm::Value *index) {
    llvm::Type *i64 = e_.b.getInt64Ty();
    llvm::Constant *values = llvm::ConstantDataArray::get(
        module_.getContext(), llvm::ArrayRef(reinterpret_cast<const uint64_t *>(table.data()), table.size()));
    std::string symbol = plan_.kernel.phases[0].symbol + "." + name.str();
    llvm::GlobalVariable *global = module_.getNamedGlobal(symbol);
    if (!global)
      global = new llvm::GlobalVariable(module_, values->getType(), /*isConstant=*/true,
                                        llvm::GlobalValue::PrivateLinkage, values, symbol);
    return e_.load(i64, e_.gep(i64, global, index));
  }

  void copy(llvm::Value *piece) {
    llvm::Type *i8 = e_.b.getInt8Ty(), *pointer = e_.b.getPtrTy();
    llvm::Value *row = e_.udiv(piece, count()), *operand = e_.urem(piece, count());
    bool equal = llvm::all_equal(plan_.sizes);
    llvm::Value *size = equal ? e_.i64(plan_.sizes.front()) : lookup("sizes", plan_.sizes, operand);
    llvm::Value *offset = equal ? e_.mul(operand, plan_.sizes.front()) : lookup("offsets", plan_.offsets, operand);
    llvm::Value *from = e_.gep(i8, e_.load(pointer, e_.gep(pointer, e_.arg(0), operand)), e_.b.CreateMul(row, size));
    llvm::Value *to = e_.gep(i8, e_.buffer(e_.arg(0), int(count())), e_.add(e_.mul(row, plan_.rowBytes), offset));
    e_.b.CreateMemCpy(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), size);
  }

  llvm::Module &module_;
  Emitter e_;
  const ConcatenationPlan &plan_;
};

} // namespace

bool canEmitConcatenation(Operation *op) {
  auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(op);
  return concatenate && op->getNumOperands() > kMostInLoops && cast<ShapedType>(concatenate.getType()).hasStaticShape();
}

ConcatenationPlan planConcatenation(Operation *op, llvm::StringRef symbol, const KernelTarget &target) {
  const CostModel &costs = target.costs();
  auto concatenate = cast<stablehlo::ConcatenateOp>(op);
  auto type = cast<RankedTensorType>(concatenate.getType());
  int64_t dim = concatenate.getDimension();
  ConcatenationPlan plan;
  plan.outer = ShapedType::getNumElements(type.getShape().take_front(dim));
  int64_t inner = ShapedType::getNumElements(type.getShape().drop_front(dim + 1)) * storageBytes(type.getElementType());
  for (Value operand : concatenate.getInputs()) {
    plan.offsets.push_back(plan.rowBytes);
    plan.sizes.push_back(cast<RankedTensorType>(operand.getType()).getDimSize(dim) * inner);
    plan.rowBytes += plan.sizes.back();
  }
  plan.pieces = plan.rowBytes == 0 ? 0 : plan.outer * int64_t(plan.sizes.size());
  double bytes = double(plan.outer) * double(plan.rowBytes);
  double nanoseconds = bytes * costs.copiedByte + double(plan.pieces) * costs.copiedPiece;
  int64_t most = std::max<int64_t>(plan.pieces, 1);
  int64_t tasks = std::clamp<int64_t>(int64_t(nanoseconds / (costs.copyTask * costs.copiedByte)), 1, most);
  plan.perTask = llvm::divideCeil(most, tasks);
  Kernel &kernel = plan.kernel;
  kernel.kind = "concatenate";
  kernel.phases.push_back(
      {symbol.str(), plan.pieces ? int64_t(llvm::divideCeil(plan.pieces, plan.perTask)) : 0, nanoseconds});
  kernel.resultInit.assign(1, -1);
  kernel.bytes = 2 * bytes;
  return plan;
}

void ConcatenationPlan::print(llvm::raw_ostream &os) const {
  os << pieces << " pieces of " << sizes.size() << " operands, " << perTask << " a task\n";
}

void emitConcatenation(const ConcatenationPlan &plan, llvm::Module &module) {
  ConcatenationEmitter(plan, module).emit();
}

} // namespace tenon::codegen
