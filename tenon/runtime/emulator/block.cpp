#include "tenon/runtime/emulator/block.h"

#include "tenon/runtime/emulator/running_block.h"
#include "tenon/support/parallel.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace tenon::runtime::emulator {

namespace {

// Clusters, most of them of one block, that one thread of the host runs: a few at a time, their blocks in turns.
class ClusterRunner {
public:
  // Every `stride`th cluster, from `first` on.
  ClusterRunner(EmulatedKernel kernel, void **parameters, const Launch &launch, Shadow *shadow, uint32_t first,
                uint32_t stride, std::atomic<uint64_t> &moves)
      : launch_(launch), next_(first), stride_(stride), moves_(moves) {
    uint32_t together = launch.isCooperative ? clusterCount() : shadow ? checkedClusters() : 1;
    for (uint32_t i = 0; i < together && next_ < clusterCount(); ++i) {
      auto cluster = std::make_unique<Cluster>();
      for (uint32_t block = 0; block < launch.clusterBlocks; ++block)
        cluster->blocks.push_back(std::make_unique<Block>(kernel, parameters, launch, shadow));
      beginNext(*cluster);
      clusters_.push_back(std::move(cluster));
    }
  }

  Status run() {
    while (!clusters_.empty()) {
      orderBlocks();
      for (Block *block : turns_)
        TENON_RETURN_IF_ERROR(block->step());
      uint64_t moves = 0;
      for (auto &cluster : clusters_) {
        TENON_RETURN_IF_ERROR(checkProgress(*cluster));
        moves += std::exchange(cluster->moves, 0);
        if (hasEnded(*cluster) && !beginNext(*cluster))
          cluster = nullptr;
      }
      std::erase(clusters_, nullptr);
      moves_ += moves;
      if (moves > 0)
        pauses_ = 0;
      else
        TENON_RETURN_IF_ERROR(wait());
    }
    return {};
  }

private:
  uint32_t clusterCount() const { return launch_.blocks / launch_.clusterBlocks; }

  // At a time: an odd number of single blocks, so that they end at no power of two.
  uint32_t checkedClusters() const {
    constexpr uint32_t kBlocks = 5, kLeast = 2;
    return std::max(kLeast, kBlocks / launch_.clusterBlocks);
  }

  bool beginNext(Cluster &cluster) {
    if (next_ >= clusterCount())
      return false;
    cluster.atBarrier = 0;
    for (uint32_t i = 0; i < launch_.clusterBlocks; ++i)
      cluster.blocks[i]->begin(next_ * launch_.clusterBlocks + i, &cluster);
    next_ = clusterCount() - next_ > stride_ ? next_ + stride_ : clusterCount();
    return true;
  }

  static bool hasEnded(const Cluster &cluster) {
    return std::all_of(cluster.blocks.begin(), cluster.blocks.end(), [](const auto &it) { return it->hasEnded(); });
  }

  // An error where no thread of the cluster can ever go on, whatever other clusters do.
  static Status checkProgress(const Cluster &cluster) {
    auto isPaused = [](const auto &block) { return block->isPaused(); };
    if (cluster.moves > 0 || hasEnded(cluster) || std::any_of(cluster.blocks.begin(), cluster.blocks.end(), isPaused))
      return {};
    auto hasBlockEnded = [](const auto &block) { return block->hasEnded(); };
    return (*std::find_if_not(cluster.blocks.begin(), cluster.blocks.end(), hasBlockEnded))->deadlock();
  }

  void orderBlocks() {
    turns_.clear();
    for (const auto &cluster : clusters_)
      for (const auto &block : cluster->blocks)
        turns_.push_back(block.get());
    if (launch_.order == ThreadOrder::kReverse)
      std::sort(turns_.begin(), turns_.end(), [](const Block *a, const Block *b) { return a->isAfter(*b); });
    if (launch_.order == ThreadOrder::kRandom)
      std::shuffle(turns_.begin(), turns_.end(), random_);
  }

  // All clusters here wait for others: for those that other threads of the host run, if there are some.
  Status wait() {
    constexpr uint64_t kQuick = 300, kPatience = 200'000;
    constexpr auto kPause = std::chrono::microseconds(50);
    if (uint64_t moves = moves_; std::exchange(movesSeen_, moves) != moves)
      pauses_ = 0;
    if (++pauses_ > (stride_ == 1 ? kQuick : kPatience))
      return firstPaused().deadlock();
    if (stride_ > 1 && pauses_ > kQuick)
      std::this_thread::sleep_for(kPause);
    else
      std::this_thread::yield();
    return {};
  }

  // There is one in each cluster that does not move (checkProgress).
  const Block &firstPaused() const {
    auto isBefore = [](const Block *a, const Block *b) {
      return a->isPaused() != b->isPaused() ? a->isPaused() : b->isAfter(*a);
    };
    return **std::min_element(turns_.begin(), turns_.end(), isBefore);
  }

  const Launch &launch_;
  uint32_t next_, stride_;       // in clusters
  std::atomic<uint64_t> &moves_; // of all blocks of the launch
  uint64_t movesSeen_ = 0, pauses_ = 0;
  std::minstd_rand random_{1};
  std::vector<std::unique_ptr<Cluster>> clusters_;
  std::vector<Block *> turns_; // of the blocks of all
};

} // namespace

Status runKernel(EmulatedKernel kernel, void **parameters, const Launch &launch) {
  // Some clusters for each thread of the host, which has their stacks; all for one where accesses are compared, and
  // where blocks wait for each other.
  constexpr uint32_t kParts = 16;
  Shadow shadow;
  bool isChecked = bool(launch.isDeviceMemory);
  uint32_t parts = isChecked || launch.isCooperative ? 1 : std::min(launch.blocks / launch.clusterBlocks, kParts);
  std::vector<Status> outcomes(parts);
  std::atomic<uint64_t> moves{0};
  forEachInParallel(parts, 0, [&](size_t part) {
    outcomes[part] =
        ClusterRunner(kernel, parameters, launch, isChecked ? &shadow : nullptr, uint32_t(part), parts, moves).run();
  });
  for (Status &outcome : outcomes)
    TENON_RETURN_IF_ERROR(outcome);
  return {};
}

uint32_t tenon_emu_number(program::ThreadNumber which) { return Block::current().number(which); }
void tenon_emu_barrier() { Block::current().waitAtBarrier(); }
void tenon_emu_copy(void *shared, const void *global, uint32_t isThere) {
  Block::current().copy(shared, global, isThere != 0);
}
void tenon_emu_end_of_copies() { Block::current().endCopies(); }
void tenon_emu_wait_for_copies(uint32_t left) { Block::current().waitForCopies(left); }
void tenon_emu_pause() { Block::current().pause(); }
uint64_t tenon_emu_nanoseconds() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
uint32_t tenon_emu_shuffle_xor(uint32_t value, uint32_t lanes) { return Block::current().shuffleXor(value, lanes); }
uint32_t tenon_emu_shuffle_from(uint32_t value, uint32_t lane) { return Block::current().shuffle(value, lane); }
uint32_t tenon_emu_lanes_with(uint32_t number) { return Block::current().lanesWith(number); }
void tenon_emu_multiply(MatrixKind kind, const uint32_t *words, uint32_t *sums) {
  Block::current().multiply(kind, words, sums);
}
void tenon_emu_multiply_doubles(double lhs, double rhs, double first, double second, double *sums) {
  Block::current().multiplyDoubles({lhs, rhs, {first, second}}, sums);
}
void tenon_emu_load_matrices(const void *row, uint32_t isTransposed, uint32_t *words) {
  Block::current().loadMatrices(row, isTransposed != 0, words);
}
static float withoutSubnormal(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }
float tenon_emu_exp2(float exponent) { return withoutSubnormal(std::exp2(exponent)); }
float tenon_emu_reciprocal(float divisor) { return withoutSubnormal(1 / withoutSubnormal(divisor)); }
void tenon_emu_fence_for_groups() { Block::current().fenceForGroups(); }
void tenon_emu_start_of_products() { Block::current().startProducts(); }
void tenon_emu_multiply_in_group(program::MatrixKind kind, uint32_t columns, const void *lhs, uint32_t lhsChunkBytes,
                                 const void *rhs, uint32_t rhsChunkBytes, uint32_t *sums) {
  Block::current().multiplyInGroup({kind,
                                    columns,
                                    {static_cast<const uint8_t *>(lhs), lhsChunkBytes},
                                    {static_cast<const uint8_t *>(rhs), rhsChunkBytes}},
                                   sums);
}
void tenon_emu_multiply_words_in_group(program::MatrixKind kind, uint32_t columns, const uint32_t *lhs, const void *rhs,
                                       uint32_t rhsChunkBytes, uint32_t *sums) {
  Block::current().multiplyInGroup({kind, columns, {}, {static_cast<const uint8_t *>(rhs), rhsChunkBytes}}, sums, lhs);
}
void tenon_emu_end_of_products() { Block::current().endProducts(); }
void tenon_emu_wait_for_products(uint32_t left, uint32_t *sums, uint32_t count) {
  Block::current().waitForProducts(left, sums, count);
}
void tenon_emu_make_map(void *map, const uint64_t *array) { Block::current().makeMap(map, array); }
void tenon_emu_use_map(const void *map) { Block::current().useMap(map); }
void tenon_emu_start_of_phases(const void *barrier) { Block::current().startPhases(barrier); }
void tenon_emu_expect_bytes(const void *barrier, uint32_t bytes) { Block::current().expectBytes(barrier, bytes); }
void tenon_emu_copy_box(void *shared, const void *map, int32_t inner, int32_t middle, int32_t outer,
                        const void *barrier) {
  Block::current().copyBox(shared, map, {inner, middle, outer}, barrier);
}
void tenon_emu_wait_for_phase(const void *barrier, uint32_t parity) { Block::current().waitForPhase(barrier, parity); }
void tenon_emu_cluster_barrier() { Block::current().waitForCluster(); }
void *tenon_emu_shared_of(const void *own, uint32_t rank) { return Block::current().sharedOf(own, rank); }
void *tenon_emu_shared() { return Block::current().shared(); }
void tenon_emu_access(const void *address, uint64_t bytes, uint32_t alignment, program::MemoryAccess access) {
  Block::current().checkAccess(address, bytes, alignment, access);
}

} // namespace tenon::runtime::emulator
