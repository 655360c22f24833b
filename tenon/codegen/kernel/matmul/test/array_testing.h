// Arrays of any element type for tests: random contents, reading and writing single elements.
#pragma once

#include "tenon/codegen/kernel/matmul/test/amx_testing.h"
#include "tenon/codegen/kernel/matmul/test/jit_testing.h"
#include "tenon/ir/element_types.h"
#include "tenon/support/element_type.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <random>
#include <vector>

namespace tenon::codegen::testing {

using namespace matmul;
using Type = ElementType;

inline mlir::Type mlirType(Type type) {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  return ir::fromElementType(&context, type);
}

inline bool isUnsigned(Type type) { return kindOf(type) == ElementKind::kUnsigned || type == Type::kI1; }
inline bool isInteger(Type type) { return isUnsigned(type) || kindOf(type) == ElementKind::kSigned; }
// LLVM's description of a float type; null for others.
inline const llvm::fltSemantics *floatSemantics(Type type) {
  auto format = llvm::dyn_cast<mlir::FloatType>(mlirType(type));
  return format ? &format.getFloatSemantics() : nullptr;
}

// Values every type can hold exactly enough: small integers for integer types, short fractions for floats.
struct Array {
  // Bytes that end where access is forbidden.
  struct Bytes {
    explicit Bytes(int64_t count) : memory(count, 1), count(count) {}
    Bytes(const Bytes &other) : memory(other.count, 1), count(other.count) {
      std::copy(other.begin(), other.end(), memory.data());
    }
    uint8_t *data() { return memory.data(); }
    const uint8_t *data() const { return memory.data(); }
    uint8_t *begin() const { return memory.data(); }
    uint8_t *end() const { return memory.data() + count; }
    size_t size() const { return size_t(count); }
    uint8_t &operator[](size_t i) { return memory.data()[i]; }
    bool operator==(const Bytes &other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

    GuardedMemory memory;
    int64_t count;
  };
  Type type;
  Bytes bytes;

  Array(Type type, int64_t count) : type(type), bytes(count * byteSize(type)) {}
  Array(mlir::Type type, int64_t count) : Array(ir::toElementType(type), count) {}
  int64_t count() const { return int64_t(bytes.size()) / byteSize(type); }

  static int64_t fromBits(Type type, uint64_t raw) {
    int width = bitWidth(type);
    raw &= width == 64 ? ~0ull : (1ull << width) - 1;
    if (!isUnsigned(type) && width < 64 && raw >> (width - 1))
      raw -= 1ull << width;
    return int64_t(raw);
  }

  std::complex<double> get(int64_t i) const {
    const uint8_t *at = bytes.data() + i * byteSize(type);
    if (type == Type::kComplexF32) {
      float parts[2];
      std::memcpy(parts, at, 8);
      return {parts[0], parts[1]};
    }
    if (type == Type::kComplexF64) {
      double parts[2];
      std::memcpy(parts, at, 16);
      return {parts[0], parts[1]};
    }
    uint64_t raw = 0;
    std::memcpy(&raw, at, size_t(byteSize(type)));
    if (const llvm::fltSemantics *semantics = floatSemantics(type)) {
      unsigned width = llvm::APFloat::semanticsSizeInBits(*semantics);
      llvm::APFloat value(*semantics, llvm::APInt(64, raw).trunc(width));
      bool loses;
      value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
      return value.convertToDouble();
    }
    return double(fromBits(type, raw));
  }

  int64_t getInt(int64_t i) const {
    uint64_t raw = 0;
    std::memcpy(&raw, bytes.data() + i * byteSize(type), size_t(byteSize(type)));
    return fromBits(type, raw);
  }

  void set(int64_t i, std::complex<double> value) {
    uint8_t *at = bytes.data() + i * byteSize(type);
    if (type == Type::kComplexF32) {
      float parts[2] = {float(value.real()), float(value.imag())};
      std::memcpy(at, parts, 8);
    } else if (type == Type::kComplexF64) {
      double parts[2] = {value.real(), value.imag()};
      std::memcpy(at, parts, 16);
    } else if (const llvm::fltSemantics *semantics = floatSemantics(type)) {
      llvm::APFloat number(value.real());
      bool loses;
      number.convert(*semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
      uint64_t raw = number.bitcastToAPInt().getZExtValue();
      std::memcpy(at, &raw, size_t(byteSize(type)));
    }
  }

  void fill(std::mt19937 &random) {
    for (int64_t i = 0; i < count(); ++i) {
      if (isInteger(type)) {
        uint64_t raw = (uint64_t(random()) << 32) | random();
        int64_t value = fromBits(type, raw);
        std::memcpy(bytes.data() + i * byteSize(type), &value, size_t(byteSize(type)));
        continue;
      }
      if (type == Type::kF8E8M0FNU) {
        bytes[size_t(i)] = uint8_t(120 + random() % 10);
        continue;
      }
      auto number = [&] { return double(int(random() % 129) - 64) / 32; };
      set(i, {number(), number()});
    }
  }
};

// The elements of an array, converted once to what the plain definition computes with.
struct Elements {
  explicit Elements(const Array &array) {
    for (int64_t i = 0; i < array.count(); ++i)
      if (isInteger(array.type))
        integers.push_back(array.getInt(i));
      else
        numbers.push_back(array.get(i));
  }
  std::vector<int64_t> integers;             // of an integer type
  std::vector<std::complex<double>> numbers; // of any other
};

// A sum of products as the plain definition has it: integers modulo 2^64, anything else in f64.
struct PlainSum {
  uint64_t integer = 0;
  std::complex<double> sum = 0;
  double magnitude = 0; // the sum of the products' absolute values

  void add(const Elements &lhs, int64_t lhsAt, const Elements &rhs, int64_t rhsAt) {
    if (!lhs.integers.empty()) {
      integer += uint64_t(lhs.integers[size_t(lhsAt)]) * uint64_t(rhs.integers[size_t(rhsAt)]);
      return;
    }
    std::complex<double> product = lhs.numbers[size_t(lhsAt)] * rhs.numbers[size_t(rhsAt)];
    sum += product;
    magnitude += product.imag() == 0 ? std::abs(product.real()) : std::abs(product);
  }
};

inline double ulpOf(Type type) {
  if (const llvm::fltSemantics *semantics = floatSemantics(type))
    return std::ldexp(1.0, 1 - int(llvm::APFloat::semanticsPrecision(*semantics)));
  return type == Type::kComplexF64 ? 0x1p-52 : 0x1p-23;
}

inline bool testsWhole() {
  const char *whole = std::getenv("TENON_TEST_WHOLE");
  return whole && *whole == '1';
}

// Whether to test one case of a cross product, given its index in each factor. By default those whose indices sum to a
// multiple of `share`: one in `share`, and the values of any two factors still meet where a third has `share` values.
// All of them with TENON_TEST_WHOLE=1 in the environment.
inline bool sampled(std::initializer_list<size_t> indices, size_t share) {
  return testsWhole() || std::accumulate(indices.begin(), indices.end(), size_t(0)) % share == 0;
}

// This machine's levels, from AVX2 on, with AMX beside. Emulated where it has none.
inline std::vector<MatmulTarget> amxTargets() {
  static const AmxTesting amx;
  std::vector<MatmulTarget> result;
  for (int bits : {256, 512})
    if (hostSupports(bits)) {
      result.push_back(hostTarget(bits));
      result.back().amxBf16 = result.back().amxInt8 = true;
    }
  return result;
}

// Every level of this machine, each limited to its own instructions.
inline std::vector<MatmulTarget> targets() {
  std::vector<MatmulTarget> result;
  for (int bits : {128, 256, 512})
    if (hostSupports(bits))
      result.push_back(hostTarget(bits));
  if (hostSupports(512)) { // AVX-512 without its dot product extensions
    MatmulTarget plain = hostTarget(512);
    plain.avx512Bf16 = plain.avx512Vnni = false;
    result.push_back(plain);
  }
  std::vector<MatmulTarget> tiles = amxTargets();
  result.insert(result.end(), tiles.begin(), tiles.end());
  return result;
}

} // namespace tenon::codegen::testing
