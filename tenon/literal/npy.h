// NumPy's .npy files.
#pragma once

#include "tenon/literal.h"

#include <iosfwd>

namespace tenon::xla_2017 {

// The description of the data in the header of a file.
struct NpyHeader {
  char byte_order = '|'; // '<', '>', '|'
  char kind = 'V';       // b, i, u, f, c, V, ...
  int64 item_size = 0;
  bool fortran_order = false;
  std::vector<int64> dimensions;

  // NumPy's name of the element type: "float32".
  std::string TypeName() const;
};

// Reads a file of format 1.0 to 3.0 up to its data. `name` is what errors call it.
StatusOr<NpyHeader> ReadNpyHeader(std::istream &file, const std::string &name);
// The element type that NumPy's name stands for, or `wanted` where the data can be its storage: NumPy has no names for
// bfloat16, the floats of 8 bits and less, and the integers below a byte.
StatusOr<PrimitiveType> NpyElementType(const NpyHeader &header, const std::string &name, PrimitiveType wanted);
// Reads the data behind the header, row-major, as elements of that type, which NpyElementType gave.
StatusOr<Literal> ReadNpyData(std::istream &file, const std::string &name, const NpyHeader &header, PrimitiveType type);

void WriteNpyTo(std::ostream &file, const Literal &array);

} // namespace tenon::xla_2017
