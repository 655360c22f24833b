#include "tenon/runtime/emulator/block.h"

#include "tenon/runtime/emulator/running_block.h"
#include "tenon/support/parallel.h"

namespace tenon::runtime::emulator {

namespace {

// The blocks of one cluster, in turns.
Status runCluster(Cluster &cluster, uint32_t first) {
  cluster.atBarrier = 0;
  for (size_t i = 0; i < cluster.blocks.size(); ++i)
    cluster.blocks[i]->begin(first + uint32_t(i), &cluster);
  auto end = [&](Status status) {
    for (Block *block : cluster.blocks)
      block->abandon();
    return status;
  };
  auto hasEnded = [](const Block *block) { return block->hasEnded(); };
  while (!std::all_of(cluster.blocks.begin(), cluster.blocks.end(), hasEnded)) {
    bool hasMoved = false;
    for (Block *block : cluster.blocks)
      if (Status status = block->step(hasMoved); !status.ok())
        return end(std::move(status));
    if (!hasMoved)
      return end((*std::find_if_not(cluster.blocks.begin(), cluster.blocks.end(), hasEnded))->deadlock());
  }
  return {};
}

} // namespace

Status runKernel(EmulatedKernel kernel, void **parameters, const Launch &launch) {
  // Some blocks for each thread of the host, which has their stacks; all for one where accesses are compared.
  constexpr uint32_t kParts = 16;
  Shadow shadow;
  bool isChecked = bool(launch.isDeviceMemory);
  uint32_t clusters = launch.blocks / launch.clusterBlocks, parts = isChecked ? 1 : std::min(clusters, kParts);
  std::vector<Status> outcomes(parts);
  forEachInParallel(parts, 0, [&](size_t part) {
    std::vector<std::unique_ptr<Block>> blocks;
    Cluster cluster;
    for (uint32_t i = 0; i < launch.clusterBlocks; ++i) {
      blocks.push_back(std::make_unique<Block>(kernel, parameters, launch, isChecked ? &shadow : nullptr));
      cluster.blocks.push_back(blocks.back().get());
    }
    for (auto number = uint32_t(part); number < clusters && outcomes[part].ok(); number += parts)
      outcomes[part] = runCluster(cluster, number * launch.clusterBlocks);
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
uint32_t tenon_emu_shuffle_xor(uint32_t value, uint32_t lanes) { return Block::current().shuffleXor(value, lanes); }
void tenon_emu_multiply(MatrixKind kind, const uint32_t *words, uint32_t *sums) {
  Block::current().multiply(kind, words, sums);
}
void tenon_emu_multiply_doubles(double lhs, double rhs, double first, double second, double *sums) {
  Block::current().multiplyDoubles({lhs, rhs, {first, second}}, sums);
}
void tenon_emu_load_matrices(const void *row, uint32_t isTransposed, uint32_t *words) {
  Block::current().loadMatrices(row, isTransposed != 0, words);
}
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
