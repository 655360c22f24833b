#include "tenon/runtime/core/loaded_program.h"

#include "tenon/program/attributes.h"
#include "tenon/program/group_memory.h"
#include "tenon/runtime/core/background_calls.h"
#include "tenon/runtime/core/context.h"
#include "tenon/runtime/core/group_memory.h"
#include "tenon/runtime/core/interrupt.h"
#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/core/transfer.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

namespace tenon::runtime {
namespace {

// The memory of one run: the arena, then scratch for each worker. It comes from the buffer cache and goes back there,
// so programs that run in turn work in the same warm memory; only blocks too big for the cache stay with their program.
class WorkMemory {
public:
  Buffer take(size_t bytes) {
    if (keeps(bytes)) {
      std::lock_guard lock(mutex_);
      if (kept_.size() == bytes)
        return std::exchange(kept_, Buffer());
    }
    return Buffer(bytes);
  }

  void put(Buffer buffer) {
    if (!keeps(buffer.size()))
      return;
    std::lock_guard lock(mutex_);
    kept_ = std::move(buffer);
  }

private:
  static bool keeps(size_t bytes) {
    static const size_t limit = size_t(memoryStats().cacheLimit) / 2;
    return bytes > limit;
  }

  std::mutex mutex_;
  Buffer kept_;
};

Status outOfMemory(const std::string &what, int64_t bytes) {
  return {StatusCode::kResourceExhausted,
          "out of memory: cannot allocate " + std::to_string(bytes) + " bytes for " + what};
}

// The arrays that a program has in the memory of a group (program::kGroupMemory).
class GroupArrays {
public:
  // Adds those of a runtime call, which `instance` makes.
  Status add(const program::RuntimeCall &runtimeCall, RuntimeCallInstance *instance) {
    constexpr int64_t kMostArrays = 1 << 20, kMostBytes = int64_t(1) << 48;
    if (!program::findAttribute(runtimeCall.attributes, program::kGroupMemory))
      return {};
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> places,
                           program::integerArrayAttribute(runtimeCall.attributes, program::kGroupMemory));
    for (size_t i = 0; i < places.size(); i += 2) {
      if (i / 2 >= runtimeCall.results.size() || places.size() % 2 != 0 || places[i] >= kMostArrays ||
          places[i + 1] > kMostBytes || (places[i] < 0) != (places[i + 1] < 0))
        return invalidArgument("a collective has a result at no place of the memory of its group");
      if (places[i] < 0)
        continue;
      auto array = size_t(places[i]), offset = size_t(places[i + 1]);
      offsets_.resize(std::max(offsets_.size(), array + 1));
      offsets_[array] = offset;
      bytes_ = std::max(bytes_, offset + size_t(runtimeCall.results[i / 2].byteSize()));
      call_ = dynamic_cast<HasGroupMemory *>(instance);
      if (!call_)
        return invalidArgument("'" + runtimeCall.target + "' has no memory of a group");
    }
    return {};
  }

  // Makes the table of a run, of constants and the arrays. `own`: their memory, where the run has it alone.
  Status makeTable(const std::vector<const void *> &constants, std::vector<const void *> &table, Buffer &own,
                   const RunOptions &options) const {
    if (!call_)
      return {};
    TENON_ASSIGN_OR_RETURN(void *memory, call_->groupMemory(options, bytes_));
    if (!memory)
      memory = (own = Buffer(bytes_)).data();
    if (!memory)
      return outOfMemory("what collectives give", int64_t(bytes_));
    table = constants;
    for (size_t offset : offsets_)
      table.push_back(static_cast<const char *>(memory) + offset);
    return {};
  }

private:
  std::vector<size_t> offsets_;
  size_t bytes_ = 0;
  HasGroupMemory *call_ = nullptr; // a collective of the group
};

// The estimated time of runs that nobody needs to end early.
constexpr int64_t kShortNanoseconds = 1'000'000;

size_t alignUp(size_t bytes) { return (bytes + kBufferAlignment - 1) & ~(kBufferAlignment - 1); }

template <typename Pointer, typename Signature>
Status checkPointers(const char *what, std::span<Pointer const> pointers, const std::vector<Signature> &signature) {
  if (pointers.size() != signature.size())
    return invalidArgument("the program has " + std::to_string(signature.size()) + " " + what + "s but " +
                           std::to_string(pointers.size()) + " were passed");
  for (size_t i = 0; i < pointers.size(); ++i)
    if (!pointers[i] && signature[i].shape.byteSize() > 0)
      return invalidArgument(std::string(what) + " " + std::to_string(i) + " (" + signature[i].shape.toString() +
                             ") is null");
  return {};
}

} // namespace

struct LoadedProgram::Impl {
  TenonEntry entry = nullptr;
  std::shared_ptr<const void> image;
  std::vector<std::unique_ptr<RuntimeCallInstance>> runtimeCalls;
  std::vector<ChannelUse> channels; // between devices
  bool startsCalls = false;         // which go on beside a run
  std::vector<const void *> constantPointers;
  GroupArrays groupArrays;
  // Such runs see only before they begin whether they are to end: to watch for signals takes four system calls, more
  // time than a scalar addition takes from Python and back.
  bool isShort = false;
  WorkMemory work;
  // Made when a run is traced for the first time.
  std::once_flag labelsMade;
  std::shared_ptr<const TraceLabels> labels;
};

LoadedProgram::LoadedProgram() = default;

LoadedProgram::~LoadedProgram() = default;

StatusOr<std::unique_ptr<LoadedProgram>> LoadedProgram::create(program::Program program, TenonEntry entry,
                                                               std::shared_ptr<const void> image, bool keepObjects,
                                                               bool asksToStop) {
  if (program.arenaBytes < 0 || cpuCode(program).scratchBytes < 0)
    return invalidArgument("the program's memory sizes are negative");
  auto impl = std::make_unique<Impl>();
  impl->entry = entry;
  impl->image = std::move(image);
  impl->isShort = !asksToStop && program.runtimeCalls.empty() && program.estimatedNanoseconds <= kShortNanoseconds;
  for (const program::RuntimeCall &runtimeCall : program.runtimeCalls) {
    TENON_ASSIGN_OR_RETURN(auto instance, instantiateRuntimeCall(runtimeCall));
    TENON_RETURN_IF_ERROR(impl->groupArrays.add(runtimeCall, instance.get()));
    impl->runtimeCalls.push_back(std::move(instance));
    if (std::optional<ChannelUse> channel = deviceChannel(runtimeCall))
      impl->channels.push_back(*std::move(channel));
    auto starts = program::booleanAttribute(runtimeCall.attributes, program::kStartsAttribute);
    impl->startsCalls |= starts.ok() && *starts;
  }
  // Moving the program leaves its constants where they are.
  for (const program::Constant &constant : program.constants)
    impl->constantPointers.push_back(constant.bytes.data());
  if (!keepObjects)
    for (program::ObjectCode &object : cpuCode(program).objects)
      std::string().swap(object.bytes);
  std::unique_ptr<LoadedProgram> loaded(new LoadedProgram());
  loaded->program_ = std::move(program);
  loaded->impl_ = std::move(impl);
  return loaded;
}

Status LoadedProgram::run(std::span<const void *const> arguments, std::span<void *const> results,
                          const RunOptions &options) {
  TENON_RETURN_IF_ERROR(checkPointers<const void *>("argument", arguments, program_.arguments));
  TENON_RETURN_IF_ERROR(checkPointers<void *>("result", results, program_.results));
  Impl &impl = *impl_;
  ThreadPool &pool = options.pool ? *options.pool : ThreadPool::global();
  size_t arenaBytes = alignUp(size_t(program_.arenaBytes));
  size_t scratchStride = alignUp(size_t(cpuCode(program_).scratchBytes));
  size_t workBytes = arenaBytes + scratchStride * size_t(pool.size());
  Buffer work;
  if (workBytes > 0) {
    work = impl.work.take(workBytes);
    if (!work)
      return outOfMemory("the temporary values of '" + program_.name + "'", int64_t(workBytes));
  }
  char *base = static_cast<char *>(work.data());
  std::vector<const void *> withGroup; // empty if there are no such arrays
  Buffer ownArrays;
  TENON_RETURN_IF_ERROR(impl.groupArrays.makeTable(impl.constantPointers, withGroup, ownArrays, options));
  const std::vector<const void *> &constants = withGroup.empty() ? impl.constantPointers : withGroup;
  std::shared_ptr<trace::Session> session = trace::current();
  const TraceLabels *labels = nullptr;
  if (session) {
    std::call_once(impl.labelsMade, [&] { impl.labels = std::make_shared<TraceLabels>(program_); });
    session->keep(impl.labels);
    labels = impl.labels.get();
  }
  std::optional<BackgroundCalls> background;
  RunOptions own;
  if (impl.startsCalls) {
    own = options;
    own.background = &background.emplace(options);
  }
  const RunOptions &seen = background ? own : options;
  TenonContext context{{session.get(), 0}, pool,   seen, program_.runtimeCalls, impl.runtimeCalls, base + arenaBytes,
                       scratchStride,      labels, {}};
  std::optional<Interrupt> interrupt;
  if (!impl.isShort)
    interrupt.emplace(options.wait, &context.stop);
  else
    TENON_RETURN_IF_ERROR(options.wait.status());
  CurrentRun worksFor(&context.stop);
  int64_t start = session ? trace::now() : 0;
  int32_t failed =
      impl.entry(&context, const_cast<void *const *>(arguments.data()), results.data(), base, constants.data());
  if (session)
    session->record(labels->run(), start, trace::now());
  if (failed || !context.error.ok() || context.isStopped())
    for (const std::unique_ptr<RuntimeCallInstance> &instance : impl.runtimeCalls)
      instance->endRun(options);
  background.reset(); // nothing reads or writes the run's memory any more
  if (work)
    impl.work.put(std::move(work));
  if (!context.error.ok())
    return std::move(context.error);
  // Kernels whose loops were ended leave anything as results.
  if (context.isStopped())
    return interrupt->reason();
  if (failed)
    return internalError("program '" + program_.name + "' returned error " + std::to_string(failed));
  return impl.channels.empty() ? Status() : finishMessages(options, impl.channels);
}

} // namespace tenon::runtime
