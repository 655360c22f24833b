// The complex functions: MPC's, and with some 200 bits more the formulas of those it lacks.
#include "test/accuracy/functions.h"

namespace tenon::accuracy {
namespace {

constexpr mpfr_prec_t kWorking = 400;

class Complex {
public:
  Complex() { mpc_init2(value_, kWorking); }
  ~Complex() { mpc_clear(value_); }
  Complex(const Complex &) = delete;
  Complex &operator=(const Complex &) = delete;
  operator mpc_ptr() { return value_; }
  mpfr_ptr re() { return mpc_realref(value_); }
  mpfr_ptr im() { return mpc_imagref(value_); }

private:
  mpc_t value_;
};

template <auto mpcFunction> void rounded(mpc_ptr result, mpc_srcptr z) { mpcFunction(result, z, MPC_RNDNN); }
template <auto mpcFunction> void rounded2(mpc_ptr result, mpc_srcptr x, mpc_srcptr y) {
  mpcFunction(result, x, y, MPC_RNDNN);
}

// e^x cos y - 1 = expm1(x) cos y - 2 sin(y/2)^2.
void expm1(mpc_ptr result, mpc_srcptr z) {
  Complex a, b;
  mpfr_expm1(a.re(), mpc_realref(z), MPFR_RNDN);
  mpfr_cos(a.im(), mpc_imagref(z), MPFR_RNDN);
  mpfr_mul(a.re(), a.re(), a.im(), MPFR_RNDN);
  mpfr_div_2ui(b.re(), mpc_imagref(z), 1, MPFR_RNDN);
  mpfr_sin(b.re(), b.re(), MPFR_RNDN);
  mpfr_sqr(b.re(), b.re(), MPFR_RNDN);
  mpfr_mul_2ui(b.re(), b.re(), 1, MPFR_RNDN);
  mpfr_exp(a.im(), mpc_realref(z), MPFR_RNDN);
  mpfr_sin(b.im(), mpc_imagref(z), MPFR_RNDN);
  if (mpfr_zero_p(b.im())) // beside an exponential that overflows
    mpfr_set(mpc_imagref(result), b.im(), MPFR_RNDN);
  else
    mpfr_mul(mpc_imagref(result), a.im(), b.im(), MPFR_RNDN);
  mpfr_sub(mpc_realref(result), a.re(), b.re(), MPFR_RNDN);
}

// The modulus from x^2 + 2x + y^2, rounded once, or from 1 + z where that is small and exact.
void log1p(mpc_ptr result, mpc_srcptr z) {
  Complex squares, sum;
  mpc_add_ui(sum, z, 1, MPC_RNDNN);
  if (mpfr_cmpabs_ui(sum.im(), 1) < 0 && mpfr_cmp_d(sum.re(), 0.5) < 0 && mpfr_cmp_d(sum.re(), -0.5) > 0) {
    mpc_log(result, sum, MPC_RNDNN);
    return;
  }
  mpfr_sqr(squares.re(), mpc_realref(z), MPFR_RNDN);
  mpfr_sqr(squares.im(), mpc_imagref(z), MPFR_RNDN);
  mpfr_mul_2ui(sum.re(), mpc_realref(z), 1, MPFR_RNDN);
  mpfr_ptr terms[] = {squares.re(), squares.im(), sum.re()};
  mpfr_sum(sum.im(), terms, 3, MPFR_RNDN);
  mpfr_log1p(sum.im(), sum.im(), MPFR_RNDN);
  mpfr_add_ui(sum.re(), mpc_realref(z), 1, MPFR_RNDN);
  mpfr_atan2(mpc_imagref(result), mpc_imagref(z), sum.re(), MPFR_RNDN);
  mpfr_div_2ui(mpc_realref(result), sum.im(), 1, MPFR_RNDN);
}

void logistic(mpc_ptr result, mpc_srcptr z) {
  Complex e;
  mpc_neg(e, z, MPC_RNDNN);
  // Zero or one to the last bit of any format, and MPC is quick about it.
  constexpr long kLimit = 2000;
  if (mpfr_cmpabs_ui(e.re(), kLimit) > 0)
    mpfr_set_si(e.re(), mpfr_sgn(e.re()) * kLimit, MPFR_RNDN);
  mpc_exp(e, e, MPC_RNDNN);
  mpc_add_ui(e, e, 1, MPC_RNDNN);
  mpc_ui_div(result, 1, e, MPC_RNDNN);
}

void rsqrt(mpc_ptr result, mpc_srcptr z) {
  Complex root;
  mpc_sqrt(root, z, MPC_RNDNN);
  mpc_ui_div(result, 1, root, MPC_RNDNN);
}

// Far out, where MPC is slow and leaves MPFR's range in the end: 1 + 4 i e^(-2x) sin y cos y, of which the imaginary
// part is below that of any format.
void tanh(mpc_ptr result, mpc_srcptr z) {
  if (mpfr_cmpabs_ui(mpc_realref(z), 1 << 10) < 0) {
    mpc_tanh(result, z, MPC_RNDNN);
    return;
  }
  Complex twice;
  mpfr_set_si(mpc_realref(result), mpfr_sgn(mpc_realref(z)), MPFR_RNDN);
  mpfr_mul_2ui(twice.re(), mpc_imagref(z), 1, MPFR_RNDN);
  mpfr_sin(twice.re(), twice.re(), MPFR_RNDN);
  mpfr_mul_2si(mpc_imagref(result), twice.re(), -(1 << 20), MPFR_RNDN);
}

// -i tanh(iz).
void tan(mpc_ptr result, mpc_srcptr z) {
  Complex rotated;
  mpc_mul_i(rotated, z, 1, MPC_RNDNN);
  tanh(rotated, rotated);
  mpc_mul_i(result, rotated, -1, MPC_RNDNN);
}

// |z|^(1/3) at a third of the angle.
void cbrt(mpc_ptr result, mpc_srcptr z) {
  Complex polar, direction;
  mpc_abs(polar.re(), z, MPFR_RNDN);
  mpfr_cbrt(polar.re(), polar.re(), MPFR_RNDN);
  mpc_arg(polar.im(), z, MPFR_RNDN);
  mpfr_div_ui(polar.im(), polar.im(), 3, MPFR_RNDN);
  mpfr_sin_cos(direction.im(), direction.re(), polar.im(), MPFR_RNDN);
  mpc_mul_fr(result, direction, polar.re(), MPC_RNDNN);
}

void sign(mpc_ptr result, mpc_srcptr z) {
  Complex modulus;
  mpc_abs(modulus.re(), z, MPFR_RNDN);
  if (mpfr_zero_p(modulus.re()))
    mpfr_set_ui(modulus.re(), 1, MPFR_RNDN);
  mpc_div_fr(result, z, modulus.re(), MPC_RNDNN);
}

} // namespace

const std::vector<ComplexFunction> &complexFunctions() {
  static const std::vector<ComplexFunction> functions = {
      {"stablehlo.exponential", rounded<mpc_exp>, 90, 1, 3},
      {"stablehlo.exponential_minus_one", expm1, 20, 1, 3, /*eachPart=*/false},
      {"stablehlo.log", rounded<mpc_log>, 3, 1, 3},
      {"stablehlo.log_plus_one", log1p, 3, 1, 3},
      {"stablehlo.logistic", logistic, 30, 1, 4, /*eachPart=*/false},
      {"stablehlo.sine", rounded<mpc_sin>, 30, 1, 3},
      {"stablehlo.cosine", rounded<mpc_cos>, 30, 1, 3},
      {"stablehlo.tan", tan, 10, 1, 4},
      {"stablehlo.tanh", tanh, 10, 1, 4},
      {"stablehlo.sqrt", rounded<mpc_sqrt>, 10, 1, 3},
      {"stablehlo.rsqrt", rsqrt, 10, 1, 4},
      {"stablehlo.cbrt", cbrt, 10, 1, 4},
      {"stablehlo.sign", sign, 10, 1, 3},
      {"chlo.square", rounded<mpc_sqr>, 10, 2, 2},
      {"chlo.sinh", rounded<mpc_sinh>, 30, 1, 3},
      {"chlo.cosh", rounded<mpc_cosh>, 30, 1, 3},
      {"chlo.asin", rounded<mpc_asin>, 4, 1, 4},
      {"chlo.acos", rounded<mpc_acos>, 4, 1, 4},
      {"chlo.atan", rounded<mpc_atan>, 4, 1, 4},
      {"chlo.asinh", rounded<mpc_asinh>, 4, 1, 4},
      {"chlo.acosh", rounded<mpc_acosh>, 4, 1, 4},
      {"chlo.atanh", rounded<mpc_atanh>, 4, 1, 4},
  };
  return functions;
}

const std::vector<ComplexBinaryFunction> &complexBinaryFunctions() {
  static const std::vector<ComplexBinaryFunction> functions = {
      {"stablehlo.multiply", rounded2<mpc_mul>, 10, -1, -1},
      {"stablehlo.divide", rounded2<mpc_div>, 10, 1, 4},
      {"stablehlo.power", rounded2<mpc_pow>, 4, 1, -1},
  };
  return functions;
}

} // namespace tenon::accuracy
