#include "tenon/runtime/cuda/convolution_library.h"

#include "tenon/program/plain_convolution.h"
#include "tenon/runtime/cuda/convolution_numbers.h"
#include "tenon/runtime/cuda/device_libraries.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace tenon::runtime::cuda {
namespace {

using dnn::Attribute, dnn::Kind, dnn::Type;
using program::ConvolutionArray, program::ConvolutionDim, program::DeviceConvolution, program::ElementType;

// An engine that wants more is not taken: the memory is there for as long as the program is.
constexpr int64_t kMostWorkspaceBytes = int64_t{256} << 20;
// Every array's alignment, in bytes.
constexpr int64_t kArrayAlignment = 16;
// What was recorded from a plan kept the plan alive by itself from this version on.
constexpr size_t kFirstWithRetention = 92800;
// There are ten notes, and may be more.
constexpr size_t kMostNotes = 64;

// The attributes of a kind of convolution, by what they say.
struct Roles {
  Kind kind;
  Attribute alpha, beta, convolution, input, kernel, output;
};
constexpr Roles rolesOf(DeviceConvolution::Computes computes) {
  switch (computes) {
  case DeviceConvolution::Computes::kInput:
    return {Kind::kInputGradient,           Attribute::kInputGradientAlpha,
            Attribute::kInputGradientBeta,  Attribute::kInputGradientConvolution,
            Attribute::kInputGradientInput, Attribute::kInputGradientKernel,
            Attribute::kInputGradientOutput};
  case DeviceConvolution::Computes::kKernel:
    return {Kind::kKernelGradient,           Attribute::kKernelGradientAlpha,
            Attribute::kKernelGradientBeta,  Attribute::kKernelGradientConvolution,
            Attribute::kKernelGradientInput, Attribute::kKernelGradientKernel,
            Attribute::kKernelGradientOutput};
  case DeviceConvolution::Computes::kOutput:
    break;
  }
  return {Kind::kForward,           Attribute::kForwardAlpha,  Attribute::kForwardBeta,  Attribute::kForwardConvolution,
          Attribute::kForwardInput, Attribute::kForwardKernel, Attribute::kForwardOutput};
}

// What an array is called, as a tensor of the graph and among the arguments.
enum : int64_t { kInputId = 1, kKernelId = 2, kOutputId = 3 };

bool isUnsupported(int code) { return code >= dnn::kNotSupported && code <= dnn::kNotSupportedLast; }

std::vector<int64_t> keyOf(const DeviceConvolution &convolution) {
  std::vector<int64_t> key{int64_t(convolution.computes), convolution.isReversed, convolution.allowsTf32};
  for (const ConvolutionArray *array : {&convolution.input, &convolution.kernel, &convolution.output}) {
    key.push_back(int64_t(array->type));
    key.insert(key.end(), array->sizes.begin(), array->sizes.end());
    key.insert(key.end(), array->strides.begin(), array->strides.end());
  }
  for (const ConvolutionDim &dim : convolution.dims)
    key.insert(key.end(), {dim.stride, dim.dilation, dim.padLow, dim.padHigh});
  return key;
}

// One of the library's descriptors. The first error is kept, and nothing is done after it: UNIMPLEMENTED where the
// library has no way to do something.
class Descriptor {
public:
  Descriptor(const ConvolutionTable &table, Kind kind) : table_(&table) {
    keep(table.createDescriptor(int(kind), &handle_), "cudnnBackendCreateDescriptor");
  }
  Descriptor(Descriptor &&other) noexcept
      : table_(other.table_), handle_(std::exchange(other.handle_, nullptr)), status_(std::move(other.status_)) {}
  Descriptor &operator=(Descriptor &&) = delete;
  ~Descriptor() {
    if (handle_)
      table_->destroyDescriptor(handle_);
  }

  template <typename T> void set(Attribute name, Type type, std::span<const T> values) {
    if (status_.ok())
      keep(table_->setAttribute(handle_, int(name), int(type), int64_t(values.size()),
                                static_cast<const void *>(values.data())),
           "cudnnBackendSetAttribute");
  }
  template <typename T> void set(Attribute name, Type type, const T &value) {
    set(name, type, std::span<const T>(&value, 1));
  }
  void set(Attribute name, const Descriptor &other) { set(name, Type::kDescriptor, other.handle_); }

  // How many there are of those that were asked for.
  template <typename T> int64_t get(Attribute name, Type type, std::span<T> values) {
    int64_t count = 0;
    if (status_.ok())
      keep(table_->getAttribute(handle_, int(name), int(type), int64_t(values.size()), &count,
                                static_cast<void *>(values.data())),
           "cudnnBackendGetAttribute");
    return status_.ok() ? count : 0;
  }
  template <typename T> T get(Attribute name, Type type, T value) {
    get(name, type, std::span<T>(&value, 1));
    return value;
  }

  void finalize() {
    if (status_.ok())
      keep(table_->finalize(handle_), "cudnnBackendFinalize");
  }
  // The same for what the library may decline, or fail at: whether it does not.
  bool canFinalize() { return status_.ok() && table_->finalize(handle_) == 0; }

  const Status &status() const { return status_; }
  void *handle() const { return handle_; }

private:
  void keep(int code, const char *function) {
    status_ = isUnsupported(code) ? unimplemented(std::string(function) + " declines") : libraryStatus(code, function);
  }

  const ConvolutionTable *table_;
  void *handle_ = nullptr;
  Status status_;
};

} // namespace

// What the library computes a convolution by, with all that it is made of.
struct ConvolutionPlan {
  std::vector<Descriptor> parts;
  std::optional<Descriptor> plan;
  int64_t workspaceBytes = 0;
};

namespace {

// Asks the library for a plan.
class Planner {
public:
  Planner(const ConvolutionTable &table, void *handle, const DeviceConvolution &convolution)
      : table_(table), handle_(handle), convolution_(convolution) {}

  // Null, or UNIMPLEMENTED, where there is none.
  StatusOr<std::shared_ptr<const ConvolutionPlan>> run() {
    TENON_ASSIGN_OR_RETURN(Descriptor graph, describe());
    Descriptor heuristics(table_, Kind::kHeuristics);
    heuristics.set(Attribute::kHeuristicsGraph, graph);
    heuristics.set(Attribute::kHeuristicsMode, Type::kHeuristicsMode, int(dnn::kRecommended));
    made_.parts.push_back(std::move(graph));
    TENON_RETURN_IF_ERROR(heuristics.status());
    if (!heuristics.canFinalize())
      return std::shared_ptr<const ConvolutionPlan>();
    std::vector<Descriptor> configurations;
    std::vector<void *> handles;
    int64_t most = heuristics.get(Attribute::kHeuristicsResults, Type::kDescriptor, std::span<void *>());
    for (int64_t i = 0; i < most; ++i)
      handles.push_back(configurations.emplace_back(table_, Kind::kEngineConfiguration).handle());
    int64_t count =
        most == 0 ? 0 : heuristics.get(Attribute::kHeuristicsResults, Type::kDescriptor, std::span<void *>(handles));
    TENON_RETURN_IF_ERROR(heuristics.status());
    for (int64_t i = 0; i < count; ++i) {
      TENON_ASSIGN_OR_RETURN(bool isTaken, take(configurations[size_t(i)]));
      if (isTaken) {
        made_.parts.push_back(std::move(configurations[size_t(i)]));
        return std::make_shared<const ConvolutionPlan>(std::move(made_));
      }
    }
    return std::shared_ptr<const ConvolutionPlan>();
  }

private:
  // The graph of one convolution.
  StatusOr<Descriptor> describe() {
    const bool isDouble = convolution_.result().type == ElementType::kF64;
    Descriptor window(table_, Kind::kConvolution);
    window.set(Attribute::kSumType, Type::kDataType, *dnn::dataType(isDouble ? ElementType::kF64 : ElementType::kF32));
    window.set(Attribute::kMode, Type::kConvolutionMode,
               int(convolution_.isReversed ? dnn::kConvolutionMode : dnn::kCorrelationMode));
    window.set(Attribute::kSpatialDims, Type::kInt64, int64_t(convolution_.dims.size()));
    setDims(window, Attribute::kStrides, &ConvolutionDim::stride);
    setDims(window, Attribute::kDilations, &ConvolutionDim::dilation);
    setDims(window, Attribute::kPadLow, &ConvolutionDim::padLow);
    setDims(window, Attribute::kPadHigh, &ConvolutionDim::padHigh);
    window.finalize();

    const Roles roles = rolesOf(convolution_.computes);
    Descriptor operation(table_, roles.kind);
    setScale(operation, roles.alpha, 1, isDouble);
    setScale(operation, roles.beta, 0, isDouble);
    TENON_RETURN_IF_ERROR(add(std::move(window), operation, roles.convolution));
    TENON_RETURN_IF_ERROR(add(tensor(convolution_.input, kInputId), operation, roles.input));
    TENON_RETURN_IF_ERROR(add(tensor(convolution_.kernel, kKernelId), operation, roles.kernel));
    TENON_RETURN_IF_ERROR(add(tensor(convolution_.output, kOutputId), operation, roles.output));
    operation.finalize();

    Descriptor graph(table_, Kind::kGraph);
    graph.set(Attribute::kGraphHandle, Type::kHandle, handle_);
    TENON_RETURN_IF_ERROR(add(std::move(operation), graph, Attribute::kGraphOperations));
    graph.finalize();
    TENON_RETURN_IF_ERROR(graph.status());
    return graph;
  }

  Status add(Descriptor part, Descriptor &whole, Attribute name) {
    TENON_RETURN_IF_ERROR(part.status());
    whole.set(name, part);
    made_.parts.push_back(std::move(part));
    return {};
  }

  void setDims(Descriptor &window, Attribute name, int64_t ConvolutionDim::*member) const {
    std::vector<int64_t> values;
    for (const ConvolutionDim &dim : convolution_.dims)
      values.push_back(dim.*member);
    window.set(name, Type::kInt64, std::span<const int64_t>(values));
  }

  // Scales are of the type of sums.
  static void setScale(Descriptor &operation, Attribute name, double value, bool isDouble) {
    if (isDouble)
      operation.set(name, Type::kDouble, value);
    else
      operation.set(name, Type::kFloat, float(value));
  }

  Descriptor tensor(const ConvolutionArray &array, int64_t id) const {
    Descriptor tensor(table_, Kind::kTensor);
    tensor.set(Attribute::kTensorId, Type::kInt64, id);
    tensor.set(Attribute::kTensorType, Type::kDataType, *dnn::dataType(array.type));
    tensor.set(Attribute::kTensorAlignment, Type::kInt64, kArrayAlignment);
    tensor.set(Attribute::kTensorSizes, Type::kInt64, std::span<const int64_t>(array.sizes));
    tensor.set(Attribute::kTensorStrides, Type::kInt64, std::span<const int64_t>(array.strides));
    tensor.finalize();
    return tensor;
  }

  // Whether the engine of this configuration does what it is to do, can, and does not want too much memory: then its
  // plan is made.
  StatusOr<bool> take(Descriptor &configuration) {
    Descriptor engine(table_, Kind::kEngine);
    configuration.get(Attribute::kConfiguredEngine, Type::kDescriptor, engine.handle());
    int notes[kMostNotes] = {};
    int64_t count = engine.get(Attribute::kEngineNotes, Type::kNote, std::span<int>(notes));
    TENON_RETURN_IF_ERROR(configuration.status());
    TENON_RETURN_IF_ERROR(engine.status());
    auto isTaken = [&](int note) { return mayHave(dnn::Note(note)); };
    if (!std::all_of(notes, notes + std::min(count, int64_t(kMostNotes)), isTaken))
      return false;
    Descriptor plan(table_, Kind::kPlan);
    plan.set(Attribute::kPlanHandle, Type::kHandle, handle_);
    plan.set(Attribute::kPlanConfiguration, configuration);
    // Graphs that a run of the plan is recorded in do not outlive it.
    if (table_.version() >= kFirstWithRetention)
      plan.set(Attribute::kPlanRetention, Type::kRetention, int(dnn::kNoRetention));
    TENON_RETURN_IF_ERROR(plan.status());
    if (!plan.canFinalize())
      return false;
    auto bytes = plan.get(Attribute::kPlanWorkspaceBytes, Type::kInt64, int64_t{0});
    TENON_RETURN_IF_ERROR(plan.status());
    if (bytes > kMostWorkspaceBytes)
      return false;
    made_.workspaceBytes = bytes;
    made_.plan.emplace(std::move(plan));
    return true;
  }

  bool mayHave(dnn::Note note) const {
    switch (note) {
    case dnn::Note::kTensorCores:
      return convolution_.input.type != ElementType::kF32 || convolution_.allowsTf32;
    case dnn::Note::kRoundsOperands:
    case dnn::Note::kRoundsSums:
    case dnn::Note::kFft:
    case dnn::Note::kNondeterministic:
    case dnn::Note::kWinograd:
      return false;
    }
    return true; // the size of Winograd's tiles, and that NaNs are kept
  }

  const ConvolutionTable &table_;
  void *handle_;
  const DeviceConvolution &convolution_;
  ConvolutionPlan made_;
};

} // namespace

// A convolution as the library computes it.
class LibraryConvolution final : public LibraryOp {
public:
  LibraryConvolution(ConvolutionLibrary &library, const DeviceConvolution &convolution,
                     std::shared_ptr<const ConvolutionPlan> plan)
      : library_(library), plan_(std::move(plan)),
        arrays_{convolution.input.array, convolution.kernel.array, convolution.output.array} {}

  int64_t workspaceBytes() const override { return plan_->workspaceBytes; }

  Status enqueue(std::span<const DeviceAddress> row, DeviceAddress workspace, StreamHandle *stream) override {
    std::array<void *, 3> pointers = {};
    for (size_t i = 0; i < arrays_.size(); ++i)
      pointers[i] = std::bit_cast<void *>(row[size_t(arrays_[i])]);
    constexpr std::array<int64_t, 3> kIds = {kInputId, kKernelId, kOutputId};
    Descriptor arguments(library_.table_, Kind::kArguments);
    arguments.set(Attribute::kArgumentIds, Type::kInt64, std::span<const int64_t>(kIds));
    arguments.set(Attribute::kArgumentPointers, Type::kPointer, std::span<void *const>(pointers));
    arguments.set(Attribute::kArgumentWorkspace, Type::kPointer, std::bit_cast<void *>(workspace));
    arguments.finalize();
    TENON_RETURN_IF_ERROR(arguments.status());
    std::lock_guard lock(library_.mutex_);
    TENON_RETURN_IF_ERROR(libraryStatus(library_.table_.setStream(library_.handle_, stream), "cudnnSetStream"));
    return libraryStatus(library_.table_.execute(library_.handle_, plan_->plan->handle(), arguments.handle()),
                         "cudnnBackendExecute");
  }

private:
  ConvolutionLibrary &library_;
  std::shared_ptr<const ConvolutionPlan> plan_;
  std::array<int32_t, 3> arrays_; // in the row of pointers
};

ConvolutionLibrary::~ConvolutionLibrary() {
  plans_.clear();
  if (handle_)
    table_.destroy(handle_);
}

StatusOr<std::shared_ptr<const ConvolutionPlan>> ConvolutionLibrary::plan(const DeviceConvolution &convolution) {
  if (!handle_)
    TENON_RETURN_IF_ERROR(libraryStatus(table_.create(&handle_), "cudnnCreate"));
  std::vector<int64_t> key = keyOf(convolution);
  if (auto known = plans_.find(key); known != plans_.end())
    return known->second;
  StatusOr<std::shared_ptr<const ConvolutionPlan>> made = Planner(table_, handle_, convolution).run();
  if (made.status().code() == StatusCode::kUnimplemented)
    made = std::shared_ptr<const ConvolutionPlan>();
  if (made.ok())
    plans_.emplace(std::move(key), *made);
  return made;
}

StatusOr<std::unique_ptr<LibraryOp>> ConvolutionLibrary::make(const DeviceConvolution &convolution) {
  for (const ConvolutionArray *array : {&convolution.input, &convolution.kernel, &convolution.output})
    if (!dnn::dataType(array->type))
      return std::unique_ptr<LibraryOp>();
  // Programs that were compiled before it was known what the library does not heed have others.
  std::optional<DeviceConvolution> plain = program::plainConvolution(convolution);
  if (!plain)
    return std::unique_ptr<LibraryOp>();
  std::lock_guard lock(mutex_);
  TENON_ASSIGN_OR_RETURN(std::shared_ptr<const ConvolutionPlan> made, plan(*plain));
  if (!made)
    return std::unique_ptr<LibraryOp>();
  return std::unique_ptr<LibraryOp>(std::make_unique<LibraryConvolution>(*this, *plain, std::move(made)));
}

} // namespace tenon::runtime::cuda
