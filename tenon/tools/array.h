// Arrays as the command line handles them: arguments read from files or made up, results written or printed. They are
// literals, row-major; the empty tuple stands for a token.
#pragma once

#include "tenon/literal.h"
#include "tenon/program/program.h"

#include <optional>

namespace tenon::tools {

using xla::Literal;

program::Shape shapeOf(const Literal &array);
// An array of that shape: zeros, or a copy of these bytes. RESOURCE_EXHAUSTED.
StatusOr<Literal> makeArray(const program::Shape &shape);
StatusOr<Literal> makeArray(const program::Shape &shape, const void *bytes);
// Null of a token.
const void *dataOf(const Literal &array);

// Values that suit the type, the same for the same seed: floats in [-1, 1), integers in [0, 8) (narrow types: what
// fits), booleans either.
StatusOr<Literal> randomArray(const program::Shape &shape, uint64_t seed);

// A program's results, cut to the sizes that are results of their own (see program::Result), without those.
StatusOr<std::vector<Literal>> cutToSizes(const std::vector<program::Result> &described, std::vector<Literal> arrays);

// An integer, or a list of at most 64 of them; none of another type or shape.
std::optional<std::vector<int64_t>> fewIntegers(const Literal &array);
// The array of this shape, of an integer type, that has these elements; an error where the shape or type doesn't allow
// it. A size of -1 becomes their number.
StatusOr<Literal> integerArray(program::Shape shape, const std::vector<int64_t> &elements);

// As NumPy prints, shortened to the edges beyond 1000 elements.
std::string formatArray(const Literal &array);

// The value of one element: exact for f64 and everything narrower, rounded for 64-bit integers. The imaginary part of
// complex types.
double elementAsDouble(const Literal &array, int64_t position, bool imaginary = false);

// Where the first is wrong: "element 3: 1.5, not 2.5", empty if the arrays agree. Integers are equal, floats differ by
// a few rounding errors of the largest: sums may associate differently.
std::string describeDifference(const Literal &actual, const Literal &expected);

} // namespace tenon::tools
