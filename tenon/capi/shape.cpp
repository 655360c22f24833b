#include "tenon/capi/handles.h"

#include <string_view>

using namespace tenon::capi;
using tenon::Status;
using xla::LayoutUtil;
using xla::Shape;
using xla::ShapeUtil;

#define TENON_ELEMENT_TYPE(enumerator, type) static_assert(static_cast<int>(TENON_##type) == xla::type);
#include "tenon/support/element_types.def"
static_assert(static_cast<int>(TENON_TUPLE) == xla::TUPLE && static_cast<int>(TENON_OPAQUE_TYPE) == xla::OPAQUE_TYPE &&
              static_cast<int>(TENON_UNKNOWN_PAD) == xla::UNKNOWN_PAD);

namespace {

// Names are asked for again and again by those who print: they are made once.
struct TypeName {
  tenon_element_type type;
  std::string name;
};

const std::vector<TypeName> &typeNames() {
  static const auto *const names = [] {
    auto *result = new std::vector<TypeName>;
    const auto *descriptor = xla::PrimitiveType_descriptor();
    for (int i = 0; i < descriptor->value_count(); ++i) {
      int number = descriptor->value(i)->number();
      if (number != xla::PRIMITIVE_TYPE_INVALID)
        result->push_back(
            {static_cast<tenon_element_type>(number), xla::PrimitiveTypeName(static_cast<xla::PrimitiveType>(number))});
    }
    return result;
  }();
  return *names;
}

Status giveShape(Shape shape, tenon_shape **out) {
  TENON_RETURN_IF_ERROR(ShapeUtil::Validate(shape));
  *out = release(std::make_unique<Shape>(std::move(shape)));
  return {};
}

bool isArray(const tenon_shape *shape) { return shape && ShapeUtil::IsArray(shapeOf(shape)); }

const int64_t *dataOf(const google::protobuf::RepeatedField<int64_t> &values) {
  return values.empty() ? nullptr : values.data();
}

} // namespace

const char *tenon_element_type_name(tenon_element_type type) {
  for (const TypeName &entry : typeNames())
    if (entry.type == type)
      return entry.name.c_str();
  return "invalid";
}

tenon_status *tenon_element_type_parse(const char *name, tenon_element_type *type) {
  return guard({{name, "name"}, {type, "type"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto parsed, xla::ParsePrimitiveType(name));
    *type = static_cast<tenon_element_type>(parsed);
    return {};
  });
}

int64_t tenon_element_type_size(tenon_element_type type) { return ShapeUtil::ByteSizeOfPrimitiveType(typeOf(type)); }

tenon_status *tenon_shape_create(tenon_element_type type, const int64_t *dimensions, size_t rank, tenon_shape **shape) {
  return guard({array(dimensions, rank, "dimensions"), {shape, "shape"}},
               [&] { return giveShape(ShapeUtil::MakeShape(typeOf(type), slice(dimensions, rank)), shape); });
}

tenon_status *tenon_shape_create_with_layout(tenon_element_type type, const int64_t *dimensions,
                                             const int64_t *minor_to_major, const int64_t *padded_dimensions,
                                             tenon_padding_value padding, size_t rank, tenon_shape **shape) {
  return guard({array(dimensions, rank, "dimensions"), array(minor_to_major, rank, "minor_to_major"), {shape, "shape"}},
               [&] {
                 Shape made = ShapeUtil::MakeShape(typeOf(type), slice(dimensions, rank));
                 *made.mutable_layout() =
                     padded_dimensions
                         ? LayoutUtil::MakePaddedLayout(slice(minor_to_major, rank), slice(padded_dimensions, rank),
                                                        static_cast<xla::PaddingValue>(static_cast<int>(padding)))
                         : LayoutUtil::MakeLayout(slice(minor_to_major, rank));
                 return giveShape(std::move(made), shape);
               });
}

tenon_status *tenon_shape_create_tuple(const tenon_shape *const *elements, size_t count, tenon_shape **shape) {
  return guard({array(elements, count, "elements"), {shape, "shape"}}, [&]() -> Status {
    std::vector<Shape> shapes;
    for (size_t i = 0; i < count; ++i) {
      if (!elements[i])
        return tenon::invalidArgument("element " + std::to_string(i) + " is NULL");
      shapes.push_back(shapeOf(elements[i]));
    }
    return giveShape(ShapeUtil::MakeTupleShape(shapes), shape);
  });
}

tenon_status *tenon_shape_parse(const char *text, tenon_shape **shape) {
  return guard({{text, "text"}, {shape, "shape"}}, [&]() -> Status {
    auto parsed = ShapeUtil::ParseShapeString(text);
    return parsed.ok() ? giveShape(*std::move(parsed), shape) : parsed.status();
  });
}

tenon_status *tenon_shape_clone(const tenon_shape *original, tenon_shape **shape) {
  return guard({{original, "original"}, {shape, "shape"}}, [&] { return giveShape(shapeOf(original), shape); });
}

void tenon_shape_destroy(tenon_shape *shape) { delete reinterpret_cast<Shape *>(shape); }

tenon_element_type tenon_shape_element_type(const tenon_shape *shape) {
  return shape ? static_cast<tenon_element_type>(shapeOf(shape).element_type()) : TENON_INVALID_TYPE;
}

size_t tenon_shape_rank(const tenon_shape *shape) {
  return shape ? static_cast<size_t>(ShapeUtil::Rank(shapeOf(shape))) : 0;
}

const int64_t *tenon_shape_dimensions(const tenon_shape *shape) {
  return shape ? dataOf(shapeOf(shape).dimensions()) : nullptr;
}

const int64_t *tenon_shape_minor_to_major(const tenon_shape *shape) {
  return shape ? dataOf(shapeOf(shape).layout().minor_to_major()) : nullptr;
}

const int64_t *tenon_shape_padded_dimensions(const tenon_shape *shape) {
  return shape ? dataOf(shapeOf(shape).layout().padded_dimensions()) : nullptr;
}

tenon_padding_value tenon_shape_padding_value(const tenon_shape *shape) {
  bool given = shape && shapeOf(shape).layout().has_padding_value();
  return given ? static_cast<tenon_padding_value>(shapeOf(shape).layout().padding_value()) : TENON_ZERO_PAD;
}

size_t tenon_shape_tuple_size(const tenon_shape *shape) {
  return shape ? static_cast<size_t>(shapeOf(shape).tuple_shapes_size()) : 0;
}

const tenon_shape *tenon_shape_tuple_element(const tenon_shape *shape, size_t index) {
  return index < tenon_shape_tuple_size(shape) ? handleOf(shapeOf(shape).tuple_shapes(static_cast<int>(index)))
                                               : nullptr;
}

int64_t tenon_shape_element_count(const tenon_shape *shape) {
  return isArray(shape) ? ShapeUtil::ElementsIn(shapeOf(shape)) : 0;
}

int64_t tenon_shape_byte_size(const tenon_shape *shape) { return shape ? ShapeUtil::ByteSizeOf(shapeOf(shape)) : 0; }

bool tenon_shape_equal(const tenon_shape *a, const tenon_shape *b) {
  return a && b ? ShapeUtil::Equal(shapeOf(a), shapeOf(b)) : a == b;
}

bool tenon_shape_compatible(const tenon_shape *a, const tenon_shape *b) {
  return a && b ? ShapeUtil::Compatible(shapeOf(a), shapeOf(b)) : a == b;
}

char *tenon_shape_to_string(const tenon_shape *shape, bool with_layout) {
  if (!shape)
    return nullptr;
  try {
    return newText(with_layout ? ShapeUtil::HumanStringWithLayout(shapeOf(shape))
                               : ShapeUtil::HumanString(shapeOf(shape)));
  } catch (...) {
    return nullptr;
  }
}
