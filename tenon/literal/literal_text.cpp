// Literals as text.
#include "tenon/literal.h"
#include "tenon/literal/primitive_type.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tenon::xla_2017 {
namespace {

using tenon::ElementKind;
using tenon::ElementType;
using tenon::ElementTypeInfo;

// Elements shown at either end of a dimension that is shortened.
constexpr int64 kEdge = 3;
constexpr int64 kMostElements = 1000;

template <typename T> T read(const void *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <typename T> std::string shortest(T value) {
  if (std::isnan(value))
    return "nan";
  char buffer[64];
  return {buffer, std::to_chars(buffer, std::end(buffer), value).ptr};
}

// Whole numbers as they are, others in the fewest digits that are read as this code.
std::string shortestSmall(const tenon::FloatFormat &format, std::uint32_t code) {
  double value = decodeFloat(format, code);
  if (!std::isfinite(value) || (value == std::trunc(value) && std::fabs(value) < 0x1p24))
    return shortest(value);
  for (int digits = 1; digits < 9; ++digits) {
    char buffer[64];
    auto end = std::to_chars(buffer, std::end(buffer), value, std::chars_format::general, digits).ptr;
    double rounded = 0;
    std::from_chars(buffer, end, rounded);
    if (encodeFloat(format, rounded) == code)
      return shortest(static_cast<float>(rounded));
  }
  return shortest(value);
}

std::int64_t readSigned(const void *at, int bytes) {
  switch (bytes) {
  case 1:
    return read<std::int8_t>(at);
  case 2:
    return read<std::int16_t>(at);
  case 4:
    return read<std::int32_t>(at);
  default:
    return read<std::int64_t>(at);
  }
}

std::string elementText(const ElementTypeInfo &info, const void *at) {
  std::uint64_t bits = 0;
  if (info.bytes <= 8)
    std::memcpy(&bits, at, static_cast<size_t>(info.bytes));
  switch (info.kind) {
  case ElementKind::kBool:
    return bits ? "true" : "false";
  case ElementKind::kSigned:
    return std::to_string(readSigned(at, info.bytes));
  case ElementKind::kUnsigned:
    return std::to_string(bits);
  case ElementKind::kFloat:
    if (info.bits <= 16)
      return shortestSmall(info.format, static_cast<std::uint32_t>(bits));
    return info.type == ElementType::kF32 ? shortest(read<float>(at)) : shortest(read<double>(at));
  case ElementKind::kComplex:
    if (info.type == ElementType::kComplexF32)
      return "(" + shortest(read<complex64>(at).real()) + ", " + shortest(read<complex64>(at).imag()) + ")";
    return "(" + shortest(read<complex128>(at).real()) + ", " + shortest(read<complex128>(at).imag()) + ")";
  case ElementKind::kNone:
    break;
  }
  return {};
}

class Printer {
public:
  explicit Printer(const Literal &literal)
      : info_(*internal::findType(literal.shape().element_type())), dims_(ShapeUtil::Dimensions(literal.shape())),
        strides_(LayoutUtil::Strides(literal.shape())), data_(static_cast<const char *>(literal.untyped_data())) {
    // Sizes of zero count as one: the brackets in front of them are shortened, too.
    int64 count = 1;
    for (int64 size : dims_)
      count *= std::max<int64>(size, 1);
    shortened_ = count > kMostElements;
  }

  void print(size_t d, int64 position, std::string &text) const {
    if (d == dims_.size()) {
      text += elementText(info_, data_ + position * info_.bytes);
      return;
    }
    bool cut = shortened_ && dims_[d] > 2 * kEdge;
    text += '{';
    for (int64 i = 0; i < dims_[d]; ++i) {
      text += i ? ", " : "";
      if (cut && i == kEdge) {
        text += "..., ";
        i = dims_[d] - kEdge;
      }
      print(d + 1, position + i * strides_[d], text);
    }
    text += '}';
  }

private:
  const ElementTypeInfo &info_;
  std::vector<int64> dims_, strides_;
  const char *data_;
  bool shortened_;
};

} // namespace

std::string Literal::ToString() const {
  if (!ShapeUtil::IsTuple(shape_)) {
    std::string text = ShapeUtil::HumanString(shape_) + " ";
    Printer(*this).print(0, 0, text);
    return text;
  }
  std::string text;
  for (const Literal &element : elements_)
    text += (text.empty() ? "" : ", ") + element.ToString();
  return "(" + text + ")";
}

} // namespace tenon::xla_2017
