// Element types and shapes.
#include "tenon/python/module/convert.h"

#include "tenon/support/element_type.h"

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace tenon::python {

using nb::literals::operator""_a;
using xla::LayoutUtil;
using xla::PrimitiveType;
using xla::Shape;
using xla::ShapeUtil;

nb::module_ arrays() { return nb::module_::import_("tenon._arrays"); }

PrimitiveType elementTypeOf(const ElementTypeLike &like) {
  if (nb::isinstance<PrimitiveType>(like.object))
    return nb::cast<PrimitiveType>(like.object);
  if (nb::isinstance<nb::str>(like.object))
    if (auto type = xla::ParsePrimitiveType(utf8Of(like.object)); type.ok())
      return *type;
  return nb::cast<PrimitiveType>(arrays().attr("element_type")(like.object));
}

Shape shapeOf(const ShapeLike &like) {
  if (nb::isinstance<Shape>(like.object))
    return nb::cast<Shape>(like.object);
  if (nb::isinstance<nb::str>(like.object))
    return check(ShapeUtil::ParseShapeString(utf8Of(like.object)));
  if (!nb::hasattr(like.object, "shape") || !nb::hasattr(like.object, "dtype"))
    throw nb::type_error((std::string("a shape is needed (a Shape, its text, or what has shape and dtype), not ") +
                          nb::str(like.object.type()).c_str())
                             .c_str());
  Shape shape = ShapeUtil::MakeShape(elementTypeOf({nb::object(like.object.attr("dtype"))}),
                                     castTo<std::vector<int64_t>>(like.object.attr("shape"), "a shape of integers is"));
  check(ShapeUtil::Validate(shape));
  return shape;
}

static Shape arrayShape(const ElementTypeLike &type, const std::vector<int64_t> &dimensions,
                        const std::optional<std::vector<int64_t>> &minorToMajor) {
  Shape shape = minorToMajor ? ShapeUtil::MakeShapeWithLayout(elementTypeOf(type), dimensions, *minorToMajor)
                             : ShapeUtil::MakeShape(elementTypeOf(type), dimensions);
  check(ShapeUtil::Validate(shape));
  return shape;
}

static void addElementTypes(nb::module_ &module) {
  auto types = nb::enum_<PrimitiveType>(module, "ElementType", "The type of an array's elements.");
  const auto *descriptor = xla::PrimitiveType_descriptor();
  for (int i = 0; i < descriptor->value_count(); ++i)
    if (descriptor->value(i)->number() != xla::PRIMITIVE_TYPE_INVALID)
      types.value(descriptor->value(i)->name().c_str(), static_cast<PrimitiveType>(descriptor->value(i)->number()));
  types.def_prop_ro(
      "itemsize", [](PrimitiveType type) { return ShapeUtil::ByteSizeOfPrimitiveType(type); },
      "Bytes of an element in memory: 1 of types below 8 bits.");
  types.def_prop_ro("_numpy_name",
                    [](PrimitiveType type) { return elementTypeInfo(elementTypeNumbered(type)).numpyName; });
  types.def_prop_ro("_bits", [](PrimitiveType type) { return bitWidth(elementTypeNumbered(type)); });
  types.def("__str__", [](PrimitiveType type) { return xla::PrimitiveTypeName(type); });
}

static std::vector<int64_t> layoutOf(const Shape &shape) {
  xla::Layout layout = LayoutUtil::LayoutOf(shape);
  return {layout.minor_to_major().begin(), layout.minor_to_major().end()};
}

void addShapes(nb::module_ &module) {
  addElementTypes(module);
  nb::class_<Shape>(module, "Shape",
                    "An array's element type, sizes and layout, or a tuple of shapes. Immutable.\n\n"
                    "Made from text (\"f32[2,3]\", \"f32[2,3]{0,1}\", \"(f32[], s32[4])\"), or from anything with "
                    "`shape` and `dtype`.")
      .def(
          "__init__", [](Shape *self, const ShapeLike &like) { new (self) Shape(shapeOf(like)); }, "shape"_a)
      .def_static("array", arrayShape, "element_type"_a, "dimensions"_a, "minor_to_major"_a = nb::none(),
                  "An array; `minor_to_major` orders its dimensions, the one that changes most rapidly first.")
      .def_static(
          "make_tuple",
          [](const std::vector<Shape> &elements) {
            Shape shape = ShapeUtil::MakeTupleShape(elements);
            check(ShapeUtil::Validate(shape));
            return shape;
          },
          "elements"_a)
      .def_prop_ro("element_type", [](const Shape &shape) { return shape.element_type(); })
      .def_prop_ro(
          "dimensions", [](const Shape &shape) { return nb::tuple(nb::cast(ShapeUtil::Dimensions(shape))); },
          nb::sig("def dimensions(self) -> tuple[int, ...]"))
      .def_prop_ro("rank", [](const Shape &shape) { return ShapeUtil::Rank(shape); })
      .def_prop_ro(
          "minor_to_major", [](const Shape &shape) { return nb::tuple(nb::cast(layoutOf(shape))); },
          nb::sig("def minor_to_major(self) -> tuple[int, ...]"))
      .def_prop_ro(
          "is_padded", [](const Shape &shape) { return LayoutUtil::IsPadded(LayoutUtil::LayoutOf(shape), shape); },
          "Whether its block of memory is larger than the array.")
      .def_prop_ro("is_tuple", [](const Shape &shape) { return ShapeUtil::IsTuple(shape); })
      .def_prop_ro(
          "tuple_shapes",
          [](const Shape &shape) {
            return nb::tuple(nb::cast(std::vector<Shape>(shape.tuple_shapes().begin(), shape.tuple_shapes().end())));
          },
          nb::sig("def tuple_shapes(self) -> tuple[Shape, ...]"))
      .def_prop_ro(
          "byte_size", [](const Shape &shape) { return ShapeUtil::ByteSizeOf(shape); },
          "Of its elements in memory; of a tuple the sum.")
      .def(
          "compatible", [](const Shape &a, const ShapeLike &b) { return ShapeUtil::Compatible(a, shapeOf(b)); },
          "other"_a, "Whether the shapes are equal but for layouts.")
      .def("__eq__", [](const Shape &a,
                        nb::handle b) { return nb::isinstance<Shape>(b) && ShapeUtil::Equal(a, nb::cast<Shape>(b)); })
      .def("__hash__", [](const Shape &shape) { return nb::hash(nb::cast(ShapeUtil::HumanString(shape))); })
      .def("__str__", [](const Shape &shape) { return ShapeUtil::HumanString(shape); })
      .def("__repr__", [](const Shape &shape) { return "Shape('" + ShapeUtil::HumanStringWithLayout(shape) + "')"; });
}

} // namespace tenon::python
