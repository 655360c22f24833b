#include "tenon/literal.h"

#include "tenon/literal/storage.h"
#include "tenon/support/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace tenon::xla_2017 {

using internal::fillPadding;
using tenon::dieBecauseOf;
using tenon::invalidArgument;

template <typename T> static T orDie(StatusOr<T> value) { return value.ConsumeValueOrDie(); }

static Shape emptyTuple() {
  Shape shape;
  shape.set_element_type(TUPLE);
  return shape;
}

Literal::Storage::~Storage() {
  if (release)
    release(data, context);
}

Literal::Literal() : shape_(emptyTuple()) {}
Literal::Literal(const Shape &shape) : Literal(orDie(Create(shape))) {}
Literal::Literal(Shape shape, std::unique_ptr<Storage> storage)
    : shape_(std::move(shape)), storage_(std::move(storage)) {}
Literal::~Literal() = default;

Literal::Literal(Literal &&other) noexcept : Literal() { *this = std::move(other); }

Literal &Literal::operator=(Literal &&other) noexcept {
  if (this == &other)
    return *this;
  // Its old value ends here.
  Literal old;
  std::swap(storage_, old.storage_);
  std::swap(elements_, old.elements_);
  shape_ = emptyTuple();
  shape_.Swap(&other.shape_);
  std::swap(storage_, other.storage_);
  std::swap(elements_, other.elements_);
  return *this;
}

StatusOr<Literal> Literal::Create(const Shape &shape) {
  TENON_RETURN_IF_ERROR(ShapeUtil::Validate(shape));
  return Allocate(shape);
}

StatusOr<Literal> Literal::Allocate(const Shape &valid_shape) {
  Literal result;
  if (ShapeUtil::IsTuple(valid_shape)) {
    result.shape_ = valid_shape;
    for (const Shape &element : valid_shape.tuple_shapes()) {
      TENON_ASSIGN_OR_RETURN(auto literal, Allocate(element));
      result.elements_.push_back(std::move(literal));
    }
    return result;
  }
  if (!ShapeUtil::IsArray(valid_shape))
    return invalidArgument("a value of shape " + ShapeUtil::HumanString(valid_shape) + " cannot be on the host");
  int64 bytes = ShapeUtil::ByteSizeOf(valid_shape);
  void *data = internal::allocateZeros(bytes);
  if (!data)
    return Status(tenon::StatusCode::kResourceExhausted,
                  "no memory for " + std::to_string(bytes) + " bytes of " + ShapeUtil::HumanString(valid_shape));
  result = FromMemory(valid_shape, data, /*writable=*/true);
  result.storage_->release = [](void *memory, void *) { internal::freeZeros(memory); };
  fillPadding(valid_shape, data, /*is_zero=*/true);
  return result;
}

Literal Literal::FromMemory(const Shape &shape, void *data, bool writable) {
  auto storage = std::make_unique<Storage>();
  storage->data = data;
  storage->bytes = ShapeUtil::ByteSizeOf(shape);
  storage->strides = LayoutUtil::Strides(shape);
  storage->writable = writable;
  return Literal(shape, std::move(storage));
}

static void checkMemory(const char *function, const Shape &shape, const void *data) {
  if (Status status = internal::checkMemory(shape, data); !status.ok())
    dieBecauseOf(invalidArgument(function + (": " + status.message())));
}

Literal Literal::Borrow(const Shape &shape, const void *data) {
  checkMemory("Literal::Borrow", shape, data);
  return FromMemory(shape, const_cast<void *>(data), /*writable=*/false);
}

Literal Literal::Adopt(const Shape &shape, void *data, void (*release)(void *data, void *context), void *context) {
  checkMemory("Literal::Adopt", shape, data);
  Literal result = FromMemory(shape, data, /*writable=*/true);
  result.storage_->release = release;
  result.storage_->context = context;
  return result;
}

Literal Literal::Clone() const {
  Literal result = orDie(Allocate(shape_));
  if (storage_ && storage_->bytes != 0)
    std::memcpy(result.storage_->data, storage_->data, static_cast<size_t>(storage_->bytes));
  for (size_t i = 0; i < elements_.size(); ++i)
    result.elements_[i] = elements_[i].Clone();
  return result;
}

const Literal::Storage &Literal::storage() const {
  if (!storage_)
    dieBecauseOf(invalidArgument("a literal of shape " + ShapeUtil::HumanString(shape_) + " is used as an array"));
  return *storage_;
}

void Literal::CheckType(PrimitiveType type) const {
  if (shape_.element_type() != type)
    dieBecauseOf(invalidArgument("a literal of shape " + ShapeUtil::HumanString(shape_) + " is used as an array of " +
                                 PrimitiveTypeName(type)));
}

const void *Literal::untyped_data() const { return storage().data; }

void *Literal::mutable_data() {
  if (!storage().writable)
    dieBecauseOf(tenon::failedPrecondition("a literal made by Literal::Borrow cannot be changed"));
  return storage_->data;
}

bool Literal::IsWritable() const { return storage_ && storage_->writable; }

int64 Literal::size_bytes() const {
  return ShapeUtil::IsTuple(shape_) ? ShapeUtil::ByteSizeOf(shape_) : storage().bytes;
}

const Literal &Literal::tuple_literal(int64 index) const {
  if (index < 0 || index >= static_cast<int64>(elements_.size()))
    dieBecauseOf(invalidArgument("a literal of shape " + ShapeUtil::HumanString(shape_) + " has no element " +
                                 std::to_string(index)));
  return elements_[static_cast<size_t>(index)];
}

static void appendLeaves(const Literal &literal, std::vector<const Literal *> &leaves) {
  if (!ShapeUtil::IsTuple(literal.shape())) {
    leaves.push_back(&literal);
    return;
  }
  for (int64 i = 0; i < literal.tuple_size(); ++i)
    appendLeaves(literal.tuple_literal(i), leaves);
}

std::vector<const Literal *> Literal::Leaves() const {
  std::vector<const Literal *> leaves;
  appendLeaves(*this, leaves);
  return leaves;
}

std::vector<Literal> Literal::DecomposeTuple() {
  if (!ShapeUtil::IsTuple(shape_))
    dieBecauseOf(invalidArgument("a literal of shape " + ShapeUtil::HumanString(shape_) + " is no tuple"));
  Literal taken = std::move(*this);
  return std::move(taken.elements_);
}

int64 Literal::LinearIndex(gtl::ArraySlice<int64> index) const {
  const std::vector<int64> &strides = storage().strides;
  bool inRange = index.size() == strides.size();
  int64 position = 0;
  for (size_t d = 0; inRange && d < strides.size(); ++d) {
    inRange = index[d] >= 0 && index[d] < shape_.dimensions(static_cast<int>(d));
    position += index[d] * strides[d];
  }
  if (!inRange) {
    std::string text;
    for (int64 i : index)
      text += (text.empty() ? "" : ", ") + std::to_string(i);
    dieBecauseOf({tenon::StatusCode::kOutOfRange,
                  "a literal of shape " + ShapeUtil::HumanString(shape_) + " has no element at {" + text + "}"});
  }
  return position;
}

StatusOr<Literal> Literal::TryRelayout(const Layout &layout) const {
  storage();
  Shape shape = shape_;
  *shape.mutable_layout() = layout;
  TENON_ASSIGN_OR_RETURN(Literal result, Create(shape));
  tenon::StridedCopy(ShapeUtil::Dimensions(shape), storage_->strides, result.storage_->strides)
      .run(storage_->data, result.storage_->data,
           static_cast<size_t>(ShapeUtil::ByteSizeOfPrimitiveType(shape.element_type())));
  return result;
}

Literal Literal::Relayout(const Layout &layout) const { return orDie(TryRelayout(layout)); }

Literal Literal::Relayout(const Shape &shape_with_layout) const {
  if (!ShapeUtil::Compatible(shape_, shape_with_layout))
    dieBecauseOf(invalidArgument("Relayout of " + ShapeUtil::HumanString(shape_) + " to " +
                                 ShapeUtil::HumanString(shape_with_layout)));
  if (!ShapeUtil::IsTuple(shape_))
    return Relayout(LayoutUtil::LayoutOf(shape_with_layout));
  Literal result;
  result.shape_ = shape_with_layout;
  for (size_t i = 0; i < elements_.size(); ++i)
    result.elements_.push_back(elements_[i].Relayout(shape_with_layout.tuple_shapes(static_cast<int>(i))));
  return result;
}

StatusOr<Literal> Literal::Reshape(gtl::ArraySlice<int64> dimensions) const {
  Shape shape = ShapeUtil::MakeShape(shape_.element_type(), dimensions);
  TENON_RETURN_IF_ERROR(ShapeUtil::Validate(shape));
  if (!storage_ || ShapeUtil::ElementsIn(shape) != ShapeUtil::ElementsIn(shape_))
    return invalidArgument("Reshape of " + ShapeUtil::HumanString(shape_) + " to " + ShapeUtil::HumanString(shape));
  auto result = TryRelayout(LayoutUtil::GetDefaultLayout(ShapeUtil::Rank(shape_)));
  if (result.ok()) {
    result->shape_ = shape;
    result->storage_->strides = LayoutUtil::Strides(shape);
  }
  return result;
}

bool Literal::operator==(const Literal &other) const {
  if (!ShapeUtil::Compatible(shape_, other.shape_))
    return false;
  if (!storage_)
    return std::equal(elements_.begin(), elements_.end(), other.elements_.begin());
  Layout layout = LayoutUtil::LayoutOf(shape_);
  if (LayoutUtil::IsPadded(layout, shape_)) {
    layout = LayoutUtil::GetDefaultLayout(ShapeUtil::Rank(shape_));
    return Relayout(layout) == other;
  }
  if (!LayoutUtil::Equal(layout, LayoutUtil::LayoutOf(other.shape_)))
    return *this == other.Relayout(layout);
  return storage_->bytes == 0 ||
         std::memcmp(storage_->data, other.storage_->data, static_cast<size_t>(storage_->bytes)) == 0;
}

} // namespace tenon::xla_2017
