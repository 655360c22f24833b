#include "tenon/runtime/emulator/driver.h"

#include "tenon/runtime/core/loaded_program.h"
#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/emulator/state.h"
#include "tenon/runtime/jit/linker.h"

#include <cstdio>
#include <cstring>
#include <elf.h>
#include <string_view>

namespace tenon::runtime::emulator {

using namespace cuda;

namespace {

constexpr int kPoison = 0xff;

} // namespace

// --- What the functions share ---

State &State::instance() {
  static State state;
  return state;
}

Result State::fail(Result result, const std::string &what) {
  if (failure.empty())
    failure = what;
  return result;
}

char *State::find(DeviceAddress address, size_t bytes) { return find(address, bytes, running); }

char *State::find(DeviceAddress address, size_t bytes, const ContextHandle *context) {
  auto after = memory.upper_bound(address);
  if (after == memory.begin())
    return nullptr;
  auto &[begin, allocation] = *std::prev(after);
  const Freed &freed = allocation.get_deleter();
  if (address + bytes > begin + freed.bytes || (context && freed.owner && freed.owner != context))
    return nullptr;
  return allocation.get() + (address - begin);
}

Result State::drain(StreamHandle *stream, uint64_t position) {
  while (streams.contains(stream) && stream->done < position) {
    std::function<Result()> work = std::move(stream->work.front());
    stream->work.pop_front();
    ++stream->done;
    ContextHandle *waiting = std::exchange(running, stream->context);
    if (sticky == Result::kSuccess)
      sticky = work();
    running = waiting;
  }
  return sticky;
}

Result State::drainAll() {
  for (StreamHandle *stream : streams)
    if (Result result = drain(stream, stream->end()); result != Result::kSuccess)
      return result;
  return sticky;
}

bool isStream(State &state, StreamHandle *stream) { return state.streams.contains(stream); }

Result refuseCapture(State &state, StreamHandle *stream) {
  if (!isStream(state, stream) || !stream->capture)
    return Result::kSuccess;
  stream->capture->isInvalid = true;
  return Result::kStreamCaptureUnsupported;
}

Result enqueue(State &state, StreamHandle *stream, std::function<Result()> work) {
  if (!isStream(state, stream))
    return state.fail(Result::kInvalidHandle, "there is no such stream");
  if (stream->capture) {
    capture(*stream->capture, std::move(work));
    return Result::kSuccess;
  }
  stream->work.push_back(std::move(work));
  return Result::kSuccess;
}

namespace {

// --- Memory ---

Result allocateFor(ContextHandle *owner, DeviceAddress *address, size_t bytes) {
  TENON_ENTER(state);
  if (bytes == 0)
    return state.fail(Result::kInvalidValue, "an allocation of no bytes");
  auto *memory = static_cast<char *>(::operator new(bytes, std::align_val_t(kAlignment), std::nothrow));
  if (!memory)
    return Result::kOutOfMemory;
  std::memset(memory, kPoison, bytes);
  *address = reinterpret_cast<DeviceAddress>(memory);
  state.memory.emplace(*address, Allocation(memory, Freed{bytes, owner}));
  return Result::kSuccess;
}

Result memAlloc(DeviceAddress *address, size_t bytes) { return allocateFor(currentContext(), address, bytes); }

// Waits for all work, as the real one does.
Result memFree(DeviceAddress address) {
  TENON_ENTER(state);
  if (Result result = state.drainAll(); result != Result::kSuccess)
    return result;
  if (!state.memory.erase(address))
    return state.fail(Result::kInvalidValue, "what is freed is not the begin of an allocation");
  return Result::kSuccess;
}

// Memory of the host is each device's here.
Result memHostAlloc(void **memory, size_t bytes, unsigned flags) {
  DeviceAddress address = 0;
  if (flags != 0)
    return Result::kInvalidValue;
  Result result = allocateFor(nullptr, &address, bytes);
  *memory = reinterpret_cast<void *>(address);
  return result;
}

Result memFreeHost(void *memory) { return memFree(reinterpret_cast<DeviceAddress>(memory)); }

Result memAllocAsync(DeviceAddress *address, size_t bytes, StreamHandle *stream) {
  TENON_ENTER(state);
  if (Result result = refuseCapture(state, stream); result != Result::kSuccess)
    return result;
  if (!isStream(state, stream))
    return state.fail(Result::kInvalidHandle, "there is no such stream");
  return allocateFor(stream->context, address, bytes);
}

Result memFreeAsync(DeviceAddress address, StreamHandle *stream) {
  TENON_ENTER(state);
  if (Result result = refuseCapture(state, stream); result != Result::kSuccess)
    return result;
  if (!state.memory.contains(address))
    return state.fail(Result::kInvalidValue, "what is freed is not the begin of an allocation");
  return enqueue(state, stream, [&state, address] {
    return state.memory.erase(address) ? Result::kSuccess : state.fail(Result::kInvalidValue, "memory is freed twice");
  });
}

// There is one pool, which keeps nothing.
char thePool = 0;

Result deviceGetDefaultMemoryPool(MemoryPoolHandle **pool, Device device) {
  if (!isDevice(device))
    return Result::kInvalidDevice;
  *pool = reinterpret_cast<MemoryPoolHandle *>(&thePool);
  return Result::kSuccess;
}

Result memoryPoolSetAttribute(MemoryPoolHandle *pool, MemoryPoolAttribute attribute, void *value) {
  const bool isKnown = attribute == MemoryPoolAttribute::kReleaseThreshold;
  return reinterpret_cast<char *>(pool) == &thePool && isKnown && value ? Result::kSuccess : Result::kInvalidValue;
}

// `to` and `from` are looked up when the copy is done.
Result memcpyHtoDAsync(DeviceAddress to, const void *from, size_t bytes, StreamHandle *stream) {
  TENON_ENTER(state);
  return enqueue(state, stream, [&state, to, from, bytes] {
    char *place = state.find(to, bytes);
    if (!place)
      return state.fail(Result::kInvalidValue, "a copy to memory that is not allocated");
    std::memcpy(place, from, bytes);
    return Result::kSuccess;
  });
}

Result memcpyDtoHAsync(void *to, DeviceAddress from, size_t bytes, StreamHandle *stream) {
  TENON_ENTER(state);
  return enqueue(state, stream, [&state, to, from, bytes] {
    char *place = state.find(from, bytes);
    if (!place)
      return state.fail(Result::kInvalidValue, "a copy of memory that is not allocated");
    std::memcpy(to, place, bytes);
    return Result::kSuccess;
  });
}

Result memcpyDtoDAsync(DeviceAddress to, DeviceAddress from, size_t bytes, StreamHandle *stream) {
  TENON_ENTER(state);
  return enqueue(state, stream, [&state, to, from, bytes] {
    char *target = state.find(to, bytes), *source = state.find(from, bytes);
    if (!target || !source)
      return state.fail(Result::kInvalidValue, "a copy between memory that is not allocated");
    if (target < source + bytes && source < target + bytes && target != source)
      return state.fail(Result::kInvalidValue, "a copy between places that overlap");
    std::memmove(target, source, bytes);
    return Result::kSuccess;
  });
}

// Between the memory of two devices, or within one's. The stream is of either.
Result memcpyPeerAsync(DeviceAddress to, ContextHandle *toContext, DeviceAddress from, ContextHandle *fromContext,
                       size_t bytes, StreamHandle *stream) {
  TENON_ENTER(state);
  return enqueue(state, stream, [&state, to, toContext, from, fromContext, bytes] {
    char *target = state.find(to, bytes, toContext), *source = state.find(from, bytes, fromContext);
    if (!target || !source || !toContext || !fromContext)
      return state.fail(Result::kInvalidValue, "a copy between devices of memory that is not theirs");
    std::memmove(target, source, bytes);
    return Result::kSuccess;
  });
}

// Rows of one plane, which may lie apart.
Result memcpy3DPeerAsync(const PeerCopy *given, StreamHandle *stream) {
  TENON_ENTER(state);
  auto isRows = [&](const PeerRows &side) {
    return side.kind == MemoryKind::kDevice && side.xBytes + side.y + side.z + side.level == 0 && !side.array &&
           side.pitch >= given->rowBytes && side.pitch <= size_t(kMostPitch) && side.height >= given->rows;
  };
  if (given->planes != 1 || given->rows == 0 || !isRows(given->from) || !isRows(given->to))
    return state.fail(Result::kInvalidValue, "a copy between devices of what is not rows");
  return enqueue(state, stream, [&state, copy = *given] {
    auto find = [&](const PeerRows &side) {
      return side.context ? state.find(side.address, (copy.rows - 1) * side.pitch + copy.rowBytes, side.context)
                          : nullptr;
    };
    char *to = find(copy.to), *from = find(copy.from);
    if (!to || !from)
      return state.fail(Result::kInvalidValue, "a copy between devices of memory that is not theirs");
    for (size_t row = 0; row < copy.rows; ++row)
      std::memmove(to + row * copy.to.pitch, from + row * copy.from.pitch, copy.rowBytes);
    return Result::kSuccess;
  });
}

Result memsetD8Async(DeviceAddress to, unsigned char value, size_t bytes, StreamHandle *stream) {
  TENON_ENTER(state);
  return enqueue(state, stream, [&state, to, value, bytes] {
    char *place = state.find(to, bytes);
    if (!place)
      return state.fail(Result::kInvalidValue, "memory that is set is not allocated");
    std::memset(place, value, bytes);
    return Result::kSuccess;
  });
}

// --- Streams and events ---

Result streamCreate(StreamHandle **stream, unsigned flags) {
  TENON_ENTER(state);
  (void)flags;
  *stream = new StreamHandle();
  (*stream)->context = currentContext();
  state.streams.insert(*stream);
  return Result::kSuccess;
}

Result streamSynchronize(StreamHandle *stream) {
  TENON_ENTER(state);
  if (Result result = refuseCapture(state, stream); result != Result::kSuccess)
    return result;
  if (!isStream(state, stream))
    return state.fail(Result::kInvalidHandle, "there is no such stream");
  return state.drain(stream, stream->end());
}

// Its work is done first.
Result streamDestroy(StreamHandle *stream) {
  TENON_ENTER(state);
  if (Result result = refuseCapture(state, stream); result != Result::kSuccess)
    return result;
  if (!isStream(state, stream))
    return state.fail(Result::kInvalidHandle, "there is no such stream");
  Result result = state.drain(stream, stream->end());
  state.streams.erase(stream);
  delete stream;
  return result;
}

Result eventCreate(EventHandle **event, unsigned flags) {
  TENON_ENTER(state);
  (void)flags;
  *event = new EventHandle();
  (*event)->context = currentContext();
  state.events.insert(*event);
  return Result::kSuccess;
}

Result eventRecord(EventHandle *event, StreamHandle *stream) {
  TENON_ENTER(state);
  if (Result result = refuseCapture(state, stream); result != Result::kSuccess)
    return result;
  if (!state.events.contains(event) || !isStream(state, stream))
    return state.fail(Result::kInvalidHandle, "there is no such event or stream");
  if (event->context != stream->context)
    return state.fail(Result::kInvalidHandle, "an event of one device is recorded in a stream of another");
  event->stream = stream;
  event->position = stream->end();
  return Result::kSuccess;
}

Result eventQuery(EventHandle *event) {
  TENON_ENTER(state);
  if (!state.events.contains(event))
    return state.fail(Result::kInvalidHandle, "there is no such event");
  bool isDone = !isStream(state, event->stream) || event->stream->done >= event->position;
  return isDone ? Result::kSuccess : Result::kNotReady;
}

Result eventSynchronize(EventHandle *event) {
  TENON_ENTER(state);
  if (!state.events.contains(event))
    return state.fail(Result::kInvalidHandle, "there is no such event");
  return state.drain(event->stream, event->position);
}

// What comes later in the stream begins with the work that the event stands for now.
Result streamWaitEvent(StreamHandle *stream, EventHandle *event, unsigned flags) {
  TENON_ENTER(state);
  if (Result result = refuseCapture(state, stream); result != Result::kSuccess)
    return result;
  (void)flags;
  if (!state.events.contains(event))
    return state.fail(Result::kInvalidHandle, "there is no such event");
  return enqueue(state, stream, [&state, awaited = *event] { return state.drain(awaited.stream, awaited.position); });
}

Result eventDestroy(EventHandle *event) {
  TENON_ENTER(state);
  if (!state.events.erase(event))
    return state.fail(Result::kInvalidHandle, "there is no such event");
  delete event;
  return Result::kSuccess;
}

// --- Modules and kernels ---

constexpr uint16_t kCudaMachine = 190; // EM_CUDA

// The image says how long it is: its table of sections is its end, as LLVM writes it.
size_t imageBytes(const Elf64_Ehdr &header) { return header.e_shoff + size_t{header.e_shnum} * header.e_shentsize; }

// What a GPU has and the host has not.
const std::vector<RuntimeSymbol> &deviceSymbols() {
  static const std::vector<RuntimeSymbol> symbols = {
      {"tenon_emu_number", reinterpret_cast<void *>(&tenon_emu_number)},
      {"tenon_emu_barrier", reinterpret_cast<void *>(&tenon_emu_barrier)},
      {"tenon_emu_pause", reinterpret_cast<void *>(&tenon_emu_pause)},
      {"tenon_emu_nanoseconds", reinterpret_cast<void *>(&tenon_emu_nanoseconds)},
      {"tenon_emu_shuffle_xor", reinterpret_cast<void *>(&tenon_emu_shuffle_xor)},
      {"tenon_emu_shuffle_from", reinterpret_cast<void *>(&tenon_emu_shuffle_from)},
      {"tenon_emu_lanes_with", reinterpret_cast<void *>(&tenon_emu_lanes_with)},
      {"tenon_emu_set_conditional", reinterpret_cast<void *>(&tenon_emu_set_conditional)},
      {"tenon_emu_shared", reinterpret_cast<void *>(&tenon_emu_shared)},
      {"tenon_emu_multiply", reinterpret_cast<void *>(&tenon_emu_multiply)},
      {"tenon_emu_shared_of", reinterpret_cast<void *>(&tenon_emu_shared_of)},
      {"tenon_emu_cluster_barrier", reinterpret_cast<void *>(&tenon_emu_cluster_barrier)},
      {"tenon_emu_wait_for_phase", reinterpret_cast<void *>(&tenon_emu_wait_for_phase)},
      {"tenon_emu_copy_box", reinterpret_cast<void *>(&tenon_emu_copy_box)},
      {"tenon_emu_expect_bytes", reinterpret_cast<void *>(&tenon_emu_expect_bytes)},
      {"tenon_emu_start_of_phases", reinterpret_cast<void *>(&tenon_emu_start_of_phases)},
      {"tenon_emu_use_map", reinterpret_cast<void *>(&tenon_emu_use_map)},
      {"tenon_emu_make_map", reinterpret_cast<void *>(&tenon_emu_make_map)},
      {"tenon_emu_wait_for_products", reinterpret_cast<void *>(&tenon_emu_wait_for_products)},
      {"tenon_emu_end_of_products", reinterpret_cast<void *>(&tenon_emu_end_of_products)},
      {"tenon_emu_multiply_words_in_group", reinterpret_cast<void *>(&tenon_emu_multiply_words_in_group)},
      {"tenon_emu_multiply_in_group", reinterpret_cast<void *>(&tenon_emu_multiply_in_group)},
      {"tenon_emu_start_of_products", reinterpret_cast<void *>(&tenon_emu_start_of_products)},
      {"tenon_emu_fence_for_groups", reinterpret_cast<void *>(&tenon_emu_fence_for_groups)},
      {"tenon_emu_multiply_doubles", reinterpret_cast<void *>(&tenon_emu_multiply_doubles)},
      {"tenon_emu_load_matrices", reinterpret_cast<void *>(&tenon_emu_load_matrices)},
      {"tenon_emu_exp2", reinterpret_cast<void *>(&tenon_emu_exp2)},
      {"tenon_emu_reciprocal", reinterpret_cast<void *>(&tenon_emu_reciprocal)},
      {"tenon_emu_copy", reinterpret_cast<void *>(&tenon_emu_copy)},
      {"tenon_emu_end_of_copies", reinterpret_cast<void *>(&tenon_emu_end_of_copies)},
      {"tenon_emu_wait_for_copies", reinterpret_cast<void *>(&tenon_emu_wait_for_copies)},
      {"tenon_emu_access", reinterpret_cast<void *>(&tenon_emu_access)},
  };
  return symbols;
}

// Those and what the host's instructions do not have, conversions and the like, which are functions of other names.
const std::vector<RuntimeSymbol> &kernelSymbols() {
  static const std::vector<RuntimeSymbol> symbols = [] {
    std::vector<RuntimeSymbol> all = deviceSymbols();
    for (const RuntimeSymbol &symbol : runtimeSymbols())
      if (!std::string_view(symbol.name).starts_with("tenon_"))
        all.push_back(symbol);
    return all;
  }();
  return symbols;
}

Result moduleLoadData(ModuleHandle **module, const void *image) {
  TENON_ENTER(state);
  const auto *header = static_cast<const Elf64_Ehdr *>(image);
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_machine == kCudaMachine)
    return Result::kNoBinaryForGpu; // it is for a chip that is none of the host's
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_type != ET_REL)
    return state.fail(Result::kInvalidImage, "the image is no relocatable object of the host");
  program::ObjectCode object{"kernels", std::string(static_cast<const char *>(image), imageBytes(*header))};
  auto code = LinkedCode::link(object.name, {object}, kernelSymbols());
  if (!code.ok())
    return state.fail(Result::kInvalidImage, code.status().message());
  *module = new ModuleHandle{*std::move(code), {}, currentContext()};
  state.modules.insert(*module);
  return Result::kSuccess;
}

Result moduleUnload(ModuleHandle *module) {
  TENON_ENTER(state);
  if (!state.modules.contains(module))
    return state.fail(Result::kInvalidHandle, "there is no such module");
  if (Result result = state.drainAll(); result != Result::kSuccess)
    return result;
  state.modules.erase(module);
  delete module;
  return Result::kSuccess;
}

// Beside a kernel `name` there is `name$parameters`: how many it has, and the bytes of each; and, if it is for
// clusters, `name$cluster`: their blocks.
Result moduleGetFunction(FunctionHandle **function, ModuleHandle *module, const char *name) {
  TENON_ENTER(state);
  if (!state.modules.contains(module))
    return state.fail(Result::kInvalidHandle, "there is no such module");
  void *code = module->code->find(name);
  auto *parameters = static_cast<const uint32_t *>(module->code->find(std::string(name) + "$parameters"));
  if (!code || !parameters)
    return Result::kNotFound;
  std::unique_ptr<FunctionHandle> &made = module->functions[name];
  if (!made)
    made = std::make_unique<FunctionHandle>(FunctionHandle{
        reinterpret_cast<EmulatedKernel>(code), std::vector<uint32_t>(parameters + 1, parameters + 1 + *parameters),
        module->code, module->context});
  if (auto *cluster = static_cast<const uint32_t *>(module->code->find(std::string(name) + "$cluster")))
    made->clusterBlocks = *cluster;
  *function = made.get();
  return Result::kSuccess;
}

Result functionSetAttribute(FunctionHandle *function, FunctionAttribute attribute, int value) {
  TENON_ENTER(state);
  if (attribute != FunctionAttribute::kMaxDynamicSharedBytes || value < 0 || value > kMostSharedBytes)
    return state.fail(Result::kInvalidValue, "a function may be given up to " + std::to_string(kMostSharedBytes) +
                                                 " bytes of shared memory, not " + std::to_string(value));
  function->sharedBytes = value;
  return Result::kSuccess;
}

Result launchKernel(FunctionHandle *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                    unsigned blockY, unsigned blockZ, unsigned sharedBytes, StreamHandle *stream, void **parameters,
                    void **extra) {
  TENON_ENTER(state);
  PreparedLaunch prepared;
  KernelNodeParameters given{function, gridX,       gridY,      gridZ, blockX,  blockY,
                             blockZ,   sharedBytes, parameters, extra, nullptr, nullptr};
  if (Result result = prepareLaunch(state, given, prepared); result != Result::kSuccess)
    return result;
  return enqueue(state, stream,
                 [&state, prepared = std::move(prepared)]() mutable { return runLaunch(state, prepared); });
}

Result launchCooperativeKernel(FunctionHandle *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                               unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                               StreamHandle *stream, void **parameters) {
  TENON_ENTER(state);
  PreparedLaunch prepared;
  KernelNodeParameters given{function, gridX,       gridY,      gridZ,   blockX,  blockY,
                             blockZ,   sharedBytes, parameters, nullptr, nullptr, nullptr};
  if (Result result = prepareLaunch(state, given, prepared); result != Result::kSuccess)
    return result;
  if (Result result = makeCooperative(state, prepared); result != Result::kSuccess)
    return result;
  return enqueue(state, stream,
                 [&state, prepared = std::move(prepared)]() mutable { return runLaunch(state, prepared); });
}

Result occupancyMaxActiveBlocks(int *blocks, FunctionHandle *function, int blockThreads, size_t sharedBytes) {
  TENON_ENTER(state);
  if (!function || blockThreads <= 0 || unsigned(blockThreads) > kMaxThreads)
    return state.fail(Result::kInvalidValue, "there are no blocks of " + std::to_string(blockThreads) + " threads");
  Launch launch;
  launch.threads = uint32_t(blockThreads);
  launch.sharedBytes = sharedBytes;
  *blocks = blocksOfMultiprocessor(launch);
  return Result::kSuccess;
}

} // namespace

const cuda::Driver &driver() {
  static const cuda::Driver table = [] {
    cuda::Driver driver;
    driver.memAlloc = memAlloc;
    driver.memFree = memFree;
    driver.memHostAlloc = memHostAlloc;
    driver.memFreeHost = memFreeHost;
    driver.memAllocAsync = memAllocAsync;
    driver.memFreeAsync = memFreeAsync;
    driver.deviceGetDefaultMemoryPool = deviceGetDefaultMemoryPool;
    driver.memoryPoolSetAttribute = memoryPoolSetAttribute;
    driver.memcpyHtoDAsync = memcpyHtoDAsync;
    driver.memcpyDtoHAsync = memcpyDtoHAsync;
    driver.memcpyDtoDAsync = memcpyDtoDAsync;
    driver.memcpyPeerAsync = memcpyPeerAsync;
    driver.memcpy3DPeerAsync = memcpy3DPeerAsync;
    driver.memsetD8Async = memsetD8Async;
    driver.streamCreate = streamCreate;
    driver.streamDestroy = streamDestroy;
    driver.streamSynchronize = streamSynchronize;
    driver.streamWaitEvent = streamWaitEvent;
    driver.eventCreate = eventCreate;
    driver.eventRecord = eventRecord;
    driver.eventQuery = eventQuery;
    driver.eventSynchronize = eventSynchronize;
    driver.eventDestroy = eventDestroy;
    driver.moduleLoadData = moduleLoadData;
    driver.moduleUnload = moduleUnload;
    driver.moduleGetFunction = moduleGetFunction;
    driver.functionSetAttribute = functionSetAttribute;
    driver.launchKernel = launchKernel;
    driver.launchCooperativeKernel = launchCooperativeKernel;
    driver.occupancyMaxActiveBlocks = occupancyMaxActiveBlocks;
    addDeviceFunctions(driver);
    addGraphFunctions(driver);
    return driver;
  }();
  return table;
}

void setThreadOrder(ThreadOrder order) {
  std::lock_guard lock(State::instance().mutex);
  State::instance().order = order;
}

void setChecksAccesses(bool checks) {
  std::lock_guard lock(State::instance().mutex);
  State::instance().checksAccesses = checks;
}

std::string takeFailure() {
  State &state = State::instance();
  std::lock_guard lock(state.mutex);
  state.sticky = Result::kSuccess;
  return std::exchange(state.failure, "");
}

GraphCounts graphCounts() {
  std::lock_guard lock(State::instance().mutex);
  return State::instance().counts;
}

Result enqueueWork(StreamHandle *stream, std::function<void()> work) {
  TENON_ENTER(state);
  return enqueue(state, stream, [work = std::move(work)] {
    work();
    return Result::kSuccess;
  });
}

size_t allocatedBytes() {
  State &state = State::instance();
  std::lock_guard lock(state.mutex);
  size_t bytes = 0;
  for (const auto &[address, allocation] : state.memory)
    bytes += allocation.get_deleter().bytes;
  return bytes;
}

} // namespace tenon::runtime::emulator
