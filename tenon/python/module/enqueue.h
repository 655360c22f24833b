// Builders in Python, and how a method of ComputationBuilder becomes one of theirs: its parameters as Python has them,
// and the place of the call from Python's stack.
#pragma once

#include "tenon/computation_builder.h"
#include "tenon/python/module/clients.h"
#include "tenon/python/module/convert.h"

#include <functional>
#include <tuple>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace tenon::python {

using xla::ComputationBuilder;
using Handle = xla::ComputationDataHandle;
using At = xla::SourceLocation;

// The line of the user's program that is being run: the innermost that is not in this package.
class PythonPlace {
public:
  PythonPlace();
  At at() const { return At(file_.c_str(), line_); }

private:
  std::string file_ = "<python>";
  int line_ = 0;
};

struct BuilderObject;

// A value, which keeps its builder.
struct ValueObject {
  Handle handle;
  nb::object builder;
};

struct BuilderObject {
  ClientObject client;
  std::unique_ptr<ComputationBuilder> builder;

  // The Python object of a handle; the builder's first error where there is one.
  ValueObject value(const Handle &handle) const;
  void checkNoError() const { check(builder->first_error()); }
};

// A parameter of a method: what Python gives for it, and the value that the method takes.
template <typename Parameter> struct FromPython {
  using Type = Parameter;
  static constexpr std::identity convert{};
};
template <> struct FromPython<const Handle &> {
  using Type = const ValueObject &;
  static Handle convert(const ValueObject &given) { return given.handle; }
};
template <> struct FromPython<xla::gtl::ArraySlice<xla::int64>> {
  using Type = const std::vector<int64_t> &;
  static xla::gtl::ArraySlice<xla::int64> convert(Type given) { return given; }
};
template <> struct FromPython<xla::gtl::ArraySlice<Handle>> {
  using Type = const std::vector<ValueObject> &;
  static std::vector<Handle> convert(const std::vector<ValueObject> &given) {
    std::vector<Handle> handles;
    for (const ValueObject &value : given)
      handles.push_back(value.handle);
    return handles;
  }
};
template <> struct FromPython<xla::gtl::ArraySlice<std::pair<xla::int64, xla::int64>>> {
  using Type = const std::vector<std::pair<int64_t, int64_t>> &;
  static xla::gtl::ArraySlice<std::pair<xla::int64, xla::int64>> convert(Type given) { return given; }
};
template <> struct FromPython<const xla::PaddingConfig &> {
  using Type = const std::vector<std::tuple<int64_t, int64_t, int64_t>> &;
  static xla::PaddingConfig convert(Type given) {
    xla::PaddingConfig config;
    for (auto [low, high, interior] : given) {
      auto *dimension = config.add_dimensions();
      dimension->set_edge_padding_low(low);
      dimension->set_edge_padding_high(high);
      dimension->set_interior_padding(interior);
    }
    return config;
  }
};
template <> struct FromPython<const xla::Shape &> {
  using Type = const ShapeLike &;
  static xla::Shape convert(Type given) { return shapeOf(given); }
};
template <> struct FromPython<xla::PrimitiveType> {
  using Type = const ElementTypeLike &;
  static xla::PrimitiveType convert(Type given) { return elementTypeOf(given); }
};
template <> struct FromPython<std::string_view> {
  using Type = const std::string &;
  static std::string_view convert(Type given) { return given; }
};

template <typename Parameters, typename Indices> struct Enqueue;

// A function of Python's for a method of these parameters, of which the last is the place of the call.
template <typename... P, size_t... I> struct Enqueue<std::tuple<P...>, std::index_sequence<I...>> {
  template <size_t N> using From = FromPython<std::tuple_element_t<N, std::tuple<P...>>>;

  static auto function(Handle (ComputationBuilder::*method)(P...)) {
    return [method](const BuilderObject &self, typename From<I>::Type... arguments) {
      PythonPlace place;
      return self.value((self.builder.get()->*method)(From<I>::convert(arguments)..., place.at()));
    };
  }
};

template <typename... P> auto enqueue(Handle (ComputationBuilder::*method)(P...)) {
  return Enqueue<std::tuple<P...>, std::make_index_sequence<sizeof...(P) - 1>>::function(method);
}

// The methods that make values, and the operators of those.
void addOperations(nb::class_<BuilderObject> &builder);
void addOperators(nb::class_<ValueObject> &value);

} // namespace tenon::python
