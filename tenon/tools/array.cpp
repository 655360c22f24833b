#include "tenon/tools/array.h"

#include "tenon/literal/primitive_type.h"
#include "tenon/literal/program_types.h"
#include "tenon/support/strided_copy.h"
#include "tenon/support/strides.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <random>

namespace tenon::tools {

using xla::LayoutUtil;
using xla::ShapeUtil;

namespace {

const ElementTypeInfo &typeOf(const Literal &array) { return *xla::internal::findType(array.shape().element_type()); }

// The code of an element of at most 64 bits.
uint64_t bitsAt(const Literal &array, const ElementTypeInfo &type, int64_t position) {
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(array.untyped_data()) + position * type.bytes, size_t(type.bytes));
  return bits;
}

// An element of a type of signed integers, which are stored extended.
int64_t integerAt(const Literal &array, const ElementTypeInfo &type, int64_t position) {
  int unused = 64 - 8 * type.bytes;
  return static_cast<int64_t>(bitsAt(array, type, position) << unused) >> unused;
}

// Enough decimal digits to tell values of the type apart: the shortest text for f32 and f64.
std::string shortest(double value, bool isDouble, bool scientific) {
  char buffer[400];
  auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
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
  explicit Formatter(const Literal &array)
      : array_(array), type_(typeOf(array)), dims_(ShapeUtil::Dimensions(array.shape())),
        strides_(LayoutUtil::Strides(array.shape())), summarize_(ShapeUtil::ElementsIn(array.shape()) > 1000) {}

  std::string run() {
    std::vector<int64_t> shown;
    collect(0, 0, shown);
    chooseNotation(shown);
    for (int64_t position : shown) {
      std::string text = element(position);
      size_t point = text.find('.');
      if (point == std::string::npos) {
        whole_ = std::max(whole_, text.size());
        continue;
      }
      left_ = std::max(left_, point);
      right_ = std::max(right_, text.size() - point);
    }
    left_ = std::max(left_ + right_, whole_) - right_;
    std::string out;
    print(0, 0, out);
    return out;
  }

private:
  static constexpr int64_t kEdge = 3;

  // Calls fn(index) for what is shown of dimension `d`, -1 standing for the gap.
  template <typename Fn> void forShown(size_t d, Fn fn) {
    bool cut = summarize_ && dims_[d] > 2 * kEdge;
    for (int64_t i = 0; i < dims_[d]; ++i) {
      if (cut && i == kEdge) {
        fn(-1);
        i = dims_[d] - kEdge;
      }
      fn(i);
    }
  }

  void collect(size_t d, int64_t position, std::vector<int64_t> &shown) {
    if (d == dims_.size())
      return shown.push_back(position);
    forShown(d, [&](int64_t i) {
      if (i >= 0)
        collect(d + 1, position + i * strides_[d], shown);
    });
  }

  void chooseNotation(const std::vector<int64_t> &shown) {
    double largest = 0, smallest = INFINITY;
    if (type_.kind != ElementKind::kFloat && type_.kind != ElementKind::kComplex)
      return;
    for (int64_t position : shown)
      for (bool imaginary : {false, true}) {
        if (imaginary && type_.kind != ElementKind::kComplex)
          continue;
        double value = std::fabs(elementAsDouble(array_, position, imaginary));
        if (!std::isfinite(value) || value == 0)
          continue;
        largest = std::max(largest, value);
        smallest = std::min(smallest, value);
      }
    scientific_ = largest >= 1e8 || (largest > 0 && (smallest < 1e-4 || largest / smallest > 1e3));
  }

  std::string number(double value) const {
    if (std::isnan(value))
      return "nan";
    if (std::isinf(value))
      return value < 0 ? "-inf" : "inf";
    return shortest(value, realType(type_.type) == ElementType::kF64, scientific_);
  }

  std::string element(int64_t position) const {
    switch (type_.kind) {
    case ElementKind::kBool:
      return bitsAt(array_, type_, position) ? "True" : "False";
    case ElementKind::kSigned:
      return std::to_string(integerAt(array_, type_, position));
    case ElementKind::kUnsigned:
      return std::to_string(bitsAt(array_, type_, position));
    case ElementKind::kFloat:
      return number(elementAsDouble(array_, position));
    case ElementKind::kComplex:
    case ElementKind::kNone:
      break;
    }
    std::string imaginary = number(elementAsDouble(array_, position, true));
    return number(elementAsDouble(array_, position)) + (imaginary[0] == '-' ? "" : "+") + imaginary + "j";
  }

  std::string padded(int64_t position) const {
    std::string text = element(position);
    size_t point = text.find('.');
    // Integers, booleans, nan and inf stand at the right; the others have their points below each other.
    if (point == std::string::npos)
      return std::string(left_ + right_ - text.size(), ' ') + text;
    return std::string(left_ - point, ' ') + text + std::string(right_ - (text.size() - point), ' ');
  }

  void print(size_t d, int64_t position, std::string &out) {
    if (d == dims_.size()) {
      out += dims_.empty() ? element(position) : padded(position);
      return;
    }
    out += '[';
    bool first = true;
    bool last = d + 1 == dims_.size();
    size_t lineStart = out.size();
    forShown(d, [&](int64_t i) {
      if (!first && last && out.size() - std::min(out.size(), out.rfind('\n') + 1) + left_ + right_ + 1 > 100)
        out += "\n" + std::string(d, ' ');
      else if (!first && !last)
        out += std::string(dims_.size() - d - 1, '\n') + std::string(d, ' ');
      if (!first)
        out += ' ';
      else if (lineStart != out.size())
        out += ' ';
      first = false;
      if (i < 0)
        out += "...";
      else
        print(d + 1, position + i * strides_[d], out);
    });
    out += ']';
  }

  const Literal &array_;
  const ElementTypeInfo &type_;
  const std::vector<int64_t> dims_, strides_;
  const bool summarize_;
  bool scientific_ = false;
  // Widths in front of and from the decimal point, and of elements without one.
  size_t left_ = 0, right_ = 0, whole_ = 0;
};

} // namespace

program::Shape shapeOf(const Literal &array) {
  if (ShapeUtil::IsTuple(array.shape()))
    return {program::ElementType::kToken, {}};
  return {elementTypeOf(array.shape().element_type()), ShapeUtil::Dimensions(array.shape())};
}

StatusOr<Literal> makeArray(const program::Shape &shape) {
  if (shape.type == program::ElementType::kToken)
    return Literal();
  auto array =
      Literal::Create(ShapeUtil::MakeShape(primitiveTypeOf(shape.type), {shape.dims.data(), shape.dims.size()}));
  if (array.status().code() == StatusCode::kResourceExhausted)
    return Status(StatusCode::kResourceExhausted, "out of memory: " + array.status().message());
  return array;
}

StatusOr<Literal> makeArray(const program::Shape &shape, const void *bytes) {
  TENON_ASSIGN_OR_RETURN(Literal array, makeArray(shape));
  if (shape.byteSize() > 0)
    std::memcpy(array.mutable_data(), bytes, size_t(shape.byteSize()));
  return array;
}

const void *dataOf(const Literal &array) { return ShapeUtil::IsTuple(array.shape()) ? nullptr : array.untyped_data(); }

double elementAsDouble(const Literal &array, int64_t position, bool imaginary) {
  const ElementTypeInfo &type = typeOf(array);
  const auto *at = static_cast<const char *>(array.untyped_data()) + position * type.bytes;
  auto read = [&]<typename T>(T value, int64_t index = 0) {
    std::memcpy(&value, at + index * sizeof(T), sizeof(T));
    return static_cast<double>(value);
  };
  switch (type.kind) {
  case ElementKind::kBool:
  case ElementKind::kUnsigned:
    return static_cast<double>(bitsAt(array, type, position));
  case ElementKind::kSigned:
    return static_cast<double>(integerAt(array, type, position));
  case ElementKind::kFloat:
    if (type.bits <= 16)
      return xla::types_internal::decode(primitiveTypeOf(type.type),
                                         static_cast<uint16_t>(bitsAt(array, type, position)));
    return type.type == ElementType::kF32 ? read(float()) : read(double());
  case ElementKind::kComplex:
    return type.type == ElementType::kComplexF32 ? read(float(), imaginary) : read(double(), imaginary);
  case ElementKind::kNone:
    break;
  }
  return 0;
}

StatusOr<Literal> randomArray(const program::Shape &shape, uint64_t seed) {
  TENON_ASSIGN_OR_RETURN(Literal array, makeArray(shape));
  if (shape.byteSize() == 0)
    return array;
  const ElementTypeInfo &type = typeOf(array);
  std::mt19937_64 engine(seed);
  auto *at = static_cast<char *>(array.mutable_data()), *end = at + array.size_bytes();
  auto put = [&](auto value, int size) {
    std::memcpy(at, &value, size_t(size));
    at += size;
  };
  while (at != end) {
    uint64_t random = engine();
    double value = static_cast<double>(random >> 11) * 0x1p-52 - 1;
    if (type.kind != ElementKind::kFloat && type.kind != ElementKind::kComplex)
      put(random >> (64 - std::min(3, type.bits - (type.kind == ElementKind::kSigned))), type.bytes);
    else if (type.bits <= 16) // the scale type has neither sign nor zero
      put(encodeFloat(type.format, type.type == ElementType::kF8E8M0FNU ? std::fabs(value) + 0x1p-20 : value),
          type.bytes);
    else if (realType(type.type) == ElementType::kF32)
      put(static_cast<float>(value), sizeof(float));
    else
      put(value, sizeof(double));
  }
  return array;
}

// The first elements of each dimension, as many as `dims` says.
static StatusOr<Literal> leadingElements(Literal array, const std::vector<int64_t> &dims) {
  std::vector<int64_t> all = ShapeUtil::Dimensions(array.shape());
  if (dims == all)
    return array;
  TENON_ASSIGN_OR_RETURN(Literal result, makeArray({shapeOf(array).type, dims}));
  StridedCopy(dims, rowMajorStrides(all), rowMajorStrides(dims))
      .run(array.untyped_data(), result.mutable_data(), size_t(typeOf(array).bytes));
  return result;
}

StatusOr<std::vector<Literal>> cutToSizes(const std::vector<program::Result> &described, std::vector<Literal> arrays) {
  std::vector<bool> isSize(arrays.size(), false);
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (described[i].sizeResults.empty())
      continue;
    std::vector<int64_t> dims = ShapeUtil::Dimensions(arrays[i].shape());
    for (size_t d = 0; d < described[i].sizeResults.size(); ++d)
      if (int32_t size = described[i].sizeResults[d]; size >= 0) {
        isSize[size] = true;
        dims[d] = static_cast<int64_t>(elementAsDouble(arrays[size], 0));
      }
    TENON_ASSIGN_OR_RETURN(arrays[i], leadingElements(std::move(arrays[i]), dims));
  }
  std::vector<Literal> kept;
  for (size_t i = 0; i < arrays.size(); ++i)
    if (!isSize[i])
      kept.push_back(std::move(arrays[i]));
  return kept;
}

std::string formatArray(const Literal &array) {
  if (ShapeUtil::IsTuple(array.shape()))
    return "token";
  if (ShapeUtil::ElementsIn(array.shape()) == 0)
    return "[]";
  return Formatter(array).run();
}

std::optional<std::vector<int64_t>> fewIntegers(const Literal &array) {
  constexpr int64_t kMost = 64;
  if (!xla::IsIntegerType(array.shape().element_type()) || ShapeUtil::Rank(array.shape()) > 1)
    return std::nullopt;
  const ElementTypeInfo &type = typeOf(array);
  int64_t count = ShapeUtil::ElementsIn(array.shape());
  if (count < 1 || count > kMost)
    return std::nullopt;
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < count; ++i) {
    bool isSigned = type.kind == ElementKind::kSigned;
    elements.push_back(isSigned ? integerAt(array, type, i) : static_cast<int64_t>(bitsAt(array, type, i)));
    if (!isSigned && elements.back() < 0)
      return std::nullopt; // beyond what a size can be
  }
  return elements;
}

StatusOr<Literal> integerArray(program::Shape shape, const std::vector<int64_t> &elements) {
  if (shape.dims == std::vector<int64_t>{-1})
    shape.dims = {int64_t(elements.size())};
  if (!xla::IsIntegerType(primitiveTypeOf(shape.type)) || shape.dims.size() > 1 ||
      shape.elementCount() != int64_t(elements.size()))
    return invalidArgument("has type " + shape.toString() + ", which " + std::to_string(elements.size()) +
                           (elements.size() == 1 ? " integer is not" : " integers are not"));
  TENON_ASSIGN_OR_RETURN(Literal array, makeArray(shape));
  const ElementTypeInfo &type = typeOf(array);
  auto *at = static_cast<char *>(array.mutable_data());
  for (int64_t element : elements) {
    // What is beyond the type's bits is the sign's of a signed one, and 0 of an unsigned one.
    bool isSigned = type.kind == ElementKind::kSigned;
    int64_t rest = element >> std::min(type.bits - isSigned, 63);
    bool fits = rest == 0 || (isSigned && rest == -1);
    if (!fits)
      return invalidArgument("has type " + shape.toString() + ", which does not hold " + std::to_string(element));
    std::memcpy(at, &element, size_t(type.bytes));
    at += type.bytes;
  }
  return array;
}

} // namespace tenon::tools
