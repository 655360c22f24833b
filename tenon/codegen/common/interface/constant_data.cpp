#include "tenon/codegen/common/interface/constant_data.h"

#include "tenon/codegen/common/memory/instructions.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace tenon::codegen {
namespace {

// Repeats the first `size` bytes to fill the vector.
void repeat(program::AlignedBytes &bytes, size_t size) {
  for (size_t filled = size; filled < bytes.size();) {
    size_t step = std::min(filled, bytes.size() - filled);
    std::copy_n(bytes.begin(), step, bytes.begin() + filled);
    filled += step;
  }
}

} // namespace

FailureOr<program::Constant> constantData(ElementsAttr attribute) {
  program::Constant result;
  auto type = cast<RankedTensorType>(attribute.getType());
  result.bytes.resize(tensorBytes(type));
  if (result.bytes.empty())
    return result;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != result.bytes.size())
      return failure();
    std::copy(blob->getData().begin(), blob->getData().end(), result.bytes.begin());
    return result;
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return failure();
  Type element = type.getElementType();
  int64_t size = result.bytes.size() / type.getNumElements();
  if (element.isInteger(1)) {
    if (dense.isSplat())
      std::fill(result.bytes.begin(), result.bytes.end(), dense.getSplatValue<bool>());
    else
      llvm::copy(dense.getValues<bool>(), result.bytes.begin());
    return result;
  }
  if (element.isInteger() && element.getIntOrFloatBitWidth() < 8) {
    bool isUnsigned = element.isUnsignedInteger();
    for (auto [byte, value] : llvm::zip(result.bytes, dense.getValues<APInt>()))
      byte = isUnsigned ? uint8_t(value.getZExtValue()) : uint8_t(value.getSExtValue());
    return result;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (int64_t(raw.size()) < (dense.isSplat() ? size : int64_t(result.bytes.size())))
    return failure();
  if (dense.isSplat()) {
    std::copy_n(raw.begin(), size, result.bytes.begin());
    repeat(result.bytes, size);
  } else {
    std::copy_n(raw.begin(), result.bytes.size(), result.bytes.begin());
  }
  return result;
}

} // namespace tenon::codegen
