#include "tenon/tools/array.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

namespace tenon::tools {

namespace {

bool isEqual(double a, double b, double tolerance) {
  return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= tolerance;
}

double epsilonOf(xla::PrimitiveType type) {
  switch (type) {
  case xla::F64:
  case xla::C128:
    return 0x1p-44;
  case xla::F32:
  case xla::C64:
    return 0x1p-16;
  default:
    return xla::ShapeUtil::ByteSizeOfPrimitiveType(type) == 2 ? 0x1p-7 : 0x1p-2;
  }
}

std::string differenceText(int64_t element, double a, double b) {
  std::ostringstream out;
  out.precision(std::numeric_limits<double>::max_digits10);
  out << "element " << element << ": " << a << ", not " << b;
  return out.str();
}

} // namespace

std::string describeDifference(const Literal &actual, const Literal &expected) {
  xla::PrimitiveType type = actual.shape().element_type();
  if (shapeOf(actual) != shapeOf(expected))
    return shapeOf(actual).toString() + ", not " + shapeOf(expected).toString();
  if (type == xla::TUPLE)
    return "";
  int64_t count = xla::ShapeUtil::ElementsIn(actual.shape());
  auto size = static_cast<size_t>(xla::ShapeUtil::ByteSizeOfPrimitiveType(type));
  bool isComplex = xla::IsComplexType(type);
  if (!xla::IsFloatType(type) && !isComplex) {
    const auto *a = static_cast<const char *>(dataOf(actual)), *b = static_cast<const char *>(dataOf(expected));
    for (int64_t i = 0; i < count; ++i, a += size, b += size)
      if (std::memcmp(a, b, size) != 0)
        return differenceText(i, elementAsDouble(actual, i), elementAsDouble(expected, i));
    return "";
  }
  double largest = 1e-30;
  int parts = isComplex ? 2 : 1;
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
