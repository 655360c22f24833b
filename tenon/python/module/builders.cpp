// Builders, and the values of the computations that they build.
#include "tenon/python/module/enqueue.h"

#include <nanobind/operators.h>

namespace tenon::python {

using nb::literals::operator""_a;
using xla::Shape;

namespace {

// A str for messages, whatever it has: file names may have bytes that are no characters.
std::string shownText(nb::handle string) {
  nb::object bytes = nb::steal(PyUnicode_AsEncodedString(string.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid())
    throw nb::python_error();
  return nb::borrow<nb::bytes>(bytes).c_str();
}

// Frames have attributes alone that every version of Python keeps.
bool isOwnFrame(nb::handle frame) {
  nb::object globals = frame.attr("f_globals");
  nb::object name = nb::steal(PyObject_CallMethod(globals.ptr(), "get", "s", "__name__"));
  if (!name.is_valid() || !nb::isinstance<nb::str>(name)) {
    PyErr_Clear();
    return false;
  }
  auto text = shownText(name);
  return text == "tenon" || text.starts_with("tenon.");
}

} // namespace

PythonPlace::PythonPlace() {
  PyFrameObject *innermost = PyEval_GetFrame();
  if (!innermost)
    return;
  nb::object frame = nb::borrow(reinterpret_cast<PyObject *>(innermost));
  while (!frame.is_none() && isOwnFrame(frame))
    frame = frame.attr("f_back");
  if (frame.is_none())
    return;
  auto *found = reinterpret_cast<PyFrameObject *>(frame.ptr());
  line_ = PyFrame_GetLineNumber(found);
  nb::object code = nb::steal(reinterpret_cast<PyObject *>(PyFrame_GetCode(found)));
  file_ = shownText(code.attr("co_filename"));
}

ValueObject BuilderObject::value(const Handle &handle) const {
  checkNoError();
  return {handle, nb::borrow(nb::find(this))};
}

namespace {

const BuilderObject &builderOf(const ValueObject &value) { return *nb::inst_ptr<BuilderObject>(value.builder); }

Shape shapeOfValue(const ValueObject &value) {
  return std::move(*check(builderOf(value).builder->GetShape(value.handle)));
}

void construct(BuilderObject *self, const std::string &name, const std::optional<ClientObject *> &client,
               const std::optional<BuilderObject *> &parent) {
  if (parent) {
    new (self) BuilderObject{(*parent)->client, (*parent)->builder->CreateSubBuilder(name)};
    return;
  }
  ClientObject used = client ? **client : localClient(std::nullopt);
  new (self) BuilderObject{used, std::make_unique<ComputationBuilder>(used.client.get(), name)};
}

ValueObject constant(const BuilderObject &self, const LiteralLike &value, const std::optional<ElementTypeLike> &type) {
  PythonPlace place;
  std::optional<xla::PrimitiveType> wanted;
  if (type)
    wanted = elementTypeOf(*type);
  nb::object literal = literalObject(value, wanted);
  return self.value(self.builder->ConstantLiteral(literalIn(literal), place.at()));
}

ValueObject filled(const BuilderObject &self, int64_t length, const LiteralLike &value,
                   const std::optional<ElementTypeLike> &type) {
  PythonPlace place;
  ValueObject scalar = constant(self, value, type);
  return self.value(self.builder->Broadcast(scalar.handle, {length}, place.at()));
}

DataObject computeConstant(const BuilderObject &self, const ValueObject &operand,
                           const std::optional<std::vector<int64_t>> &minorToMajor) {
  xla::Layout layout = xla::LayoutUtil::MakeLayout(minorToMajor.value_or(std::vector<int64_t>()));
  auto data = unlocked([&] { return self.builder->ComputeConstant(operand.handle, minorToMajor ? &layout : nullptr); });
  return {check(std::move(data)), self.client};
}

// The C++ interface's ends the process.
ValueObject checkShape(const BuilderObject &self, const ValueObject &operand, const ShapeLike &expected) {
  PythonPlace place;
  Shape wanted = shapeOf(expected);
  auto shape = check(self.builder->GetShape(operand.handle));
  if (!xla::ShapeUtil::Compatible(*shape, wanted))
    throw StatusError(invalidArgument(
        self.builder->name() + ": CheckShape at " + place.at().file + ":" + std::to_string(place.at().line) +
        ": the shape is " + xla::ShapeUtil::HumanString(*shape) + ", and not " + xla::ShapeUtil::HumanString(wanted)));
  return operand;
}

void addConstants(nb::class_<BuilderObject> &builder) {
  builder
      .def("parameter", enqueue(&ComputationBuilder::Parameter), "parameter_number"_a, "shape"_a, "name"_a,
           "The argument of that number.")
      .def(
          "constant", constant, "value"_a, "element_type"_a = nb::none(),
          "A constant of what Literal takes: ConstantR0 to ConstantR4, ConstantLiteral. `element_type` is for what has "
          "none of its own, Python's numbers and lists.")
      .def("constant_literal", constant, "literal"_a, "element_type"_a = nb::none(), "The same.")
      .def("constant_r1_filled", filled, "length"_a, "value"_a, "element_type"_a = nb::none(),
           "A vector of equal elements.");
}

void addResults(nb::class_<BuilderObject> &builder) {
  builder
      .def(
          "build", [](const BuilderObject &self) { return *check(self.builder->Build()); },
          "The computation: of the last value enqueued, unless set_return_value chose another.")
      .def(
          "build_and_note_error", [](const BuilderObject &self) { return *self.builder->BuildAndNoteError(); },
          "The same, of a sub-builder; an error is noted in the parent, and the computation is empty.")
      .def(
          "set_return_value",
          [](const BuilderObject &self, const ValueObject &operand) {
            PythonPlace place;
            check(self.builder->SetReturnValue(operand.handle, place.at()));
          },
          "operand"_a)
      .def("compute_constant", computeConstant, "operand"_a, "minor_to_major"_a = nb::none(),
           "The value now, of one that does not depend on a parameter.")
      .def(
          "get_shape",
          [](const BuilderObject &self, const ValueObject &operand) {
            return std::move(*check(self.builder->GetShape(operand.handle)));
          },
          "operand"_a)
      .def("check_shape", checkShape, "operand"_a, "expected_shape"_a,
           "The operand; an error unless it has that shape, layout aside.")
      .def(
          "check_same_shape",
          [](const BuilderObject &self, const ValueObject &lhs, const ValueObject &rhs) {
            checkShape(self, lhs, {nb::cast(std::move(*check(self.builder->GetShape(rhs.handle))))});
          },
          "lhs"_a, "rhs"_a)
      .def(
          "first_error",
          [](const BuilderObject &self) {
            Status status = self.builder->first_error();
            return status.ok() ? nb::object(nb::none())
                               : nb::module_::import_("tenon._errors")
                                     .attr("Error")(static_cast<int>(status.code()), status.message());
          },
          nb::sig("def first_error(self) -> Exception | None"), "As an exception; it is not raised.");
}

// The other operand: a value, or a constant of this value's element type.
ValueObject operand(const ValueObject &self, const nb::object &other) {
  if (nb::isinstance<ValueObject>(other))
    return nb::cast<ValueObject>(other);
  PythonPlace place;
  const BuilderObject &builder = builderOf(self);
  nb::object literal = literalObject({other}, shapeOfValue(self).element_type());
  return builder.value(builder.builder->ConstantLiteral(literalIn(literal), place.at()));
}

using Method = Handle (*)(ComputationBuilder &, const Handle &, const Handle &, At);

// x + y, and y + x for what does not know of values.
void addOperator(nb::class_<ValueObject> &value, const std::string &name, const char *swapped, Method method) {
  value.def(("__" + name + "__").c_str(), [method](const ValueObject &self, const nb::object &other) {
    PythonPlace place;
    return builderOf(self).value(
        method(*builderOf(self).builder, self.handle, operand(self, other).handle, place.at()));
  });
  if (swapped)
    value.def(swapped, [method](const ValueObject &self, const nb::object &other) {
      PythonPlace place;
      return builderOf(self).value(
          method(*builderOf(self).builder, operand(self, other).handle, self.handle, place.at()));
    });
}

} // namespace

void addOperators(nb::class_<ValueObject> &value) {
  using CB = ComputationBuilder;
  addOperator(value, "add", "__radd__",
              [](CB &b, const Handle &x, const Handle &y, At at) { return b.Add(x, y, {}, at); });
  addOperator(value, "sub", "__rsub__",
              [](CB &b, const Handle &x, const Handle &y, At at) { return b.Sub(x, y, {}, at); });
  addOperator(value, "mul", "__rmul__",
              [](CB &b, const Handle &x, const Handle &y, At at) { return b.Mul(x, y, {}, at); });
  addOperator(value, "truediv", "__rtruediv__",
              [](CB &b, const Handle &x, const Handle &y, At at) { return b.Div(x, y, {}, at); });
  addOperator(value, "pow", "__rpow__", [](CB &b, const Handle &x, const Handle &y, At at) { return b.Pow(x, y, at); });
  addOperator(value, "matmul", "__rmatmul__",
              [](CB &b, const Handle &x, const Handle &y, At at) { return b.Dot(x, y, at); });
  addOperator(value, "lt", nullptr, [](CB &b, const Handle &x, const Handle &y, At at) { return b.Lt(x, y, {}, at); });
  addOperator(value, "le", nullptr, [](CB &b, const Handle &x, const Handle &y, At at) { return b.Le(x, y, {}, at); });
  addOperator(value, "gt", nullptr, [](CB &b, const Handle &x, const Handle &y, At at) { return b.Gt(x, y, {}, at); });
  addOperator(value, "ge", nullptr, [](CB &b, const Handle &x, const Handle &y, At at) { return b.Ge(x, y, {}, at); });
  addOperator(value, "eq", nullptr, [](CB &b, const Handle &x, const Handle &y, At at) { return b.Eq(x, y, {}, at); });
  addOperator(value, "ne", nullptr, [](CB &b, const Handle &x, const Handle &y, At at) { return b.Ne(x, y, {}, at); });
  value.def("__hash__", [](nb::handle self) { return reinterpret_cast<std::uintptr_t>(self.ptr()) >> 4; });
  value.def("__bool__", [](const ValueObject &) -> bool {
    throw nb::type_error("a value that is being built is neither true nor false: select and while_ choose by it");
  });
  // So that NumPy's arrays leave operators with values to these.
  value.attr("__array_ufunc__") = nb::none();
  value.def("__neg__", [](const ValueObject &self) {
    PythonPlace place;
    return builderOf(self).value(builderOf(self).builder->Neg(self.handle, place.at()));
  });
}

void addBuilders(nb::module_ &module) {
  nb::enum_<xla::Padding>(module, "Padding", "How windows are padded.")
      .value("SAME", xla::Padding::kSame, "As many windows as elements, divided by the stride and rounded up.")
      .value("VALID", xla::Padding::kValid, "None: windows lie inside.");
  nb::class_<xla::ConvolutionDimensionNumbers>(module, "ConvolutionDimensionNumbers",
                                               "What ComputationBuilder.create_conv_dimension_numbers makes.")
      .def("__repr__", [](const xla::ConvolutionDimensionNumbers &self) { return self.ShortDebugString(); });
  nb::class_<ValueObject> value(
      module, "Value",
      "A value of a computation that is being built. The operators + - * / ** @ == != < <= "
      "> >= enqueue operations (/ is ComputationBuilder.div, @ is dot), and take numbers, too.");
  value.def_prop_ro("shape", shapeOfValue)
      .def_prop_ro(
          "builder", [](const ValueObject &self) { return self.builder; },
          nb::sig("def builder(self) -> ComputationBuilder"))
      .def("__repr__",
           [](const ValueObject &self) { return "<Value " + xla::ShapeUtil::HumanString(shapeOfValue(self)) + ">"; });
  addOperators(value);
  nb::class_<BuilderObject> builder(
      module, "ComputationBuilder",
      "Builds a computation, operation by operation. An error is raised by the call that makes it, names the line of "
      "the "
      "program that made the call, and is kept: the builder cannot be used any further. One thread at a time.\n\n"
      "`name` is for errors, reports and profiles; `client`: that of this process by default. With `parent` it is a "
      "builder for a computation that only that builder uses (CreateSubBuilder).");
  builder.def("__init__", construct, "name"_a, "client"_a = nb::none(), "parent"_a = nb::none(), nb::keep_alive<1, 4>())
      .def_prop_ro("name", [](const BuilderObject &self) { return self.builder->name(); })
      .def("__repr__", [](const BuilderObject &self) { return "<ComputationBuilder '" + self.builder->name() + "'>"; })
      .def(
          "create_sub_builder",
          [](const BuilderObject &self, const std::string &name) {
            return BuilderObject{self.client, self.builder->CreateSubBuilder(name)};
          },
          "name"_a, nb::keep_alive<0, 1>(), "A builder for a computation that only this builder uses.")
      .def(
          "set_die_immediately_on_error",
          [](const BuilderObject &self, bool enabled) { self.builder->set_die_immediately_on_error(enabled); },
          "enabled"_a, "Whether an error ends the process instead.");
  addConstants(builder);
  addResults(builder);
  addOperations(builder);
}

} // namespace tenon::python
