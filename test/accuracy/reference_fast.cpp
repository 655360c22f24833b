// Special functions in double, to a few ULP.
#include "test/accuracy/functions.h"

#include <cmath>

namespace tenon::accuracy {

// Giles' approximation ("Approximating the erfinv function"), good to float, and one step of Halley's.
double fastErfInv(double x) {
  double a = std::fabs(x);
  if (!(a < 1))
    return a == 1 ? std::copysign(INFINITY, x) : NAN;
  if (a < 1e-8)
    return x * 0.88622692545275801365;
  double complement = 1 - a, w = -std::log(complement * (1 + a)), y = 0;
  constexpr double kCentral[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                 -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
  constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                              -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
  double t = w < 5 ? w - 2.5 : std::sqrt(w) - 3;
  for (double c : w < 5 ? kCentral : kTail)
    y = y * t + c;
  y *= a;
  // Beyond what floats reach: the asymptotic form.
  if (w > 17)
    y = std::sqrt(w - std::log(std::sqrt(M_PI * w)));
  for (int i = 0; i < (w > 17 ? 4 : 1); ++i) {
    double miss = a < 0.5 ? a - std::erf(y) : std::erfc(y) - complement;
    double step = miss * 0.88622692545275801365 * std::exp(y * y);
    y += step / (1 + y * step);
  }
  return std::copysign(y, x);
}

double fastBesselI1e(double x) {
  double a = std::fabs(x), sum = 0, y;
  if (a < 24) {
    double term = a / 2, square = term * term;
    for (int k = 0; term > sum * 1e-17; ++k) {
      sum += term;
      term *= square / ((k + 1.0) * (k + 2.0));
    }
    y = sum * std::exp(-a);
  } else {
    double term = 1, inverse = 0.125 / a;
    for (int k = 1; k < 40 && std::fabs(term) > 1e-18; ++k) {
      sum += term;
      term *= ((2 * k - 1.0) * (2 * k - 1.0) - 4) / k * inverse;
    }
    y = sum / std::sqrt(2 * M_PI * a);
  }
  return std::isnan(x) ? x : std::copysign(y, x);
}

double fastDigamma(double x) {
  if (std::isnan(x) || (x <= 0 && std::floor(x) == x))
    return NAN;
  double result = 0;
  if (x < 0) {
    result = -1 / x - M_PI / std::tan(M_PI * (x - std::rint(x)));
    x = -x;
  }
  if (std::isinf(x))
    return x;
  for (; x < 12; x += 1)
    result -= 1 / x;
  double i = 1 / (x * x);
  double series = 1.0 / 12 - i * (1.0 / 120 - i * (1.0 / 252 - i * (1.0 / 240 - i * (1.0 / 132 - i * 691.0 / 32760))));
  return result + (std::log(x) - 0.5 / x - i * series);
}

double fastLgamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

} // namespace tenon::accuracy
