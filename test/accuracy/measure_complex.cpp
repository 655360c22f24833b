// Complex functions against MPC. The error of a result is its distance from the exact one in ULP of the exact modulus;
// that of the parts is recorded beside it. A part that overflows must be infinite, a finite one must be finite.
#include "test/accuracy/error.h"
#include "test/accuracy/kernels.h"
#include "test/accuracy/measure.h"
#include "test/accuracy/samples.h"

#include <algorithm>

namespace tenon::accuracy {
namespace {

struct ComplexValue {
  explicit ComplexValue(mpfr_prec_t precision) { mpc_init2(value, precision); }
  ~ComplexValue() { mpc_clear(value); }
  ComplexValue(const ComplexValue &) = delete;
  ComplexValue &operator=(const ComplexValue &) = delete;
  mpc_t value;
};

// Distance in ULP of a value of the exponent of `modulus`.
double inUlpOf(const Format &format, mpfr_srcptr modulus, mpfr_srcptr distance) {
  if (mpfr_zero_p(modulus))
    return mpfr_zero_p(distance) ? 0 : kWrong;
  Real scaled;
  int exponent = std::min<mpfr_exp_t>(mpfr_get_exp(modulus) - 1, format.maxExponent);
  mpfr_mul_2si(scaled, distance, -format.ulpExponent(exponent), MPFR_RNDN);
  return mpfr_get_d(scaled, MPFR_RNDN);
}

struct Errors {
  double whole, part;
};

// Only the classes count beside a part that is not finite.
Errors complexError(const Format &format, double re, double im, mpc_srcptr exact) {
  const double got[] = {re, im};
  mpfr_srcptr parts[] = {mpc_realref(exact), mpc_imagref(exact)};
  double part = 0;
  bool finite = true;
  for (int i = 0; i < 2; ++i) {
    double error = errorInUlp(format, got[i], parts[i]);
    // Signs of zeros are those of the branch cuts' sides; a part that cancels to zero has none.
    if (std::isinf(error) && got[i] == 0 && std::isfinite(mpfr_get_d(parts[i], MPFR_RNDN)))
      error = mpfr_zero_p(parts[i]) ? 0 : 1;
    part = std::max(part, error);
    finite = finite && std::isfinite(got[i]) && mpfr_number_p(parts[i]);
  }
  if (!finite)
    return {part, part};
  Real modulus, distance, difference;
  mpc_abs(modulus, exact, MPFR_RNDN);
  mpfr_sub_d(distance, parts[0], re, MPFR_RNDN);
  mpfr_sub_d(difference, parts[1], im, MPFR_RNDN);
  mpfr_hypot(distance, distance, difference, MPFR_RNDN);
  return {inUlpOf(format, modulus, distance), part};
}

// Parts side by side, as complex arrays have them.
template <typename T> std::vector<T> interleave(const std::pair<std::vector<T>, std::vector<T>> &parts) {
  std::vector<T> values;
  for (size_t i = 0; i < parts.first.size(); ++i) {
    values.push_back(parts.first[i]);
    values.push_back(parts.second[i]);
  }
  return values;
}

constexpr size_t kBlock = 64;

// operands: complex arrays of one length. exact: of one element.
template <typename T>
Record measureValues(const std::string &op, const Format &format, const std::vector<std::vector<T>> &operands,
                     const Effort &effort, const std::function<void(mpc_ptr, mpc_srcptr, mpc_srcptr)> &exact) {
  Kernels kernels = compileKernels(op, "complex<" + format.name + ">", format.bits, operands.size(), effort.allLevels);
  size_t count = operands[0].size() / 2;
  auto body = [&](Statistics &statistics, size_t index) {
    size_t begin = index * kBlock, elements = std::min(kBlock, count - begin);
    std::vector<const void *> inputs;
    for (const auto &operand : operands)
      inputs.push_back(&operand[2 * begin]);
    std::vector<T> results(2 * elements), others(2 * elements);
    (*kernels[0])(inputs, results.data(), elements);
    for (size_t level = 1; level < kernels.size(); ++level) {
      (*kernels[level])(inputs, others.data(), elements);
      for (size_t i = 0; i < 2 * elements; ++i)
        statistics.levelDifferences += !sameBits(results[i], others[i]);
    }
    ComplexValue x(53), y(53), result(Real::kPrecision);
    for (size_t i = 0; i < elements; ++i) {
      const T *a = &operands[0][2 * (begin + i)], *b = &operands.back()[2 * (begin + i)];
      mpc_set_d_d(x.value, a[0], a[1], MPC_RNDNN);
      mpc_set_d_d(y.value, b[0], b[1], MPC_RNDNN);
      exact(result.value, x.value, y.value);
      Errors errors = complexError(format, results[2 * i], results[2 * i + 1], result.value);
      if (operands.size() == 1)
        statistics.add(errors.whole, {a[0], a[1]});
      else
        statistics.add(errors.whole, {a[0], a[1], b[0], b[1]});
      if (std::isfinite(errors.part))
        statistics.maxPartUlp = std::max(statistics.maxPartUlp, errors.part);
    }
  };
  Record record =
      measureBlocks(op, "complex<" + format.name + ">", (count + kBlock - 1) / kBlock, effort.threads, body);
  return record;
}

template <typename T> Record measureOne(const ComplexFunction &function, const Format &format, const Effort &effort) {
  return measureValues<T>(function.op, format, {interleave(complexSamples<T>(function.range, effort.complexSamples))},
                          effort, [&](mpc_ptr result, mpc_srcptr x, mpc_srcptr) { function.exact(result, x); });
}

// The second operands are the first ones' in another order. Large and small ones are left out, since what overflows in
// between is not measured, and zero, whose complex powers are a matter of taste.
template <typename T>
Record measureTwo(const ComplexBinaryFunction &function, const Format &format, const Effort &effort) {
  auto parts = complexSamples<T>(function.range, effort.complexSamples);
  std::vector<T> first, all = interleave(parts);
  for (size_t i = 0; i < all.size(); i += 2)
    if (std::all_of(&all[i], &all[i] + 2, [](T v) { return v == 0 || (std::fabs(v) > 1e-9 && std::fabs(v) < 64); }) &&
        (all[i] != 0 || all[i + 1] != 0)) {
      first.push_back(all[i]);
      first.push_back(all[i + 1]);
    }
  first.resize(first.size() / 32 * 32);
  std::vector<size_t> order(first.size() / 2);
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(3));
  std::vector<T> second;
  for (size_t i : order) {
    second.push_back(first[2 * i]);
    second.push_back(first[2 * i + 1]);
  }
  return measureValues<T>(function.op, format, {first, second}, effort,
                          [&](mpc_ptr result, mpc_srcptr x, mpc_srcptr y) { function.exact(result, x, y); });
}

} // namespace

Record measureComplex(const ComplexFunction &function, bool isDouble, const Effort &effort) {
  return isDouble ? measureOne<double>(function, formatNamed("f64"), effort)
                  : measureOne<float>(function, formatNamed("f32"), effort);
}

Record measureComplexBinary(const ComplexBinaryFunction &function, bool isDouble, const Effort &effort) {
  return isDouble ? measureTwo<double>(function, formatNamed("f64"), effort)
                  : measureTwo<float>(function, formatNamed("f32"), effort);
}

} // namespace tenon::accuracy
