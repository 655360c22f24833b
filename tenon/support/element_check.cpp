#include "tenon/support/element_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon {
namespace {

using Kind = ElementCheck::Kind;

// What an array's elements are made of: one part, or two of complex numbers.
struct Element {
  unsigned parts;
  ElementKind kind; // a part's kind, which is not kComplex
  unsigned bytes;   // a part's size
  FloatFormat format;
};

Element elementOf(ElementType type) {
  ElementType part = realType(type);
  return {isComplex(type) ? 2u : 1u, kindOf(part), unsigned(byteSize(part)), floatFormat(part)};
}

template <typename T> T readAs(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

uint64_t readBits(const uint8_t *at, unsigned bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, bytes); // little-endian, like all targets
  return bits;
}

// Integers narrower than a byte are stored extended to one.
int64_t readSigned(const uint8_t *at, unsigned bytes) {
  unsigned unused = 64 - 8 * bytes;
  return static_cast<int64_t>(readBits(at, bytes) << unused) >> unused;
}

double readFloat(const Element &element, const uint8_t *at) {
  if (element.bytes <= 2)
    return decodeFloat(element.format, static_cast<uint32_t>(readBits(at, element.bytes)));
  return element.bytes == 4 ? double(readAs<float>(at)) : readAs<double>(at);
}

bool isSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

constexpr uint64_t kNotFinite = std::numeric_limits<uint64_t>::max();

// How many values of the format one has to go from one float to another.
uint64_t ulpsBetween(const Element &element, const uint8_t *a, const uint8_t *b) {
  double first = readFloat(element, a), second = readFloat(element, b);
  if (isSame(first, second))
    return 0;
  if (!std::isfinite(first) || !std::isfinite(second))
    return kNotFinite;
  uint64_t codeOfA = readBits(a, element.bytes), codeOfB = readBits(b, element.bytes);
  if (element.format.special != FloatFormat::Special::Scale) {
    uint64_t magnitude = (uint64_t{1} << (element.format.bits() - 1)) - 1;
    codeOfA &= magnitude;
    codeOfB &= magnitude;
  }
  if (std::signbit(first) != std::signbit(second))
    return codeOfA + codeOfB;
  return codeOfA > codeOfB ? codeOfA - codeOfB : codeOfB - codeOfA;
}

bool isWithin(double tolerance, double actual, double expected) {
  if (isSame(actual, expected))
    return true;
  if (!std::isfinite(actual) || !std::isfinite(expected))
    return false;
  double difference = std::abs(actual - expected);
  return difference <= tolerance || difference <= tolerance * std::abs(expected);
}

uint64_t ulpsApart(const Element &element, const uint8_t *actual, const uint8_t *expected) {
  uint64_t most = 0;
  for (unsigned part = 0; part < element.parts; ++part)
    most = std::max(most, ulpsBetween(element, actual + part * element.bytes, expected + part * element.bytes));
  return most;
}

// Whether the check holds for one element.
bool holds(const ElementCheck &check, const Element &element, const uint8_t *actual, const uint8_t *expected) {
  if (element.kind == ElementKind::kBool)
    return (*actual != 0) == (*expected != 0);
  if (element.kind != ElementKind::kFloat)
    return std::memcmp(actual, expected, element.bytes) == 0;
  if (check.kind == Kind::Close) {
    uint64_t ulps = ulpsApart(element, actual, expected);
    return check.minUlps <= ulps && ulps <= check.maxUlps;
  }
  for (unsigned part = 0; part < element.parts; ++part) {
    double a = readFloat(element, actual + part * element.bytes);
    double e = readFloat(element, expected + part * element.bytes);
    if (check.kind == Kind::Equal ? !isSame(a, e) : !isWithin(check.tolerance, a, e))
      return false;
  }
  return true;
}

template <typename T> std::string numberText(T value) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// With a precision, so many digits; otherwise as many as no other value of T has.
template <typename T> std::string realText(T value, std::optional<int> precision = {}) {
  constexpr auto kFormat = std::chars_format::general;
  std::array<char, 32> text;
  char *end = text.data() + text.size();
  return {text.data(), (precision ? std::to_chars(text.data(), end, value, kFormat, *precision)
                                  : std::to_chars(text.data(), end, value, kFormat))
                           .ptr};
}

std::string floatText(const Element &element, const uint8_t *at) {
  double value = readFloat(element, at);
  if (std::isnan(value))
    return "nan";
  return element.bytes == 8 ? realText(value) : realText(static_cast<float>(value));
}

std::string elementText(const Element &element, const uint8_t *at) {
  switch (element.kind) {
  case ElementKind::kBool:
    return *at ? "true" : "false";
  case ElementKind::kSigned:
    return numberText(readSigned(at, element.bytes));
  case ElementKind::kUnsigned:
    return numberText(readBits(at, element.bytes));
  default: // floats
    break;
  }
  std::string text = floatText(element, at);
  return element.parts == 1 ? text : "(" + text + ", " + floatText(element, at + element.bytes) + ")";
}

// How far apart two floats are that do not pass, and what the check allows.
std::string distanceText(const ElementCheck &check, const Element &element, const uint8_t *actual,
                         const uint8_t *expected) {
  if (element.kind != ElementKind::kFloat || check.kind == Kind::Equal)
    return "";
  if (check.kind == Kind::Close) {
    uint64_t ulps = ulpsApart(element, actual, expected);
    std::string limit = ulps > check.maxUlps ? "at most " + numberText(check.maxUlps) + " allowed"
                                             : "at least " + numberText(check.minUlps) + " required";
    std::string apart = ulps == kNotFinite ? "no number of ULP apart" : numberText(ulps) + " ULP apart";
    return " (" + apart + ", " + limit + ")";
  }
  double most = 0;
  for (unsigned part = 0; part < element.parts; ++part) {
    double a = readFloat(element, actual + part * element.bytes);
    double e = readFloat(element, expected + part * element.bytes);
    if (!isWithin(check.tolerance, a, e))
      most = std::max(most, std::isfinite(a) && std::isfinite(e) ? std::abs(a - e) : HUGE_VAL);
  }
  std::string apart = std::isinf(most) ? "not both finite" : realText(most, 6) + " apart";
  return " (" + apart + ", tolerance " + realText(check.tolerance) + ")";
}

std::string indexText(std::span<const int64_t> dims, int64_t position) {
  std::string text;
  for (size_t d = dims.size(); d-- > 0; position /= dims[d])
    text = numberText(position % dims[d]) + (text.empty() ? "" : ", ") + text;
  return text;
}

} // namespace

std::optional<Kind> checkNamed(std::string_view target) {
  if (target == "check.expect_eq")
    return Kind::Equal;
  if (target == "check.expect_almost_eq" || target == "check.eq")
    return Kind::AlmostEqual;
  if (target == "check.expect_close")
    return Kind::Close;
  return std::nullopt;
}

bool isCheckAttribute(std::string_view name) {
  return name == "tolerance" || name == "min_ulp_difference" || name == "max_ulp_difference";
}

StatusOr<ElementCheck> makeElementCheck(Kind kind, std::span<const CheckAttribute> attributes) {
  ElementCheck check;
  check.kind = kind;
  for (const auto &[name, value] : attributes) {
    bool isUlps = name == "min_ulp_difference" || name == "max_ulp_difference";
    if ((kind != Kind::Close || !isUlps) && (kind != Kind::AlmostEqual || name != "tolerance"))
      return invalidArgument("there is no attribute '" + name + "'");
    if (isUlps) {
      const auto *ulps = std::get_if<uint64_t>(&value);
      if (!ulps)
        return invalidArgument("'" + name + "' must be an integer that is not negative");
      (name.starts_with("min") ? check.minUlps : check.maxUlps) = *ulps;
      continue;
    }
    const auto *tolerance = std::get_if<double>(&value);
    if (!tolerance || !(*tolerance >= 0))
      return invalidArgument("'tolerance' must be a float that is not negative");
    check.tolerance = *tolerance;
  }
  if (check.minUlps > check.maxUlps)
    return invalidArgument("min_ulp_difference must not be above max_ulp_difference, got " + numberText(check.minUlps) +
                           " and " + numberText(check.maxUlps));
  return check;
}

Status compareElements(const ElementCheck &check, ElementType type, std::span<const int64_t> dims, const void *actual,
                       const void *expected) {
  if (kindOf(type) == ElementKind::kNone)
    return unimplemented(std::string("elements of type ") + elementTypeName(type) + " cannot be compared");
  const Element element = elementOf(type);
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  const int64_t stride = byteSize(type);
  if (count == 0 || (check.minUlps == 0 && std::memcmp(actual, expected, size_t(count * stride)) == 0))
    return {}; // equal bits pass every check
  const auto *a = static_cast<const uint8_t *>(actual), *e = static_cast<const uint8_t *>(expected);
  int64_t first = -1, failures = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (holds(check, element, a + i * stride, e + i * stride))
      continue;
    first = failures++ ? first : i;
  }
  if (failures == 0)
    return {};
  a += first * stride;
  e += first * stride;
  std::string where = dims.empty() ? "the value" : "element [" + indexText(dims, first) + "]";
  std::string text = where + " is " + elementText(element, a) + " but " + elementText(element, e) + " is expected" +
                     distanceText(check, element, a, e);
  if (!dims.empty())
    text += "; " + numberText(failures) + " of " + numberText(count) + (count == 1 ? " element" : " elements") +
            (check.minUlps ? " fail" : " differ");
  return invalidArgument(text);
}

} // namespace tenon
