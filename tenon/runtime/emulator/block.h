// The blocks of a kernel on the host: each on one thread of the host, the block's threads as fibers.
//
// A thread runs until it waits for others: at a barrier for all threads of the block, in an operation of a warp for the
// lanes of its mask, and in a pause for what another block writes. Then another one runs. A block in which nobody can
// go on is a deadlock, and an error; a barrier that is missing shows when threads take their turns in different orders
// and give different results.
#pragma once

#include "tenon/program/emulation.h"
#include "tenon/runtime/emulator/matrix.h"
#include "tenon/status.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tenon::runtime::emulator {

// Kernels of the emulation take an array of pointers to their parameters.
using EmulatedKernel = void (*)(void **parameters);

// The order in which threads of a block take their turns, and blocks that run at a time.
enum class ThreadOrder : uint8_t { kForward, kReverse, kRandom };

// Whether the bytes are memory of the device, all of one allocation, or data of the kernel's module.
using IsDeviceMemory = std::function<bool(const void *address, size_t bytes)>;

struct Launch {
  uint32_t blocks = 1, threads = 1; // of the grid, of a block
  size_t sharedBytes = 0;           // of a block
  ThreadOrder order = ThreadOrder::kForward;
  // Where set, and the kernel's code says what it accesses (tenon_emu_access), the accesses are checked, and one thread
  // of the host runs the blocks, a few at a time.
  IsDeviceMemory isDeviceMemory = nullptr;
  uint32_t clusterBlocks = 1; // that run side by side; divides the number of blocks
  bool isCooperative = false; // all blocks run side by side, on one thread of the host
};

// Runs the kernel to its end, blocks side by side. FAILED_PRECONDITION, with the number of the block and the thread,
// where threads wait for what does not come, or where an access is checked and wrong: outside of the memory that there
// is, not aligned, in a race with another thread (shadow.h), or to shared memory that nobody has written.
Status runKernel(EmulatedKernel kernel, void **parameters, const Launch &launch);

// --- What the code of kernels calls (codegen/gpu/builder.h), from within runKernel ---

extern "C" {
uint32_t tenon_emu_number(program::ThreadNumber which);
// Until all threads of the block that have not ended are here.
void tenon_emu_barrier();
// Starts to copy 16 bytes to shared memory, or zeros. The last moment that is allowed is when they are copied: when the
// thread waits for their group, all but the last `left` ones.
void tenon_emu_copy(void *shared, const void *global, uint32_t isThere);
void tenon_emu_end_of_copies();
void tenon_emu_wait_for_copies(uint32_t left);
// Lets others go on: the thread waits for what another block writes, and looks again.
void tenon_emu_pause();
// A clock of the host's.
uint64_t tenon_emu_nanoseconds();
// Until all lanes of the warp are here: what the lane of this one's number exclusive or `lanes` brings.
uint32_t tenon_emu_shuffle_xor(uint32_t value, uint32_t lanes);
// The same: what the lane of this number brings.
uint32_t tenon_emu_shuffle_from(uint32_t value, uint32_t lane);
// The same: the lanes that bring this number, as bits.
uint32_t tenon_emu_lanes_with(uint32_t number);
// Until all lanes of the warp are here: the sums that this lane has after the products of matrices (matrix.h).
void tenon_emu_multiply(program::MatrixKind kind, const uint32_t *words, uint32_t *sums);
// The same of f64: the sums that this lane has after the products (matrix.h).
void tenon_emu_multiply_doubles(double lhs, double rhs, double first, double second, double *sums);
// Until all lanes of the warp are here: the words that this lane has of four matrices (matrix.h), a row of one of which
// is at its address.
void tenon_emu_load_matrices(const void *row, uint32_t isTransposed, uint32_t *words);
// 2 to the power of the exponent; zero where that is subnormal.
float tenon_emu_exp2(float exponent);
// 1 by the divisor; a subnormal divisor is zero, and so is a reciprocal that is subnormal.
float tenon_emu_reciprocal(float divisor);
// --- Of warp groups (warp_group.h) ---
// What the thread has written to shared memory is there for products that begin after the next barrier.
void tenon_emu_fence_for_groups();
// The products that follow have the registers as they are.
void tenon_emu_start_of_products();
// Until all threads of the group are here: a product begins. What there is in place of the sums then is no number.
void tenon_emu_multiply_in_group(program::MatrixKind kind, uint32_t columns, const void *lhs, uint32_t lhsChunkBytes,
                                 const void *rhs, uint32_t rhsChunkBytes, uint32_t *sums);
// The same with an lhs in registers: the four words of this lane, as tenon_emu_multiply takes them.
void tenon_emu_multiply_words_in_group(program::MatrixKind kind, uint32_t columns, const uint32_t *lhs, const void *rhs,
                                       uint32_t rhsChunkBytes, uint32_t *sums);
void tenon_emu_end_of_products();
// Until all threads of the group are here, and all products are done but those of the last `left` ends.
void tenon_emu_wait_for_products(uint32_t left, uint32_t *sums, uint32_t count);
// --- Copies of boxes (boxes.h) ---
// Writes a map of an array to global memory: for threads of this kernel after a barrier, and for kernels after it.
// `array`: the numbers of a BoxedArray, in its order.
void tenon_emu_make_map(void *map, const uint64_t *array);
// Copies that the thread starts may use the map.
void tenon_emu_use_map(const void *map);
void tenon_emu_start_of_phases(const void *barrier);
void tenon_emu_expect_bytes(const void *barrier, uint32_t bytes);
void tenon_emu_copy_box(void *shared, const void *map, int32_t inner, int32_t middle, int32_t outer,
                        const void *barrier);
// Until the last phase of this parity has ended.
void tenon_emu_wait_for_phase(const void *barrier, uint32_t parity);
// --- Clusters ---
// Until all threads of the cluster are here.
void tenon_emu_cluster_barrier();
// Where what is here in the block's shared memory is in that of another block of the cluster.
void *tenon_emu_shared_of(const void *own, uint32_t rank);
// Gives a conditional node of the graph that runs its value.
void tenon_emu_set_conditional(uint64_t handle, uint32_t value);
// The block's, 16-byte aligned; it begins as bytes that are no numbers.
void *tenon_emu_shared();
// Before each load, store and atomic operation of code that is to be checked. `alignment` in bytes: what the access
// relies on.
void tenon_emu_access(const void *address, uint64_t bytes, uint32_t alignment, program::MemoryAccess access);
}

} // namespace tenon::runtime::emulator
