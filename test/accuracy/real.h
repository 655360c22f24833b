// A number of MPFR that frees itself.
#pragma once

#include <mpfr.h>

namespace tenon::accuracy {

class Real {
public:
  explicit Real(mpfr_prec_t precision = kPrecision) { mpfr_init2(value_, precision); }
  Real(double number, mpfr_prec_t precision) : Real(precision) { mpfr_set_d(value_, number, MPFR_RNDN); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real &) = delete;
  Real &operator=(const Real &) = delete;
  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }

  // Errors of doubles are then known to 2^-67 ULP.
  static constexpr mpfr_prec_t kPrecision = 120;

private:
  mpfr_t value_;
};

} // namespace tenon::accuracy
