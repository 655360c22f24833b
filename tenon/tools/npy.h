// NumPy's .npy files, as arguments of programs (tenon/literal/npy.h reads and writes them).
#pragma once

#include "tenon/tools/array.h"

namespace tenon::tools {

// What a program expects an argument to be. Negative dimensions accept any size.
struct ExpectedArray {
  std::string name; // how errors call it: "argument 0 (x)"
  program::Shape shape;
};

// Reads a file of format 1.0 to 3.0, either byte order, C or Fortran order. NumPy has no names for bfloat16, the 8-bit
// floats and the integers below a byte: for those any type of the right size is taken as their storage.
StatusOr<Array> readNpy(const std::string &path, const ExpectedArray &expected);
// What a file holds; kInvalid for types that NumPy has no name for.
StatusOr<program::Shape> readNpyShape(const std::string &path);
// readNpy from the file's contents.
StatusOr<Array> parseNpy(std::string_view contents, const std::string &path, const ExpectedArray &expected);

// Floats that NumPy has no name for are written as raw bytes ("V2"): load and `.view(ml_dtypes.bfloat16)`. Integers
// below a byte are written as bytes.
std::string formatNpy(const Array &array);
Status writeNpy(const std::string &path, const Array &array);

} // namespace tenon::tools
