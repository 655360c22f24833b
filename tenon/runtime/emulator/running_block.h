// One block of a kernel that runs (block.h), and those of its cluster beside it: what the threads of the block do and
// wait for.
#pragma once

#include "tenon/runtime/core/fiber.h"
#include "tenon/runtime/emulator/block.h"
#include "tenon/runtime/emulator/boxes.h"
#include "tenon/runtime/emulator/shadow.h"
#include "tenon/runtime/emulator/warp_group.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace tenon::runtime::emulator {

// Arrays of computations are on the stack.
constexpr size_t kStackBytes = size_t{2} << 20;
// What all threads at work at once may reserve for theirs: a process may be limited in its addresses.
constexpr size_t kMostStacksBytes = size_t{4} << 30;
// Fresh memory: as f32 and f64 NaN, as an index far outside.
constexpr int kPoison = 0xff;
constexpr size_t kCopiedBytes = 16; // of an asynchronous copy

class Block;

// Blocks that run side by side, and can reach each other's shared memory.
struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks;
  size_t atBarrier = 0; // threads
  uint64_t moves = 0;   // of threads that have done more than look again for what another block writes
};

class Block {
public:
  // `shadow`: of all blocks, null where accesses are not checked.
  Block(EmulatedKernel kernel, void **parameters, const Launch &launch, Shadow *shadow)
      : kernel_(kernel), parameters_(parameters), launch_(launch), shadow_(shadow), threads_(launch.threads),
        shared_(launch.sharedBytes / sizeof(Shared) + 1) {}

  // Blocks run one after the other with the same stacks: this one begins.
  void begin(uint32_t number, Cluster *cluster) {
    number_ = number;
    cluster_ = cluster;
    hasMetCluster_ = false;
    next_ = 0;
    atBarrier_ = 0;
    ended_ = 0;
    epoch_ = 0;
    if (shadow_)
      shadow_->forget(reinterpret_cast<uintptr_t>(shared_.data()), launch_.sharedBytes);
    std::fill(threads_.begin(), threads_.end(), Thread());
    warps_.assign((launch_.threads + kWarpThreads - 1) / kWarpThreads, {});
    phases_ = {};
    groups_.assign((launch_.threads + kGroupThreads - 1) / kGroupThreads, {});
    std::memset(shared_.data(), kPoison, shared_.size() * sizeof(Shared));
    orderThreads();
  }

  // Lets each thread go on that can, until it waits: new ones first.
  Status step() {
    Block *before = current_;
    current_ = this;
    Status status = runThreads();
    current_ = before;
    return status;
  }
  bool hasEnded() const { return ended_ == threads_.size(); }
  bool isAfter(const Block &other) const { return number_ > other.number_; }
  // Whether a thread waits for what another block writes.
  bool isPaused() const {
    return std::any_of(threads_.begin(), threads_.end(), [](const auto &it) { return it.state == State::kPaused; });
  }
  // Who waits for what for ever: for another block, if one does, as the others may wait for that thread.
  Status deadlock() const {
    auto found =
        std::find_if(order_.begin(), order_.end(), [&](auto it) { return threads_[it].state == State::kPaused; });
    if (found == order_.end())
      found =
          std::find_if(order_.begin(), order_.end(), [&](auto it) { return awaited(threads_[it].state) != nullptr; });
    if (found == order_.end())
      return internalError("no thread of a block can go on");
    return failedPrecondition("thread " + std::to_string(*found) + " of block " + std::to_string(number_) + " waits " +
                              awaited(threads_[*found].state));
  }

  static Block &current() { return *current_; }

  void pause() {
    threads_[running_].state = State::kPaused;
    suspend();
  }

  uint32_t number(program::ThreadNumber which) const {
    const uint32_t numbers[] = {running_, number_, launch_.threads, launch_.blocks};
    return numbers[size_t(which)];
  }

  void *shared() { return shared_.data(); }

  // --- Clusters ---

  void waitForCluster() {
    threads_[running_].state = State::kAtClusterBarrier;
    ++cluster_->moves;
    if (++cluster_->atBarrier == cluster_->blocks.size() * threads_.size())
      releaseCluster();
    suspend();
  }

  void *sharedOf(const void *own, uint32_t rank) {
    if (rank >= cluster_->blocks.size())
      fail("asks for memory of block " + std::to_string(rank) + " of a cluster of " +
           std::to_string(cluster_->blocks.size()));
    Block &other = *cluster_->blocks[rank];
    if (&other != this && (!hasMetCluster_ || other.hasEnded()))
      fail("asks for memory of a block that may not have begun, or has ended");
    return other.shared_.data()->bytes + (static_cast<const uint8_t *>(own) - shared_.data()->bytes);
  }

  void waitAtBarrier() {
    threads_[running_].state = State::kAtBarrier;
    ++cluster_->moves;
    ++atBarrier_;
    releaseBarrier();
    suspend();
  }

  void checkAccess(const void *address, size_t bytes, uint32_t alignment, Shadow::Access access) {
    if (!shadow_ || bytes == 0 || threads_[running_].fiber->isOnStack(address))
      return;
    std::string problem = problemOf(address, bytes, alignment, access);
    if (!problem.empty())
      fail(problem);
  }

  void copy(void *shared, const void *global, bool isThere) {
    if (isThere)
      checkAccess(global, kCopiedBytes, kCopiedBytes, Shadow::Access::kRead);
    checkAccess(shared, kCopiedBytes, kCopiedBytes, Shadow::Access::kWrite);
    if (shadow_)
      shadow_->startCopy(reinterpret_cast<uintptr_t>(shared), kCopiedBytes);
    threads_[running_].copies.back().push_back({shared, isThere ? global : nullptr});
  }

  void endCopies() { threads_[running_].copies.emplace_back(); }

  void waitForCopies(uint32_t left) {
    auto &groups = threads_[running_].copies;
    while (groups.size() > left + 1) { // the last one has no end yet
      for (const Copy &copy : groups.front())
        finishCopy(copy);
      groups.pop_front();
    }
  }

  uint32_t shuffleXor(uint32_t value, uint32_t lanes) { return shuffle(value, (running_ % kWarpThreads) ^ lanes); }

  // What the lane `from` brings; of a lane that is not there, the own value.
  uint32_t shuffle(uint32_t value, uint32_t from) {
    uint32_t self = running_;
    Warp &warp = warps_[self / kWarpThreads];
    warp.words[self % kWarpThreads][0] = value;
    waitForLanes([&] {
      for (uint32_t i = 0; i < kWarpThreads; ++i)
        warp.results[i][0] = warp.words[i][0];
    });
    return from < lanesOf(self / kWarpThreads) ? warp.results[from][0] : value;
  }

  uint32_t lanesWith(uint32_t number) {
    uint32_t lane = running_ % kWarpThreads, count = lanesOf(running_ / kWarpThreads);
    Warp &warp = warps_[running_ / kWarpThreads];
    warp.words[lane][0] = number;
    waitForLanes([&] {
      for (uint32_t i = 0; i < count; ++i) {
        warp.results[i][0] = 0;
        for (uint32_t j = 0; j < count; ++j)
          warp.results[i][0] |= uint32_t{warp.words[j][0] == warp.words[i][0]} << j;
      }
    });
    return warp.results[lane][0];
  }

  void multiply(MatrixKind kind, const uint32_t *words, uint32_t *sums) {
    Warp &warp = warps_[running_ / kWarpThreads];
    uint32_t lane = running_ % kWarpThreads;
    std::copy_n(words, kMatrixWords, warp.words[lane].begin());
    waitForLanes([&] { warp.results = multiplyMatrices(kind, warp.words); });
    std::copy_n(warp.results[lane].begin(), kMatrixSums, sums);
  }

  void multiplyDoubles(const DoubleFactors &own, double *sums) {
    Warp &warp = warps_[running_ / kWarpThreads];
    uint32_t lane = running_ % kWarpThreads;
    warp.doubles[lane] = own;
    waitForLanes([&] { warp.doubleSums = tenon::runtime::emulator::multiplyDoubles(warp.doubles); });
    std::copy_n(warp.doubleSums[lane].begin(), 2, sums);
  }

  void loadMatrices(const void *row, bool isTransposed, uint32_t *words) {
    checkAccess(row, kMatrixRowBytes, kMatrixRowBytes, Shadow::Access::kRead);
    Warp &warp = warps_[running_ / kWarpThreads];
    uint32_t lane = running_ % kWarpThreads;
    warp.rows[lane] = row;
    waitForLanes([&] { warp.results = tenon::runtime::emulator::loadMatrices(warp.rows, isTransposed); });
    std::copy_n(warp.results[lane].begin(), kMatrixSums, words);
  }

  // --- Warp groups ---

  void fenceForGroups() { threads_[running_].fences.push_back(epoch_); }
  void startProducts() { group().products.fence(running_ % kGroupThreads); }

  void multiplyInGroup(const GroupProduct &product, uint32_t *sums, const uint32_t *words = nullptr) {
    Group &own = group();
    if (std::string problem = own.products.bring(running_ % kGroupThreads, product, sums, words); !problem.empty())
      fail(problem);
    waitForGroup([&] { startProduct(own.products.start()); });
  }

  void endProducts() {
    Group &own = group();
    waitForGroup([&] { own.products.commit(); });
  }

  void waitForProducts(uint32_t left, uint32_t *sums, uint32_t count) {
    Group &own = group();
    waitForGroup([&] { own.products.wait(left, [&](const GroupProduct &product) { endProduct(product); }); });
    own.products.take(running_ % kGroupThreads, sums, count);
  }

  // --- Copies of boxes ---

  void makeMap(void *map, const uint64_t *numbers) {
    BoxedArray array{};
    std::memcpy(&array, numbers, sizeof(array));
    failIf(array.problem());
    checkAccess(map, kMapBytes, kMapAlignment, Shadow::Access::kWrite);
    writeMap(map, array);
  }

  void useMap(const void *map) { threads_[running_].maps.push_back(map); }

  void startPhases(const void *barrier) {
    checkAccess(barrier, sizeof(uint64_t), sizeof(uint64_t), Shadow::Access::kWrite);
    failIf(phases_.start(barrier, running_, epoch_));
  }

  void expectBytes(const void *barrier, uint32_t bytes) {
    failIf(phases_.expect(barrier, bytes, running_, epoch_));
    wakeThreads();
  }

  void copyBox(void *shared, const void *map, std::array<int32_t, kMapDims> place, const void *barrier) {
    const auto &maps = threads_[running_].maps;
    if (std::find(maps.begin(), maps.end(), map) == maps.end())
      fail("copies by a map that it has not been told of");
    checkAccess(map, kMapBytes, kMapAlignment, Shadow::Access::kRead);
    BoxCopy copy{{}, place, static_cast<uint8_t *>(shared)};
    if (!readMap(map, copy.array))
      fail("copies by what is no map of an array");
    if (reinterpret_cast<uintptr_t>(shared) % sizeof(Shared) != 0)
      fail("copies a box to what is not aligned to 1024 bytes");
    copy.forEachPiece([&](uint8_t *to, const uint8_t *from, size_t bytes) {
      checkAccess(from, bytes, 1, Shadow::Access::kRead);
      checkAccess(to, kCopiedBytes, kCopiedBytes, Shadow::Access::kWrite);
      if (shadow_)
        shadow_->startCopy(reinterpret_cast<uintptr_t>(to), kCopiedBytes);
    });
    failIf(phases_.copy(barrier, copy, running_, epoch_));
    wakeThreads();
  }

  void waitForPhase(const void *barrier, uint32_t parity) {
    for (bool hasEnded = false;;) {
      failIf(phases_.wait(barrier, parity, running_, epoch_, hasEnded, [&](const BoxCopy &copy) { finishBox(copy); }));
      if (hasEnded)
        return wakeThreads();
      threads_[running_].state = State::kInPhase;
      ++cluster_->moves;
      suspend();
    }
  }

private:
  struct alignas(1024) Shared { // the most that an instruction asks for
    uint8_t bytes[1024];
  };
  enum class State : uint8_t {
    kNew,
    kRunning,
    kReady,
    kAtBarrier,
    kInWarp,
    kInGroup,
    kInPhase,
    kAtClusterBarrier,
    kPaused,
    kEnded
  };
  struct Copy {
    void *to;
    const void *from; // null: zeros
  };
  struct Thread {
    State state = State::kNew;
    Fiber *fiber = nullptr;
    std::deque<std::vector<Copy>> copies = {{}}; // groups of those that have been started
    std::vector<uint32_t> fences;                // for what is asynchronous: the epochs
    std::vector<const void *> maps;              // that it may copy by
  };
  struct Warp {
    uint32_t arrived = 0;
    MatrixWords words; // that the lanes bring, and what comes of them
    MatrixSums results;
    MatrixRows rows;
    std::array<DoubleFactors, kWarpThreads> doubles;
    std::array<std::array<double, 2>, kWarpThreads> doubleSums;
  };

  struct Group {
    uint32_t arrived = 0;
    WarpGroup products;
  };

  // Ends the kernel.
  void fail(const std::string &problem) {
    failure_ = failedPrecondition("thread " + std::to_string(running_) + " of block " + std::to_string(number_) + ' ' +
                                  problem);
    threads_[running_].fiber->suspend(); // for good
  }

  void failIf(const std::string &problem) {
    if (!problem.empty())
      fail(problem);
  }

  // Those that wait for a phase look again.
  void wakeThreads() {
    for (Thread &thread : threads_)
      if (thread.state == State::kInPhase)
        thread.state = State::kReady;
  }

  void finishBox(const BoxCopy &copy) {
    copy.forEachPiece([&](uint8_t *to, const uint8_t *from, size_t bytes) {
      std::memset(to, 0, kCopiedBytes);
      std::memcpy(to, from, bytes);
      if (shadow_)
        shadow_->endCopy(reinterpret_cast<uintptr_t>(to), kCopiedBytes, accessor(running_, Shadow::kNone));
    });
  }

  Shadow::Accessor self() const { return accessor(running_, uint32_t(threads_[running_].fences.size())); }

  Shadow::Accessor accessor(uint32_t thread, uint32_t fences = 0) const { return {number_, thread, epoch_, fences}; }

  // All threads of the cluster are at its barrier.
  void releaseCluster() {
    cluster_->atBarrier = 0;
    std::vector<HappensBefore::BlockEpoch> blocks;
    for (auto &block : cluster_->blocks) {
      block->hasMetCluster_ = true;
      blocks.push_back({block->number_, ++block->epoch_});
      for (Thread &thread : block->threads_)
        thread.state = State::kReady;
    }
    if (shadow_)
      shadow_->clusterBarrier(blocks);
  }

  Group &group() { return groups_[running_ / kGroupThreads]; }

  // All threads of the group together, who are ordered behind no single one of them.
  Shadow::Accessor allOfGroup() const { return accessor(Shadow::kSeveral); }

  void startProduct(const GroupProduct &product) {
    if (!shadow_)
      return;
    const uint8_t *begin = shared_.data()->bytes, *end = begin + launch_.sharedBytes;
    // A fence stands between what was written and a barrier.
    auto isFenced = [&](const Shadow::Accessor &writer) {
      if (writer.fences == Shadow::kNone)
        return true;
      const std::vector<uint32_t> &fences = threads_[writer.thread].fences;
      return writer.fences < fences.size() && fences[writer.fences] < epoch_;
    };
    product.forEachPiece([&](const uint8_t *address, size_t bytes) {
      if (address < begin || address + bytes > end)
        fail("multiplies what is outside of shared memory");
      std::string problem = shadow_->startProduct(reinterpret_cast<uintptr_t>(address), bytes, allOfGroup(), isFenced);
      if (!problem.empty())
        fail(problem);
    });
  }

  void endProduct(const GroupProduct &product) {
    if (shadow_)
      product.forEachPiece([&](const uint8_t *address, size_t bytes) {
        shadow_->endProduct(reinterpret_cast<uintptr_t>(address), bytes, allOfGroup());
      });
  }

  void finishCopy(const Copy &copy) {
    if (copy.from)
      std::memcpy(copy.to, copy.from, kCopiedBytes);
    else
      std::memset(copy.to, 0, kCopiedBytes);
    if (shadow_)
      shadow_->endCopy(reinterpret_cast<uintptr_t>(copy.to), kCopiedBytes, self());
  }

  uint32_t lanesOf(uint32_t warp) const {
    return std::min<uint32_t>(kWarpThreads, launch_.threads - warp * kWarpThreads);
  }

  void orderThreads() {
    order_.resize(threads_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    if (launch_.order == ThreadOrder::kReverse)
      std::reverse(order_.begin(), order_.end());
    if (launch_.order == ThreadOrder::kRandom)
      std::shuffle(order_.begin(), order_.end(), std::minstd_rand(number_ + 1));
  }

  std::string problemOf(const void *address, size_t bytes, uint32_t alignment, Shadow::Access access) {
    const auto *at = static_cast<const uint8_t *>(address);
    const uint8_t *shared = sharedAt(at);
    bool isShared = shared != nullptr;
    std::string verb = access == Shadow::Access::kRead ? "reads " : "writes ";
    if (isShared ? at + bytes > shared + launch_.sharedBytes : !launch_.isDeviceMemory(address, bytes))
      return verb + std::to_string(bytes) + " bytes outside of " + (isShared ? "shared memory" : "allocated memory");
    if (reinterpret_cast<uintptr_t>(address) % alignment != 0)
      return verb + "what is not aligned to " + std::to_string(alignment) + " bytes";
    return shadow_->access(reinterpret_cast<uintptr_t>(address), bytes, access, isShared, self());
  }

  // The shared memory, of this block or another of the cluster, that the address is in; or null.
  const uint8_t *sharedAt(const uint8_t *address) const {
    for (const auto &block : cluster_->blocks) {
      const uint8_t *begin = block->shared_.data()->bytes;
      if (address >= begin && address < begin + block->shared_.size() * sizeof(Shared))
        return begin;
    }
    return nullptr;
  }

  Status runThreads() {
    cluster_->moves += threads_.size() - next_;
    while (next_ < threads_.size()) {
      Fiber *fiber = idleFiber();
      if (!fiber)
        return Status(StatusCode::kResourceExhausted, "out of memory: no stacks for the threads of a block");
      fiber->start([this, fiber] { takeThreads(fiber); });
      if (!resume(fiber))
        return failure_;
    }
    for (uint32_t thread : order_)
      if (State state = threads_[thread].state; state == State::kReady || state == State::kPaused) {
        cluster_->moves += state == State::kReady;
        if (!resume(threads_[thread].fiber))
          return failure_;
      }
    return {};
  }

  size_t stackBytes() const {
    const size_t blocks = launch_.isCooperative ? launch_.blocks : launch_.clusterBlocks;
    return std::min(kStackBytes, kMostStacksBytes / (blocks * launch_.threads));
  }

  Fiber *idleFiber() {
    if (idle_.empty()) {
      fibers_.push_back(Fiber::create(stackBytes()));
      idle_.push_back(fibers_.back().get());
    }
    Fiber *fiber = idle_.back();
    idle_.pop_back();
    return fiber;
  }

  // False where an access was wrong.
  bool resume(Fiber *fiber) {
    fiber->resume();
    if (fiber->hasEnded())
      idle_.push_back(fiber);
    return failure_.ok();
  }

  // What a fiber does: new threads, one after the other. When one of them waits, another fiber goes on with the next.
  void takeThreads(Fiber *fiber) {
    while (next_ < order_.size()) {
      uint32_t self = running_ = order_[next_++];
      threads_[self].state = State::kRunning;
      threads_[self].fiber = fiber;
      kernel_(parameters_);
      if (group().products.hasOpen())
        fail("ends before the products of its warp group have been waited for");
      threads_[self].state = State::kEnded;
      ++cluster_->moves;
      if (++ended_ == threads_.size() && phases_.hasCopies())
        fail("ends before copies that the block has started have been waited for");
      releaseBarrier();
    }
  }

  // The running thread goes on when its state is kReady and its turn comes.
  void suspend() {
    uint32_t self = running_;
    threads_[self].fiber->suspend();
    running_ = self;
    threads_[self].state = State::kRunning;
  }

  void waitForLanes(const std::function<void()> &operation) {
    uint32_t number = running_ / kWarpThreads;
    waitForOthers(State::kInWarp, warps_[number].arrived, number * kWarpThreads, lanesOf(number), operation);
  }

  void waitForGroup(const std::function<void()> &operation) {
    uint32_t number = running_ / kGroupThreads;
    waitForOthers(State::kInGroup, groups_[number].arrived, number * kGroupThreads, kGroupThreads, operation);
  }

  // The last of so many threads that comes does what all have come for.
  void waitForOthers(State waits, uint32_t &arrived, uint32_t first, uint32_t count,
                     const std::function<void()> &operation) {
    threads_[running_].state = waits;
    ++cluster_->moves;
    if (++arrived == count) {
      arrived = 0;
      operation();
      for (uint32_t i = first; i < first + count; ++i)
        threads_[i].state = State::kReady;
    }
    suspend();
  }

  // Threads that have ended are not waited for.
  void releaseBarrier() {
    if (atBarrier_ == 0 || atBarrier_ + ended_ < threads_.size())
      return;
    atBarrier_ = 0;
    ++epoch_;
    if (shadow_)
      shadow_->barrier(number_);
    for (Thread &thread : threads_)
      if (thread.state == State::kAtBarrier)
        thread.state = State::kReady;
  }

  static const char *awaited(State state) {
    switch (state) {
    case State::kAtBarrier:
      return "at a barrier that not all threads of the block come to";
    case State::kInWarp:
      return "for lanes of its warp that do not come";
    case State::kInGroup:
      return "for threads of its warp group that do not come";
    case State::kInPhase:
      return "for a phase of a barrier in shared memory that does not end";
    case State::kAtClusterBarrier:
      return "at a barrier that not all threads of the cluster come to";
    case State::kPaused:
      return "for what no block writes";
    default:
      return nullptr;
    }
  }

  static inline thread_local Block *current_ = nullptr;

  EmulatedKernel kernel_;
  void **parameters_;
  Launch launch_;
  Shadow *shadow_;
  Status failure_; // of the access that ends the kernel
  Cluster *cluster_ = nullptr;
  uint32_t number_ = 0, running_ = 0, epoch_ = 0;
  bool hasMetCluster_ = false; // at a barrier: all of its blocks have begun
  size_t next_ = 0;            // in order_, of the threads that have not begun
  size_t atBarrier_ = 0, ended_ = 0;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<Group> groups_;
  PhaseBarriers phases_;
  std::vector<uint32_t> order_;
  std::vector<Shared> shared_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber *> idle_;
};

} // namespace tenon::runtime::emulator
