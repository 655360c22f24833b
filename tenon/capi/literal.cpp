#include "tenon/capi/handles.h"
#include "tenon/literal/primitive_type.h"
#include "tenon/literal/storage.h"

#include <cstring>

using namespace tenon::capi;
using tenon::invalidArgument;
using tenon::Status;
using tenon::StatusOr;
using xla::Literal;
using xla::LiteralUtil;
using xla::Shape;
using xla::ShapeUtil;

namespace {

Status give(StatusOr<Literal> literal, tenon_literal **out) {
  if (!literal.ok())
    return literal.status();
  *out = release(std::make_unique<Literal>(*std::move(literal)));
  return {};
}

Literal &mutableLiteral(tenon_literal *literal) { return *reinterpret_cast<Literal *>(literal); }

Status checkArray(const Shape &shape, const char *function) {
  if (!ShapeUtil::IsArray(shape))
    return invalidArgument(std::string(function) + ": " + ShapeUtil::HumanString(shape) + " is not an array");
  return {};
}

// What Literal::Borrow and Adopt end the process for.
Status checkMemory(const Shape &shape, const void *data, const char *function) {
  Status status = xla::internal::checkMemory(shape, data);
  return status.ok() ? status : invalidArgument(function + (": " + status.message()));
}

StatusOr<Literal> copyOf(const Literal &literal) {
  if (!ShapeUtil::IsTuple(literal.shape())) {
    auto copy = Literal::Create(literal.shape());
    if (copy.ok() && literal.size_bytes() != 0)
      std::memcpy(copy->mutable_data(), literal.untyped_data(), static_cast<size_t>(literal.size_bytes()));
    return copy;
  }
  std::vector<Literal> elements;
  for (int64_t i = 0; i < literal.tuple_size(); ++i) {
    TENON_ASSIGN_OR_RETURN(Literal element, copyOf(literal.tuple_literal(i)));
    elements.push_back(std::move(element));
  }
  return LiteralUtil::MakeTuple(std::move(elements));
}

} // namespace

namespace tenon::capi {

StatusOr<Literal> copyElements(const Shape &shape, const void *data, size_t size) {
  TENON_RETURN_IF_ERROR(ShapeUtil::Validate(shape));
  TENON_RETURN_IF_ERROR(checkArray(shape, "a copy"));
  int64_t bytes = ShapeUtil::ByteSizeOf(shape);
  if (size != static_cast<size_t>(bytes))
    return invalidArgument(std::to_string(size) + " bytes are given for " + ShapeUtil::HumanStringWithLayout(shape) +
                           ", which has " + std::to_string(bytes));
  auto literal = Literal::Create(shape);
  if (!literal.ok() || bytes == 0)
    return literal;
  if (!data)
    return invalidArgument("no elements are given for " + ShapeUtil::HumanString(shape));
  const auto *info = xla::internal::findType(shape.element_type());
  if (!xla::internal::allCanonical(*info, data, bytes))
    return invalidArgument(std::string("there are bytes that no ") + info->xlaName + " has");
  std::memcpy(literal->mutable_data(), data, size);
  return literal;
}

} // namespace tenon::capi

tenon_status *tenon_literal_create(const tenon_shape *shape, tenon_literal **literal) {
  return guard({{shape, "shape"}, {literal, "literal"}},
               [&] { return give(Literal::Create(shapeOf(shape)), literal); });
}

tenon_status *tenon_literal_create_from(const tenon_shape *shape, const void *data, size_t size,
                                        tenon_literal **literal) {
  return guard({{shape, "shape"}, array(data, size, "data"), {literal, "literal"}},
               [&] { return give(copyElements(shapeOf(shape), data, size), literal); });
}

tenon_status *tenon_literal_borrow(const tenon_shape *shape, const void *data, tenon_literal **literal) {
  return guard({{shape, "shape"}, {literal, "literal"}}, [&]() -> Status {
    TENON_RETURN_IF_ERROR(checkMemory(shapeOf(shape), data, "tenon_literal_borrow"));
    return give(Literal::Borrow(shapeOf(shape), data), literal);
  });
}

tenon_status *tenon_literal_adopt(const tenon_shape *shape, void *data, void (*release)(void *data, void *context),
                                  void *context, tenon_literal **literal) {
  return guard({{shape, "shape"}, {literal, "literal"}}, [&]() -> Status {
    TENON_RETURN_IF_ERROR(checkMemory(shapeOf(shape), data, "tenon_literal_adopt"));
    return give(Literal::Adopt(shapeOf(shape), data, release, context), literal);
  });
}

tenon_status *tenon_literal_create_tuple(tenon_literal **elements, size_t count, tenon_literal **literal) {
  return guard({array(elements, count, "elements"), {literal, "literal"}}, [&]() -> Status {
    Shape shape = ShapeUtil::MakeNil();
    for (size_t i = 0; i < count; ++i) {
      if (!elements[i])
        return invalidArgument("element " + std::to_string(i) + " is NULL");
      *shape.add_tuple_shapes() = literalOf(elements[i]).shape();
    }
    TENON_RETURN_IF_ERROR(ShapeUtil::Validate(shape));
    std::vector<Literal> taken;
    taken.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      taken.push_back(std::move(mutableLiteral(elements[i])));
      tenon_literal_destroy(elements[i]);
      elements[i] = nullptr;
    }
    return give(LiteralUtil::MakeTuple(std::move(taken)), literal);
  });
}

tenon_status *tenon_literal_from_double(tenon_element_type type, double value, tenon_literal **literal) {
  return guard({{literal, "literal"}}, [&] { return give(LiteralUtil::FromDouble(typeOf(type), value), literal); });
}

tenon_status *tenon_literal_clone(const tenon_literal *original, tenon_literal **literal) {
  return guard({{original, "original"}, {literal, "literal"}},
               [&] { return give(copyOf(literalOf(original)), literal); });
}

void tenon_literal_destroy(tenon_literal *literal) { delete reinterpret_cast<Literal *>(literal); }

const tenon_shape *tenon_literal_shape(const tenon_literal *literal) {
  return literal ? handleOf(literalOf(literal).shape()) : nullptr;
}

const void *tenon_literal_data(const tenon_literal *literal) {
  return literal && ShapeUtil::IsArray(literalOf(literal).shape()) ? literalOf(literal).untyped_data() : nullptr;
}

size_t tenon_literal_size(const tenon_literal *literal) {
  bool isArray = literal && ShapeUtil::IsArray(literalOf(literal).shape());
  return isArray ? static_cast<size_t>(literalOf(literal).size_bytes()) : 0;
}

void *tenon_literal_mutable_data(tenon_literal *literal) {
  return literal && literalOf(literal).IsWritable() ? mutableLiteral(literal).mutable_data() : nullptr;
}

size_t tenon_literal_tuple_size(const tenon_literal *literal) {
  return literal ? static_cast<size_t>(literalOf(literal).tuple_size()) : 0;
}

const tenon_literal *tenon_literal_tuple_element(const tenon_literal *literal, size_t index) {
  return index < tenon_literal_tuple_size(literal)
             ? handleOf(literalOf(literal).tuple_literal(static_cast<int64_t>(index)))
             : nullptr;
}

tenon_status *tenon_literal_relayout(const tenon_literal *original, const tenon_shape *shape, tenon_literal **literal) {
  return guard({{original, "original"}, {shape, "shape"}, {literal, "literal"}}, [&]() -> Status {
    const Shape &from = literalOf(original).shape();
    TENON_RETURN_IF_ERROR(checkArray(from, "tenon_literal_relayout"));
    if (!ShapeUtil::Compatible(from, shapeOf(shape)))
      return invalidArgument("tenon_literal_relayout: the literal is " + ShapeUtil::HumanString(from) + ", and not " +
                             ShapeUtil::HumanString(shapeOf(shape)));
    return give(literalOf(original).TryRelayout(xla::LayoutUtil::LayoutOf(shapeOf(shape))), literal);
  });
}

tenon_status *tenon_literal_convert(const tenon_literal *original, tenon_element_type type, tenon_literal **literal) {
  return guard({{original, "original"}, {literal, "literal"}},
               [&] { return give(literalOf(original).Convert(typeOf(type)), literal); });
}

tenon_status *tenon_literal_reshape(const tenon_literal *original, const int64_t *dimensions, size_t rank,
                                    tenon_literal **literal) {
  return guard({{original, "original"}, array(dimensions, rank, "dimensions"), {literal, "literal"}},
               [&] { return give(literalOf(original).Reshape(slice(dimensions, rank)), literal); });
}

bool tenon_literal_equal(const tenon_literal *a, const tenon_literal *b) {
  return a && b ? literalOf(a) == literalOf(b) : a == b;
}

char *tenon_literal_to_string(const tenon_literal *literal) {
  if (!literal)
    return nullptr;
  try {
    return newText(literalOf(literal).ToString());
  } catch (...) {
    return nullptr;
  }
}

tenon_status *tenon_literal_read_npy(const char *path, tenon_element_type type, tenon_literal **literal) {
  return guard({{path, "path"}, {literal, "literal"}},
               [&] { return give(LiteralUtil::ReadNpy(path, typeOf(type)), literal); });
}

tenon_status *tenon_literal_write_npy(const tenon_literal *literal, const char *path) {
  return guard({{literal, "literal"}, {path, "path"}}, [&] { return LiteralUtil::WriteNpy(literalOf(literal), path); });
}
