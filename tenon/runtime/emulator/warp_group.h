// Products of a warp group, four warps together, as sm_90a's instructions compute them (codegen/gpu/builder.h): they
// read both factors from shared memory, and work while the threads go on.
//
// Asynchrony is played as late as allowed: the factors are read, and the sums computed, when the group waits. Until
// then a thread has words in place of its sums that are no numbers, and has to bring just these to the next product.
#pragma once

#include "tenon/runtime/emulator/matrix.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace tenon::runtime::emulator {

constexpr uint32_t kGroupThreads = 4 * kWarpThreads;
// What one instruction takes: rows of the lhs, and bytes of k.
constexpr uint32_t kGroupRows = 64, kGroupStepBytes = 32;

// A factor in shared memory: rows of 128 bytes, of which the 16 bytes `i` of row `r` are in place `i ^ r % 8`. Rows are
// those of the lhs, or columns of the rhs, and their bytes k; or, where `chunkBytes` is not 0, rows are steps of k, and
// their elements, of 16 bits, rows: 64 of them, and the next so many bytes on.
struct GroupTile {
  const uint8_t *address = nullptr; // null, of an lhs: it is in registers
  uint32_t chunkBytes = 0;

  bool operator==(const GroupTile &) const = default;
};

struct GroupProduct {
  MatrixKind kind;
  uint32_t columns;
  GroupTile lhs, rhs;

  using Words = std::array<uint32_t, 4>;
  std::vector<Words> words = {}; // of each thread, where the lhs is in registers: as of a warp's product (matrix.h)

  bool isAs(const GroupProduct &other) const {
    return kind == other.kind && columns == other.columns && lhs == other.lhs && rhs == other.rhs;
  }
  // All bytes that it reads, in pieces.
  void forEachPiece(const std::function<void(const uint8_t *address, size_t bytes)> &visit) const;
};

// The products of one group. Empty texts: nothing is wrong.
class WarpGroup {
public:
  // Registers that a thread has written are the products' from here on.
  void fence(uint32_t thread) { isFenced_[thread] = true; }
  // What a thread brings, and gets back: `count` words. `words`: of an lhs in registers.
  std::string bring(uint32_t thread, const GroupProduct &product, uint32_t *sums, const uint32_t *words = nullptr);
  // When all have brought the same.
  const GroupProduct &start();
  void commit();
  bool hasOpen() const { return !open_.empty() || !committed_.empty(); }
  // Computes all that has been committed but for the last `left` times. `end`: of each product, after it has read.
  void wait(uint32_t left, const std::function<void(const GroupProduct &)> &end);
  // What a thread gets after waiting.
  void take(uint32_t thread, uint32_t *sums, uint32_t count) const;

private:
  void compute(const GroupProduct &product);

  GroupProduct brought_{};
  uint32_t numBrought_ = 0;
  std::vector<GroupProduct> open_;
  std::deque<std::vector<GroupProduct>> committed_;
  std::array<std::vector<uint32_t>, kGroupThreads> sums_;
  std::array<bool, kGroupThreads> isFenced_{};
};

} // namespace tenon::runtime::emulator
