#include "tenon/literal/primitive_type.h"
#include "tenon/literal/shape_size.h"
#include "tenon/shape.h"

#include <algorithm>

namespace tenon::xla_2017 {
namespace internal {

std::optional<int64> storageBytes(const Shape &array, bool zero_is_one) {
  int64 bytes = ShapeUtil::ByteSizeOfPrimitiveType(array.element_type());
  const auto &padded = array.layout().padded_dimensions();
  if (!padded.empty() && padded.size() != array.dimensions_size())
    return std::nullopt;
  bool isEmpty = false;
  for (int64 size : padded.empty() ? array.dimensions() : padded) {
    isEmpty |= size == 0;
    if (size < 0 || __builtin_mul_overflow(bytes, std::max<int64>(size, 1), &bytes))
      return std::nullopt;
  }
  return isEmpty && !zero_is_one ? 0 : bytes;
}

} // namespace internal

namespace {

Status validate(const Shape &shape, int64 depth, int64 &bytes) {
  auto invalid = [](std::string what) { return tenon::invalidArgument("invalid shape: " + std::move(what)); };
  std::string name = PrimitiveTypeName(shape.element_type());
  if (!ShapeUtil::IsArray(shape)) {
    if (shape.element_type() != TUPLE && shape.element_type() != TOKEN && shape.element_type() != OPAQUE_TYPE)
      return invalid("there is no element type of number " + std::to_string(shape.element_type()));
    if (shape.dimensions_size() != 0 || shape.has_layout())
      return invalid("a " + name + " has neither dimensions nor layout");
    if (shape.element_type() != TUPLE && shape.tuple_shapes_size() != 0)
      return invalid("a " + name + " has no elements");
    if (depth > ShapeUtil::kMaxTupleDepth)
      return invalid("tuples in tuples, more than " + std::to_string(ShapeUtil::kMaxTupleDepth) + " deep");
    for (const Shape &element : shape.tuple_shapes())
      TENON_RETURN_IF_ERROR(validate(element, depth + 1, bytes));
    return {};
  }
  if (shape.tuple_shapes_size() != 0)
    return invalid("an array has no elements that are shapes");
  if (shape.dimensions_size() > ShapeUtil::kMaxRank)
    return invalid("more than " + std::to_string(ShapeUtil::kMaxRank) + " dimensions");
  for (int d = 0; d < shape.dimensions_size(); ++d)
    if (shape.dimensions(d) < 0)
      return invalid("dimension " + std::to_string(d) + " has size " + std::to_string(shape.dimensions(d)));
  if (shape.has_layout())
    TENON_RETURN_IF_ERROR(LayoutUtil::Validate(shape.layout(), shape));
  auto own = internal::storageBytes(shape, /*zero_is_one=*/true);
  if (!own || __builtin_add_overflow(bytes, *own, &bytes))
    return invalid("more than 2^63 - 1 bytes");
  return {};
}

} // namespace

Shape ShapeUtil::MakeShape(PrimitiveType element_type, gtl::ArraySlice<int64> dimensions) {
  Shape shape;
  shape.set_element_type(element_type);
  for (int64 size : dimensions)
    shape.add_dimensions(size);
  *shape.mutable_layout() = LayoutUtil::GetDefaultLayout(static_cast<int64>(dimensions.size()));
  return shape;
}

Shape ShapeUtil::MakeShapeWithLayout(PrimitiveType element_type, gtl::ArraySlice<int64> dimensions,
                                     gtl::ArraySlice<int64> minor_to_major) {
  Shape shape = MakeShape(element_type, dimensions);
  *shape.mutable_layout() = LayoutUtil::MakeLayout(minor_to_major);
  return shape;
}

Shape ShapeUtil::MakeTupleShape(gtl::ArraySlice<Shape> shapes) {
  Shape shape;
  shape.set_element_type(TUPLE);
  for (const Shape &element : shapes)
    *shape.add_tuple_shapes() = element;
  return shape;
}

Status ShapeUtil::Validate(const Shape &shape) {
  int64 bytes = 0;
  return validate(shape, 0, bytes);
}

bool ShapeUtil::IsArray(const Shape &shape) { return internal::findType(shape.element_type()) != nullptr; }

bool ShapeUtil::IsNestedTuple(const Shape &shape) {
  return IsTuple(shape) && std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(), IsTuple);
}

int64 ShapeUtil::TrueRank(const Shape &shape) {
  return std::count_if(shape.dimensions().begin(), shape.dimensions().end(), [](int64 size) { return size > 1; });
}

int64 ShapeUtil::ElementsIn(const Shape &shape) {
  if (!IsArray(shape))
    tenon::dieBecauseOf(tenon::invalidArgument("ElementsIn: " + HumanString(shape) + " is no array"));
  int64 count = 1;
  for (int64 size : shape.dimensions())
    if (size == 0)
      return 0;
    else if (__builtin_mul_overflow(count, size, &count))
      tenon::dieBecauseOf(tenon::invalidArgument("ElementsIn: " + HumanString(shape) + " is too large"));
  return count;
}

int64 ShapeUtil::ByteSizeOf(const Shape &shape) {
  int64 sum = 0;
  if (IsTuple(shape)) {
    for (const Shape &element : shape.tuple_shapes())
      sum += ByteSizeOf(element);
    return sum;
  }
  auto bytes = internal::storageBytes(shape, /*zero_is_one=*/false);
  if (!bytes)
    tenon::dieBecauseOf(tenon::invalidArgument("ByteSizeOf: " + HumanString(shape) + " is not valid"));
  return *bytes;
}

int64 ShapeUtil::ByteSizeOfPrimitiveType(PrimitiveType type) {
  auto *info = internal::findType(type);
  return info ? info->bytes : 0;
}

std::vector<int64> ShapeUtil::Dimensions(const Shape &shape) {
  return {shape.dimensions().begin(), shape.dimensions().end()};
}

bool ShapeUtil::SameDimensions(const Shape &a, const Shape &b) {
  return std::equal(a.dimensions().begin(), a.dimensions().end(), b.dimensions().begin(), b.dimensions().end());
}

// Whether two shapes agree but for layouts, and those where `layouts`.
static bool same(const Shape &a, const Shape &b, bool layouts) {
  if (a.element_type() != b.element_type() || !ShapeUtil::SameDimensions(a, b) ||
      a.tuple_shapes_size() != b.tuple_shapes_size())
    return false;
  for (int i = 0; i < a.tuple_shapes_size(); ++i)
    if (!same(a.tuple_shapes(i), b.tuple_shapes(i), layouts))
      return false;
  if (!layouts || !ShapeUtil::IsArray(a))
    return true;
  return LayoutUtil::Equal(LayoutUtil::LayoutOf(a), LayoutUtil::LayoutOf(b));
}

bool ShapeUtil::Equal(const Shape &a, const Shape &b) { return same(a, b, /*layouts=*/true); }
bool ShapeUtil::Compatible(const Shape &a, const Shape &b) { return same(a, b, /*layouts=*/false); }

Shape ShapeUtil::WithoutLayout(const Shape &shape) {
  Shape result = shape;
  result.clear_layout();
  for (Shape &element : *result.mutable_tuple_shapes())
    element = WithoutLayout(element);
  return result;
}

static void collectLeaves(const Shape &shape, std::vector<Shape> &leaves) {
  if (!ShapeUtil::IsTuple(shape))
    return leaves.push_back(shape);
  for (const Shape &element : shape.tuple_shapes())
    collectLeaves(element, leaves);
}

std::vector<Shape> ShapeUtil::Leaves(const Shape &shape) {
  std::vector<Shape> leaves;
  collectLeaves(shape, leaves);
  return leaves;
}

} // namespace tenon::xla_2017
