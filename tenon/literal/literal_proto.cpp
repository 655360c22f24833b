#include "tenon/literal.h"
#include "tenon/literal/primitive_type.h"
#include "tenon/literal/storage.h"

#include <cstring>

namespace tenon::xla_2017 {

LiteralProto Literal::ToProto() const {
  LiteralProto proto;
  *proto.mutable_shape() = shape_;
  if (storage_)
    proto.mutable_data()->assign(static_cast<const char *>(storage_->data), static_cast<size_t>(storage_->bytes));
  for (const Literal &element : elements_)
    *proto.add_tuple_literals() = element.ToProto();
  return proto;
}

// Whether the data have the forms that the shape asks for, before any memory is taken. The shape is valid.
static Status checkForm(const LiteralProto &proto, const Shape &shape) {
  auto invalid = [](const std::string &what) { return tenon::invalidArgument("invalid literal: " + what); };
  if (!ShapeUtil::Equal(proto.shape(), shape))
    return invalid("an element of shape " + ShapeUtil::HumanStringWithLayout(proto.shape()) + " where the tuple has " +
                   ShapeUtil::HumanStringWithLayout(shape));
  int64 bytes = ShapeUtil::IsTuple(shape) ? 0 : ShapeUtil::ByteSizeOf(shape);
  if (static_cast<int64>(proto.data().size()) != bytes)
    return invalid(std::to_string(proto.data().size()) + " bytes of data where " + ShapeUtil::HumanString(shape) +
                   " has " + std::to_string(bytes));
  if (proto.tuple_literals_size() != shape.tuple_shapes_size())
    return invalid(std::to_string(proto.tuple_literals_size()) + " elements where " + ShapeUtil::HumanString(shape) +
                   " has " + std::to_string(shape.tuple_shapes_size()));
  if (auto *info = internal::findType(shape.element_type());
      info && !internal::allCanonical(*info, proto.data().data(), bytes))
    return invalid("bytes that no " + PrimitiveTypeName(shape.element_type()) + " has");
  for (int i = 0; i < shape.tuple_shapes_size(); ++i)
    TENON_RETURN_IF_ERROR(checkForm(proto.tuple_literals(i), shape.tuple_shapes(i)));
  return {};
}

static void copyData(const LiteralProto &proto, const Literal &literal) {
  if (!proto.data().empty())
    std::memcpy(const_cast<void *>(literal.untyped_data()), proto.data().data(), proto.data().size());
  if (ShapeUtil::IsArray(literal.shape()))
    internal::fillPadding(literal.shape(), const_cast<void *>(literal.untyped_data()), /*is_zero=*/false);
  for (int i = 0; i < proto.tuple_literals_size(); ++i)
    copyData(proto.tuple_literals(i), literal.tuple_literal(i));
}

StatusOr<Literal> Literal::CreateFromProto(const LiteralProto &proto) {
  TENON_RETURN_IF_ERROR(ShapeUtil::Validate(proto.shape()));
  TENON_RETURN_IF_ERROR(checkForm(proto, proto.shape()));
  auto literal = Allocate(proto.shape());
  if (literal.ok())
    copyData(proto, *literal);
  return literal;
}

} // namespace tenon::xla_2017
