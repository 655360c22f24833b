// One run of a program on one device, from its arguments to its results.
#pragma once

#include "tenon/pjrt/executable.h"
#include "tenon/runtime/collectives/grid_channels.h"
#include "tenon/runtime/control/processes.h"

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tenon::pjrt {

class SharedOutcome;

// Kept for reuse by the thread, with the capacity of its lists.
struct Run {
  CompiledProgramRef program;
  runtime::RunOptions options;
  std::shared_ptr<const std::unordered_map<int64_t, void *>> userData;
  std::vector<Ref<Value>> arguments;
  std::vector<Ref<Value>> results; // promises; empty for a run in place until it is done
  std::vector<bool> donated;       // by argument: this run holds what was the buffer's; empty if it does of none
  // Arguments whose layouts differ from those that the program expects: their numbers and actual types.
  std::vector<std::pair<size_t, BufferTypeRef>> otherTypes;
  Ref<Completion> done;
  std::unique_ptr<runtime::HostTransfers> hostTransfers;
  // The channels between the runs of one launch on several devices. A run that fails closes them, so that no other
  // waits for it.
  std::shared_ptr<runtime::Channels> channels;
  std::shared_ptr<runtime::Rendezvous> rendezvous;
  std::shared_ptr<SharedOutcome> sharedOutcome; // of the launch on devices with memory of their own; null for one
  runtime::Processes *processes = nullptr;      // that the launch spans, if there are several

  int deviceId = 0;                  // among those of all processes
  runtime::Device *device = nullptr; // whose memory the program works in
  WorkQueue *completions = nullptr;  // of the device
  std::vector<const void *> argumentPointers;
  std::vector<void *> resultPointers;
  std::vector<Block> blocks;
  std::vector<int32_t> sizes; // the program's results behind the arrays
  // What the device still has to do, where compute() has not waited for it: the results are in its stream.
  std::shared_ptr<runtime::DeviceWork> work;

  void clear() {
    program.reset();
    userData.reset();
    arguments.clear();
    results.clear();
    donated.clear();
    otherTypes.clear();
    done = {};
    hostTransfers.reset();
    channels.reset();
    rendezvous.reset();
    sharedOutcome.reset();
    processes = nullptr;
    device = nullptr;
    argumentPointers.clear();
    resultPointers.clear();
    blocks.clear();
    sizes.clear();
    work.reset();
  }

  const BufferType &argumentType(size_t argument) const {
    for (const auto &[other, type] : otherTypes)
      if (other == argument)
        return *type;
    return *program->argumentTypes[argument];
  }

  // How much of each dimension of a result counts; empty where all of it does.
  std::vector<int64_t> sizesOf(size_t result) const {
    const program::Result &described = program->executable->program().results[result];
    if (described.sizeResults.empty())
      return {};
    std::vector<int64_t> dims = described.shape.dims;
    for (size_t d = 0; d < dims.size(); ++d)
      if (int32_t place = described.sizeResults[d]; place >= 0)
        dims[d] = sizes[place - program->resultTypes.size()];
    return dims;
  }
};

// Runs the program; afterwards `run.blocks` holds the results, or will when `run.work` has been done. Arguments are
// ready, or in the device's stream.
Status compute(Run &run);

} // namespace tenon::pjrt
