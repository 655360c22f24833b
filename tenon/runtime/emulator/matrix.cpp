#include "tenon/runtime/emulator/matrix.h"

#include "tenon/support/float_format.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace tenon::runtime::emulator {
namespace {

constexpr unsigned kLanesOfRow = 4;
constexpr FloatFormat kF16 = {5, 10, 15, FloatFormat::Special::Ieee};

bool isFloat(MatrixKind kind) { return kind == MatrixKind::kBf16 || kind == MatrixKind::kF16; }

// The products of a word of a row and one of a column. Sums of integers of 8 bits are exact.
double productOf(MatrixKind kind, uint32_t left, uint32_t right) {
  double sum = 0;
  for (unsigned i = 0; i < (isFloat(kind) ? 2U : 4U); ++i)
    sum += matrixElement(kind, left, i) * matrixElement(kind, right, i);
  return sum;
}

} // namespace

double matrixElement(MatrixKind kind, uint32_t word, unsigned number) {
  switch (kind) {
  case MatrixKind::kBf16:
    return double(std::bit_cast<float>((word >> (16 * number)) << 16));
  case MatrixKind::kF16:
    return decodeFloat(kF16, (word >> (16 * number)) & 0xffff);
  case MatrixKind::kInt8:
    return double(int8_t(word >> (8 * number)));
  case MatrixKind::kUint8:
    return double(uint8_t(word >> (8 * number)));
  }
  return 0;
}

uint32_t addToMatrixSum(MatrixKind kind, uint32_t before, double sum) {
  return isFloat(kind) ? std::bit_cast<uint32_t>(float(sum + double(std::bit_cast<float>(before))))
                       : before + uint32_t(int64_t(sum));
}

MatrixSums multiplyMatrices(MatrixKind kind, const MatrixWords &words) {
  MatrixSums sums;
  for (unsigned lane = 0; lane < kWarpThreads; ++lane)
    for (unsigned i = 0; i < kMatrixSums; ++i) {
      unsigned row = lane / kLanesOfRow, column = lane % kLanesOfRow * 2 + i % 2;
      bool isLower = i >= 2; // of the rows eight below
      double sum = 0;
      for (unsigned word = 0; word < 2 * kLanesOfRow; ++word) {
        const auto &left = words[row * kLanesOfRow + word % kLanesOfRow];
        const auto &right = words[column * kLanesOfRow + word % kLanesOfRow];
        unsigned second = word / kLanesOfRow;
        sum += productOf(kind, left[2 * second + isLower], right[4 + second]);
      }
      sums[lane][i] = addToMatrixSum(kind, words[lane][6 + i], sum);
    }
  return sums;
}

std::array<std::array<double, 2>, kWarpThreads> multiplyDoubles(const std::array<DoubleFactors, kWarpThreads> &lanes) {
  std::array<std::array<double, 2>, kWarpThreads> sums;
  for (unsigned lane = 0; lane < kWarpThreads; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      unsigned row = lane / kLanesOfRow, column = lane % kLanesOfRow * 2 + i;
      double sum = lanes[lane].sums[i];
      for (unsigned k = 0; k < kLanesOfRow; ++k)
        sum = std::fma(lanes[row * kLanesOfRow + k].lhs, lanes[column * kLanesOfRow + k].rhs, sum);
      sums[lane][i] = sum;
    }
  return sums;
}

MatrixSums loadMatrices(const MatrixRows &rows, bool isTransposed) {
  constexpr unsigned kMatrixRows = 8;
  auto elementAt = [&](unsigned matrix, unsigned row, unsigned column) {
    uint16_t element;
    std::memcpy(&element, static_cast<const char *>(rows[matrix * kMatrixRows + row]) + column * sizeof(element),
                sizeof(element));
    return uint32_t(element);
  };
  MatrixSums words;
  for (unsigned lane = 0; lane < kWarpThreads; ++lane)
    for (unsigned matrix = 0; matrix < kMatrixSums; ++matrix) {
      unsigned outer = lane / kLanesOfRow, inner = lane % kLanesOfRow * 2;
      uint32_t low = isTransposed ? elementAt(matrix, inner, outer) : elementAt(matrix, outer, inner);
      uint32_t high = isTransposed ? elementAt(matrix, inner + 1, outer) : elementAt(matrix, outer, inner + 1);
      words[lane][matrix] = low | high << 16;
    }
  return words;
}

} // namespace tenon::runtime::emulator
