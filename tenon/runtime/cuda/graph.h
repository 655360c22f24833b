// A program as one graph of the driver's: kernels, what libraries do (their work is captured once, when the graph is
// made), and loops and branches as conditional nodes whose conditions kernels decide. The host starts it and is not
// asked before its end.
//
// Where the host has to make a call, or one cannot be captured, the graph is cut: there are several, which the host
// starts one after the other, with the calls between them. Only a loop or branch with such a call in it is decided by
// the host. A library's steps on arguments and results, which are large, are made between graphs, too: what is
// captured has fixed addresses.
//
// Kernels find their arrays by rows of pointers in the device's memory, which stay where they are. Where each place of
// the program is, is in a table there, too: the first node, `tenon_bind`, whose parameters are the addresses of this
// run's arguments and results, fills it and the rows. It is the one node that changes from run to run. Loops whose
// places exchange their memory change the table and those rows at the end of each iteration (`tenon_advance`); what a
// walk remembers of where places were when an iteration or branch began (walk.h) is a copy of the table. Calls are
// given addresses that do not change: arrays that may be anywhere are copied to memory of the call's own, and from
// there.
#pragma once

#include "tenon/runtime/cuda/service_calls.h"
#include "tenon/runtime/cuda/workspace.h"

#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace tenon::runtime::cuda {

// One run at a time. It serves others afterwards.
class Graph final : public DeviceRunner {
public:
  // Whether the driver has what it takes, and the program no more arguments and results than can be bound.
  static bool canBe(const LoadedDeviceCode &code);
  static StatusOr<std::unique_ptr<DeviceRunner>> create(const LoadedDeviceCode &code, StreamHandle *stream);
  ~Graph() override;
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  Status run(const DeviceRun &run) override;
  Status enqueue(const DeviceRun &run, StreamHandle *stream) override;
  int32_t *stopWord() override { return stop_; }
  bool waits(const RunOptions &options) const override;

private:
  // What the host does one after the other.
  struct Part;
  using Parts = std::vector<std::unique_ptr<Part>>;
  struct GraphPart {
    GraphHandle *graph;
    GraphExecHandle *executable;
  };
  struct CallPart {
    int32_t call;
    ServiceArrays arrays;
  };
  struct LibraryPart {
    const program::KernelStep *step;
    LibraryOp *op;
  };
  // Runs the body as long as the predicate is true.
  struct LoopPart {
    DeviceAddress predicate;
    Parts body;
  };
  struct BranchPart {
    const program::BranchStep *step;
    DeviceAddress selector;
    std::vector<Parts> branches;
  };
  struct Part {
    std::variant<GraphPart, CallPart, LibraryPart, LoopPart, BranchPart> what;
  };
  // What nodes are added to, each after those before.
  struct Chain {
    GraphHandle *graph = nullptr;
    std::vector<GraphNodeHandle *> last = {};
    Parts *parts = nullptr; // where the graph may be cut; null in the body of a node
  };
  using Parameter = uint64_t;

  Graph(const LoadedDeviceCode &code, StreamHandle *stream) : code_(code), driver_(code.driver), stream_(stream) {}

  Status allocate();
  Status build();
  Status buildParts();
  void destroyPart(Part &part);
  void destroyParts(Parts &parts);
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

  // Begins a graph, and ends it, as a part for the host to start.
  Status begin(Chain &chain);
  Status end(Chain &chain);
  Status cut(Chain &chain, std::unique_ptr<Part> part);
  // Whether a call in the steps is made between graphs.
  bool isCut(const program::DeviceSteps &steps) const;
  bool isCut(const program::DeviceStep &step) const;
  Status addLoopOfNodes(Chain &chain, const program::LoopStep &step, DeviceAddress saved);
  Status addLoopOfHost(Chain &chain, const program::LoopStep &step, DeviceAddress saved);
  Status addBranchOfHost(Chain &chain, const program::BranchStep &step, DeviceAddress saved);
  Status addBody(Chain &chain, const program::LoopStep &step, DeviceAddress saved);
  // The end of an iteration: places exchange, and the condition is there anew. The device decides by it, if there is a
  // handle.
  Status addTurn(Chain &chain, const program::LoopStep &step, DeviceAddress saved,
                 std::optional<ConditionalHandle> handle = std::nullopt);
  Status addContinue(Chain &chain, const program::LoopStep &step, ConditionalHandle handle);
  StatusOr<DeviceAddress> addRead(Chain &chain, int32_t place, int64_t bytes);
  // The call's arrays, and the copies before it; and those behind.
  StatusOr<ServiceArrays> addOperands(Chain &chain, const program::ServiceStep &step);
  Status addResults(Chain &chain, const program::ServiceStep &step, const ServiceArrays &arrays);
  StatusOr<DeviceAddress> allocateFixed(int64_t bytes);
  // Adds what is enqueued in the stream that is given.
  Status capture(Chain &chain, const std::function<Status(StreamHandle *)> &enqueue);
  // Whether the step's arrays have the same addresses at each run.
  bool isFixed(const program::KernelStep &step) const;
  Status addLibraryOp(Chain &chain, const program::KernelStep &step, LibraryOp &op);

  Status bind(const DeviceRun &run);
  Status runParts(const Parts &parts, const DeviceRun &run, StreamHandle *stream);
  Status runPart(const GraphPart &part, const DeviceRun &run, StreamHandle *stream);
  Status runPart(const CallPart &part, const DeviceRun &run, StreamHandle *stream);
  Status runPart(const LibraryPart &part, const DeviceRun &run, StreamHandle *stream);
  Status runPart(const LoopPart &part, const DeviceRun &run, StreamHandle *stream);
  Status runPart(const BranchPart &part, const DeviceRun &run, StreamHandle *stream);

  Status addSteps(Chain &chain, const program::DeviceSteps &steps);
  Status add(Chain &chain, const program::KernelStep &step);
  Status add(Chain &chain, const program::CopyStep &step);
  Status add(Chain &chain, const program::ServiceStep &step);
  Status add(Chain &chain, const program::LoopStep &step);
  Status add(Chain &chain, const program::BranchStep &step);
  // Between what the pointers point to.
  Status addCopy(Chain &chain, DeviceAddress to, DeviceAddress from, int64_t bytes);
  // The end of an iteration, or of a branch: places are where `saved` says, after these exchanges.
  Status addAdvance(Chain &chain, DeviceAddress saved, const std::vector<std::pair<int32_t, int32_t>> &exchanges);

  // A row in the device's memory with these places.
  DeviceAddress addRow(const std::vector<int32_t> &places);
  // A list of pairs of places that exchange.
  DeviceAddress addExchanges(const std::vector<std::pair<int32_t, int32_t>> &exchanges);
  // Numbers in the device's memory, with how many there are before them.
  DeviceAddress addList(const std::vector<uint64_t> &numbers);
  // A pointer to this address.
  DeviceAddress addPointer(DeviceAddress address);
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
  // In `tables_`.
  DeviceAddress places_ = 0, slotTable_ = 0, allSlots_ = 0, exchangedSlots_ = 0, initial_ = 0, bound_ = 0;
  DeviceAddress looked_ = 0;        // when a loop has last looked at the word that ends it
  std::vector<uint64_t> addresses_; // the arguments and results that bind has, as `bound_` counts them
  std::vector<void *> bindPointers_;
  std::vector<uint64_t> bindValues_;
  int32_t *stop_ = nullptr; // in memory that the device reads, too
  Parts parts_;
  GraphNodeHandle *bindNode_ = nullptr; // in the first of them; null where nothing is bound
  bool bindsAlone_ = false;             // and nothing else is there
  std::vector<bool> isCaptured_;        // of each call
  std::vector<DeviceMemory> fixed_;     // of calls
  bool waits_ = false;
  std::vector<int32_t> meetings_; // calls that meet other runs
};

} // namespace tenon::runtime::cuda
