#include "test/accuracy/format.h"

#include "llvm/ADT/APInt.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cstring>

using namespace llvm;

namespace tenon::accuracy {

static Format makeFormat(const char *name, const fltSemantics &semantics) {
  Format format;
  format.name = name;
  format.semantics = &semantics;
  format.bits = APFloat::semanticsSizeInBits(semantics);
  format.bytes = format.bits / 8;
  format.digits = APFloat::semanticsPrecision(semantics);
  format.minExponent = APFloat::semanticsMinExponent(semantics);
  format.maxExponent = APFloat::semanticsMaxExponent(semantics);
  format.hasInfinity = APFloat::semanticsHasInf(semantics);
  format.hasSignedZero = APFloat::getZero(semantics, true).isNegative();
  format.maxFinite = APFloat::getLargest(semantics).convertToDouble();
  return format;
}

const std::vector<Format> &allFormats() {
  static const std::vector<Format> formats = {
      makeFormat("f64", APFloat::IEEEdouble()),
      makeFormat("f32", APFloat::IEEEsingle()),
      makeFormat("f16", APFloat::IEEEhalf()),
      makeFormat("bf16", APFloat::BFloat()),
      makeFormat("f8E5M2", APFloat::Float8E5M2()),
      makeFormat("f8E4M3", APFloat::Float8E4M3()),
      makeFormat("f8E4M3FN", APFloat::Float8E4M3FN()),
      makeFormat("f8E3M4", APFloat::Float8E3M4()),
      makeFormat("f8E5M2FNUZ", APFloat::Float8E5M2FNUZ()),
      makeFormat("f8E4M3FNUZ", APFloat::Float8E4M3FNUZ()),
      makeFormat("f8E4M3B11FNUZ", APFloat::Float8E4M3B11FNUZ()),
  };
  return formats;
}

const Format &formatNamed(const std::string &name) {
  for (const Format &format : allFormats())
    if (format.name == name)
      return format;
  report_fatal_error(Twine("no floating-point format named ") + name);
}

double Format::decode(uint64_t code) const {
  if (bits == 64) {
    double value;
    std::memcpy(&value, &code, sizeof value);
    return value;
  }
  return APFloat(*semantics, APInt(bits, code)).convertToDouble();
}

uint64_t Format::encode(double value) const {
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(*semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.bitcastToAPInt().getZExtValue();
}

int Format::ulpExponent(int exponent) const { return std::max(exponent, minExponent) - (digits - 1); }

} // namespace tenon::accuracy
