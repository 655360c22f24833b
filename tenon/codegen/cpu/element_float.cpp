// Ops on floats. Float and double are computed as such; narrower types are computed in float and rounded once.
#include "tenon/codegen/cpu/element_kind.h"
#include "tenon/codegen/cpu/math/math.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace llvm;
using tenon::codegen::math::F;

namespace tenon::codegen {
namespace {

using Unary = F (*)(F);
using Binary = F (*)(F, F);

F negate(F x) { return -x; }
F square(F x) { return x * x; }
F identity(F x) { return x; }
F zero(F x) { return math::constant(x, 0); }
// Zero and NaN give themselves.
F sign(F x) { return math::select(math::abs(x) > 0.0, math::copysign(math::constant(x, 1), x), x); }

const StringMap<Unary> &unaries() {
  static const StringMap<Unary> table = {
      {"abs", math::abs},
      {"negate", negate},
      {"sign", sign},
      {"square", square},
      {"real", identity},
      {"imag", zero},
      {"conj", identity},
      {"exponential", math::exp},
      {"exponential_minus_one", math::expm1},
      {"log", math::log},
      {"log_plus_one", math::log1p},
      {"logistic", math::logistic},
      {"tanh", math::tanh},
      {"sine", math::sin},
      {"cosine", math::cos},
      {"tan", math::tan},
      {"sqrt", math::sqrt},
      {"rsqrt", math::rsqrt},
      {"cbrt", math::cbrt},
      {"ceil", math::ceil},
      {"floor", math::floor},
      {"round_nearest_afz", math::roundAwayFromZero},
      {"round_nearest_even", math::roundEven},
      {"sinh", math::sinh},
      {"cosh", math::cosh},
      {"asin", math::asin},
      {"acos", math::acos},
      {"atan", math::atan},
      {"asinh", math::asinh},
      {"acosh", math::acosh},
      {"atanh", math::atanh},
      {"erf", math::erf},
      {"erfc", math::erfc},
      {"erf_inv", math::erfInv},
      {"lgamma", math::lgamma},
      {"digamma", math::digamma},
      {"bessel_i1e", math::besselI1e},
  };
  return table;
}

F add(F x, F y) { return x + y; }
F subtract(F x, F y) { return x - y; }
F multiply(F x, F y) { return x * y; }
F divide(F x, F y) { return x / y; }
// NaN wins, and -0 < +0.
F minimum(F x, F y) { return {x.b, x.b->CreateMinimum(x.v, y.v)}; }
F maximum(F x, F y) { return {x.b, x.b->CreateMaximum(x.v, y.v)}; }

const StringMap<Binary> &binaries() {
  static const StringMap<Binary> table = {
      {"add", add},
      {"subtract", subtract},
      {"multiply", multiply},
      {"divide", divide},
      {"remainder", math::fmod},
      {"power", math::pow},
      {"minimum", minimum},
      {"maximum", maximum},
      {"atan2", math::atan2},
      {"next_after", math::nextAfter},
      {"zeta", math::zeta},
      {"polygamma", math::polygamma},
  };
  return table;
}

} // namespace

Value *emitFloatUnary(IRBuilderBase &b, StringRef name, Value *x) {
  Unary f = unaries().lookup(name);
  return f ? f(F{&b, x}).v : nullptr;
}

Value *emitFloatBinary(IRBuilderBase &b, StringRef name, Value *x, Value *y) {
  Binary f = binaries().lookup(name);
  return f ? f(F{&b, x}, F{&b, y}).v : nullptr;
}

} // namespace tenon::codegen
