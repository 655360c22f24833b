// ProgramBuilder: programs built operation by operation. The functions for operations, tenon.ops, are generated; they
// come here by ProgramBuilder.enqueue.
#include "tenon/program_builder.h"
#include "tenon/python/module/enqueue.h"

#include <nanobind/operators.h>

namespace tenon::python {

using nb::literals::operator""_a;

namespace {

struct ProgramObject {
  explicit ProgramObject(const std::string &name) : builder(name) {}

  // Raises the builder's first error.
  template <typename T> T checked(T value) const {
    check(builder.status());
    return value;
  }

  ProgramBuilder builder;
};

// A value, which keeps its builder.
struct ProgramValue {
  tenon::Value value;
  nb::object builder;
};

ProgramObject &programOf(const ProgramValue &value) { return *nb::inst_ptr<ProgramObject>(value.builder); }

ProgramValue wrap(ProgramObject &self, const tenon::Value &value) {
  check(self.builder.status());
  return {value, nb::borrow(nb::find(&self))};
}

// A type as StableHLO spells it, from whatever stands for one.
Type typeIn(nb::handle given) { return {utf8Of(nb::module_::import_("tenon._program").attr("type_text")(given))}; }

// The results of a callable: one value, or a sequence of them.
Values resultsOf(const nb::object &given) {
  Values values;
  if (nb::isinstance<ProgramValue>(given)) {
    values.push_back(nb::cast<ProgramValue &>(given).value);
    return values;
  }
  if (!nb::isinstance<nb::sequence>(given))
    throw nb::type_error("a computation returns a value or a sequence of values");
  for (nb::handle element : given)
    values.push_back(castTo<ProgramValue>(element, "a value of a ProgramBuilder is").value);
  return values;
}

Region regionOf(ProgramObject &self, nb::object body) {
  return {[&self, body = std::move(body)](Span<tenon::Value> arguments) {
    nb::list given;
    for (const tenon::Value &argument : arguments)
      given.append(nb::cast(wrap(self, argument)));
    return resultsOf(body(*given));
  }};
}

using GivenOperands = std::vector<std::pair<std::string, std::vector<ProgramValue>>>;
using GivenAttributes = std::vector<std::pair<std::string, std::string>>;

std::vector<ProgramValue> enqueueProgram(ProgramObject &self, const std::string &name, const GivenOperands &operands,
                                         const GivenAttributes &attributes, const std::vector<nb::object> &regions,
                                         const std::vector<std::string> &results, const std::string &elementType) {
  PythonPlace place;
  Operation operation{name.c_str(), {}, {}, {}, {}, elementType};
  for (const auto &[operandName, given] : operands) {
    Values values;
    for (const ProgramValue &value : given)
      values.push_back(value.value);
    operation.operands.push_back({operandName.c_str(), std::move(values)});
  }
  for (const auto &[attributeName, text] : attributes)
    operation.attributes.push_back({attributeName.c_str(), text});
  for (const nb::object &region : regions)
    operation.regions.push_back(regionOf(self, region));
  for (const std::string &type : results)
    operation.results.emplace_back(type);
  std::vector<ProgramValue> wrapped;
  for (const tenon::Value &value : self.checked(self.builder.enqueue(operation, place.at())))
    wrapped.push_back(wrap(self, value));
  return wrapped;
}

ProgramValue constantOf(ProgramObject &self, const LiteralLike &value, const std::optional<ElementTypeLike> &type) {
  PythonPlace place;
  std::optional<xla::PrimitiveType> wanted;
  if (type)
    wanted = elementTypeOf(*type);
  nb::object literal = literalObject(value, wanted);
  return wrap(self, self.builder.constant(literalIn(literal), place.at()));
}

// The other operand of an operator, or of a function that has a value: that, or a constant. A number is of this value's
// element type, and fills an array of its shape if `whole`.
ProgramValue operandLike(const ProgramValue &self, const nb::object &other, bool whole) {
  if (nb::isinstance<ProgramValue>(other))
    return nb::cast<ProgramValue>(other);
  PythonPlace place;
  ProgramObject &program = programOf(self);
  if (nb::isinstance<nb::float_>(other) || nb::isinstance<nb::int_>(other))
    return wrap(program, whole ? self.value.like(nb::cast<double>(other), place.at())
                               : self.value.scalar(nb::cast<double>(other), place.at()));
  nb::object literal = literalObject({other}, std::nullopt);
  return wrap(program, program.builder.constant(literalIn(literal), place.at()));
}

using Operator = tenon::Value (*)(const char *, const OperatorOperand &, const OperatorOperand &);

void addProgramOperator(nb::class_<ProgramValue> &value, const char *name, const char *swapped, const char *operation,
                        Operator apply) {
  value.def(name, [operation, apply](const ProgramValue &self, const nb::object &other) {
    PythonPlace place;
    ProgramValue operand = operandLike(self, other, true);
    return wrap(programOf(self), apply(operation, {self.value, place.at()}, {operand.value, place.at()}));
  });
  if (swapped)
    value.def(swapped, [operation, apply](const ProgramValue &self, const nb::object &other) {
      PythonPlace place;
      ProgramValue operand = operandLike(self, other, true);
      return wrap(programOf(self), apply(operation, {operand.value, place.at()}, {self.value, place.at()}));
    });
}

void addProgramValues(nb::module_ &module) {
  nb::class_<ProgramValue> value(module, "ProgramValue",
                                 "A value of a program that is being built. The operators + - * / < <= > >= work "
                                 "element by element, with NumPy's broadcasting, and take numbers and arrays, too.");
  addProgramOperator(value, "__add__", "__radd__", "stablehlo.add", internal::applyOperator);
  addProgramOperator(value, "__sub__", "__rsub__", "stablehlo.subtract", internal::applyOperator);
  addProgramOperator(value, "__mul__", "__rmul__", "stablehlo.multiply", internal::applyOperator);
  addProgramOperator(value, "__truediv__", "__rtruediv__", "stablehlo.divide", internal::applyOperator);
  addProgramOperator(value, "__lt__", nullptr, "LT", internal::applyComparison);
  addProgramOperator(value, "__le__", nullptr, "LE", internal::applyComparison);
  addProgramOperator(value, "__gt__", nullptr, "GT", internal::applyComparison);
  addProgramOperator(value, "__ge__", nullptr, "GE", internal::applyComparison);
  value
      .def("__neg__",
           [](const ProgramValue &self) {
             PythonPlace place;
             return wrap(programOf(self), -OperatorOperand(self.value, place.at()));
           })
      .def("__bool__",
           [](const ProgramValue &) -> bool {
             throw nb::type_error("a value that is being built is neither true nor false: ops.select, ops.if_ and "
                                  "ops.while_ choose by it");
           })
      .def_prop_ro(
          "type", [](const ProgramValue &self) { return self.value.type(); }, "As StableHLO writes it.")
      .def_prop_ro("element_type", [](const ProgramValue &self) { return self.value.elementType(); })
      .def_prop_ro(
          "shape", [](const ProgramValue &self) { return nb::tuple(nb::cast(self.value.sizes())); },
          "The sizes, -1 where they are open.")
      .def_prop_ro(
          "builder", [](const ProgramValue &self) { return self.builder; },
          nb::sig("def builder(self) -> ProgramBuilder"))
      .def(
          "broadcast_to",
          [](const ProgramValue &self, const std::vector<int64_t> &shape,
             const std::optional<std::vector<int64_t>> &dimensions) {
            PythonPlace place;
            return wrap(programOf(self), dimensions ? self.value.broadcastTo(shape, *dimensions, place.at())
                                                    : self.value.broadcastTo(shape, place.at()));
          },
          "shape"_a, "dimensions"_a = nb::none(),
          "The array laid out along dimensions of an array of that shape, the last ones by default.")
      .def("_operand", operandLike, "other"_a, "whole"_a)
      .def("__repr__", [](const ProgramValue &self) { return "<ProgramValue " + self.value.type() + ">"; });
  // So that NumPy's arrays leave operators with values to these.
  value.attr("__array_ufunc__") = nb::none();
}

} // namespace

void addPrograms(nb::module_ &module) {
  addProgramValues(module);
  nb::class_<ProgramObject> program(
      module, "ProgramBuilder",
      "Builds a StableHLO program by the functions of tenon.ops. An error is raised by the call that makes it, names "
      "the "
      "operation, its rule and the line of the program that made the call, and is kept: the builder cannot be used any "
      "further. One thread at a time. `name` is for errors, reports and profiles.");
  program.def(nb::init<const std::string &>(), "name"_a)
      .def_prop_ro("name", [](const ProgramObject &self) { return self.builder.name(); })
      .def(
          "parameter",
          [](ProgramObject &self, nb::handle type, const std::string &name) {
            PythonPlace place;
            return wrap(self, self.builder.parameter(typeIn(type), name, place.at()));
          },
          "type"_a, "name"_a = "", nb::sig("def parameter(self, type: typing.Any, name: str = '') -> ProgramValue"),
          "The next parameter: of a type as StableHLO spells it (\"2x3xf32\"), or that of a value.")
      .def("constant", constantOf, "value"_a, "element_type"_a = nb::none(), "A constant of what Literal takes.")
      .def("enqueue", enqueueProgram, "name"_a, "operands"_a, "attributes"_a, "regions"_a, "results"_a,
           "element_type"_a, "An operation as the functions of tenon.ops describe it.")
      .def(
          "function",
          [](ProgramObject &self, const std::string &name, const nb::object &parameters, nb::object body) {
            PythonPlace place;
            std::vector<Type> types;
            for (nb::handle type : parameters)
              types.push_back(typeIn(type));
            self.builder.function(name, types, regionOf(self, std::move(body)), place.at());
            check(self.builder.status());
          },
          "name"_a, "parameters"_a, "body"_a,
          nb::sig("def function(self, name: str, parameters: collections.abc.Sequence[typing.Any], body: "
                  "collections.abc.Callable) -> None"),
          "A function that `call` calls: for parts that programs repeat.")
      .def(
          "call",
          [](ProgramObject &self, const std::string &name, const nb::args &arguments) {
            PythonPlace place;
            std::vector<ProgramValue> results;
            for (const tenon::Value &value :
                 self.checked(self.builder.call(name, resultsOf(nb::list(arguments)), place.at())))
              results.push_back(wrap(self, value));
            return results;
          },
          "name"_a, "arguments"_a, "The results of such a function.")
      .def(
          "build",
          [](ProgramObject &self, const nb::object &results) { return check(self.builder.build(resultsOf(results))); },
          "results"_a, nb::sig("def build(self, results: typing.Any) -> Computation"),
          "The program that gives a value, or a sequence of them.")
      .def(
          "text",
          [](ProgramObject &self, const nb::object &results) { return check(self.builder.text(resultsOf(results))); },
          "results"_a, nb::sig("def text(self, results: typing.Any) -> str"),
          "The same as StableHLO's text, whatever the types.")
      .def("__repr__", [](const ProgramObject &self) { return "<ProgramBuilder '" + self.builder.name() + "'>"; });
}

} // namespace tenon::python
