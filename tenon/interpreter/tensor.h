// Values of the reference interpreter: tensors, tokens, tuples.
#pragma once

#include "tenon/interpreter/element_type.h"
#include "tenon/status.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <variant>
#include <vector>

namespace tenon::interpreter {

using Dims = llvm::SmallVector<int64_t, 4>;

// Number of elements of a shape; 1 for rank 0. nullopt when it does not fit 2^48, which no tensor here can have.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

// Whether a tensor takes at most `maxBytes`.
bool fits(llvm::ArrayRef<int64_t> shape, ElementType type, int64_t maxBytes);

// A dense row-major array. Copies share the elements until one is written to (copy on write).
class Tensor {
public:
  Tensor() = default;
  // Zero-filled. `element` must have an ElementType, `shape` must be static.
  Tensor(llvm::ArrayRef<int64_t> shape, mlir::Type element);

  // Makes a tensor of an attribute, which must have a static type. An error if the elements take more than `maxBytes`;
  // a small splat may have very many.
  static StatusOr<Tensor> fromAttr(mlir::ElementsAttr attr, int64_t maxBytes = std::numeric_limits<int64_t>::max());
  // Copies `bytes`, in the storage format of ElementType. The type must be static and the size right.
  static StatusOr<Tensor> fromBytes(mlir::RankedTensorType type, llvm::ArrayRef<uint8_t> bytes);
  // The same elements as an attribute (quantized tensors: of their storage type).
  mlir::DenseElementsAttr toAttr() const;
  static Tensor scalar(mlir::Type element, Scalar value);

  llvm::ArrayRef<int64_t> shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t dim(int64_t d) const { return shape_[d]; }
  int64_t size() const { return size_; }
  ElementType elementType() const { return elementType_; }
  mlir::Type mlirElementType() const { return element_; }
  mlir::RankedTensorType type() const { return mlir::RankedTensorType::get(shape_, element_); }

  const uint8_t *data() const { return storage_ ? storage_->data() : nullptr; }
  // For writing; unshares.
  uint8_t *mutableData();
  int64_t byteCount() const { return size_ * byteSize(elementType_); }
  llvm::ArrayRef<uint8_t> bytes() const { return {data(), static_cast<size_t>(byteCount())}; }

  // Elements by row-major position.
  Scalar get(int64_t position) const { return loader(elementType_)(data(), position); }
  void set(int64_t position, Scalar value) { storer(elementType_)(mutableData(), position, value); }
  // An integer or i1 element; of ui64 its two's complement.
  int64_t intAt(int64_t position) const { return get(position).i; }
  int64_t positionOf(llvm::ArrayRef<int64_t> index) const;

  // The same elements under another shape or element type of the same storage.
  Tensor reshaped(llvm::ArrayRef<int64_t> shape) const;
  Tensor retyped(mlir::Type element) const;

private:
  Dims shape_;
  mlir::Type element_;
  ElementType elementType_ = ElementType::kI1;
  int64_t size_ = 0;
  std::shared_ptr<std::vector<uint8_t>> storage_;
};

struct Token {};
class Value;
// A tuple, or what an async_start has under way (a future).
using Tuple = std::vector<Value>;

class Value {
public:
  Value() : value_(Token{}) {}
  Value(Tensor tensor) : value_(std::move(tensor)) {}
  Value(Token token) : value_(token) {}
  Value(Tuple tuple) : value_(std::make_shared<const Tuple>(std::move(tuple))) {}

  bool isTensor() const { return std::holds_alternative<Tensor>(value_); }
  bool isToken() const { return std::holds_alternative<Token>(value_); }
  bool isTuple() const { return !isTensor() && !isToken(); }
  const Tensor &tensor() const { return std::get<Tensor>(value_); }
  Tensor &tensor() { return std::get<Tensor>(value_); }
  const Tuple &tuple() const { return *std::get<std::shared_ptr<const Tuple>>(value_); }

private:
  std::variant<Tensor, Token, std::shared_ptr<const Tuple>> value_;
};

// "dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>", shortened when long.
std::string toString(const Value &value);

// Row-major strides in elements.
Dims stridesOf(llvm::ArrayRef<int64_t> shape);

// Advances `index` to the next of `shape` in row-major order; false after the last, with `index` back at zero.
bool nextIndex(llvm::MutableArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape);

// Calls fn(index, position) for each index of `shape` in row-major order.
template <typename Fn> void forEachIndex(llvm::ArrayRef<int64_t> shape, Fn fn) {
  for (int64_t d : shape)
    if (d == 0)
      return;
  Dims index(shape.size(), 0);
  int64_t position = 0;
  do
    fn(llvm::ArrayRef<int64_t>(index), position++);
  while (nextIndex(index, shape));
}

} // namespace tenon::interpreter
