#include "tenon/interpreter/layout.h"
#include "tenon/ir/types.h"

#include <cstring>

namespace tenon::interpreter {
namespace {

template <typename T>
void copyStridedAs(uint8_t *out, const uint8_t *in, llvm::ArrayRef<int64_t> shape, int64_t base,
                   llvm::ArrayRef<int64_t> strides) {
  auto *to = reinterpret_cast<T *>(out);
  const auto *from = reinterpret_cast<const T *>(in);
  if (shape.empty()) {
    *to = from[base];
    return;
  }
  // The innermost dimension in a plain loop, the others by index.
  int64_t inner = shape.back(), innerStride = strides.back();
  llvm::ArrayRef<int64_t> outerShape = shape.drop_back();
  Dims index(outerShape.size(), 0);
  do {
    int64_t position = base;
    for (size_t d = 0; d < index.size(); ++d)
      position += index[d] * strides[d];
    for (int64_t i = 0; i < inner; ++i)
      *to++ = from[position + i * innerStride];
  } while (nextIndex(index, outerShape));
}

struct Bytes16 {
  uint64_t parts[2];
};

} // namespace

void copyStrided(Tensor &result, const Tensor &operand, int64_t base, llvm::ArrayRef<int64_t> strides) {
  if (result.size() == 0)
    return;
  uint8_t *out = result.mutableData();
  const uint8_t *in = operand.data();
  switch (byteSize(operand.elementType())) {
  case 1:
    return copyStridedAs<uint8_t>(out, in, result.shape(), base, strides);
  case 2:
    return copyStridedAs<uint16_t>(out, in, result.shape(), base, strides);
  case 4:
    return copyStridedAs<uint32_t>(out, in, result.shape(), base, strides);
  case 8:
    return copyStridedAs<uint64_t>(out, in, result.shape(), base, strides);
  default:
    return copyStridedAs<Bytes16>(out, in, result.shape(), base, strides);
  }
}

void copyElement(Tensor &to, int64_t toPosition, const Tensor &from, int64_t fromPosition) {
  int64_t bytes = byteSize(from.elementType());
  std::memcpy(to.mutableData() + toPosition * bytes, from.data() + fromPosition * bytes, bytes);
}

void fill(Tensor &tensor, const Tensor &scalar) { copyStrided(tensor, scalar, 0, Dims(tensor.rank(), 0)); }

Dims integersOf(const Tensor &tensor) {
  Dims values;
  for (int64_t i = 0; i < tensor.size(); ++i)
    values.push_back(tensor.intAt(i));
  return values;
}

llvm::SmallVector<std::pair<int64_t, int64_t>> paddingOf(std::optional<mlir::DenseIntElementsAttr> attr, int64_t rank) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> padding(rank, {0, 0});
  if (!attr || attr->getNumElements() != 2 * rank)
    return padding;
  int64_t i = 0;
  for (int64_t value : attr->getValues<int64_t>()) {
    (i % 2 ? padding[i / 2].second : padding[i / 2].first) = value;
    ++i;
  }
  return padding;
}

Dims valuesOr(std::optional<llvm::ArrayRef<int64_t>> values, int64_t rank, int64_t value) {
  if (values)
    return Dims(*values);
  return Dims(rank, value);
}

llvm::FailureOr<Tensor> padTensor(Invocation &call, const Tensor &operand, const Tensor &value,
                                  llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                                  llvm::ArrayRef<int64_t> interior) {
  auto rank = static_cast<size_t>(operand.rank());
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    return (void)call.fail("pads by lists of another size than the operand's rank"), llvm::failure();
  Dims shape;
  for (size_t d = 0; d < rank; ++d) {
    auto size = static_cast<__int128>(operand.dim(d)); // any padding may be asked for
    __int128 padded = size + std::max<__int128>(size - 1, 0) * interior[d] + low[d] + high[d];
    if (interior[d] < 0 || padded < 0)
      return (void)call.fail("pads dimension " + llvm::Twine(d) + " to a negative size"), llvm::failure();
    if (padded > ir::kMaxElements)
      return (void)call.fail("pads dimension " + llvm::Twine(d) + " to a size that is too large"), llvm::failure();
    shape.push_back(static_cast<int64_t>(padded));
  }
  llvm::FailureOr<Tensor> result = call.make(shape, operand.mlirElementType());
  if (llvm::failed(result))
    return llvm::failure();
  fill(*result, value);
  if (result->size() == 0)
    return result;
  Dims strides = stridesOf(shape);
  result->mutableData();
  forEachIndex(operand.shape(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t target = 0;
    for (size_t d = 0; d < rank; ++d) {
      __int128 at = low[d] + index[d] * (static_cast<__int128>(interior[d]) + 1);
      if (at < 0 || at >= shape[d])
        return;
      target += static_cast<int64_t>(at) * strides[d];
    }
    copyElement(*result, target, operand, position);
  });
  return result;
}

llvm::FailureOr<Tensor> broadcastTensor(Invocation &call, const Tensor &operand, llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<int64_t> dimensions, mlir::Type element) {
  if (static_cast<int64_t>(dimensions.size()) != operand.rank())
    return (void)call.fail("broadcasts along another number of dimensions than the operand's rank"), llvm::failure();
  Dims operandStrides = stridesOf(operand.shape()), strides(shape.size(), 0);
  for (auto [d, target] : llvm::enumerate(dimensions)) {
    if (target < 0 || target >= static_cast<int64_t>(shape.size()) ||
        (operand.dim(d) != 1 && operand.dim(d) != shape[target]))
      return (void)call.fail("cannot broadcast operand dimension " + llvm::Twine(d)), llvm::failure();
    if (operand.dim(d) != 1)
      strides[target] = operandStrides[d];
  }
  llvm::FailureOr<Tensor> result = call.make(shape, element);
  if (llvm::succeeded(result))
    copyStrided(*result, operand, 0, strides);
  return result;
}

} // namespace tenon::interpreter
