// Products of small matrices by a warp, as its instructions compute them.
#pragma once

#include "tenon/program/emulation.h"

#include <array>
#include <cstdint>

namespace tenon::runtime::emulator {

using program::kWarpThreads, program::MatrixKind;

// The element, counted from the lowest bits, in a word.
double matrixElement(MatrixKind kind, uint32_t word, unsigned number);
// A sum with the products' sum, which has been added up exactly, or nearly, added and rounded once.
uint32_t addToMatrixSum(MatrixKind kind, uint32_t before, double sum);

constexpr unsigned kMatrixWords = 10, kMatrixSums = 4;
// What each lane has: four words of the lhs, two of the rhs and four sums.
using MatrixWords = std::array<std::array<uint32_t, kMatrixWords>, kWarpThreads>;
using MatrixSums = std::array<std::array<uint32_t, kMatrixSums>, kWarpThreads>;

// Multiplies 16 rows of the lhs by 8 columns of the rhs and adds the products to the sums. Lane l has of the lhs words
// l % 4 and l % 4 + 4 of rows l / 4 and l / 4 + 8, of the rhs the same words of column l / 4, and of the sums columns
// 2 * (l % 4) and the next of the same rows. Products of floats are added up exactly, or nearly, and rounded once: what
// the hardware does in between is not said.
MatrixSums multiplyMatrices(MatrixKind kind, const MatrixWords &words);

// The same of 8 rows by 8 columns over 4 steps of k, all of f64: lane l has step l % 4 of row l / 4 and of column l /
// 4, and the sums of columns 2 * (l % 4) and the next. Each step is rounded by itself.
struct DoubleFactors {
  double lhs, rhs, sums[2];
};
std::array<std::array<double, 2>, kWarpThreads> multiplyDoubles(const std::array<DoubleFactors, kWarpThreads> &lanes);

// Where rows of matrices are: lane l has that of row l % 8 of matrix l / 8.
using MatrixRows = std::array<const void *, kWarpThreads>;
constexpr unsigned kMatrixRowBytes = 16;

// What lanes get of four matrices of 8 rows: of each, lane l has the word l % 4 of row l / 4; or, of the transposed
// matrix, elements of 16 bits 2 * (l % 4) and the next of column l / 4.
MatrixSums loadMatrices(const MatrixRows &rows, bool isTransposed);

} // namespace tenon::runtime::emulator
