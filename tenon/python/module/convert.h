// What stands for values of the interface in Python: shapes as text, arrays for literals, dtypes for element types.
#pragma once

#include "tenon/literal.h"
#include "tenon/python/module/errors.h"

#include <optional>

namespace tenon::python {

// Arguments as they came; they become values when the call begins, where exceptions may be thrown.
struct ShapeLike {
  nb::object object;
};
struct LiteralLike {
  nb::object object;
};
struct ElementTypeLike {
  nb::object object;
};

// A Shape, its text ("f32[2,3]"), or anything with `shape` and `dtype`.
xla::Shape shapeOf(const ShapeLike &like);
// An ElementType, its name ("f32"), or what NumPy takes for a dtype.
xla::PrimitiveType elementTypeOf(const ElementTypeLike &like);
// A Literal as it is, or anything that is an array, made into one (tenon/_arrays.py). `type`: of what has none,
// Python's numbers and lists. The object returned keeps the literal.
nb::object literalObject(const LiteralLike &like, std::optional<xla::PrimitiveType> type = std::nullopt);
inline const xla::Literal &literalIn(const nb::object &object) { return *nb::inst_ptr<xla::Literal>(object); }

// The module of Python's that knows NumPy.
nb::module_ arrays();

// Whatever bytes a program has as a str.
inline nb::object textOf(const std::string &bytes) {
  return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

// What each file of this folder adds.
void addShapes(nb::module_ &module);
void addLiterals(nb::module_ &module);
void addClients(nb::module_ &module);
void addBuilders(nb::module_ &module);
void addProfiles(nb::module_ &module);
void addPrograms(nb::module_ &module);

} // namespace tenon::python

namespace nanobind::detail {

// NOLINTBEGIN(bugprone-macro-parentheses)
#define TENON_LIKE_CASTER(Like, Text)                                                                                  \
  template <> struct type_caster<tenon::python::Like> {                                                                \
    NB_TYPE_CASTER(tenon::python::Like, const_name(Text))                                                              \
    bool from_python(handle source, uint32_t, cleanup_list *) noexcept {                                               \
      value.object = borrow(source);                                                                                   \
      return true;                                                                                                     \
    }                                                                                                                  \
  };
// NOLINTEND(bugprone-macro-parentheses)

TENON_LIKE_CASTER(ShapeLike, "tenon._tenon.Shape | str | typing.Any")
TENON_LIKE_CASTER(LiteralLike, "tenon._tenon.Literal | typing.Any")
TENON_LIKE_CASTER(ElementTypeLike, "tenon._tenon.ElementType | str | typing.Any")
#undef TENON_LIKE_CASTER

} // namespace nanobind::detail
