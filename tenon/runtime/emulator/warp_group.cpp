#include "tenon/runtime/emulator/warp_group.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tenon::runtime::emulator {
namespace {

// In place of each sum an f32 that is no number, and another one than in place of others: arithmetic may turn what
// there is elsewhere into one of them.
constexpr uint32_t inFlight(uint32_t i) { return 0xffc00001 + i; }

void setInFlight(uint32_t *sums, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    sums[i] = inFlight(i);
}

bool areInFlight(const uint32_t *sums, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (sums[i] != inFlight(i))
      return false;
  return true;
}

constexpr uint32_t kRowBytes = 128, kUnitBytes = 16, kAtomRows = 8, kChunkRows = 64;
constexpr uint32_t kSumsOfTile = 4, kTileColumns = 8; // of a thread, of each eight columns

uint32_t elementBytes(MatrixKind kind) { return kind == MatrixKind::kBf16 || kind == MatrixKind::kF16 ? 2 : 1; }

// Where a byte is that would be at this address: the place of 16 bytes depends on the row, which the address says.
const uint8_t *swizzled(const uint8_t *address) {
  auto at = reinterpret_cast<uintptr_t>(address);
  uintptr_t place = at ^ (at / kRowBytes % kAtomRows * kUnitBytes);
  return address + static_cast<ptrdiff_t>(place - at);
}

const uint8_t *elementAt(const GroupTile &tile, uint32_t row, uint32_t step, uint32_t bytes) {
  if (tile.chunkBytes == 0)
    return swizzled(tile.address + row * kRowBytes + step * bytes);
  return swizzled(tile.address + row / kChunkRows * tile.chunkBytes + step * kRowBytes + row % kChunkRows * bytes);
}

// The values of a factor, row by row.
std::vector<double> valuesOf(const GroupTile &tile, MatrixKind kind, uint32_t rows) {
  uint32_t bytes = elementBytes(kind), steps = kGroupStepBytes / bytes;
  std::vector<double> values;
  values.reserve(size_t{rows} * steps);
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t step = 0; step < steps; ++step) {
      uint32_t word = 0;
      std::memcpy(&word, elementAt(tile, row, step, bytes), bytes);
      values.push_back(matrixElement(kind, word, 0));
    }
  return values;
}

// The same of an lhs in registers, of elements of 16 bits.
std::vector<double> valuesOf(const std::vector<GroupProduct::Words> &words, MatrixKind kind) {
  constexpr uint32_t kWordElements = 2, kLanesOfRow = 4, kWarpRows = 16, kSteps = kGroupStepBytes / kWordElements;
  std::vector<double> values(size_t{kGroupRows} * kSteps);
  for (uint32_t thread = 0; thread < words.size(); ++thread)
    for (uint32_t i = 0; i < words[thread].size(); ++i) {
      uint32_t lane = thread % kWarpThreads;
      uint32_t row = thread / kWarpThreads * kWarpRows + lane / kLanesOfRow + i % 2 * kAtomRows;
      uint32_t step = (i / 2 * kLanesOfRow + lane % kLanesOfRow) * kWordElements;
      for (uint32_t half = 0; half < kWordElements; ++half)
        values[row * kSteps + step + half] = matrixElement(kind, words[thread][i], half);
    }
  return values;
}

} // namespace

void GroupProduct::forEachPiece(const std::function<void(const uint8_t *address, size_t bytes)> &visit) const {
  uint32_t bytes = elementBytes(kind), steps = kGroupStepBytes / bytes;
  for (const auto &[tile, rows] : {std::pair(lhs, kGroupRows), std::pair(rhs, columns)}) {
    if (!tile.address)
      continue;
    bool isTransposed = tile.chunkBytes != 0;
    // 16 bytes lie together, along k or along rows.
    uint32_t along = kUnitBytes / bytes;
    for (uint32_t row = 0; row < rows; row += isTransposed ? along : 1)
      for (uint32_t step = 0; step < steps; step += isTransposed ? 1 : along)
        visit(elementAt(tile, row, step, bytes), kUnitBytes);
  }
}

std::string WarpGroup::bring(uint32_t thread, const GroupProduct &product, uint32_t *sums, const uint32_t *words) {
  if (!isFenced_[thread])
    return "begins a product of its warp group without a fence of its registers";
  if (numBrought_ > 0 && !product.isAs(brought_))
    return "brings another product than other threads of its warp group";
  uint32_t count = product.columns / kTileColumns * kSumsOfTile;
  if (hasOpen() && !areInFlight(sums, count))
    return "brings other sums than those of a product that nobody has waited for";
  if (!hasOpen())
    sums_[thread].assign(sums, sums + count);
  setInFlight(sums, count);
  if (numBrought_ == 0)
    brought_ = product;
  if (words) {
    brought_.words.resize(kGroupThreads);
    std::copy_n(words, brought_.words[thread].size(), brought_.words[thread].begin());
  }
  ++numBrought_;
  return {};
}

const GroupProduct &WarpGroup::start() {
  numBrought_ = 0;
  open_.push_back(brought_);
  return open_.back();
}

void WarpGroup::commit() {
  committed_.push_back(std::move(open_));
  open_.clear();
  isFenced_.fill(false);
}

void WarpGroup::wait(uint32_t left, const std::function<void(const GroupProduct &)> &end) {
  while (committed_.size() > left) {
    for (const GroupProduct &product : committed_.front()) {
      compute(product);
      end(product);
    }
    committed_.pop_front();
  }
}

void WarpGroup::take(uint32_t thread, uint32_t *sums, uint32_t count) const {
  if (hasOpen() || sums_[thread].size() != count)
    setInFlight(sums, count);
  else
    std::copy_n(sums_[thread].begin(), count, sums);
}

// Warp w has rows 16 * w and on; a thread has of these what it has of a warp's product (matrix.h), of every eight
// columns.
void WarpGroup::compute(const GroupProduct &product) {
  std::vector<double> lhs =
      product.lhs.address ? valuesOf(product.lhs, product.kind, kGroupRows) : valuesOf(product.words, product.kind);
  std::vector<double> rhs = valuesOf(product.rhs, product.kind, product.columns);
  size_t steps = lhs.size() / kGroupRows;
  constexpr uint32_t kWarpRows = 16, kLanesOfRow = 4;
  for (uint32_t thread = 0; thread < kGroupThreads; ++thread)
    for (uint32_t i = 0; i < sums_[thread].size(); ++i) {
      uint32_t lane = thread % kWarpThreads, inTile = i % kSumsOfTile;
      uint32_t row = thread / kWarpThreads * kWarpRows + lane / kLanesOfRow + inTile / 2 * kAtomRows;
      uint32_t column = i / kSumsOfTile * kTileColumns + lane % kLanesOfRow * 2 + inTile % 2;
      double sum = 0;
      for (size_t step = 0; step < steps; ++step)
        sum += lhs[row * steps + step] * rhs[column * steps + step];
      sums_[thread][i] = addToMatrixSum(product.kind, sums_[thread][i], sum);
    }
}

} // namespace tenon::runtime::emulator
