#include "tenon/api/local_service.h"

#include "tenon/api/analysis.h"
#include "tenon/api/trace.h"
#include "tenon/backend/grid.h"
#include "tenon/literal/program_types.h"
#include "tenon/literal/storage.h"
#include "tenon/program/memory.h"
#include "tenon/support/shown.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tenon::api {

using xla::LayoutUtil;
using xla::Literal;
using xla::Shape;
using xla::ShapeUtil;

namespace {

// About what the bookkeeping of an array and of a handle takes: a client that makes many small ones pays for it.
constexpr int64_t kHandleBytes = 256;

using ArrayPointer = std::shared_ptr<const DeviceArray>;

Status noMemory(const Shape &shape) {
  return {StatusCode::kResourceExhausted, "no memory for " + ShapeUtil::HumanString(shape)};
}

// Builds a literal of `shape` from arrays, of which it uses up the first.
StatusOr<Literal> literalOf(const Shape &shape, std::span<const ArrayPointer> &leaves) {
  if (!ShapeUtil::IsTuple(shape)) {
    const DeviceArray &array = *leaves.front();
    leaves = leaves.subspan(1);
    Literal view = Literal::Borrow(array.shape, array.data());
    if (!ShapeUtil::Equal(array.shape, shape))
      return view.TryRelayout(LayoutUtil::LayoutOf(shape));
    auto copy = Literal::Create(shape);
    if (copy.ok())
      std::memcpy(copy->mutable_data(), array.data(), static_cast<size_t>(copy->size_bytes()));
    return copy;
  }
  std::vector<Literal> elements;
  for (const Shape &element : shape.tuple_shapes()) {
    TENON_ASSIGN_OR_RETURN(auto literal, literalOf(element, leaves));
    elements.push_back(std::move(literal));
  }
  return xla::LiteralUtil::MakeTuple(std::move(elements));
}

runtime::StreamType streamTypeOf(const Shape &shape) {
  xla::Layout layout = LayoutUtil::LayoutOf(shape);
  return {{elementTypeOf(shape.element_type()), ShapeUtil::Dimensions(shape)},
          {layout.minor_to_major().begin(), layout.minor_to_major().end()}};
}

// Streams know no padding.
Shape withoutPadding(Shape shape) {
  if (shape.has_layout()) {
    shape.mutable_layout()->clear_padded_dimensions();
    shape.mutable_layout()->clear_padding_value();
  }
  return shape;
}

runtime::Wait waitUntil(xla::ServiceInterface::Deadline deadline, const std::stop_source &stop) {
  runtime::Wait wait;
  wait.stop = stop.get_token();
  if (deadline)
    wait.deadline = *deadline;
  return wait;
}

Status checkTime(xla::ServiceInterface::Deadline deadline) {
  if (deadline && *deadline <= std::chrono::steady_clock::now())
    return {StatusCode::kDeadlineExceeded, "there is no time left to execute"};
  return {};
}

// Program and request must agree on the arrays; the front end made both, so anything else is the client's error.
Status checkSignature(const program::Program &program, const xla::CompileRequest &request) {
  auto differ = [](const auto &values, const std::vector<Shape> &shapes) {
    if (values.size() != shapes.size())
      return true;
    for (size_t i = 0; i < shapes.size(); ++i)
      if (values[i].shape.type != elementTypeOf(shapes[i].element_type()) ||
          values[i].shape.dims != ShapeUtil::Dimensions(shapes[i]))
        return true;
    return false;
  };
  std::vector<Shape> parameters;
  for (const Shape &parameter : request.shape.parameters())
    for (Shape &leaf : ShapeUtil::Leaves(parameter))
      parameters.push_back(std::move(leaf));
  if (differ(program.arguments, parameters))
    return invalidArgument(request.name + ": the program's arguments are not the parameters of the request");
  if (differ(program.results, ShapeUtil::Leaves(request.shape.result())))
    return invalidArgument(request.name + ": the program's results are not the result of the request");
  return {};
}

} // namespace

TENON_SHOWN LocalService::LocalService(std::string platform, backend::Backend &backend, const ServiceLimits &limits,
                                       std::unique_ptr<backend::Job> job)
    : platform_(std::move(platform)), backend_(backend), limits_(limits),
      quota_(std::make_shared<MemoryQuota>(limits.bytes)), job_(std::move(job)),
      channels_(/*alone=*/false, limits.streamBytes) {
  static std::once_flag once;
  std::call_once(once, registerTraceTarget);
}
TENON_SHOWN LocalService::~LocalService() = default;

TENON_SHOWN void LocalService::stop(const Status &reason) {
  stop_.request_stop();
  std::lock_guard lock(streamsMutex_);
  stopped_ = reason;
  channels_.close(reason);
  for (auto &[device, streams] : streams_)
    streams->close(reason);
}

StatusOr<std::shared_ptr<void>> LocalService::accountFor(int64_t itemBytes) {
  TENON_ASSIGN_OR_RETURN(auto share, quota_->take(kHandleBytes + itemBytes, "data that waits to be received"));
  return std::shared_ptr<void>(std::make_shared<MemoryQuota::Share>(std::move(share)));
}

runtime::DeviceStreams &LocalService::streamsOf(int64_t device) {
  std::lock_guard lock(streamsMutex_);
  std::unique_ptr<runtime::DeviceStreams> &streams = streams_[device];
  if (!streams) {
    streams = std::make_unique<runtime::DeviceStreams>(static_cast<int32_t>(device), limits_.streamBytes);
    if (!stopped_.ok())
      streams->close(stopped_);
  }
  return *streams;
}

StatusOr<std::shared_ptr<DeviceArray>> LocalService::allocate(const Shape &shape) {
  int64_t bytes = ShapeUtil::ByteSizeOf(shape);
  TENON_ASSIGN_OR_RETURN(auto share, bytes > std::numeric_limits<int64_t>::max() - kHandleBytes
                                         ? noMemory(shape)
                                         : quota_->take(bytes + kHandleBytes, ShapeUtil::HumanString(shape)));
  auto array = std::make_shared<DeviceArray>();
  array->shape = shape;
  array->buffer = runtime::Buffer(static_cast<size_t>(bytes));
  array->share = std::move(share);
  if (!array->buffer.data())
    return noMemory(shape);
  return array;
}

StatusOr<ArrayPointer> LocalService::copyOf(const Literal &literal) {
  TENON_ASSIGN_OR_RETURN(auto array, allocate(literal.shape()));
  std::memcpy(array->buffer.data(), literal.untyped_data(), static_cast<size_t>(literal.size_bytes()));
  return ArrayPointer(std::move(array));
}

// The same array in the layout of `shape`: itself where it has it. Padding may be any amount: no memory is touched
// before the quota has said that it may be.
StatusOr<ArrayPointer> LocalService::inLayout(const ArrayPointer &array, const Shape &shape) {
  if (ShapeUtil::Equal(array->shape, shape))
    return array;
  TENON_ASSIGN_OR_RETURN(auto meanwhile, quota_->take(ShapeUtil::ByteSizeOf(shape), "an array's other layout"));
  TENON_ASSIGN_OR_RETURN(auto other,
                         Literal::Borrow(array->shape, array->data()).TryRelayout(LayoutUtil::LayoutOf(shape)));
  return copyOf(other);
}

StatusOr<int64_t> LocalService::keep(DeviceData data) {
  TENON_ASSIGN_OR_RETURN(auto share, quota_->take(kHandleBytes, "one more handle"));
  std::lock_guard lock(mutex_);
  data_.emplace(++lastHandle_, Held{std::make_shared<const DeviceData>(std::move(data)), std::move(share)});
  return lastHandle_;
}

TENON_SHOWN StatusOr<std::shared_ptr<const DeviceData>> LocalService::find(int64_t data) {
  std::lock_guard lock(mutex_);
  auto found = data_.find(data);
  if (found == data_.end())
    return notFound("there is no data " + std::to_string(data));
  return found->second.data;
}

TENON_SHOWN StatusOr<LocalService::Incoming> LocalService::allocateData(const Shape &shape) {
  Incoming incoming{shape, {}};
  for (const Shape &leaf : ShapeUtil::Leaves(shape)) {
    TENON_ASSIGN_OR_RETURN(auto array, allocate(leaf));
    incoming.leaves.push_back(std::move(array));
  }
  return incoming;
}

TENON_SHOWN StatusOr<int64_t> LocalService::keepData(Incoming incoming) {
  return keep({std::move(incoming.shape), {incoming.leaves.begin(), incoming.leaves.end()}});
}

StatusOr<std::shared_ptr<const LocalService::Compiled>> LocalService::findExecutable(int64_t executable) {
  std::lock_guard lock(mutex_);
  auto found = executables_.find(executable);
  if (found == executables_.end())
    return notFound("there is no executable " + std::to_string(executable));
  return found->second;
}

StatusOr<int64_t> LocalService::TransferToServer(const Literal &literal) {
  DeviceData data{literal.shape(), {}};
  for (const Literal *leaf : literal.Leaves()) {
    TENON_ASSIGN_OR_RETURN(auto array, copyOf(*leaf));
    data.leaves.push_back(std::move(array));
  }
  return keep(std::move(data));
}

StatusOr<Literal> LocalService::TransferFromServer(int64_t data, const Shape &shape) {
  TENON_ASSIGN_OR_RETURN(auto found, find(data));
  if (!ShapeUtil::Compatible(found->shape, shape))
    return invalidArgument("the data is " + ShapeUtil::HumanString(found->shape) + ", and not " +
                           ShapeUtil::HumanString(shape));
  std::span<const ArrayPointer> leaves = found->leaves;
  return literalOf(shape, leaves);
}

StatusOr<std::vector<int64_t>> LocalService::DeconstructTuple(int64_t data) {
  TENON_ASSIGN_OR_RETURN(auto found, find(data));
  if (!ShapeUtil::IsTuple(found->shape))
    return invalidArgument("the data is " + ShapeUtil::HumanString(found->shape) + ", and no tuple");
  std::vector<int64_t> handles;
  auto leaf = found->leaves.begin();
  for (const Shape &element : found->shape.tuple_shapes()) {
    auto end = leaf + static_cast<int64_t>(ShapeUtil::Leaves(element).size());
    auto handle = keep({element, {leaf, end}});
    if (!handle.ok()) {
      for (int64_t kept : handles)
        (void)Release(kept);
      return handle.status();
    }
    handles.push_back(*handle);
    leaf = end;
  }
  return handles;
}

Status LocalService::Release(int64_t data) {
  Held last; // freed without the lock
  std::lock_guard lock(mutex_);
  auto found = data_.find(data);
  if (found == data_.end())
    return notFound("there is no data " + std::to_string(data));
  last = std::move(found->second);
  data_.erase(found);
  return {};
}

Status LocalService::tooManyExecutables() const {
  return {StatusCode::kResourceExhausted,
          "the client holds " + std::to_string(limits_.executables) + " programs, and may not have more"};
}

StatusOr<int64_t> LocalService::Compile(const xla::CompileRequest &request) {
  {
    std::lock_guard lock(mutex_);
    if (static_cast<int64_t>(executables_.size()) >= limits_.executables)
      return tooManyExecutables();
  }
  backend::CompileOptions options;
  if (job_)
    job_->setDefaults(options);
  TENON_ASSIGN_OR_RETURN(auto executable, backend_.compile(request.program, options));
  TENON_RETURN_IF_ERROR(checkSignature(executable->program(), request));
  const program::Program &compiled = executable->program();
  for (const program::RuntimeCall &call : compiled.runtimeCalls)
    if (call.threads > limits_.processes)
      return tooManyProcesses(call.threads);
  TENON_ASSIGN_OR_RETURN(auto share, quota_->take(kHandleBytes + program::contentBytes(compiled) +
                                                      program::descriptionBytes(compiled) +
                                                      static_cast<int64_t>(request.program.size()),
                                                  "the program '" + request.name + "'"));
  std::lock_guard lock(mutex_);
  if (static_cast<int64_t>(executables_.size()) >= limits_.executables)
    return tooManyExecutables();
  executables_.emplace(++lastHandle_, std::make_shared<const Compiled>(
                                          Compiled{request.shape, std::move(executable), std::move(share)}));
  ++statistics_.compilations;
  return lastHandle_;
}

StatusOr<xla::ExecutableAnalysis> LocalService::Analyze(int64_t executable) {
  TENON_ASSIGN_OR_RETURN(auto compiled, findExecutable(executable));
  return analysisOf(compiled->executable->program());
}

Status LocalService::ReleaseExecutable(int64_t executable) {
  std::shared_ptr<const Compiled> last;
  std::lock_guard lock(mutex_);
  auto found = executables_.find(executable);
  if (found == executables_.end())
    return notFound("there is no executable " + std::to_string(executable));
  last = std::move(found->second);
  executables_.erase(found);
  return {};
}

struct LocalService::Prepared {
  std::shared_ptr<const Compiled> compiled;
  std::vector<ArrayPointer> arguments;
  std::vector<std::shared_ptr<DeviceArray>> results;
  MemoryQuota::Share temporaries;
  std::vector<const void *> argumentPointers;
  std::vector<void *> resultPointers;
};

StatusOr<LocalService::Prepared> LocalService::prepare(int64_t executable, const std::vector<int64_t> &arguments) {
  TENON_ASSIGN_OR_RETURN(auto compiled, findExecutable(executable));
  Prepared prepared{compiled, {}, {}, {}, {}, {}};
  const xla::ProgramShape &shape = compiled->shape;
  if (static_cast<size_t>(shape.parameters_size()) != arguments.size())
    return invalidArgument("the computation has " + std::to_string(shape.parameters_size()) + " parameters, and " +
                           std::to_string(arguments.size()) + " arguments are given");
  for (size_t i = 0; i < arguments.size(); ++i) {
    TENON_ASSIGN_OR_RETURN(auto data, find(arguments[i]));
    const Shape &parameter = shape.parameters(static_cast<int>(i));
    if (!ShapeUtil::Compatible(data->shape, parameter))
      return invalidArgument("argument " + std::to_string(i) + " (" + shape.parameter_names(static_cast<int>(i)) +
                             ") must be " + ShapeUtil::HumanString(parameter) + ", and is " +
                             ShapeUtil::HumanString(data->shape));
    for (const ArrayPointer &leaf : data->leaves) {
      TENON_ASSIGN_OR_RETURN(auto dense, inLayout(leaf, ShapeUtil::WithoutLayout(leaf->shape)));
      prepared.argumentPointers.push_back(dense->data());
      prepared.arguments.push_back(std::move(dense));
    }
  }
  const program::Program &program = compiled->executable->program();
  TENON_ASSIGN_OR_RETURN(prepared.temporaries, quota_->take(program::temporaryBytes(program),
                                                            "the temporary values of '" + program.name + "'"));
  for (const Shape &leaf : ShapeUtil::Leaves(shape.result())) {
    TENON_ASSIGN_OR_RETURN(auto array, allocate(ShapeUtil::WithoutLayout(leaf)));
    prepared.resultPointers.push_back(array->buffer.data());
    prepared.results.push_back(std::move(array));
  }
  return prepared;
}

StatusOr<int64_t> LocalService::finish(Prepared &prepared) {
  prepared.temporaries = {};
  const Shape &result = prepared.compiled->shape.result();
  DeviceData data{result, {}};
  std::vector<Shape> shapes = ShapeUtil::Leaves(result);
  for (size_t i = 0; i < shapes.size(); ++i) {
    TENON_ASSIGN_OR_RETURN(auto array, inLayout(std::move(prepared.results[i]), shapes[i]));
    data.leaves.push_back(std::move(array));
  }
  return keep(std::move(data));
}

Status LocalService::tooManyProcesses(int64_t processes) const {
  return {StatusCode::kResourceExhausted,
          "a grid may have " + std::to_string(limits_.processes) + " processes, and not " + std::to_string(processes)};
}

runtime::RunOptions LocalService::runOptions(Deadline deadline, const std::optional<uint64_t> &seed) {
  runtime::RunOptions options;
  options.channels = &channels_; // a grid has its own
  options.account = [this](int64_t bytes) { return accountFor(bytes); };
  options.wait = waitUntil(deadline, stop_);
  options.seed = seed ? *seed : ++lastSeed_;
  return options;
}

StatusOr<int64_t> LocalService::Execute(const xla::ExecuteRequest &request, xla::ExecutionProfile *profile) {
  TENON_RETURN_IF_ERROR(checkTime(request.deadline));
  TENON_ASSIGN_OR_RETURN(auto prepared, prepare(request.executable, request.arguments));
  runtime::RunOptions options = runOptions(request.deadline, request.seed);
  options.streams = &streamsOf(0);
  auto start = std::chrono::steady_clock::now();
  TENON_RETURN_IF_ERROR(
      prepared.compiled->executable->execute(prepared.argumentPointers, prepared.resultPointers, options));
  if (profile)
    profile->compute_time = std::chrono::steady_clock::now() - start;
  {
    std::lock_guard lock(mutex_);
    ++statistics_.executions;
  }
  return finish(prepared);
}

StatusOr<std::vector<int64_t>> LocalService::ExecuteParallel(const xla::ParallelExecuteRequest &request,
                                                             xla::ExecutionProfile *profile) {
  if (static_cast<int64_t>(request.processes.size()) > limits_.processes)
    return tooManyProcesses(static_cast<int64_t>(request.processes.size()));
  TENON_RETURN_IF_ERROR(checkTime(request.deadline));
  std::vector<Prepared> prepared;
  std::vector<backend::GridProcess> processes;
  for (const auto &process : request.processes) {
    TENON_ASSIGN_OR_RETURN(auto one, prepare(process.executable, process.arguments));
    prepared.push_back(std::move(one));
  }
  for (Prepared &one : prepared)
    processes.push_back({one.compiled->executable.get(), one.argumentPointers, one.resultPointers,
                         &streamsOf(static_cast<int64_t>(processes.size()))});
  auto inRange = [](int64_t count) { return static_cast<int32_t>(std::clamp<int64_t>(count, 0, 1 << 20)); };
  auto start = std::chrono::steady_clock::now();
  TENON_RETURN_IF_ERROR(backend::executeGrid(inRange(request.num_replicas), inRange(request.num_partitions), processes,
                                             runOptions(request.deadline, request.seed), job_.get()));
  if (profile)
    profile->compute_time = std::chrono::steady_clock::now() - start;
  {
    std::lock_guard lock(mutex_);
    ++statistics_.executions;
  }
  std::vector<int64_t> results;
  for (Prepared &one : prepared) {
    auto kept = finish(one);
    if (!kept.ok()) {
      for (int64_t data : results)
        (void)Release(data);
      return kept.status();
    }
    results.push_back(*kept);
  }
  return results;
}

Status LocalService::checkDevice(int64_t device) const {
  if (device < 0 || device >= device_count())
    return invalidArgument("there is no device " + std::to_string(device));
  return {};
}

Status LocalService::TransferToInfeed(const Literal &literal, int64_t device, Deadline deadline) {
  TENON_RETURN_IF_ERROR(checkDevice(device));
  if (ShapeUtil::IsNestedTuple(literal.shape()))
    return invalidArgument("nested tuples are not fed: " + ShapeUtil::HumanString(literal.shape()));
  std::vector<const Literal *> leaves = literal.Leaves();
  // An empty tuple is no item (xla-preview-2017, Infeed).
  if (leaves.empty())
    return {};
  runtime::StreamItem item;
  for (const Literal *leaf : leaves) {
    Shape shape = withoutPadding(leaf->shape());
    TENON_ASSIGN_OR_RETURN(auto dense, leaf->TryRelayout(LayoutUtil::LayoutOf(shape)));
    TENON_ASSIGN_OR_RETURN(auto array, runtime::StreamArray::copyOf(streamTypeOf(shape), dense.untyped_data()));
    item.arrays.push_back(std::move(array));
  }
  TENON_ASSIGN_OR_RETURN(item.account, accountFor(item.bytes()));
  return streamsOf(device).infeed.push(std::move(item), waitUntil(deadline, stop_));
}

StatusOr<Literal> LocalService::TransferFromOutfeed(const Shape &shape, int64_t device, Deadline deadline) {
  TENON_RETURN_IF_ERROR(checkDevice(device));
  TENON_RETURN_IF_ERROR(ShapeUtil::Validate(shape));
  std::vector<runtime::StreamType> types;
  for (const Shape &leaf : ShapeUtil::Leaves(shape))
    types.push_back(streamTypeOf(ShapeUtil::WithoutLayout(leaf)));
  TENON_ASSIGN_OR_RETURN(auto item, streamsOf(device).outfeed.pop(types, waitUntil(deadline, stop_)));
  std::vector<ArrayPointer> arrays;
  for (runtime::StreamArray &array : item.arrays) {
    auto leaf = std::make_shared<DeviceArray>();
    leaf->shape = ShapeUtil::WithoutLayout(ShapeUtil::Leaves(shape)[arrays.size()]);
    leaf->buffer = std::move(array.data);
    arrays.push_back(std::move(leaf));
  }
  std::span<const ArrayPointer> leaves = arrays;
  return literalOf(shape, leaves);
}

StatusOr<xla::ServiceStatistics> LocalService::GetStatistics() {
  std::lock_guard lock(mutex_);
  xla::ServiceStatistics statistics = statistics_;
  statistics.executables = static_cast<int64_t>(executables_.size());
  statistics.allocations = static_cast<int64_t>(data_.size());
  for (const auto &[handle, held] : data_)
    for (const ArrayPointer &leaf : held.data->leaves)
      statistics.bytes += ShapeUtil::ByteSizeOf(leaf->shape);
  return statistics;
}

StatusOr<int64_t> LocalService::ShareWithServer(const Shape &shape, const void *data) {
  TENON_RETURN_IF_ERROR(xla::internal::checkMemory(shape, data));
  auto array = std::make_shared<DeviceArray>();
  array->shape = shape;
  array->shared = data;
  return keep({shape, {std::move(array)}});
}

StatusOr<const void *> LocalService::ShareFromServer(int64_t data) {
  TENON_ASSIGN_OR_RETURN(auto found, find(data));
  if (ShapeUtil::IsTuple(found->shape))
    return invalidArgument("only arrays are shared: " + ShapeUtil::HumanString(found->shape));
  return found->leaves.front()->data();
}

} // namespace tenon::api
