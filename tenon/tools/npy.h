// NumPy's .npy files, as arguments of programs (tenon/literal/npy.h reads and writes them).
#pragma once

#include "tenon/tools/array.h"

namespace tenon::tools {

// What a program expects an argument to be. Negative dimensions accept any size.
struct ExpectedArray {
  std::string name; // how errors call it: "argument 0 (x)"
  program::Shape shape;
};

// As LiteralUtil::ReadNpy reads it, of the type that is expected.
StatusOr<Literal> readNpy(const std::string &path, const ExpectedArray &expected);
// What a file holds; kInvalid for types that NumPy has no name for.
StatusOr<program::Shape> readNpyShape(const std::string &path);

} // namespace tenon::tools
