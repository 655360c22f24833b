// Arrays as the command line handles them: arguments read from files or made up, results written or printed.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::tools {

// Row-major, in the storage of program::ElementType. A token has no bytes.
struct Array {
  program::Shape shape;
  std::vector<uint8_t> bytes;
};

// Values that suit the type, the same for the same seed: floats in [-1, 1), integers in [0, 8) (narrow types: what
// fits), booleans either.
Array randomArray(const program::Shape &shape, uint64_t seed);

// The first elements of each dimension, as many as `dims` says.
Array leadingElements(const Array &array, const std::vector<int64_t> &dims);

// A program's results, cut to the sizes that are results of their own (see program::Result), without those.
std::vector<Array> cutToSizes(const std::vector<program::Result> &described, std::vector<Array> arrays);

// An integer, or a list of at most 64 of them; none of another type or shape.
std::optional<std::vector<int64_t>> fewIntegers(const Array &array);
// The array of this shape, of an integer type, that has these elements; an error where the shape or type doesn't allow
// it. A size of -1 becomes their number.
StatusOr<Array> integerArray(program::Shape shape, const std::vector<int64_t> &elements);

// As NumPy prints, shortened to the edges beyond 1000 elements.
std::string formatArray(const Array &array);

// The value of one element: exact for f64 and everything narrower, rounded for 64-bit integers. The imaginary part of
// complex types.
double elementAsDouble(const Array &array, int64_t position, bool imaginary = false);

// Where the first is wrong: "element 3: 1.5, not 2.5", empty if the arrays agree. Integers are equal, floats differ by
// a few rounding errors of the largest: sums may associate differently.
std::string describeDifference(const Array &actual, const Array &expected);

// What the types of a storage need to know about a format of `exponentBits` and `mantissaBits` (at most 16 bits).
bool isFloatType(program::ElementType type);
bool isComplexType(program::ElementType type);
bool isSignedIntegerType(program::ElementType type);

} // namespace tenon::tools
