#include "tenon/literal.h"
#include "tenon/literal/primitive_type.h"

#include <cmath>
#include <cstring>

namespace tenon::xla_2017 {

using tenon::dieBecauseOf;
using tenon::invalidArgument;

Literal LiteralUtil::FromElements(const Shape &shape, const void *elements, size_t count) {
  Literal literal(shape);
  if (count != static_cast<size_t>(ShapeUtil::ElementsIn(shape)))
    dieBecauseOf(invalidArgument(std::to_string(count) + " elements for " + ShapeUtil::HumanString(shape)));
  if (count != 0)
    std::memcpy(literal.mutable_data(), elements, static_cast<size_t>(literal.size_bytes()));
  return literal;
}

Literal LiteralUtil::MakeTuple(std::vector<Literal> elements) {
  Literal tuple;
  for (const Literal &element : elements)
    *tuple.shape_.add_tuple_shapes() = element.shape();
  if (Status status = ShapeUtil::Validate(tuple.shape_); !status.ok())
    dieBecauseOf(status);
  tuple.elements_ = std::move(elements);
  return tuple;
}

static Literal special(PrimitiveType type, internal::Special which, const char *name) {
  const auto *info = internal::findType(type);
  unsigned char value[16];
  if (!info || !internal::specialValue(*info, which, value))
    dieBecauseOf(invalidArgument("LiteralUtil::" + std::string(name) + ": " + PrimitiveTypeName(type) + " has none"));
  Literal literal(ShapeUtil::MakeShape(type, {}));
  std::memcpy(literal.mutable_data(), value, static_cast<size_t>(info->bytes));
  return literal;
}

Literal LiteralUtil::Zero(PrimitiveType type) { return special(type, internal::Special::kZero, "Zero"); }
Literal LiteralUtil::One(PrimitiveType type) { return special(type, internal::Special::kOne, "One"); }
Literal LiteralUtil::MinValue(PrimitiveType type) { return special(type, internal::Special::kLowest, "MinValue"); }
Literal LiteralUtil::MaxValue(PrimitiveType type) { return special(type, internal::Special::kHighest, "MaxValue"); }

StatusOr<Literal> LiteralUtil::FromDouble(PrimitiveType type, double value) {
  if (IsIntegerType(type) || type == PRED) {
    if (std::isnan(value))
      return invalidArgument(PrimitiveTypeName(type) + " has no NaN");
    value = std::nearbyint(value);
  }
  return CreateR0(value).Convert(type);
}

} // namespace tenon::xla_2017
