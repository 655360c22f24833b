// Ops on complex numbers: arithmetic here, functions in math/complex.
#include "tenon/codegen/cpu/element_kind.h"
#include "tenon/codegen/cpu/math/complex.h"

#include "llvm/ADT/StringMap.h"

using namespace llvm;
using tenon::codegen::math::C;

namespace tenon::codegen {
namespace {

using Unary = C (*)(C);
using Binary = C (*)(C, C);

C conjugate(C z) { return {z.re, -z.im}; }

const StringMap<Unary> &unaries() {
  static const StringMap<Unary> table = {{
      "negate",
      math::operator- },
      {"conj", conjugate},
      {"square", math::square},
      {"sign", math::sign},
      {"exponential", math::exp},
      {"exponential_minus_one", math::expm1},
      {"log", math::log},
      {"log_plus_one", math::log1p},
      {"logistic", math::logistic},
      {"tanh", math::tanh},
      {"tan", math::tan},
      {"sine", math::sin},
      {"cosine", math::cos},
      {"sinh", math::sinh},
      {"cosh", math::cosh},
      {"sqrt", math::sqrt},
      {"rsqrt", math::rsqrt},
      {"cbrt", math::cbrt},
      {"asin", math::asin},
      {"acos", math::acos},
      {"atan", math::atan},
      {"asinh", math::asinh},
      {"acosh", math::acosh},
      {"atanh", math::atanh},
  };
  return table;
}

// Lexicographic; an operand with a NaN part wins, the first one if both have. Of two equal numbers the zeros are chosen
// part by part, as those of real numbers are: the order of operands makes no difference.
C extremum(C x, C y, StringRef direction) {
  IRBuilderBase &b = *x.re.b;
  auto hasNaN = [&](C z) { return b.CreateFCmpUNO(z.re.v, z.im.v); };
  Element ex{x.re.v, x.im.v}, ey{y.re.v, y.im.v};
  // Equal but for signs of zero, of which the bits that both or either have are the result's.
  Type *bits = sameLanes(b.getIntNTy(x.re.v->getType()->getScalarSizeInBits()), x.re.v);
  auto joined = [&](Value *first, Value *second) {
    first = b.CreateBitCast(first, bits), second = b.CreateBitCast(second, bits);
    Value *both = direction == "GE" ? b.CreateAnd(first, second) : b.CreateOr(first, second);
    return b.CreateBitCast(both, x.re.v->getType());
  };
  Element equal{joined(x.re.v, y.re.v), joined(x.im.v, y.im.v)};
  Value *first = b.CreateOr(hasNaN(x), compareComplex(b, direction, ex, ey));
  Value *second = b.CreateAnd(hasNaN(y), b.CreateNot(hasNaN(x)));
  Element result = selectElement(b, second, ey, selectElement(b, first, ex, ey));
  result = selectElement(b, compareComplex(b, "EQ", ex, ey), equal, result);
  return {{&b, result.re}, {&b, result.im}};
}
C minimum(C x, C y) { return extremum(x, y, "LE"); }
C maximum(C x, C y) { return extremum(x, y, "GE"); }

const StringMap<Binary> &binaries() {
  static const StringMap<Binary> table = {{"add", math::operator+ },
                                           {"subtract", math::operator- },
                                            {"multiply", math::operator* },
                                             {
                                                 "divide",
                                                 math::operator/ },
                                                 {"power", math::pow},
                                                 {"atan2", math::atan2},
                                                 {"minimum", minimum},
                                                 {"maximum", maximum},
                                            };
  return table;
}

C toPair(IRBuilderBase &b, Element e) { return {{&b, e.re}, {&b, e.im}}; }

} // namespace

Element emitComplexUnary(IRBuilderBase &b, StringRef name, Element x) {
  if (name == "real")
    return {x.re};
  if (name == "imag")
    return {x.im};
  if (name == "abs")
    return {math::abs(toPair(b, x)).v};
  Unary f = unaries().lookup(name);
  if (!f)
    return {};
  C result = f(toPair(b, x));
  return {result.re.v, result.im.v};
}

Element emitComplexBinary(IRBuilderBase &b, StringRef name, Element x, Element y) {
  Binary f = binaries().lookup(name);
  if (!f)
    return {};
  C result = f(toPair(b, x), toPair(b, y));
  return {result.re.v, result.im.v};
}

} // namespace tenon::codegen
