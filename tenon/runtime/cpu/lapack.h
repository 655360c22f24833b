// LAPACK's routines as custom calls: the targets that JAX's CPU rules emit ("lapack_spotrf_ffi", ...).
//
// Matrices are column-major, as the calls' layouts say, with any number of leading batch dimensions; the matrices of a
// batch are shared among the workers. Results that share an operand's memory in LAPACK hold a copy of it when the call
// gives them memory of their own.
#pragma once

#include "tenon/program/attributes.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/cpu/lapack_library.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace tenon::runtime {

// Registers all targets. Where a LAPACK library is found they go before handlers from outside.
void registerLapack();

namespace lapack {

template <typename T> struct TypeTraits;
template <> struct TypeTraits<float> {
  static constexpr char letter = 's';
  static constexpr bool isComplex = false;
  static constexpr program::ElementType type = program::ElementType::kF32;
  using Real = float;
};
template <> struct TypeTraits<double> {
  static constexpr char letter = 'd';
  static constexpr bool isComplex = false;
  static constexpr program::ElementType type = program::ElementType::kF64;
  using Real = double;
};
template <> struct TypeTraits<std::complex<float>> {
  static constexpr char letter = 'c';
  static constexpr bool isComplex = true;
  static constexpr program::ElementType type = program::ElementType::kComplexF32;
  using Real = float;
};
template <> struct TypeTraits<std::complex<double>> {
  static constexpr char letter = 'z';
  static constexpr bool isComplex = true;
  static constexpr program::ElementType type = program::ElementType::kComplexF64;
  using Real = double;
};

// What a routine's prepare() works with: the signature to check, attributes, and the library.
class Setup {
public:
  static StatusOr<Setup> create(const program::RuntimeCall &runtimeCall);

  // Rows and columns of operand i; 0 if it has fewer than two dimensions (expect() then reports it).
  int64_t rows(size_t i) const { return fromEnd(i, 2); }
  int64_t columns(size_t i) const { return fromEnd(i, 1); }

  // The first error found is kept for status().
  void expectCounts(size_t operands, size_t results);
  // The operand's (result's) dimensions after the batch's. The first call sets the batch.
  void expectOperand(size_t i, program::ElementType type, const std::vector<int64_t> &core);
  void expectResult(size_t i, program::ElementType type, const std::vector<int64_t> &core);
  char letter(std::string_view attribute, std::string_view allowed);
  int64_t integer(std::string_view attribute);
  bool boolean(std::string_view attribute);
  void *routine(const std::string &name);
  // A dimension as LAPACK's integer.
  int32_t size(int64_t value);

  const Status &status() const { return status_; }
  int64_t batch() const { return batch_ < 0 ? 1 : batch_; }
  const program::RuntimeCall &runtimeCall() const { return runtimeCall_; }

private:
  explicit Setup(const program::RuntimeCall &runtimeCall) : runtimeCall_(runtimeCall) {}
  int64_t fromEnd(size_t operand, size_t distance) const;
  void fail(std::string message);
  void expectShape(const char *what, size_t i, const std::vector<program::Shape> &shapes, program::ElementType type,
                   const std::vector<int64_t> &core);

  const program::RuntimeCall &runtimeCall_;
  const LapackLibrary *library_ = nullptr;
  int64_t batch_ = -1;
  Status status_;
};

// One matrix of the batch.
class Item {
public:
  Item(void *const *operands, void *const *results, void *work)
      : operands_(operands), results_(results), work_(static_cast<char *>(work)) {}
  template <typename T> const T *operand(size_t i) const { return static_cast<const T *>(operands_[i]); }
  template <typename T> T *result(size_t i) const { return static_cast<T *>(results_[i]); }
  int32_t *info(size_t i) const { return result<int32_t>(i); }

  // result[r], filled with the operand's contents.
  template <typename T> T *inPlace(size_t o, size_t r, int64_t count) const {
    const T *from = operand<T>(o);
    T *to = result<T>(r);
    if (from != to)
      for (int64_t i = 0; i < count; ++i)
        to[i] = from[i];
    return to;
  }

  // The next piece of the worker's memory; the routine's workBytes covers the sum.
  template <typename T> T *take(int64_t count) {
    char *piece = work_;
    work_ += bytesFor<T>(count);
    return reinterpret_cast<T *>(piece);
  }
  template <typename T> static int64_t bytesFor(int64_t count) {
    return (std::max<int64_t>(count, 1) * int64_t(sizeof(T)) + 63) / 64 * 64;
  }

private:
  void *const *operands_, *const *results_;
  char *work_;
};

// Calls a Fortran routine: everything by address, and the length (1) of each character argument at the end, as gfortran
// wants it. C compilers ignore what they do not expect.
template <typename... Args> void invoke(void *routine, Args... args) {
  constexpr size_t characters = (size_t(0) + ... + size_t(std::is_same_v<Args, const char *>));
  if constexpr (characters == 0)
    reinterpret_cast<void (*)(Args...)>(routine)(args...);
  else if constexpr (characters == 1)
    reinterpret_cast<void (*)(Args..., size_t)>(routine)(args..., 1);
  else if constexpr (characters == 2)
    reinterpret_cast<void (*)(Args..., size_t, size_t)>(routine)(args..., 1, 1);
  else
    reinterpret_cast<void (*)(Args..., size_t, size_t, size_t, size_t)>(routine)(args..., 1, 1, 1, 1);
}

// Runs Routine::one for each matrix. A Routine has
//   void prepare(Setup &)         checks the signature, takes attributes, asks for workspace sizes
//   int64_t workBytes             for one matrix at a time
//   void one(Item &) const, or one(Item &, ThreadPool &), whose loops the workers share where there is one matrix
// and, where matrices in lanes may be faster,
//   small_matrices::Kernels *kernels      that prepare() found, or null
//   int64_t groupBytes                    of work for a group
//   void many(small_matrices::Group &) const, which then takes the place of one()
template <typename Routine>
StatusOr<std::unique_ptr<RuntimeCallInstance>> makeRuntimeCall(const program::RuntimeCall &runtimeCall);

// LAPACK answers workspace queries in the first element.
template <typename T> int64_t workspaceSize(T answer) { return std::max<int64_t>(1, int64_t(std::real(answer))); }

// Registration in groups; see the files of the same names.
using Registrar = void (*)(const std::string &name, RuntimeCallFactory factory);
void registerFactorizations(Registrar add);
void registerReductions(Registrar add);
void registerSpectral(Registrar add);

} // namespace lapack
} // namespace tenon::runtime
