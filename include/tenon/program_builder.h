// Builds StableHLO programs, operation by operation.
//
//   tenon::ProgramBuilder builder("attention");
//   Value q = builder.parameter("tensor<8x64xf32>", "q"), k = builder.parameter("tensor<8x64xf32>", "k");
//   Value scores = ops::dot_general(q, k, {.lhs_contracting_dimensions = {1}, .rhs_contracting_dimensions = {1}});
//   Value top = ops::reduce(scores, builder.constant(-INFINITY), {1}, [](Value a, Value b) { return ops::maximum(a, b);
//   }); auto computation = builder.build(ops::exponential(scores - top.broadcastTo({8, 8}, {0})));
//
// tenon/ops.h has a function for each operation of StableHLO, made from the compiler's own records: its operands and
// attributes under StableHLO's names. This file has what these functions stand on. Result types are inferred; where an
// operation leaves them open (reshape, convert), they are a parameter.
//
// An error is kept with the place of the call, and build returns the first: "attention: dot_general at main.cc:12:
// ...". What is enqueued after it has no effect, and gives values that stand for nothing.
//
// Operations that take computations (reduce, while, sort, scatter) take a callable, which is called once, at once, with
// the values that the computation has as arguments, and returns its results. It may use values from around it.
#pragma once

#include "tenon/computation.h"
#include "tenon/literal.h"
#include "tenon/source_location.h"

#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tenon {

namespace xla_2017::internal {
class BuilderState;
} // namespace xla_2017::internal

class ProgramBuilder;

// A view of consecutive elements: of a vector, an array, a std::span, or a list in braces.
template <typename T> using Span = xla_2017::gtl::ArraySlice<T>;
using xla_2017::SourceLocation;

// The type of a value, in StableHLO's syntax.
class Type {
public:
  // No type: it is inferred.
  Type() = default;
  // "tensor<2x3xf32>", or what is between those brackets: "2x3xf32", "f32". Sizes may be open ("?x3xf32"), elements
  // quantized; "!stablehlo.token" and "tuple<...>" are types, too.
  Type(std::string text) : text_(std::move(text)) {}
  // The same.
  Type(const char *text) : text_(text) {}
  // An array of those sizes; the element as StableHLO spells it: "f32", "i1", "ui8", "complex<f64>".
  Type(std::string_view element, Span<std::int64_t> sizes) {
    for (std::int64_t size : sizes)
      text_ += (size < 0 ? "?" : std::to_string(size)) + "x";
    text_ += element;
  }

  // As it was given; empty of no type.
  const std::string &text() const { return text_; }

private:
  std::string text_;
};

// A value of a program that is being built; copied at will. It needs its builder to live. A default one stands for
// nothing, as does what an operation returns after an error.
class TENON_API Value {
public:
  // Stands for nothing.
  Value() = default;

  // Whether it stands for a value.
  explicit operator bool() const { return builder_ != nullptr; }
  // Null of one that stands for nothing.
  ProgramBuilder *builder() const { return builder_; }
  // As StableHLO writes it: "tensor<2x3xf32>"; empty of what stands for nothing.
  std::string type() const;
  // "f32"; empty of what is no array.
  std::string elementType() const;
  // The sizes, -1 where open; empty of what is no array.
  std::vector<std::int64_t> sizes() const;
  // The array laid out along dimensions of an array of these sizes: dimension i becomes dimension dimensions[i]. Sizes
  // of 1 are stretched. Without dimensions they are the last ones.
  Value broadcastTo(Span<std::int64_t> sizes, Span<std::int64_t> dimensions,
                    SourceLocation at = SourceLocation::current()) const;
  // The same along the last dimensions.
  Value broadcastTo(Span<std::int64_t> sizes, SourceLocation at = SourceLocation::current()) const;
  // That number as a scalar of this array's element type.
  Value scalar(double number, SourceLocation at = SourceLocation::current()) const;
  // That number in each element of an array of this one's type.
  Value like(double number, SourceLocation at = SourceLocation::current()) const;

private:
  friend class ProgramBuilder;
  Value(ProgramBuilder *builder, std::int64_t index) : builder_(builder), index_(index) {}

  ProgramBuilder *builder_ = nullptr;
  std::int64_t index_ = -1;
};

// Any number of values: what operations take and give that have no fixed number of them. One value is a list, and a
// list of one is that value.
class TENON_API Values : public std::vector<Value> {
public:
  using std::vector<Value>::vector;
  // A list of one.
  Values(Value value) : std::vector<Value>{value} {}
  // The same values.
  Values(std::vector<Value> values) : std::vector<Value>(std::move(values)) {}
  // The same values.
  template <std::size_t N>
  Values(const std::array<Value, N> &values) : std::vector<Value>(values.begin(), values.end()) {}
  // The only one. Where there are several, that is an error of their builder, and the value stands for nothing.
  operator Value() const;
};

// The computation of an operation: any callable of as many Values as it has arguments (up to eight), or of a
// Span<Value>, that returns a Value or Values.
class Region {
public:
  // Keeps the callable.
  template <typename Body, typename = std::enable_if_t<!std::is_same_v<std::decay_t<Body>, Region>>>
  Region(Body body)
      : body_([body = std::move(body)](Span<Value> arguments, Values &results) mutable {
          return call(body, arguments, results, std::make_index_sequence<9>());
        }) {}

  // Calls it; false where it does not take that number of values.
  bool operator()(Span<Value> arguments, Values &results) const { return body_(arguments, results); }

private:
  template <std::size_t> using Each = Value;

  template <typename Body, std::size_t... N>
  static bool callWith(Body &body, Span<Value> arguments, Values &results, std::index_sequence<N...>) {
    if constexpr (std::is_invocable_v<Body &, Each<N>...>) {
      results = Values(body(arguments[N]...));
      return true;
    }
    return false;
  }
  template <typename Body, std::size_t... Count>
  static bool call(Body &body, Span<Value> arguments, Values &results, std::index_sequence<Count...>) {
    if constexpr (std::is_invocable_v<Body &, Span<Value>> && !std::is_invocable_v<Body &, Value>) {
      results = Values(body(arguments));
      return true;
    } else {
      bool called = false;
      ((called = called ||
                 (arguments.size() == Count && callWith(body, arguments, results, std::make_index_sequence<Count>()))),
       ...);
      return called;
    }
  }

  std::function<bool(Span<Value>, Values &)> body_;
};

// An operation as the functions of tenon/ops.h describe it to the builder. Operations that are not among those, of
// dialects that the compiler reads, can be enqueued by it, too.
struct Operation {
  // Values under the name that StableHLO has for them; several are one operand of no fixed number.
  struct Operand {
    const char *name;
    Values values;
  };
  // In StableHLO's syntax: "array<i64: 0, 1>", "#stablehlo.dot<...>". Without text it is left out.
  struct Attribute {
    const char *name;
    std::string text;
  };

  const char *name; // "stablehlo.add"
  std::vector<Operand> operands;
  std::vector<Attribute> attributes;
  std::vector<Region> regions;
  std::vector<Type> results; // where they cannot be inferred
  std::string elementType;   // of an inferred result; empty: that of the operand
};

// One program while it is being built. For one thread at a time. Values point to it, so it stays where it is.
class TENON_API ProgramBuilder {
public:
  // The name is for errors, reports and profiles.
  explicit ProgramBuilder(std::string name);
  // Frees what it has made; computations that were built live on.
  ~ProgramBuilder();
  ProgramBuilder(const ProgramBuilder &) = delete;
  ProgramBuilder &operator=(const ProgramBuilder &) = delete;

  // The name given.
  const std::string &name() const;
  // The first error so far; OK where there is none.
  Status status() const;

  // The next parameter of the program.
  Value parameter(const Type &type, std::string_view name = "", SourceLocation at = SourceLocation::current());
  // An array of any layout.
  Value constant(const xla_2017::Literal &value, SourceLocation at = SourceLocation::current());
  // A scalar of the number's type: a type that NativeToPrimitiveType knows.
  template <typename T, typename = decltype(xla_2017::types_internal::PrimitiveTypeOf<T>::value)>
  Value constant(T number, SourceLocation at = SourceLocation::current()) {
    return constant(xla_2017::LiteralUtil::CreateR0<T>(number), at);
  }
  // An array of those sizes with the elements in row-major order; as many as it has, or one for all of them.
  template <typename T>
  Value constant(const std::vector<T> &elements, Span<std::int64_t> sizes,
                 SourceLocation at = SourceLocation::current()) {
    Value flat = constant(xla_2017::LiteralUtil::CreateR1<T>(elements), at);
    return reshaped(flat, sizes, at);
  }

  // Adds an operation, and gives its results; none after an error.
  Values enqueue(const Operation &operation, SourceLocation at = SourceLocation::current());

  // Adds a function, which `call` calls: for parts that programs repeat, and for operations that name functions.
  void function(std::string_view name, const std::vector<Type> &parameters, const Region &body,
                SourceLocation at = SourceLocation::current());
  // The results of such a function, of these arguments.
  Values call(std::string_view function, const Values &arguments, SourceLocation at = SourceLocation::current());

  // Two arrays made of one shape by NumPy's rules (dimensions are aligned at the last; sizes of 1 are stretched), and
  // an operation of them: "stablehlo.add". What the operators do.
  Value broadcasting(const char *operation, const Value &lhs, const Value &rhs,
                     SourceLocation at = SourceLocation::current());
  // The same for a comparison: "EQ", "NE", "GE", "GT", "LE", "LT".
  Value comparison(const char *direction, const Value &lhs, const Value &rhs,
                   SourceLocation at = SourceLocation::current());

  // The program that gives these values, or the first error. Its parameters and results must be arrays of known sizes
  // without quantization: what Client runs. The builder may go on, and build others.
  StatusOr<xla_2017::Computation> build(const Values &results);
  // The same as StableHLO's text, whatever the types.
  StatusOr<std::string> text(const Values &results);

  // What is behind it, for the library itself.
  class Graph;

private:
  friend class Value;
  friend class Values;
  friend class xla_2017::internal::BuilderState; // the interface of 2017 stands on this one
  // With the context of the other, if there is one.
  ProgramBuilder(std::string name, const ProgramBuilder *relative);
  Value reshaped(const Value &flat, Span<std::int64_t> sizes, SourceLocation at);

  std::unique_ptr<Graph> graph_;
};

// What the functions of tenon/ops.h make attributes of: texts in StableHLO's syntax.
namespace attributes {
// An integer of 64 bits.
TENON_API std::string i64(std::int64_t value);
// An integer of 32 bits.
TENON_API std::string i32(std::int32_t value);
// A number by its bits, so that every value is itself.
TENON_API std::string f32(float value);
// A truth value.
TENON_API std::string boolean(bool value);
// Present, or without text where false.
TENON_API std::string unit(bool value);
// A text in quotes.
TENON_API std::string string(std::string_view value);
// The name of a function.
TENON_API std::string symbol(std::string_view function);
// A list of integers.
TENON_API std::string i64s(Span<std::int64_t> values);
// A list of truth values.
TENON_API std::string booleans(const std::vector<bool> &values);
// Rows of equal lengths; `columns` where there is no row.
TENON_API std::string matrix(const std::vector<std::vector<std::int64_t>> &rows, std::int64_t columns);
// "field = [1, 2], " of a structured attribute; nothing where empty or zero.
TENON_API std::string field(const char *name, const std::vector<std::int64_t> &values);
// The same of a number.
TENON_API std::string field(const char *name, std::int64_t value);
// "#stablehlo.dot<...>" of the fields' texts.
TENON_API std::string fields(const char *attribute, std::string texts);
} // namespace attributes

// An operand of an operator, with the place of the operator: a value, or a number, which becomes one of the other
// operand's type.
class OperatorOperand {
public:
  // A value.
  OperatorOperand(const Value &value, SourceLocation at = SourceLocation::current()) : value(value), at(at) {}
  // The only one of these.
  OperatorOperand(const Values &values, SourceLocation at = SourceLocation::current()) : value(values), at(at) {}
  // A number, whose type is the other operand's.
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  OperatorOperand(Number number, SourceLocation at = SourceLocation::current())
      : number(static_cast<double>(number)), isNumber(true), at(at) {}

  Value value;
  double number = 0;
  bool isNumber = false;
  SourceLocation at;
};

namespace internal {
// Enqueues with the builder of the first operand that is a value; without one there is nothing.
TENON_API Values enqueue(const Operation &operation, SourceLocation at);
// The results of an operation that has so many; those that stand for nothing after an error.
template <std::size_t N> std::array<Value, N> several(const Values &values) {
  std::array<Value, N> results;
  for (std::size_t i = 0; i < N && i < values.size(); ++i)
    results[i] = values[i];
  return results;
}
// What the operators do.
TENON_API Value applyOperator(const char *operation, const OperatorOperand &lhs, const OperatorOperand &rhs);
// The same of a comparison.
TENON_API Value applyComparison(const char *direction, const OperatorOperand &lhs, const OperatorOperand &rhs);
} // namespace internal

// Elementwise, with NumPy's broadcasting. They are found where an operand is a value.
inline Value operator+(const OperatorOperand &lhs, const OperatorOperand &rhs) {
  return internal::applyOperator("stablehlo.add", lhs, rhs);
}
// The same for a difference.
inline Value operator-(const OperatorOperand &lhs, const OperatorOperand &rhs) {
  return internal::applyOperator("stablehlo.subtract", lhs, rhs);
}
// The same for a product, element by element.
inline Value operator*(const OperatorOperand &lhs, const OperatorOperand &rhs) {
  return internal::applyOperator("stablehlo.multiply", lhs, rhs);
}
// The same for a quotient.
inline Value operator/(const OperatorOperand &lhs, const OperatorOperand &rhs) {
  return internal::applyOperator("stablehlo.divide", lhs, rhs);
}
// The negative of each element.
inline Value operator-(const OperatorOperand &operand) {
  return operand.value ? Value(operand.value.builder()->enqueue(
                             {"stablehlo.negate", {{"operand", operand.value}}, {}, {}, {}, {}}, operand.at))
                       : Value();
}
// Comparisons give arrays of i1.
inline Value operator<(const OperatorOperand &lhs, const OperatorOperand &rhs) {
  return internal::applyComparison("LT", lhs, rhs);
}
// Whether an element is at most the other.
inline Value operator<=(const OperatorOperand &lhs, const OperatorOperand &rhs) {
  return internal::applyComparison("LE", lhs, rhs);
}
// Whether an element is greater than the other.
inline Value operator>(const OperatorOperand &lhs, const OperatorOperand &rhs) {
  return internal::applyComparison("GT", lhs, rhs);
}
// Whether an element is at least the other.
inline Value operator>=(const OperatorOperand &lhs, const OperatorOperand &rhs) {
  return internal::applyComparison("GE", lhs, rhs);
}

} // namespace tenon
