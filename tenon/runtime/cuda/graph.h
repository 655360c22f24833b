// A program as one graph of the driver's: kernels, and loops and branches as conditional nodes whose conditions kernels
// decide. The host starts it and is not asked before its end.
//
// Kernels find their arrays by rows of pointers in the device's memory, which stay where they are. Where each place of
// the program is, is in a table there, too: the first node, `tenon_bind`, whose parameters are the addresses of this
// run's arguments and results, fills it and the rows. It is the one node that changes from run to run. Loops whose
// places exchange their memory change the table and those rows at the end of each iteration (`tenon_advance`); what a
// walk remembers of where places were when an iteration or branch began (walk.h) is a copy of the table.
#pragma once

#include "tenon/runtime/core/wait.h"
#include "tenon/runtime/cuda/workspace.h"

#include <map>
#include <memory>
#include <vector>

namespace tenon::runtime::cuda {

// One run at a time. It serves others afterwards.
class Graph final : public DeviceRunner {
public:
  // Whether the program can be one: it asks nothing of the host, and the driver has conditional nodes.
  static bool canBe(const LoadedDeviceCode &code);
  static StatusOr<std::unique_ptr<DeviceRunner>> create(const LoadedDeviceCode &code, StreamHandle *stream);
  ~Graph() override;
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  Status run(const DeviceRun &run) override;
  Status enqueue(const DeviceRun &run, StreamHandle *stream) override;
  int32_t *stopWord() override { return stop_; }

private:
  // What nodes are added to, each after the one before.
  struct Chain {
    GraphHandle *graph = nullptr;
    GraphNodeHandle *last = nullptr;
  };
  using Parameter = uint64_t;

  Graph(const LoadedDeviceCode &code, StreamHandle *stream) : code_(code), driver_(code.driver), stream_(stream) {}

  Status allocate();
  Status build();
  Status upload();
  void count(const program::DeviceSteps &steps);

  Status addNode(Chain &chain, GraphNodeParameters parameters, GraphNodeHandle **node = nullptr);
  Status addKernel(Chain &chain, FunctionHandle *function, int64_t blocks, const program::DeviceKernel &kernel,
                   const std::vector<Parameter> &parameters);
  Status addControl(Chain &chain, program::ControlKernel kernel, const std::vector<Parameter> &parameters,
                    int64_t blocks = 1);
  Status addBind(Chain &chain);
  StatusOr<GraphHandle *> addConditional(Chain &chain, ConditionalKind kind, ConditionalHandle handle);
  StatusOr<ConditionalHandle> makeHandle(const Chain &chain);

  Status addSteps(Chain &chain, const program::DeviceSteps &steps);
  Status add(Chain &chain, const program::KernelStep &step);
  Status add(Chain &chain, const program::CopyStep &step);
  Status add(Chain &chain, const program::ServiceStep &step);
  Status add(Chain &chain, const program::LoopStep &step);
  Status add(Chain &chain, const program::BranchStep &step);
  Status addCopy(Chain &chain, DeviceAddress to, const program::CopyStep &step);
  // The end of an iteration, or of a branch: places are where `saved` says, after these exchanges.
  Status addAdvance(Chain &chain, DeviceAddress saved, const std::vector<std::pair<int32_t, int32_t>> &exchanges);

  // A row in the device's memory with these places.
  DeviceAddress addRow(const std::vector<int32_t> &places);
  // Numbers in the device's memory, with how many there are before them.
  DeviceAddress addList(const std::vector<uint64_t> &numbers);
  DeviceAddress reserve(size_t words);
  KernelNodeParameters bindParameters(const std::vector<uint64_t> &addresses);

  const LoadedDeviceCode &code_;
  const Driver &driver_;
  StreamHandle *stream_;
  Workspace work_;
  DeviceMemory tables_;
  std::vector<uint64_t> tableContents_; // as far as the host fills them
  std::vector<int32_t> slotPlaces_;     // the place of each pointer in rows
  size_t numSlots_ = 0, numWords_ = 0;  // how many there will be
  std::vector<bool> isExchanged_;       // of each place
  // In `tables_`.
  DeviceAddress places_ = 0, slotTable_ = 0, allSlots_ = 0, exchangedSlots_ = 0, initial_ = 0, bound_ = 0;
  std::vector<uint64_t> addresses_; // the arguments and results that bind is given, as `bound_` counts them
  std::vector<void *> bindPointers_;
  std::vector<uint64_t> bindValues_;
  int32_t *stop_ = nullptr; // in memory that the device reads, too
  GraphHandle *graph_ = nullptr;
  GraphNodeHandle *bindNode_ = nullptr;
  GraphExecHandle *executable_ = nullptr;
};

} // namespace tenon::runtime::cuda
