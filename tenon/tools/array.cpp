#include "tenon/tools/array.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <random>

namespace tenon::tools {

using llvm::APFloat;
using llvm::APInt;
using program::ElementType;

namespace {

// The format of a floating-point type, or of a complex type's parts; null for others.
const llvm::fltSemantics *semantics(ElementType type) {
  switch (type) {
  case ElementType::kF4E2M1FN:
    return &APFloat::Float4E2M1FN();
  case ElementType::kF6E2M3FN:
    return &APFloat::Float6E2M3FN();
  case ElementType::kF6E3M2FN:
    return &APFloat::Float6E3M2FN();
  case ElementType::kF8E3M4:
    return &APFloat::Float8E3M4();
  case ElementType::kF8E4M3:
    return &APFloat::Float8E4M3();
  case ElementType::kF8E4M3FN:
    return &APFloat::Float8E4M3FN();
  case ElementType::kF8E4M3FNUZ:
    return &APFloat::Float8E4M3FNUZ();
  case ElementType::kF8E4M3B11FNUZ:
    return &APFloat::Float8E4M3B11FNUZ();
  case ElementType::kF8E5M2:
    return &APFloat::Float8E5M2();
  case ElementType::kF8E5M2FNUZ:
    return &APFloat::Float8E5M2FNUZ();
  case ElementType::kF8E8M0FNU:
    return &APFloat::Float8E8M0FNU();
  case ElementType::kBF16:
    return &APFloat::BFloat();
  case ElementType::kF16:
    return &APFloat::IEEEhalf();
  case ElementType::kF32:
  case ElementType::kComplexF32:
    return &APFloat::IEEEsingle();
  case ElementType::kF64:
  case ElementType::kComplexF64:
    return &APFloat::IEEEdouble();
  default:
    return nullptr;
  }
}

int64_t integerBits(ElementType type) {
  switch (type) {
  case ElementType::kI1:
    return 1;
  case ElementType::kI2:
  case ElementType::kUI2:
    return 2;
  case ElementType::kI4:
  case ElementType::kUI4:
    return 4;
  default:
    return program::byteSize(type) * 8;
  }
}

uint64_t loadBits(const uint8_t *at, int64_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, size);
  return bits;
}

uint64_t encodeFloat(const llvm::fltSemantics &format, double value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(format, APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

// Enough decimal digits to tell values of the type apart: the shortest text for f32 and f64.
std::string shortest(double value, ElementType type, bool scientific) {
  char buffer[400];
  auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  bool isDouble = type == ElementType::kF64 || type == ElementType::kComplexF64;
  char *end = isDouble ? std::to_chars(buffer, std::end(buffer), value, format).ptr
                       : std::to_chars(buffer, std::end(buffer), static_cast<float>(value), format).ptr;
  std::string text(buffer, end);
  size_t exponent = text.find('e');
  std::string mantissa = text.substr(0, exponent);
  size_t point = mantissa.find('.');
  constexpr size_t kDigits = 8;
  if (point != std::string::npos && mantissa.size() - point - 1 > kDigits) {
    std::snprintf(buffer, sizeof buffer, scientific ? "%.8e" : "%.8f", value);
    text = buffer;
    exponent = text.find('e');
    mantissa = text.substr(0, exponent);
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
  } else if (point == std::string::npos) {
    mantissa += '.';
  }
  return exponent == std::string::npos ? mantissa : mantissa + text.substr(exponent);
}

class Formatter {
public:
  explicit Formatter(const Array &array) : array(array), dims(array.shape.dims) {
    summarize = array.shape.elementCount() > 1000;
    strides.resize(dims.size());
    int64_t stride = 1;
    for (size_t d = dims.size(); d-- > 0; stride *= dims[d])
      strides[d] = stride;
  }

  std::string run() {
    std::vector<int64_t> shown;
    collect(0, 0, shown);
    chooseNotation(shown);
    for (int64_t position : shown) {
      std::string text = element(position);
      size_t point = text.find('.');
      if (point == std::string::npos) {
        whole = std::max(whole, text.size());
        continue;
      }
      left = std::max(left, point);
      right = std::max(right, text.size() - point);
    }
    left = std::max(left + right, whole) - right;
    std::string out;
    print(0, 0, out);
    return out;
  }

private:
  static constexpr int64_t kEdge = 3;

  // Calls fn(index) for what is shown of dimension `d`, -1 standing for the gap.
  template <typename Fn> void forShown(size_t d, Fn fn) {
    bool cut = summarize && dims[d] > 2 * kEdge;
    for (int64_t i = 0; i < dims[d]; ++i) {
      if (cut && i == kEdge) {
        fn(-1);
        i = dims[d] - kEdge;
      }
      fn(i);
    }
  }

  void collect(size_t d, int64_t position, std::vector<int64_t> &shown) {
    if (d == dims.size())
      return shown.push_back(position);
    forShown(d, [&](int64_t i) {
      if (i >= 0)
        collect(d + 1, position + i * strides[d], shown);
    });
  }

  void chooseNotation(const std::vector<int64_t> &shown) {
    double largest = 0, smallest = INFINITY;
    if (!isFloatType(array.shape.type) && !isComplexType(array.shape.type))
      return;
    for (int64_t position : shown)
      for (bool imaginary : {false, true}) {
        if (imaginary && !isComplexType(array.shape.type))
          continue;
        double value = std::fabs(elementAsDouble(array, position, imaginary));
        if (!std::isfinite(value) || value == 0)
          continue;
        largest = std::max(largest, value);
        smallest = std::min(smallest, value);
      }
    scientific = largest >= 1e8 || (largest > 0 && (smallest < 1e-4 || largest / smallest > 1e3));
  }

  std::string number(double value) const {
    if (std::isnan(value))
      return "nan";
    if (std::isinf(value))
      return value < 0 ? "-inf" : "inf";
    return shortest(value, array.shape.type, scientific);
  }

  std::string element(int64_t position) const {
    ElementType type = array.shape.type;
    if (type == ElementType::kI1)
      return array.bytes[position] ? "True" : "False";
    if (isFloatType(type))
      return number(elementAsDouble(array, position));
    if (isComplexType(type)) {
      std::string imaginary = number(elementAsDouble(array, position, true));
      return number(elementAsDouble(array, position)) + (imaginary[0] == '-' ? "" : "+") + imaginary + "j";
    }
    int64_t size = program::byteSize(type);
    uint64_t bits = loadBits(array.bytes.data() + position * size, size);
    if (!isSignedIntegerType(type))
      return std::to_string(bits);
    return std::to_string(static_cast<int64_t>(bits << (64 - 8 * size)) >> (64 - 8 * size));
  }

  std::string padded(int64_t position) const {
    std::string text = element(position);
    size_t point = text.find('.');
    // Integers, booleans, nan and inf stand at the right; the others have their points below each other.
    if (point == std::string::npos)
      return std::string(left + right - text.size(), ' ') + text;
    return std::string(left - point, ' ') + text + std::string(right - (text.size() - point), ' ');
  }

  void print(size_t d, int64_t position, std::string &out) {
    if (d == dims.size()) {
      out += dims.empty() ? element(position) : padded(position);
      return;
    }
    out += '[';
    bool first = true;
    bool last = d + 1 == dims.size();
    size_t lineStart = out.size();
    forShown(d, [&](int64_t i) {
      if (!first && last && out.size() - std::min(out.size(), out.rfind('\n') + 1) + left + right + 1 > 100)
        out += "\n" + std::string(d, ' ');
      else if (!first && !last)
        out += std::string(dims.size() - d - 1, '\n') + std::string(d, ' ');
      if (!first)
        out += ' ';
      else if (lineStart != out.size())
        out += ' ';
      first = false;
      if (i < 0)
        out += "...";
      else
        print(d + 1, position + i * strides[d], out);
    });
    out += ']';
  }

  const Array &array;
  const std::vector<int64_t> &dims;
  std::vector<int64_t> strides;
  bool summarize, scientific = false;
  // Widths in front of and from the decimal point, and of elements without one.
  size_t left = 0, right = 0, whole = 0;
};

} // namespace

bool isFloatType(ElementType type) { return semantics(type) && !isComplexType(type); }

bool isComplexType(ElementType type) { return type == ElementType::kComplexF32 || type == ElementType::kComplexF64; }

bool isSignedIntegerType(ElementType type) { return type >= ElementType::kI2 && type <= ElementType::kI64; }

double elementAsDouble(const Array &array, int64_t position, bool imaginary) {
  ElementType type = array.shape.type;
  int64_t size = program::byteSize(type);
  const uint8_t *at = array.bytes.data() + position * size;
  if (isComplexType(type)) {
    size /= 2;
    at += imaginary ? size : 0;
  }
  uint64_t bits = loadBits(at, size);
  if (const llvm::fltSemantics *format = semantics(type)) {
    unsigned width = APFloat::getSizeInBits(*format);
    APFloat value(*format, APInt(width, bits & llvm::maskTrailingOnes<uint64_t>(width)));
    if (value.isNaN()) // conversion makes an infinity of E8M0's
      return std::numeric_limits<double>::quiet_NaN();
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  if (!isSignedIntegerType(type))
    return static_cast<double>(bits);
  return static_cast<double>(static_cast<int64_t>(bits << (64 - 8 * size)) >> (64 - 8 * size));
}

Array randomArray(const program::Shape &shape, uint64_t seed) {
  Array array{shape, std::vector<uint8_t>(shape.byteSize())};
  std::mt19937_64 engine(seed);
  const llvm::fltSemantics *format = semantics(shape.type);
  int64_t size = program::byteSize(shape.type) / (isComplexType(shape.type) ? 2 : 1);
  for (size_t at = 0; size && at < array.bytes.size(); at += size) {
    uint64_t random = engine(), bits;
    if (format) {
      double value = static_cast<double>(random >> 11) * 0x1p-52 - 1;
      // The scale type has neither sign nor zero.
      bits = encodeFloat(*format, shape.type == ElementType::kF8E8M0FNU ? std::fabs(value) + 0x1p-20 : value);
    } else {
      int64_t usable = std::min<int64_t>(3, integerBits(shape.type) - isSignedIntegerType(shape.type));
      bits = random >> (64 - usable);
    }
    std::memcpy(array.bytes.data() + at, &bits, size);
  }
  return array;
}

Array leadingElements(const Array &array, const std::vector<int64_t> &dims) {
  if (dims == array.shape.dims)
    return array;
  Array result{{array.shape.type, dims}, {}};
  result.bytes.reserve(result.shape.byteSize());
  int64_t rowBytes = dims.back() * program::byteSize(array.shape.type);
  int64_t rows = rowBytes ? result.shape.byteSize() / rowBytes : 0;
  for (int64_t row = 0; row < rows; ++row) {
    // The row's place among the rows of the larger array.
    int64_t rest = row, place = 0, stride = 1;
    for (size_t d = dims.size() - 1; d-- > 0;) {
      place += rest % dims[d] * stride;
      rest /= dims[d];
      stride *= array.shape.dims[d];
    }
    auto from = array.bytes.begin() + place * array.shape.dims.back() * program::byteSize(array.shape.type);
    result.bytes.insert(result.bytes.end(), from, from + rowBytes);
  }
  return result;
}

std::vector<Array> cutToSizes(const std::vector<program::Result> &described, std::vector<Array> arrays) {
  std::vector<bool> isSize(arrays.size(), false);
  for (size_t i = 0; i < arrays.size(); ++i) {
    std::vector<int64_t> dims = arrays[i].shape.dims;
    for (size_t d = 0; d < described[i].sizeResults.size(); ++d)
      if (int32_t size = described[i].sizeResults[d]; size >= 0) {
        isSize[size] = true;
        dims[d] = static_cast<int64_t>(elementAsDouble(arrays[size], 0));
      }
    arrays[i] = leadingElements(arrays[i], dims);
  }
  std::vector<Array> kept;
  for (size_t i = 0; i < arrays.size(); ++i)
    if (!isSize[i])
      kept.push_back(std::move(arrays[i]));
  return kept;
}

std::string formatArray(const Array &array) {
  if (array.shape.type == ElementType::kToken)
    return "token";
  if (array.shape.elementCount() == 0)
    return "[]";
  return Formatter(array).run();
}

std::optional<std::vector<int64_t>> fewIntegers(const Array &array) {
  constexpr int64_t kMost = 64;
  ElementType type = array.shape.type;
  bool isInteger = type > ElementType::kI1 && type <= ElementType::kUI64;
  int64_t count = array.shape.elementCount(), size = program::byteSize(type);
  if (!isInteger || array.shape.dims.size() > 1 || count < 1 || count > kMost)
    return std::nullopt;
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < count; ++i) {
    APInt bits(unsigned(size * 8), loadBits(array.bytes.data() + i * size, size));
    if (!isSignedIntegerType(type) && bits.isNegative() && size == 8)
      return std::nullopt; // beyond what a size can be
    elements.push_back(isSignedIntegerType(type) ? bits.getSExtValue() : int64_t(bits.getZExtValue()));
  }
  return elements;
}

StatusOr<Array> integerArray(program::Shape shape, const std::vector<int64_t> &elements) {
  if (shape.dims == std::vector<int64_t>{-1})
    shape.dims = {int64_t(elements.size())};
  if (shape.type <= ElementType::kI1 || shape.type > ElementType::kUI64 || shape.dims.size() > 1 ||
      shape.elementCount() != int64_t(elements.size()))
    return invalidArgument("has type " + shape.toString() + ", which " + std::to_string(elements.size()) +
                           (elements.size() == 1 ? " integer is not" : " integers are not"));
  Array array{shape, {}};
  auto bits = unsigned(integerBits(shape.type));
  int64_t size = program::byteSize(shape.type);
  for (int64_t element : elements) {
    bool isSigned = isSignedIntegerType(shape.type);
    bool fits = isSigned ? llvm::isIntN(bits, element) : element >= 0 && (bits == 64 || uint64_t(element) >> bits == 0);
    if (!fits)
      return invalidArgument("has type " + shape.toString() + ", which does not hold " + std::to_string(element));
    const auto *bytes = reinterpret_cast<const uint8_t *>(&element);
    array.bytes.insert(array.bytes.end(), bytes, bytes + size);
  }
  return array;
}

} // namespace tenon::tools
