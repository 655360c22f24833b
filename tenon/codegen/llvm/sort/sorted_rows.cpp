#include "tenon/codegen/llvm/sort/sorted_rows.h"

#include "tenon/codegen/common/region/region_indexer.h"
#include "tenon/codegen/llvm/element/element.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen::sort {
namespace {

bool countsPositions(sh::SortOp op, unsigned operand) {
  auto iota = op->getOperand(operand).getDefiningOp<sh::IotaOp>();
  auto integer = dyn_cast<IntegerType>(elementTypeOf(op->getOperand(operand)));
  return iota && integer && integer.getWidth() >= 32 && iota.getIotaDimension() == op.getDimension();
}

} // namespace

SortedRows sortedRows(sh::SortOp op, const KeyOrder &order, int64_t rows, int64_t stride, int64_t count) {
  SortedRows sorted{order, elementTypeOf(op->getOperand(order.operand)), {}, rows, stride, count};
  for (unsigned operand = 0; operand < op.getInputs().size(); ++operand) {
    using Source = SortedResult::Source;
    Source source = countsPositions(op, operand)                  ? Source::kPosition
                    : operand == order.operand && !order.merges() ? Source::kKey
                                                                  : Source::kElement;
    sorted.results.push_back({source, storageBytes(elementTypeOf(op->getOperand(operand)))});
  }
  return sorted;
}

RowCode::RowCode(const TaskCode &code, const SortedRows &rows, llvm::Value *row)
    : e_(code.e), rows_(rows), stride_(rows.stride == 1 ? e_.i64(1) : code.sizes(rows.stride)) {
  llvm::Value *first = code.sizes.product(row, rows.count); // the number of the row's first element
  if (rows.stride != 1) {
    llvm::Value *outer = code.sizes.quotient(row, rows.stride), *inner = code.sizes.remainder(row, rows.stride);
    first = e_.add(code.sizes.product(outer, rows.stride * rows.count), inner);
  }
  size_t count = rows.results.size();
  for (size_t buffer = 0; buffer < 2 * count; ++buffer)
    starts_.push_back(e_.gep(elementType(buffer % count), e_.buffer(code.buffers, int(buffer)), first));
}

llvm::Value *RowCode::at(size_t buffer, llvm::Value *i) const {
  auto *constant = dyn_cast<llvm::ConstantInt>(stride_);
  llvm::Value *offset = constant ? e_.mul(i, constant->getSExtValue()) : e_.b.CreateMul(i, stride_, "", false, true);
  return e_.gep(elementType(buffer % rows_.results.size()), starts_[buffer], offset);
}

llvm::Value *RowCode::keyBits(llvm::Value *i, unsigned lanes) const {
  return e_.load(e_.vec(e_.b.getIntNTy(sort::keyBits(rows_.key)), lanes), at(rows_.order.operand, i));
}

void RowCode::move(llvm::Value *from, llvm::Value *to, llvm::Value *key) const {
  for (auto [number, result] : llvm::enumerate(rows_.results)) {
    llvm::Type *type = elementType(number);
    int64_t align = std::min<int64_t>(result.bytes, 8); // complex numbers are aligned as their parts are
    llvm::Value *value;
    if (result.source == SortedResult::Source::kPosition)
      value = e_.b.CreateZExtOrTrunc(from, type);
    else if (result.source == SortedResult::Source::kKey && key)
      value = key;
    else
      value = e_.load(type, at(number, from), align);
    e_.store(value, this->result(number, to), align);
  }
}

} // namespace tenon::codegen::sort
