// Functions of float by eight polynomials: tanh and erf, which are odd and rise from 0 to 1, and the factor of erfc.
//
// Which polynomial a lane takes is an index of three bits, and each coefficient one permutation of a register
// (lookupOfEight), or an element of one row of a table in memory (lookupRowOfEight), so that every lane costs one short
// polynomial, without a division and without a second formula to choose from. Of |x| in piece i the result is
//
//   y = base[i] + d p_i(d), d = |x| - origin[i],
//
// rounded twice where it counts: in p, whose error is small beside y, and in the sum. For that the bases are exact:
// origins are floats where the function is within 2^-6 ULP of a float. Near zero the base of the odd functions is |x|
// itself, written as infinity: all others are below the least |x| of their piece, so that the base is the lesser of the
// two.
#pragma once

#include "tenon/codegen/llvm/math/fp.h"

namespace tenon::codegen::math {

template <unsigned Terms> struct Pieces {
  double origin[8], base[8];
  double terms[Terms][8]; // of p, from the constant one up
};

// base + d p is the value of a piece.
struct Piece {
  F d, p, base;
};

// `name` tells the tables of a module apart. index mod 8 is the piece of `magnitude`.
template <unsigned Terms> Piece pieceOf(llvm::StringRef name, const Pieces<Terms> &pieces, F magnitude, I index) {
  llvm::SmallVector<llvm::ArrayRef<double>> tables{pieces.origin, pieces.base}; // as they are needed
  for (unsigned k = Terms; k-- > 0;)
    tables.push_back(pieces.terms[k]);
  llvm::SmallVector<F> row = lookupRowOfEight((name + "_rows").str(), tables, index);
  auto at = [&](const llvm::Twine &part, size_t table) {
    return row.empty() ? lookupOfEight((name + part).str(), tables[table], index) : row[table];
  };
  F d = magnitude - at("_origin", 0);
  F base = at("_base", 1);
  F p = at(llvm::Twine(Terms - 1), 2);
  for (unsigned k = Terms - 1; k-- > 0;)
    p = fma(p, d, at(llvm::Twine(k), Terms + 1 - k));
  return {d, p, base};
}

template <unsigned Terms> F evaluatePieces(llvm::StringRef name, const Pieces<Terms> &pieces, F magnitude, I index) {
  Piece piece = pieceOf(name, pieces, magnitude, index);
  return fma(piece.d, piece.p, minOr(piece.base, magnitude));
}

// The sign of `x`, which `y` >= 0 takes.
inline F withSign(F y, F x) {
  uint64_t sign = isDouble(x) ? 0x8000000000000000 : 0x80000000;
  return fromBits(bits(y) ^ (bits(x) & sign));
}

} // namespace tenon::codegen::math
