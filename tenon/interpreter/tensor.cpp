#include "tenon/interpreter/tensor.h"

#include "tenon/support/strides.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

namespace tenon::interpreter {

std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t d : shape)
    if (d == 0)
      return 0;
  for (int64_t d : shape) {
    if (d < 0 || d > (int64_t{1} << 48) / count)
      return std::nullopt;
    count *= d;
  }
  return count;
}

Tensor::Tensor(llvm::ArrayRef<int64_t> shape, mlir::Type element)
    : shape_(shape), element_(element), elementType_(elementTypeOf(element).value()),
      size_(countElements(shape).value()),
      storage_(std::make_shared<std::vector<uint8_t>>(size_ * byteSize(elementType_))) {}

uint8_t *Tensor::mutableData() {
  if (!storage_)
    return nullptr;
  if (storage_.use_count() > 1)
    storage_ = std::make_shared<std::vector<uint8_t>>(*storage_);
  return storage_->data();
}

int64_t Tensor::positionOf(llvm::ArrayRef<int64_t> index) const {
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d)
    position = position * shape_[d] + index[d];
  return position;
}

Tensor Tensor::scalar(mlir::Type element, Scalar value) {
  Tensor result({}, element);
  result.set(0, value);
  return result;
}

Tensor Tensor::reshaped(llvm::ArrayRef<int64_t> shape) const {
  Tensor result = *this;
  result.shape_.assign(shape.begin(), shape.end());
  return result;
}

Tensor Tensor::retyped(mlir::Type element) const {
  Tensor result = *this;
  result.element_ = element;
  result.elementType_ = elementTypeOf(element).value();
  return result;
}

bool fits(llvm::ArrayRef<int64_t> shape, ElementType type, int64_t maxBytes) {
  std::optional<int64_t> count = countElements(shape);
  return count && *count <= maxBytes / byteSize(type);
}

static StatusOr<Tensor> emptyOf(mlir::ShapedType type, int64_t maxBytes) {
  if (!type.hasStaticShape())
    return invalidArgument("the shape of a constant must be static");
  std::optional<ElementType> element = elementTypeOf(type.getElementType());
  if (!element)
    return unimplemented("element type without an interpretation in a constant");
  if (!fits(type.getShape(), *element, maxBytes))
    return Status(StatusCode::kResourceExhausted, "a constant exceeds the memory limit of the interpreter");
  return Tensor(type.getShape(), type.getElementType());
}

// Bits of one element of a DenseElementsAttr value.
static uint64_t bitsOfValue(const llvm::APInt &value) { return value.getZExtValue(); }
static uint64_t bitsOfValue(const llvm::APFloat &value) { return value.bitcastToAPInt().getZExtValue(); }

template <typename T> static void fillFrom(Tensor &tensor, mlir::DenseElementsAttr attr) {
  ElementType type = tensor.elementType();
  uint8_t *out = tensor.mutableData();
  StoreFn store = storer(type);
  if (attr.isSplat()) {
    Scalar value = fromBits(type, bitsOfValue(attr.getSplatValue<T>()));
    for (int64_t i = 0; i < tensor.size(); ++i)
      store(out, i, value);
    return;
  }
  int64_t i = 0;
  for (const T &value : attr.getValues<T>())
    store(out, i++, fromBits(type, bitsOfValue(value)));
}

static void fillComplex(Tensor &tensor, mlir::DenseElementsAttr attr) {
  auto toScalar = [](const std::complex<llvm::APFloat> &value) {
    auto asDouble = [](const llvm::APFloat &part) { return part.convertToDouble(); };
    return Scalar::ofComplex(std::complex<double>(asDouble(value.real()), asDouble(value.imag())));
  };
  int64_t i = 0;
  for (const std::complex<llvm::APFloat> &value : attr.getValues<std::complex<llvm::APFloat>>())
    tensor.set(i++, toScalar(value));
}

static void fillDense(Tensor &tensor, mlir::DenseElementsAttr attr) {
  if (tensor.size() == 0)
    return;
  // Types of whole bytes are stored here as they are there.
  bool wholeBytes = bitWidth(tensor.elementType()) % 8 == 0;
  auto raw = attr.getRawData();
  if (!attr.isSplat() && wholeBytes && static_cast<int64_t>(raw.size()) == tensor.byteCount()) {
    std::memcpy(tensor.mutableData(), raw.data(), raw.size());
    return;
  }
  if (isComplex(tensor.elementType()))
    fillComplex(tensor, attr);
  else if (isFloat(tensor.elementType()))
    fillFrom<llvm::APFloat>(tensor, attr);
  else
    fillFrom<llvm::APInt>(tensor, attr);
}

StatusOr<Tensor> Tensor::fromAttr(mlir::ElementsAttr attr, int64_t maxBytes) {
  TENON_ASSIGN_OR_RETURN(Tensor result, emptyOf(attr.getShapedType(), maxBytes));
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attr)) {
    fillDense(result, dense);
    return result;
  }
  if (auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(attr)) {
    const mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return invalidArgument("the resource of a dense_resource constant is missing");
    llvm::ArrayRef<char> bytes = blob->getData();
    if (static_cast<int64_t>(bytes.size()) != result.byteCount())
      return invalidArgument("the resource of a dense_resource constant has the wrong size");
    std::memcpy(result.mutableData(), bytes.data(), bytes.size());
    return result;
  }
  return unimplemented("only dense and dense_resource constants have an interpretation");
}

StatusOr<Tensor> Tensor::fromBytes(mlir::RankedTensorType type, llvm::ArrayRef<uint8_t> bytes) {
  TENON_ASSIGN_OR_RETURN(Tensor result, emptyOf(type, std::numeric_limits<int64_t>::max()));
  if (static_cast<int64_t>(bytes.size()) != result.byteCount())
    return invalidArgument("the bytes given for a tensor do not fit its type");
  if (!bytes.empty())
    std::memcpy(result.mutableData(), bytes.data(), bytes.size());
  return result;
}

mlir::DenseElementsAttr Tensor::toAttr() const {
  mlir::Type element = element_;
  if (auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(element))
    element = quantized.getStorageType();
  auto attrType = mlir::RankedTensorType::get(shape_, element);
  if (bitWidth(elementType_) % 8 == 0)
    return mlir::DenseElementsAttr::getFromRawBuffer(
        attrType, llvm::ArrayRef<char>(reinterpret_cast<const char *>(data()), byteCount()));
  if (elementType_ == ElementType::kI1) {
    llvm::SmallVector<bool> values;
    for (int64_t i = 0; i < size_; ++i)
      values.push_back(data()[i] != 0);
    return mlir::DenseElementsAttr::get(attrType, values);
  }
  if (isFloat(elementType_)) {
    llvm::SmallVector<llvm::APFloat> values;
    const auto &semantics = llvm::cast<mlir::FloatType>(element).getFloatSemantics();
    for (int64_t i = 0; i < size_; ++i)
      values.emplace_back(semantics, llvm::APInt(bitWidth(elementType_), bitsOf(elementType_, get(i))));
    return mlir::DenseElementsAttr::get(attrType, values);
  }
  llvm::SmallVector<llvm::APInt> values;
  for (int64_t i = 0; i < size_; ++i)
    values.emplace_back(bitWidth(elementType_), bitsOf(elementType_, get(i)));
  return mlir::DenseElementsAttr::get(attrType, values);
}

std::string toString(const Value &value) {
  if (value.isToken())
    return "token";
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (value.isTuple()) {
    stream << "(";
    for (const Value &element : value.tuple())
      stream << (&element == &value.tuple().front() ? "" : ", ") << toString(element);
    stream << ")";
    return text;
  }
  mlir::OpPrintingFlags flags;
  const Tensor &tensor = value.tensor();
  if (tensor.size() > 64)
    stream << "dense<...> : " << tensor.type();
  else
    stream << tensor.toAttr();
  return text;
}

Dims stridesOf(llvm::ArrayRef<int64_t> shape) { return rowMajorStrides<Dims>(shape); }

bool nextIndex(llvm::MutableArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape) {
  for (auto d = static_cast<int64_t>(shape.size()) - 1; d >= 0; --d) {
    if (++index[d] < shape[d])
      return true;
    index[d] = 0;
  }
  return false;
}

} // namespace tenon::interpreter
