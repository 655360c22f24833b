// Floating-point formats as data: how their codes decode, and what one unit in the last place is.
#pragma once

#include "llvm/ADT/APFloat.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::accuracy {

struct Format {
  std::string name; // as in MLIR: "f8E4M3FN"
  const llvm::fltSemantics *semantics;
  unsigned bits, bytes;
  int digits, minExponent, maxExponent; // of 1.m * 2^e
  double maxFinite;
  bool hasInfinity, hasSignedZero;

  double decode(uint64_t code) const;
  // Rounded to nearest.
  uint64_t encode(double value) const;
  // Exponent of the unit in the last place of values in [2^exponent, 2^(exponent + 1)).
  int ulpExponent(int exponent) const;
};

// Every real format whose elementary functions are compiled.
const std::vector<Format> &allFormats();
const Format &formatNamed(const std::string &name);

} // namespace tenon::accuracy
