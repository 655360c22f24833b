#include "tenon/codegen/cpu/concatenate_kernel.h"

#include "tenon/codegen/cpu/element.h"
#include "tenon/codegen/cpu/matmul/emitter.h"
#include "tenon/ir/stablehlo.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace tenon::codegen {
namespace {

constexpr unsigned kMostInLoops = 32;

// A piece is what one operand has for one index of the dimensions before the joined one: bytes that lie together in the
// operand and in the result. Pieces are numbered as they lie in the result.
class ConcatenationEmitter {
public:
  ConcatenationEmitter(stablehlo::ConcatenateOp op, llvm::Module &module, llvm::StringRef symbol)
      : module_(module),
        e_(module, symbol,
           {llvm::PointerType::get(module.getContext(), 0), llvm::Type::getInt64Ty(module.getContext()),
            llvm::Type::getInt64Ty(module.getContext()), llvm::PointerType::get(module.getContext(), 0)},
           /*internal=*/false),
        symbol_(symbol) {
    auto type = cast<RankedTensorType>(op.getType());
    int64_t dim = op.getDimension();
    outer_ = ShapedType::getNumElements(type.getShape().take_front(dim));
    int64_t inner =
        ShapedType::getNumElements(type.getShape().drop_front(dim + 1)) * storageBytes(type.getElementType());
    for (Value operand : op.getInputs()) {
      offsets_.push_back(rowBytes_);
      sizes_.push_back(cast<RankedTensorType>(operand.getType()).getDimSize(dim) * inner);
      rowBytes_ += sizes_.back();
    }
  }

  Kernel emit() {
    constexpr double kTaskBytes = 1 << 16, kNanosecondsPerByte = 0.1, kNanosecondsPerPiece = 5;
    int64_t pieces = rowBytes_ == 0 ? 0 : outer_ * count();
    double bytes = double(outer_) * double(rowBytes_);
    double nanoseconds = bytes * kNanosecondsPerByte + double(pieces) * kNanosecondsPerPiece;
    int64_t tasks =
        std::clamp<int64_t>(int64_t(nanoseconds / (kTaskBytes * kNanosecondsPerByte)), 1, std::max<int64_t>(pieces, 1));
    int64_t perTask = llvm::divideCeil(std::max<int64_t>(pieces, 1), tasks);
    e_.loop(e_.arg(1), e_.arg(2), 1, [&](llvm::Value *task) {
      llvm::Value *first = e_.mul(task, perTask);
      e_.loop(first, e_.min(e_.add(first, perTask), pieces), 1, [&](llvm::Value *piece) { copy(piece); });
    });
    e_.ret();
    Kernel kernel;
    kernel.kind = "concatenate";
    kernel.phases.push_back({symbol_.str(), pieces ? int64_t(llvm::divideCeil(pieces, perTask)) : 0, nanoseconds});
    kernel.resultInit.assign(1, -1);
    kernel.bytes = 2 * bytes;
    return kernel;
  }

private:
  int64_t count() const { return static_cast<int64_t>(sizes_.size()); }

  // Entry `index` of a table that is part of the code.
  llvm::Value *lookup(llvm::StringRef name, llvm::ArrayRef<int64_t> table, llvm::Value *index) {
    llvm::Type *i64 = e_.b.getInt64Ty();
    llvm::Constant *values = llvm::ConstantDataArray::get(
        module_.getContext(), llvm::ArrayRef(reinterpret_cast<const uint64_t *>(table.data()), table.size()));
    std::string symbol = (symbol_ + "." + name).str();
    llvm::GlobalVariable *global = module_.getNamedGlobal(symbol);
    if (!global)
      global = new llvm::GlobalVariable(module_, values->getType(), /*isConstant=*/true,
                                        llvm::GlobalValue::PrivateLinkage, values, symbol);
    return e_.load(i64, e_.gep(i64, global, index));
  }

  void copy(llvm::Value *piece) {
    llvm::Type *i8 = e_.b.getInt8Ty(), *pointer = e_.b.getPtrTy();
    llvm::Value *row = e_.udiv(piece, count()), *operand = e_.urem(piece, count());
    bool equal = llvm::all_equal(sizes_);
    llvm::Value *size = equal ? e_.i64(sizes_.front()) : lookup("sizes", sizes_, operand);
    llvm::Value *offset = equal ? e_.mul(operand, sizes_.front()) : lookup("offsets", offsets_, operand);
    llvm::Value *from = e_.gep(i8, e_.load(pointer, e_.gep(pointer, e_.arg(0), operand)), e_.b.CreateMul(row, size));
    llvm::Value *to = e_.gep(i8, e_.buffer(e_.arg(0), int(count())), e_.add(e_.mul(row, rowBytes_), offset));
    e_.b.CreateMemCpy(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), size);
  }

  llvm::Module &module_;
  Emitter e_;
  llvm::StringRef symbol_;
  int64_t outer_ = 1, rowBytes_ = 0;
  SmallVector<int64_t> sizes_, offsets_; // of the operands' pieces: bytes, and where they begin in a row of the result
};

} // namespace

bool canEmitConcatenation(Operation *op) {
  auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(op);
  return concatenate && op->getNumOperands() > kMostInLoops && cast<ShapedType>(concatenate.getType()).hasStaticShape();
}

FailureOr<Kernel> emitConcatenationKernel(Operation *op, llvm::Module &module, llvm::StringRef symbol) {
  return ConcatenationEmitter(cast<stablehlo::ConcatenateOp>(op), module, symbol).emit();
}

} // namespace tenon::codegen
