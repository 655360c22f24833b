// Loading, storing and converting single elements.
#include "tenon/interpreter/element_type.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::interpreter {
namespace {

template <typename T> T readAs(const uint8_t *base, int64_t index) {
  T value;
  std::memcpy(&value, base + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T> void writeAs(uint8_t *base, int64_t index, T value) {
  std::memcpy(base + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

int64_t signExtend(uint64_t value, unsigned bits) {
  unsigned unused = 64 - bits;
  return static_cast<int64_t>(value << unused) >> unused;
}

struct BoolAccess {
  static Scalar load(const uint8_t *base, int64_t i) { return Scalar::ofInt(base[i] != 0); }
  static void store(uint8_t *base, int64_t i, Scalar v) { base[i] = v.i != 0; }
};

template <typename T> struct IntAccess {
  static Scalar load(const uint8_t *base, int64_t i) {
    if constexpr (std::is_signed_v<T>)
      return Scalar::ofInt(readAs<T>(base, i));
    else
      return Scalar::ofUnsigned(readAs<T>(base, i));
  }
  static void store(uint8_t *base, int64_t i, Scalar v) { writeAs<T>(base, i, static_cast<T>(v.u)); }
};

template <unsigned Bits, bool Signed> struct NarrowIntAccess {
  static uint8_t wrap(uint64_t value) {
    if constexpr (Signed)
      return static_cast<uint8_t>(signExtend(value, Bits));
    else
      return static_cast<uint8_t>(value & ((1u << Bits) - 1));
  }
  static Scalar load(const uint8_t *base, int64_t i) {
    uint8_t byte = wrap(base[i]);
    return Signed ? Scalar::ofInt(static_cast<int8_t>(byte)) : Scalar::ofUnsigned(byte);
  }
  static void store(uint8_t *base, int64_t i, Scalar v) { base[i] = wrap(v.u); }
};

// Decoding of the formats of at most eight bits, by table.
template <ElementType T> struct SmallFloatAccess {
  static const std::array<double, 256> &table() {
    static const std::array<double, 256> values = [] {
      std::array<double, 256> t{};
      for (uint32_t code = 0; code < 256; ++code)
        t[code] = decodeFloat(floatFormat(T), code & ((1u << bitWidth(T)) - 1));
      return t;
    }();
    return values;
  }
  static Scalar load(const uint8_t *base, int64_t i) { return Scalar::ofFloat(table()[base[i]]); }
  static void store(uint8_t *base, int64_t i, Scalar v) {
    base[i] = static_cast<uint8_t>(encodeFloat(floatFormat(T), v.f));
  }
};

template <ElementType T> struct HalfAccess {
  static Scalar load(const uint8_t *base, int64_t i) {
    auto code = readAs<uint16_t>(base, i);
    if constexpr (T == ElementType::kBF16) {
      uint32_t bits = static_cast<uint32_t>(code) << 16;
      float value;
      std::memcpy(&value, &bits, sizeof value);
      return Scalar::ofFloat(value);
    }
    return Scalar::ofFloat(decodeFloat(floatFormat(T), code));
  }
  static void store(uint8_t *base, int64_t i, Scalar v) {
    writeAs<uint16_t>(base, i, static_cast<uint16_t>(encodeFloat(floatFormat(T), v.f)));
  }
};

template <typename T> struct FloatAccess {
  static Scalar load(const uint8_t *base, int64_t i) { return Scalar::ofFloat(readAs<T>(base, i)); }
  static void store(uint8_t *base, int64_t i, Scalar v) { writeAs<T>(base, i, static_cast<T>(v.f)); }
};

template <typename T> struct ComplexAccess {
  static Scalar load(const uint8_t *base, int64_t i) {
    Scalar s{};
    s.c = {readAs<T>(base, 2 * i), readAs<T>(base, 2 * i + 1)};
    return s;
  }
  static void store(uint8_t *base, int64_t i, Scalar v) {
    writeAs<T>(base, 2 * i, static_cast<T>(v.c.re));
    writeAs<T>(base, 2 * i + 1, static_cast<T>(v.c.im));
  }
};

struct Access {
  LoadFn load;
  StoreFn store;
};
template <typename A> constexpr Access access() { return {&A::load, &A::store}; }

template <unsigned Bits, bool Signed> auto integerOf() {
  if constexpr (Bits == 8)
    return std::conditional_t<Signed, int8_t, uint8_t>{};
  else if constexpr (Bits == 16)
    return std::conditional_t<Signed, int16_t, uint16_t>{};
  else if constexpr (Bits == 32)
    return std::conditional_t<Signed, int32_t, uint32_t>{};
  else
    return std::conditional_t<Signed, int64_t, uint64_t>{};
}

template <ElementType T> constexpr Access accessTo() {
  constexpr ElementKind kKind = kindOf(T);
  constexpr unsigned kBits = bitWidth(T);
  if constexpr (kKind == ElementKind::kBool)
    return access<BoolAccess>();
  else if constexpr (isInteger(T) && kBits < 8)
    return access<NarrowIntAccess<kBits, kKind == ElementKind::kSigned>>();
  else if constexpr (isInteger(T))
    return access<IntAccess<decltype(integerOf<kBits, kKind == ElementKind::kSigned>())>>();
  else if constexpr (kKind == ElementKind::kFloat && kBits <= 8)
    return access<SmallFloatAccess<T>>();
  else if constexpr (kKind == ElementKind::kFloat && kBits == 16)
    return access<HalfAccess<T>>();
  else if constexpr (kKind == ElementKind::kFloat)
    return access<FloatAccess<std::conditional_t<kBits == 32, float, double>>>();
  else if constexpr (kKind == ElementKind::kComplex)
    return access<ComplexAccess<std::conditional_t<kBits == 64, float, double>>>();
  else
    return {}; // has no elements
}

constexpr Access kAccess[] = {
    accessTo<ElementType::kInvalid>(),
#define TENON_ELEMENT_TYPE(enumerator, xla) accessTo<ElementType::enumerator>(),
#include "tenon/support/element_types.def"
};

// Truncation toward zero that saturates; NaN becomes zero.
Scalar floatToInteger(ElementType to, double value) {
  Scalar low = minFinite(to), high = maxFinite(to);
  if (std::isnan(value))
    return Scalar::ofInt(0);
  if (kindOf(to) == ElementKind::kSigned) {
    if (value <= static_cast<double>(low.i))
      return low;
    // 2^63 itself is representable, the largest s64 is not.
    return value >= static_cast<double>(high.i) ? high : Scalar::ofInt(static_cast<int64_t>(value));
  }
  if (value <= 0)
    return Scalar::ofUnsigned(0);
  return value >= static_cast<double>(high.u) ? high : Scalar::ofUnsigned(static_cast<uint64_t>(value));
}

// An integer as a double that rounds to the float format `to` exactly once: a 64-bit integer needs more than double's
// 53 bits, so for narrower targets the discarded bits are kept as a sticky last bit (rounding to odd).
double integerToFloat(ElementType to, bool negative, uint64_t magnitude) {
  if (to == ElementType::kF64)
    return negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
  double value = roundToOdd(magnitude);
  return negative ? -value : value;
}

} // namespace

LoadFn loader(ElementType type) { return kAccess[static_cast<int>(type)].load; }
StoreFn storer(ElementType type) { return kAccess[static_cast<int>(type)].store; }

Scalar normalize(ElementType type, Scalar value) {
  switch (type) {
  case ElementType::kF64:
  case ElementType::kI64:
  case ElementType::kUI64:
  case ElementType::kComplexF64:
    return value;
  case ElementType::kF32:
    return Scalar::ofFloat(static_cast<float>(value.f));
  case ElementType::kI32:
    return Scalar::ofInt(static_cast<int32_t>(value.i));
  case ElementType::kI1:
    return Scalar::ofInt(value.i != 0);
  default: {
    uint8_t bytes[16];
    storer(type)(bytes, 0, value);
    return loader(type)(bytes, 0);
  }
  }
}

Scalar zeroOf(ElementType) { return Scalar::ofComplex(std::complex<double>(0, 0)); }

Scalar scalarOf(ElementType type, int64_t value) {
  switch (kindOf(type)) {
  case ElementKind::kFloat:
    return Scalar::ofFloat(integerToFloat(type, value < 0, value < 0 ? -static_cast<uint64_t>(value) : value));
  case ElementKind::kComplex:
    return Scalar::ofComplex(std::complex<double>(
        integerToFloat(realType(type), value < 0, value < 0 ? -static_cast<uint64_t>(value) : value), 0));
  default:
    return normalize(type, Scalar::ofInt(value));
  }
}

Scalar minFinite(ElementType type) {
  switch (kindOf(type)) {
  case ElementKind::kSigned:
    return Scalar::ofInt(static_cast<int64_t>(~uint64_t{0} << (bitWidth(type) - 1)));
  case ElementKind::kFloat: {
    if (type == ElementType::kF8E8M0FNU)
      return fromBits(type, 0);
    return Scalar::ofFloat(-maxFinite(type).f);
  }
  default:
    return zeroOf(type);
  }
}

Scalar maxFinite(ElementType type) {
  unsigned bits = bitWidth(type);
  switch (kindOf(type)) {
  case ElementKind::kBool:
    return Scalar::ofInt(1);
  case ElementKind::kSigned:
    return Scalar::ofInt(static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1));
  case ElementKind::kUnsigned:
    return Scalar::ofUnsigned(~uint64_t{0} >> (64 - bits));
  case ElementKind::kFloat:
    break;
  case ElementKind::kComplex:
  case ElementKind::kNone:
    return zeroOf(type);
  }
  if (type == ElementType::kF64)
    return Scalar::ofFloat(std::numeric_limits<double>::max());
  if (type == ElementType::kF32)
    return Scalar::ofFloat(std::numeric_limits<float>::max());
  // The code below the first special one.
  bool hasSign = type != ElementType::kF8E8M0FNU;
  uint64_t code = (uint64_t{1} << (bits - hasSign)) - 1;
  while (!std::isfinite(fromBits(type, code).f))
    --code;
  return fromBits(type, code);
}

uint64_t bitsOf(ElementType type, Scalar value) {
  uint8_t bytes[16] = {};
  storer(type)(bytes, 0, value);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, byteSize(type));
  return bitWidth(type) < 64 ? bits & ((uint64_t{1} << bitWidth(type)) - 1) : bits;
}

Scalar fromBits(ElementType type, uint64_t bits) {
  uint8_t bytes[16] = {};
  std::memcpy(bytes, &bits, sizeof bits);
  return loader(type)(bytes, 0);
}

Scalar convertScalar(ElementType from, ElementType to, Scalar value) {
  ElementKind source = kindOf(from), target = kindOf(to);
  if (source == ElementKind::kComplex) {
    if (target == ElementKind::kComplex)
      return value;
    return convertScalar(realType(from), to, Scalar::ofFloat(value.c.re));
  }
  if (target == ElementKind::kBool)
    return Scalar::ofInt(source == ElementKind::kFloat ? value.f != 0 || std::isnan(value.f) : value.i != 0);
  if (target == ElementKind::kComplex)
    return Scalar::ofComplex(std::complex<double>(convertScalar(from, realType(to), value).f, 0));
  if (source == ElementKind::kFloat && target == ElementKind::kFloat) {
    // No NaN to represent it: zero, with the sign that ml_dtypes gives.
    bool lacksNaN = bitWidth(to) < 8 && floatFormat(to).special == FloatFormat::Special::Finite;
    return lacksNaN && std::isnan(value.f) ? Scalar::ofFloat(std::signbit(value.f) ? 0.0 : -0.0) : value;
  }
  if (source == ElementKind::kFloat)
    return floatToInteger(to, value.f);
  if (target != ElementKind::kFloat)
    return normalize(to, value);
  bool negative = source == ElementKind::kSigned && value.i < 0;
  return Scalar::ofFloat(integerToFloat(to, negative, negative ? -value.u : value.u));
}

} // namespace tenon::interpreter
