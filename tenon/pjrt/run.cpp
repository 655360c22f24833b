#include "tenon/pjrt/run.h"

#include "tenon/pjrt/host_copies.h"
#include "tenon/pjrt/runs_in_flight.h"
#include "tenon/pjrt/shared_results.h"

#include <atomic>
#include <span>

namespace tenon::pjrt {
namespace {

// Memory for result `index`: what other devices of the launch write it in, too, or the donated argument's if this run
// alone holds it, else fresh.
StatusOr<Block> resultBlock(Run &run, size_t index) {
  if (!run.results.empty() && run.results[index]->sharedMemory)
    return run.results[index]->sharedMemory->block();
  int argument = run.program->argumentOfResult[index];
  if (argument >= 0 && !run.donated.empty() && run.donated[argument]) {
    Value &value = *run.arguments[argument];
    if (value.isListed)
      HostCopies::ofProcess().unlist(value);
    if (isHeldAlone(value) && value.block.writable() && value.block.device() == run.device)
      return std::move(value.block);
  }
  return Block::allocate(run.program->resultTypes[index]->bytes, run.device);
}

// A copy of an array in another order of dimensions. The host makes it, wherever the array is.
StatusOr<Block> reordered(const BufferType &type, const Block &block, std::span<const int64_t> from,
                          std::span<const int64_t> to) {
  const void *source = block.data();
  Block here;
  if (block.device()) {
    TENON_ASSIGN_OR_RETURN(here, Block::copyOf(block, nullptr));
    source = here.data();
  }
  TENON_ASSIGN_OR_RETURN(Block ordered, Block::allocate(type.bytes));
  copyStrided(type.shape, source, from, ordered.data(), to);
  return block.device() ? Block::copyOf(ordered, block.device()) : std::move(ordered);
}

// The array where and as the program reads it: itself, or a copy, which `copies` then owns.
StatusOr<const void *> argumentFor(const Run &run, size_t index, std::vector<Block> &copies) {
  const BufferType &type = run.argumentType(index);
  const Block *block = &run.arguments[index]->block;
  if (type.isRowMajor && block->device() == run.device)
    return static_cast<const void *>(block->data());
  TENON_RETURN_IF_ERROR(run.arguments[index]->await()); // copies do not wait for the device's stream
  auto keep = [&](StatusOr<Block> copy) -> Status {
    copies.reserve(2 * run.arguments.size()); // none moves
    if (copy.ok())
      block = &copies.emplace_back(std::move(*copy));
    return copy.status();
  };
  if (!type.isRowMajor)
    TENON_RETURN_IF_ERROR(keep(reordered(type, *block, type.strides, rowMajorStrides(type.shape))));
  if (block->device() != run.device)
    TENON_RETURN_IF_ERROR(keep(Block::copyOf(*block, run.device)));
  return static_cast<const void *>(block->data());
}

// Whether the host has nothing to do with the results: they stay in the device's memory as they are.
bool resultsStay(const Run &run) {
  const CompiledProgram &program = *run.program;
  for (size_t i = 0; i < program.resultTypes.size(); ++i)
    if (program.resultMemories[i] != MemoryKind::kDevice ||
        (!program.resultTypes[i]->isRowMajor && !program.isStoredInOrder[i]))
      return false;
  return run.sizes.empty();
}

// Runs the program on a device, which gives sizes in memory of its own.
Status computeOnDevice(Run &run) {
  const backend::Executable &executable = *run.program->executable;
  if (resultsStay(run)) {
    TENON_ASSIGN_OR_RETURN(run.work, executable.startOnDevice(run.argumentPointers, run.resultPointers, run.options));
    return {};
  }
  std::vector<Block> sizes;
  for (size_t i = 0; i < run.sizes.size(); ++i) {
    TENON_ASSIGN_OR_RETURN(Block block, Block::allocate(sizeof(int32_t), run.device));
    run.resultPointers.push_back(block.data());
    sizes.push_back(std::move(block));
  }
  TENON_RETURN_IF_ERROR(executable.executeOnDevice(run.argumentPointers, run.resultPointers, run.options));
  for (size_t i = 0; i < sizes.size(); ++i)
    TENON_RETURN_IF_ERROR(sizes[i].read(0, &run.sizes[i], sizeof(int32_t)));
  return {};
}

// Has each result in the order of its type, and in the memory that it belongs to.
Status placeResults(Run &run) {
  const CompiledProgram &program = *run.program;
  for (size_t i = 0; i < program.resultTypes.size(); ++i) {
    const BufferType &type = *program.resultTypes[i];
    Block &block = run.blocks[i];
    if (!type.isRowMajor && !program.isStoredInOrder[i]) {
      TENON_ASSIGN_OR_RETURN(block, reordered(type, block, rowMajorStrides(type.shape), type.strides));
    }
    if (block.device() && program.resultMemories[i] != MemoryKind::kDevice) {
      TENON_ASSIGN_OR_RETURN(block, Block::copyOf(block, nullptr));
    }
  }
  return {};
}

} // namespace

Status compute(Run &run) {
  const CompiledProgram &program = *run.program;
  std::vector<Block> copies;
  for (size_t i = 0; i < run.arguments.size(); ++i) {
    TENON_ASSIGN_OR_RETURN(const void *data, argumentFor(run, i, copies));
    run.argumentPointers.push_back(data);
  }
  run.options.sharedResultsAreFree = true;
  for (size_t i = 0; i < program.resultTypes.size(); ++i) {
    TENON_ASSIGN_OR_RETURN(Block block, resultBlock(run, i));
    run.resultPointers.push_back(block.data());
    run.blocks.push_back(std::move(block));
    if (!run.results.empty() && run.results[i]->sharedMemory && !run.results[i]->sharedMemory->isFree())
      run.options.sharedResultsAreFree = false;
  }
  run.sizes.assign(program.executable->program().results.size() - program.resultTypes.size(), 0);
  run.options.userData = run.userData.get();
  static std::atomic<uint64_t> lastSeed{0};
  run.options.seed = lastSeed.fetch_add(1, std::memory_order_relaxed) + 1;
  if (run.device) {
    TENON_RETURN_IF_ERROR(computeOnDevice(run));
    return placeResults(run);
  }
  for (int32_t &size : run.sizes)
    run.resultPointers.push_back(&size);
  TENON_RETURN_IF_ERROR(program.executable->execute(run.argumentPointers, run.resultPointers, run.options));
  return placeResults(run);
}

} // namespace tenon::pjrt
