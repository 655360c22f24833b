#include "tenon/tools/array.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace tenon::tools {

namespace {

bool isEqual(double a, double b, double tolerance) {
  return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= tolerance;
}

double epsilonOf(program::ElementType type) {
  switch (type) {
  case program::ElementType::kF64:
  case program::ElementType::kComplexF64:
    return 0x1p-44;
  case program::ElementType::kF32:
  case program::ElementType::kComplexF32:
    return 0x1p-16;
  default:
    return program::byteSize(type) == 2 ? 0x1p-7 : 0x1p-2;
  }
}

std::string differenceText(int64_t element, double a, double b) {
  std::ostringstream out;
  out.precision(std::numeric_limits<double>::max_digits10);
  out << "element " << element << ": " << a << ", not " << b;
  return out.str();
}

} // namespace

std::string describeDifference(const Array &actual, const Array &expected) {
  program::ElementType type = actual.shape.type;
  if (actual.shape != expected.shape)
    return actual.shape.toString() + ", not " + expected.shape.toString();
  int64_t count = type == program::ElementType::kToken ? 0 : actual.shape.elementCount();
  int64_t size = program::byteSize(type);
  if (!isFloatType(type) && !isComplexType(type)) {
    for (int64_t i = 0; i < count; ++i)
      if (!std::equal(actual.bytes.begin() + i * size, actual.bytes.begin() + (i + 1) * size,
                      expected.bytes.begin() + i * size))
        return differenceText(i, elementAsDouble(actual, i), elementAsDouble(expected, i));
    return "";
  }
  double largest = 1e-30;
  int parts = isComplexType(type) ? 2 : 1;
  for (int64_t i = 0; i < count; ++i)
    for (int part = 0; part < parts; ++part)
      if (double value = std::abs(elementAsDouble(expected, i, part == 1)); std::isfinite(value))
        largest = std::max(largest, value);
  for (int64_t i = 0; i < count; ++i)
    for (int part = 0; part < parts; ++part) {
      double a = elementAsDouble(actual, i, part == 1), b = elementAsDouble(expected, i, part == 1);
      if (!isEqual(a, b, epsilonOf(type) * largest))
        return differenceText(i, a, b);
    }
  return "";
}

} // namespace tenon::tools
