// Memory that Python and Tenon share.
#pragma once

#include "tenon/python/module/convert.h"

#include <vector>

#include <nanobind/ndarray.h>

namespace tenon::python {

// An array in somebody's memory; strides count elements.
struct ArrayMemory {
  xla::PrimitiveType type;
  std::vector<int64_t> dimensions;
  std::vector<int64_t> strides;
  const void *data;
};

// A literal that looks at the memory and keeps `owner`, where the elements are aligned and lie without gaps in some
// order of dimensions, which becomes its layout; a copy in row-major order where they do not. `copy`: always, or, if
// false, never, which is an error where it is needed.
xla::Literal literalFrom(const ArrayMemory &memory, const nb::object &owner, std::optional<bool> copy);

// The array of an object with __dlpack__ whose memory is the CPU's.
xla::Literal literalFromDlpack(nb::handle source, std::optional<bool> copy);

// Where the elements of one of NumPy's arrays lie, if they are of the shape, row-major and as a literal needs them;
// null otherwise, and for the types of ml_dtypes. The quick way for what most arguments are.
const void *addressIfUsable(nb::handle array, const xla::Shape &shape);

// What __dlpack__ returns for an array of that shape at `data`, which `owner` keeps; it can be read only. Types of
// fewer than 8 bits have no form there: BufferError.
nb::object dlpackOf(const xla::Shape &shape, const void *data, nb::handle owner, const nb::kwargs &arguments);
// What __dlpack_device__ returns: the CPU.
nb::tuple dlpackDevice();

// The bytes as a memoryview, which keeps `owner`.
nb::object bytesOf(void *data, int64_t size, nb::handle owner, bool writable);

// Gives a class what NumPy and DLPack ask of an array: `memory` is its _memory, which tenon._arrays reads, `dlpack` its
// __dlpack__, and `numpyText` the documentation of its numpy.
template <typename Class, typename Memory, typename Dlpack>
void addArrayInterface(nb::class_<Class> &type, Memory memory, Dlpack dlpack, const char *numpyText) {
  using nb::literals::operator""_a;
  type.def("_memory", memory, "writable"_a)
      .def(
          "numpy", [](nb::handle self) { return arrays().attr("to_numpy")(self); },
          nb::sig("def numpy(self) -> typing.Any"), numpyText)
      .def(
          "__array__",
          [](nb::handle self, nb::object dtype, nb::object copy) {
            return arrays().attr("as_array")(self, dtype, copy);
          },
          "dtype"_a = nb::none(), "copy"_a = nb::none())
      .def("__dlpack__", dlpack)
      .def(
          "__dlpack_device__", [](nb::handle) { return dlpackDevice(); },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"));
}

} // namespace tenon::python
