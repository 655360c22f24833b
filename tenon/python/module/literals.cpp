// Values on the host.
#include "tenon/python/module/memory.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace tenon::python {

using nb::literals::operator""_a;
using xla::Literal;
using xla::LiteralUtil;
using xla::Shape;
using xla::ShapeUtil;

nb::object literalObject(const LiteralLike &like, std::optional<xla::PrimitiveType> type) {
  if (nb::isinstance<Literal>(like.object))
    return like.object;
  nb::object literal = arrays().attr("to_literal")(like.object, nb::cast(type));
  if (!nb::isinstance<Literal>(literal))
    throw nb::type_error("tenon._arrays.to_literal returned no Literal");
  return literal;
}

namespace {

Shape checkArray(const Literal &literal) {
  if (!ShapeUtil::IsArray(literal.shape()))
    throw StatusError(invalidArgument(ShapeUtil::HumanString(literal.shape()) + " is not an array"));
  return literal.shape();
}

void construct(Literal *self, const LiteralLike &like, const std::optional<ElementTypeLike> &type,
               std::optional<bool> copy) {
  std::optional<xla::PrimitiveType> wanted;
  if (type)
    wanted = elementTypeOf(*type);
  if (nb::isinstance<Literal>(like.object)) {
    const Literal &original = literalIn(like.object);
    new (self) Literal(wanted ? check(original.Convert(*wanted)) : original.Clone());
    return;
  }
  nb::object made = arrays().attr("to_literal")(like.object, nb::cast(wanted), nb::cast(copy));
  new (self) Literal(std::move(*nb::inst_ptr<Literal>(made)));
}

// For tenon/_arrays.py.
Literal fromMemory(xla::PrimitiveType type, std::vector<int64_t> dimensions, std::vector<int64_t> strides,
                   uintptr_t address, const nb::object &owner, std::optional<bool> copy) {
  return literalFrom({type, std::move(dimensions), std::move(strides), reinterpret_cast<const void *>(address)}, owner,
                     copy);
}

Literal makeTuple(const nb::list &elements) {
  std::vector<Literal> literals;
  Shape shape = ShapeUtil::MakeNil();
  for (nb::handle element : elements) {
    literals.push_back(literalIn(nb::borrow(element)).Clone());
    *shape.add_tuple_shapes() = literals.back().shape();
  }
  check(ShapeUtil::Validate(shape));
  return LiteralUtil::MakeTuple(std::move(literals));
}

// Writable only of a literal that nobody else has.
nb::object memoryOf(nb::pointer_and_handle<Literal> self, bool writable) {
  checkArray(*self.p);
  return bytesOf(const_cast<void *>(self.p->untyped_data()), self.p->size_bytes(), self.h, writable);
}

nb::object dlpack(nb::pointer_and_handle<Literal> self, const nb::kwargs &arguments) {
  return dlpackOf(checkArray(*self.p), self.p->untyped_data(), self.h, arguments);
}

const Literal &elementOf(const Literal &literal, int64_t index) {
  if (index < 0)
    index += literal.tuple_size();
  if (index < 0 || index >= literal.tuple_size())
    throw nb::index_error((ShapeUtil::HumanString(literal.shape()) + " has no such element").c_str());
  return literal.tuple_literal(index);
}

void addForms(nb::class_<Literal> &literal) {
  literal
      .def(
          "relayout",
          [](const Literal &self, const std::vector<int64_t> &order) {
            checkArray(self);
            return check(self.TryRelayout(xla::LayoutUtil::MakeLayout(order)));
          },
          "minor_to_major"_a, "The same array in another layout.")
      .def(
          "convert",
          [](const Literal &self, const ElementTypeLike &type) { return check(self.Convert(elementTypeOf(type))); },
          "element_type"_a, "Elements converted as ComputationBuilder.convert_element_type does.")
      .def(
          "reshape",
          [](const Literal &self, const std::vector<int64_t> &dimensions) { return check(self.Reshape(dimensions)); },
          "dimensions"_a, "The same elements in row-major order under other sizes.")
      .def(
          "write_npy", [](const Literal &self, const std::string &path) { check(LiteralUtil::WriteNpy(self, path)); },
          "path"_a)
      .def_static(
          "read_npy",
          [](const std::string &path, const std::optional<ElementTypeLike> &type) {
            return check(LiteralUtil::ReadNpy(path, type ? elementTypeOf(*type) : xla::PRIMITIVE_TYPE_INVALID));
          },
          "path"_a, "element_type"_a = nb::none(),
          "NumPy's file. Types that NumPy has no name for are taken from bytes, where `element_type` asks for them.");
}

} // namespace

void addLiterals(nb::module_ &module) {
  nb::class_<Literal> literal(
      module, "Literal",
      "A value on the host: an array in any layout, or a tuple of values. Immutable.\n\n"
      "Made from NumPy arrays, objects with __dlpack__, numbers, lists, and tuples of such. The memory of an array is "
      "used in place where its elements are aligned and lie without gaps in some order of dimensions, unless `copy` is "
      "True; with copy=False it is an error where that is not so. `element_type` is for what has none of its own.");
  literal.def("__init__", construct, "value"_a, "element_type"_a = nb::none(), nb::kw_only(), "copy"_a = nb::none())
      .def_static(
          "from_dlpack", [](nb::handle array, std::optional<bool> copy) { return literalFromDlpack(array, copy); },
          "array"_a, nb::kw_only(), "copy"_a = nb::none(), "Of an object with __dlpack__, in the CPU's memory.")
      .def_static("_from_memory", fromMemory)
      .def_static("_tuple", makeTuple)
      .def_prop_ro("shape", [](const Literal &self) { return self.shape(); })
      .def_prop_ro("nbytes", [](const Literal &self) { return self.size_bytes(); })
      .def(
          "__len__", [](const Literal &self) { return self.tuple_size(); }, "Of a tuple.")
      .def("__getitem__", elementOf, "index"_a, nb::rv_policy::reference_internal, "Of a tuple.")
      .def("__eq__",
           [](const Literal &a, nb::handle b) { return nb::isinstance<Literal>(b) && a == *nb::inst_ptr<Literal>(b); })
      .def("__str__", [](const Literal &self) { return self.ToString(); })
      .def("__repr__", [](const Literal &self) { return "Literal(" + self.ToString() + ")"; });
  addArrayInterface(literal, memoryOf, dlpack,
                    "A NumPy array that looks at the literal's memory, and can only be read; of a tuple a tuple.");
  literal.attr("__hash__") = nb::none();
  addForms(literal);
}

} // namespace tenon::python
