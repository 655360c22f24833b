// The format: a header (magic, version, length and checksum of what follows), then the fields of Program in the order
// of their declaration. Integers are little-endian, 8 bytes; strings and lists begin with their length. One function,
// `visit`, names the fields of each struct; the writer and the reader both go through it, so they cannot disagree.
// A new field changes kVersion: programs are cheap to compile again, so old versions are refused, not converted.

#include "tenon/program/serialization.h"

#include "tenon/program/attributes.h"
#include "tenon/program/sharding.h"
#include "tenon/support/strides.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <variant>

namespace tenon::program {
namespace {

constexpr char kMagic[8] = {'T', 'E', 'N', 'O', 'N', 'P', 'R', 'G'};
constexpr uint64_t kVersion = 21;
constexpr size_t kHeaderBytes = sizeof kMagic + 3 * 8;

uint64_t byteSwapIfBig(uint64_t value) {
  if constexpr (std::endian::native == std::endian::big)
    value = __builtin_bswap64(value);
  return value;
}

// A checksum that detects damage; it is not cryptographic. Four independent lanes make it fast enough for programs of
// tens of megabytes.
uint64_t checksum(std::string_view bytes) {
  constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15u;
  uint64_t lanes[4] = {1, 2, 3, 4};
  size_t position = 0;
  auto mix = [&](uint64_t &lane, uint64_t word) {
    lane = (lane ^ word) * kMultiplier;
    lane ^= lane >> 29;
  };
  for (; position + 32 <= bytes.size(); position += 32)
    for (int lane = 0; lane < 4; ++lane) {
      uint64_t word;
      std::memcpy(&word, bytes.data() + position + 8 * lane, 8);
      mix(lanes[lane], byteSwapIfBig(word));
    }
  for (; position < bytes.size(); ++position)
    mix(lanes[0], uint8_t(bytes[position]));
  uint64_t result = bytes.size();
  for (uint64_t lane : lanes)
    mix(result, lane);
  return result;
}

constexpr size_t kLongList = 16;
// So many numbers of lists that are there again at most: what a few bytes can make a reader keep is bounded.
constexpr uint64_t kMostRepeated = uint64_t(1) << 24;

class Writer {
public:
  std::string bytes;

  void number(uint64_t value) {
    value = byteSwapIfBig(value);
    bytes.append(reinterpret_cast<const char *>(&value), 8);
  }

  template <typename T>
    requires std::integral<T> || std::is_enum_v<T>
  void field(const T &value) {
    number(uint64_t(int64_t(value)));
  }
  void field(const double &value) { number(std::bit_cast<uint64_t>(value)); }
  void field(const std::string &value) {
    number(value.size());
    bytes += value;
  }
  void field(const AlignedBytes &value) {
    number(value.size());
    bytes.append(reinterpret_cast<const char *>(value.data()), value.size());
  }
  template <typename A, typename B> void field(const std::pair<A, B> &value) {
    field(value.first);
    field(value.second);
  }
  // A long list, as of the processes of a collective, is written once: then its number among these, inverted.
  void list(const std::vector<int64_t> &values) {
    auto known = lists_.find(values);
    if (known != lists_.end() && repeated_ + values.size() <= kMostRepeated) {
      repeated_ += values.size();
      return number(~known->second);
    }
    field(values);
    if (values.size() >= kLongList)
      lists_.emplace(values, written_++);
  }
  void field(const std::monostate &) {}
  template <typename... Kinds> void field(const std::variant<Kinds...> &value) {
    number(value.index());
    std::visit([this](const auto &alternative) { field(alternative); }, value);
  }
  template <typename T> void field(const std::vector<T> &value) {
    number(value.size());
    for (const T &element : value)
      field(element);
  }
  template <typename T> void field(const std::optional<T> &value) {
    field(value.has_value());
    if (value)
      field(*value);
  }
  template <typename T>
    requires std::is_class_v<T>
  void field(const T &value) {
    visit(*this, const_cast<T &>(value));
  }

private:
  std::map<std::vector<int64_t>, uint64_t> lists_;
  uint64_t written_ = 0, repeated_ = 0;
};

// Reads nothing beyond the end: after the first error every field stays empty.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool failed() const { return failed_; }
  bool atEnd() const { return rest_.empty(); }

  uint64_t number() {
    if (failed_ || rest_.size() < 8) {
      failed_ = true;
      return 0;
    }
    uint64_t value;
    std::memcpy(&value, rest_.data(), 8);
    rest_.remove_prefix(8);
    return byteSwapIfBig(value);
  }

  template <typename T>
    requires std::integral<T>
  void field(T &value) {
    int64_t wide = int64_t(number());
    if (std::is_same_v<T, bool>
            ? (wide != 0 && wide != 1)
            : wide < int64_t(std::numeric_limits<T>::min()) || wide > int64_t(std::numeric_limits<T>::max())) {
      failed_ = true;
      return;
    }
    value = T(wide);
  }
  void field(ElementType &value) { enumeration(value, ElementType::kToken); }
  void field(Sharding::Kind &value) { enumeration(value, Sharding::Kind::kUnreduced); }
  void field(RuntimeCall::Kind &value) { enumeration(value, RuntimeCall::Kind::kLibrary); }
  void field(StepEntry::Kind &value) { enumeration(value, StepEntry::Kind::kReturn); }
  void field(DevicePlace::Base &value) { enumeration(value, DevicePlace::Base::kStop); }
  void field(DeviceConvolution::Computes &value) { enumeration(value, DeviceConvolution::Computes::kKernel); }
  void field(BufferEntry::Kind &value) { enumeration(value, BufferEntry::Kind::kConstant); }
  void field(double &value) { value = std::bit_cast<double>(number()); }
  void field(std::string &value) {
    std::string_view text = raw();
    value.assign(text.data(), text.size());
  }
  void field(AlignedBytes &value) {
    std::string_view text = raw();
    value.assign(text.begin(), text.end());
  }
  template <typename A, typename B> void field(std::pair<A, B> &value) {
    field(value.first);
    field(value.second);
  }
  void field(std::monostate &) {}
  template <typename... Kinds> void field(std::variant<Kinds...> &value) {
    enterAlternative(value, number(), std::index_sequence_for<Kinds...>());
  }
  template <typename T> void field(std::vector<T> &value) { elements(value, number()); }
  void list(std::vector<int64_t> &value) {
    uint64_t count = number();
    if (!(count >> 63)) {
      elements(value, count);
      if (value.size() >= kLongList)
        lists_.push_back(value);
      return;
    }
    if (~count >= lists_.size() || (repeated_ += lists_[~count].size()) > kMostRepeated)
      failed_ = true;
    else
      value = lists_[~count];
  }
  template <typename T> void field(std::optional<T> &value) {
    bool has = false;
    field(has);
    if (has)
      field(value.emplace());
  }
  template <typename T>
    requires std::is_class_v<T>
  void field(T &value) {
    visit(*this, value);
  }

private:
  template <typename T> void elements(std::vector<T> &value, uint64_t count) {
    // Every element takes at least so much: a count that cannot be true must not reserve memory.
    constexpr size_t kLeastBytes = std::is_same_v<T, Program> ? kLeastProgramBytes : 8;
    if (failed_ || count > rest_.size() / kLeastBytes || ++depth_ > kMaxDepth) {
      failed_ = true;
      return;
    }
    value.resize(size_t(count));
    for (T &element : value)
      field(element);
    --depth_;
  }
  std::string_view raw() {
    uint64_t size = number();
    if (failed_ || size > rest_.size()) {
      failed_ = true;
      return {};
    }
    std::string_view text = rest_.substr(0, size_t(size));
    rest_.remove_prefix(size_t(size));
    return text;
  }
  template <typename E> void enumeration(E &value, E last) {
    uint64_t number = this->number();
    if (number > uint64_t(last))
      failed_ = true;
    else
      value = E(number);
  }

  template <typename... Kinds, size_t... Indices>
  void enterAlternative(std::variant<Kinds...> &value, uint64_t index, std::index_sequence<Indices...>) {
    bool isKnown = ((index == Indices && (field(value.template emplace<Indices>()), true)) || ...);
    failed_ |= !isKnown;
  }

  // Lists within lists: attributes within attributes, programs within programs.
  static constexpr int kMaxDepth = 3 * kMaxAttributeDepth;
  // A program's fields are more than twenty.
  static constexpr size_t kLeastProgramBytes = 160;

  std::string_view rest_;
  std::vector<std::vector<int64_t>> lists_; // long ones
  uint64_t repeated_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

template <typename Archive, typename... Fields> void fields(Archive &archive, Fields &...values) {
  (archive.field(values), ...);
}

template <typename A> void visit(A &a, Shape &v) { fields(a, v.type, v.dims); }
template <typename A> void visit(A &a, Layout &v) { fields(a, v.dims, v.minorToMajor); }
template <typename A> void visit(A &a, Sharding &v) {
  fields(a, v.kind, v.tiles, v.devices, v.iotaDims, v.iotaPermutation, v.subgroups);
}
template <typename A> void visit(A &a, Argument &v) {
  fields(a, v.shape, v.name, v.aliasedResult, v.donated, v.memoryKind, v.sharding, v.layout, v.declaredType, v.value,
         v.stored);
}
template <typename A> void visit(A &a, Result &v) {
  fields(a, v.shape, v.name, v.memoryKind, v.sharding, v.layout, v.sizeResults, v.stored);
}
template <typename A> void visit(A &a, Constant &v) { fields(a, v.bytes); }
template <typename A> void visit(A &a, IntegerAttribute &v) { fields(a, v.type, v.value); }
template <typename A> void visit(A &a, FloatAttribute &v) { fields(a, v.type, v.value); }
template <typename A> void visit(A &a, IntegerArrayAttribute &v) {
  a.field(v.type);
  a.list(v.values);
}
template <typename A> void visit(A &a, FloatArrayAttribute &v) { fields(a, v.type, v.values); }
template <typename A> void visit(A &a, OpaqueAttribute &v) { fields(a, v.text); }
template <typename A> void visit(A &a, Attribute &v) { fields(a, v.value); }
template <typename A> void visit(A &a, NamedAttribute &v) { fields(a, v.name, v.value); }
template <typename A> void visit(A &a, RuntimeCall &v) {
  fields(a, v.kind, v.target, v.attributes, v.opaque, v.apiVersion, v.operands, v.results, v.aliases, v.hasSideEffect,
         v.isTupleResult, v.location, v.programs, v.temporaryBytes, v.threads, v.operandLayouts, v.resultLayouts);
}
template <typename A> void visit(A &a, ObjectCode &v) { fields(a, v.name, v.bytes); }
template <typename A> void visit(A &a, CpuCode &v) {
  fields(a, v.triple, v.cpu, v.features, v.objects, v.entrySymbol, v.scratchBytes);
}
template <typename A> void visit(A &a, ReportEntry &v) {
  fields(a, v.kernel, v.kind, v.ops, v.location, v.calls, v.flops, v.bytes, v.transcendentals, v.arithmetic, v.phases);
}
template <typename A> void visit(A &a, StepEntry &v) { fields(a, v.kind, v.index, v.depth, v.op, v.location); }
template <typename A> void visit(A &a, ValueEntry &v) { fields(a, v.op, v.shape, v.location, v.note); }
template <typename A> void visit(A &a, BufferEntry &v) {
  fields(a, v.kind, v.index, v.purpose, v.offset, v.size, v.live, v.values);
}
template <typename A> void visit(A &a, Report &v) {
  fields(a, v.kernels, v.steps, v.buffers, v.stageSeconds, v.flops, v.bytes, v.transcendentals);
}
template <typename A> void visit(A &a, KernelCall &v) { fields(a, v.kernel, v.name, v.locations); }
template <typename A> void visit(A &a, Program &v) {
  fields(a, v.name, v.code, v.arguments, v.results, v.unreadable, v.constants, v.runtimeCalls, v.kernelCalls,
         v.arenaBytes, v.estimatedNanoseconds, v.numReplicas, v.numPartitions, v.unpartitioned, v.fingerprint,
         v.report);
}

template <typename A> void visit(A &a, DeviceKernel &v) {
  fields(a, v.name, v.tasks, v.scratchBytes, v.blockThreads, v.blockTasks, v.sharedBytes, v.isCooperative);
}
template <typename A> void visit(A &a, ProductMatrix &v) {
  fields(a, v.array, v.type, v.first, v.rowStride, v.columnStride, v.batchStride);
}
template <typename A> void visit(A &a, DeviceProduct &v) {
  fields(a, v.batch, v.rows, v.columns, v.depth, v.lhs, v.rhs, v.out, v.bias, v.allowsTf32);
}
template <typename A> void visit(A &a, ConvolutionArray &v) { fields(a, v.array, v.type, v.sizes, v.strides); }
template <typename A> void visit(A &a, ConvolutionDim &v) { fields(a, v.stride, v.dilation, v.padLow, v.padHigh); }
template <typename A> void visit(A &a, DeviceConvolution &v) {
  fields(a, v.computes, v.input, v.kernel, v.output, v.dims, v.isReversed, v.allowsTf32);
}
template <typename A> void visit(A &a, DeviceModule &v) {
  fields(a, v.kernels, v.code, v.machineCode, v.machineCodeOf, v.op);
}
template <typename A> void visit(A &a, DevicePlace &v) { fields(a, v.base, v.offset, v.index); }
template <typename A> void visit(A &a, KernelStep &v) { fields(a, v.module, v.row); }
template <typename A> void visit(A &a, CopyStep &v) { fields(a, v.to, v.from, v.bytes); }
template <typename A> void visit(A &a, ServiceStep &v) { fields(a, v.call, v.operands, v.results); }
template <typename A> void visit(A &a, LoopStep &v) {
  fields(a, v.condition, v.body, v.predicate, v.toTemporaries, v.copies, v.exchanges, v.turn);
}
template <typename A> void visit(A &a, BranchStep &v) { fields(a, v.selector, v.isTwoWay, v.branches); }
template <typename A> void visit(A &a, DeviceStep &v) { fields(a, v.what); }
template <typename A> void visit(A &a, DeviceProgram &v) {
  fields(a, v.chip, v.processor, v.modules, v.control, v.places, v.steps, v.arenaBytes);
}

// Checks what the runtime relies on and the types of the fields do not ensure.
Status checkShape(const Shape &shape) {
  int64_t bytes = byteSize(shape.type);
  for (int64_t dim : shape.dims)
    if (dim < 0 || __builtin_mul_overflow(bytes, std::max<int64_t>(dim, 1), &bytes))
      return invalidArgument("serialised program: a shape has impossible dimensions");
  return {};
}

// Checks how an argument or result lies in the caller's memory.
template <typename Array> Status checkArray(const Array &array) {
  TENON_RETURN_IF_ERROR(checkShape(array.shape));
  TENON_RETURN_IF_ERROR(checkShape({array.shape.type, array.stored.dims}));
  if (!isConsistent(array.sharding))
    return invalidArgument("serialised program: a sharding is inconsistent");
  if ((!array.layout.empty() && !isPermutation(array.layout, array.shape.dims.size())) ||
      !isPermutation(array.stored.minorToMajor, array.stored.dims.size()))
    return invalidArgument("serialised program: a layout is not an order of dimensions");
  return {};
}

Status checkProgram(const Program &program) {
  auto checkAll = [](const auto &list, auto check) -> Status {
    for (const auto &element : list)
      TENON_RETURN_IF_ERROR(check(element));
    return {};
  };
  TENON_RETURN_IF_ERROR(checkAll(program.arguments, checkArray<Argument>));
  TENON_RETURN_IF_ERROR(checkAll(program.results, checkArray<Result>));
  for (const Argument &argument : program.arguments)
    if (argument.aliasedResult < -1 || argument.aliasedResult >= int64_t(program.results.size()))
      return invalidArgument("serialised program: an argument is aliased with a result that does not exist");
  for (const Result &result : program.results)
    for (int32_t size : result.sizeResults)
      if (result.sizeResults.size() != result.shape.dims.size() || size < -1 || size >= int64_t(program.results.size()))
        return invalidArgument("serialised program: a result's size is a result that does not exist");
  for (const RuntimeCall &runtimeCall : program.runtimeCalls) {
    TENON_RETURN_IF_ERROR(checkAll(runtimeCall.operands, checkShape));
    TENON_RETURN_IF_ERROR(checkAll(runtimeCall.results, checkShape));
    if (runtimeCall.temporaryBytes < 0)
      return invalidArgument("serialised program: negative sizes");
    for (const Program &nested : runtimeCall.programs)
      TENON_RETURN_IF_ERROR(checkProgram(nested));
  }
  for (const KernelCall &call : program.kernelCalls)
    if (call.kernel < 0 || call.kernel >= int64_t(program.report.kernels.size()))
      return invalidArgument("serialised program: a call names a kernel that does not exist");
  if (program.arenaBytes < 0 || cpuCode(program).scratchBytes < 0 || program.numReplicas < 1 ||
      program.numPartitions < 1)
    return invalidArgument("serialised program: negative sizes");
  return {};
}

// Checks the numbers in a device's program: what they name is there.
class DeviceCheck {
public:
  DeviceCheck(const DeviceProgram &program, const Program &description)
      : program_(program), description_(description) {}

  Status run() {
    bool isRight = program_.arenaBytes >= 0;
    for (const DevicePlace &place : program_.places)
      isRight &= isThere(place);
    for (const DeviceModule &module : program_.modules)
      for (const DeviceKernel &kernel : module.kernels)
        isRight &= kernel.tasks > 0 && kernel.scratchBytes >= 0 && kernel.blockThreads > 0 && kernel.blockTasks > 0 &&
                   kernel.sharedBytes >= 0;
    for (const DeviceModule &module : program_.modules)
      isRight &= !module.op || std::visit([](const auto &op) { return isConsistent(op); }, *module.op);
    for (size_t i = 0; i < program_.modules.size(); ++i)
      isRight &= program_.modules[i].machineCodeOf < int64_t(i);
    isRight &= program_.control.machineCodeOf < 0 && hasControl();
    isRight &= program_.control.kernels.empty() == program_.control.code.empty();
    for (const DeviceStep &step : program_.steps)
      isRight &= check(step);
    return isRight ? Status() : invalidArgument("serialised program: a step names something that does not exist");
  }

private:
  // All control kernels, or the one that kernels alone need, or none, where the program is no graph.
  bool hasControl() const {
    auto isKernel = [](const DeviceStep &step) { return std::holds_alternative<KernelStep>(step.what); };
    const size_t count = program_.control.kernels.size();
    return count == 0 || count == std::size(kControlKernels) ||
           (count == 1 && std::all_of(program_.steps.begin(), program_.steps.end(), isKernel));
  }

  static bool isBelow(int64_t number, size_t count) { return number >= 0 && number < int64_t(count); }

  // That what they access is within their arrays is not checked, as it is not for kernels.
  static bool isConsistent(const DeviceProduct &product) {
    bool isRight = product.batch > 0 && product.rows > 0 && product.columns > 0 && product.depth > 0;
    for (const ProductMatrix *matrix : {&product.lhs, &product.rhs, &product.out})
      isRight &= matrix->first >= 0 && matrix->rowStride > 0 && matrix->columnStride > 0 && matrix->batchStride >= 0 &&
                 (matrix->rowStride == 1 || matrix->columnStride == 1);
    return isRight && product.out.columnStride == 1;
  }
  static bool isConsistent(const DeviceConvolution &convolution) {
    const size_t spatial = convolution.dims.size();
    bool isRight = spatial >= 1 && spatial <= 3;
    auto isPositive = [](int64_t number) { return number > 0 && number <= std::numeric_limits<int32_t>::max(); };
    for (const ConvolutionArray *array : {&convolution.input, &convolution.kernel, &convolution.output})
      isRight &= array->sizes.size() == spatial + 2 && array->strides.size() == spatial + 2 &&
                 std::all_of(array->sizes.begin(), array->sizes.end(), isPositive) &&
                 std::all_of(array->strides.begin(), array->strides.end(), isPositive);
    for (const ConvolutionDim &dim : convolution.dims)
      isRight &= isPositive(dim.stride) && isPositive(dim.dilation) && dim.padLow >= 0 && dim.padHigh >= 0;
    return isRight;
  }

  bool isThere(const DevicePlace &place) const {
    switch (place.base) {
    case DevicePlace::Base::kArena:
      return place.offset >= 0 && place.offset <= program_.arenaBytes;
    case DevicePlace::Base::kArgument:
      return isBelow(place.index, description_.arguments.size());
    case DevicePlace::Base::kResult:
      return isBelow(place.index, description_.results.size());
    case DevicePlace::Base::kConstant:
      return isBelow(place.index, description_.constants.size());
    case DevicePlace::Base::kStop:
      return true;
    }
    return false;
  }
  bool isPlace(int32_t place) const { return isBelow(place, program_.places.size()); }
  bool arePlaces(const std::vector<int32_t> &places) const {
    return std::all_of(places.begin(), places.end(), [&](int32_t place) { return place == -1 || isPlace(place); });
  }

  bool check(const DeviceStep &step) const {
    return std::visit([&](const auto &what) { return check(what); }, step.what);
  }
  bool check(const std::vector<DeviceStep> &steps) const {
    return std::all_of(steps.begin(), steps.end(), [&](const DeviceStep &step) { return check(step); });
  }
  bool check(const KernelStep &step) const {
    if (!isBelow(step.module, program_.modules.size()) || !arePlaces(step.row))
      return false;
    auto isThere = [&](int32_t array) { return isBelow(array, step.row.size()) && step.row[size_t(array)] >= 0; };
    const std::optional<DeviceOp> &op = program_.modules[size_t(step.module)].op;
    return !op || std::visit([&](const auto &what) { return areThere(what, isThere); }, *op);
  }
  template <typename IsThere> static bool areThere(const DeviceProduct &product, const IsThere &isThere) {
    return isThere(product.lhs.array) && isThere(product.rhs.array) && isThere(product.out.array) &&
           (product.bias == -1 || isThere(product.bias));
  }
  template <typename IsThere> static bool areThere(const DeviceConvolution &convolution, const IsThere &isThere) {
    return isThere(convolution.input.array) && isThere(convolution.kernel.array) && isThere(convolution.output.array);
  }
  bool check(const CopyStep &step) const { return isPlace(step.to) && isPlace(step.from) && step.bytes >= 0; }
  bool check(const ServiceStep &step) const {
    if (!isBelow(step.call, description_.runtimeCalls.size()))
      return false;
    const RuntimeCall &call = description_.runtimeCalls[size_t(step.call)];
    return step.operands.size() == call.operands.size() && step.results.size() == call.results.size() &&
           arePlaces(step.operands) && arePlaces(step.results);
  }
  bool check(const LoopStep &step) const {
    auto isCopy = [&](const CopyStep &copy) { return check(copy); };
    return isPlace(step.predicate) && check(step.condition) && check(step.body) && (!step.turn || check(*step.turn)) &&
           std::all_of(step.toTemporaries.begin(), step.toTemporaries.end(), isCopy) &&
           std::all_of(step.copies.begin(), step.copies.end(), isCopy) &&
           std::all_of(step.exchanges.begin(), step.exchanges.end(),
                       [&](auto pair) { return isPlace(pair.first) && isPlace(pair.second); });
  }
  bool check(const BranchStep &step) const {
    return isPlace(step.selector) && !step.branches.empty() && (!step.isTwoWay || step.branches.size() == 2) &&
           std::all_of(step.branches.begin(), step.branches.end(), [&](const auto &branch) { return check(branch); });
  }

  const DeviceProgram &program_;
  const Program &description_;
};

// The fields that a header is right about; `rest` is what follows them.
StatusOr<std::string_view> unsealed(std::string_view bytes, std::string_view &rest) {
  if (!isSerializedProgram(bytes))
    return invalidArgument("these bytes are not a serialised Tenon program");
  Reader header(bytes.substr(sizeof kMagic));
  uint64_t version = header.number(), size = header.number(), sum = header.number();
  if (header.failed())
    return invalidArgument("serialised program: the header is cut short");
  if (version != kVersion)
    return invalidArgument("serialised program: format version " + std::to_string(version) + ", this build reads " +
                           std::to_string(kVersion) + "; compile the program again");
  std::string_view body = bytes.substr(kHeaderBytes, size);
  if (body.size() != size)
    return invalidArgument("serialised program: " + std::to_string(body.size()) + " bytes where the header says " +
                           std::to_string(size));
  rest = bytes.substr(kHeaderBytes + body.size());
  if (checksum(body) != sum)
    return invalidArgument("serialised program: the checksum does not match, the data is damaged");
  return body;
}

} // namespace

std::string sealed(std::string_view fields) {
  Writer whole;
  whole.bytes.reserve(kHeaderBytes + fields.size());
  whole.bytes.append(kMagic, sizeof kMagic);
  whole.number(kVersion);
  whole.number(fields.size());
  whole.number(checksum(fields));
  whole.bytes += fields;
  return std::move(whole.bytes);
}

std::string serialize(const Program &program) {
  Writer body;
  body.field(program);
  return sealed(body.bytes);
}

bool isSerializedProgram(std::string_view bytes) {
  return bytes.size() >= sizeof kMagic && std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0;
}

StatusOr<Program> deserialize(std::string_view bytes) {
  std::string_view rest;
  StatusOr<Program> program = deserialize(bytes, rest);
  if (program.ok() && !rest.empty())
    return invalidArgument("serialised program: " + std::to_string(rest.size()) + " bytes follow it");
  return program;
}

StatusOr<Program> deserialize(std::string_view bytes, std::string_view &rest) {
  TENON_ASSIGN_OR_RETURN(std::string_view body, unsealed(bytes, rest));
  Reader reader(body);
  Program program;
  reader.field(program);
  if (reader.failed() || !reader.atEnd())
    return invalidArgument("serialised program: the data is inconsistent");
  TENON_RETURN_IF_ERROR(checkProgram(program));
  return program;
}

std::string serialize(const DeviceProgram &program) {
  Writer body;
  body.field(program);
  return sealed(body.bytes);
}

StatusOr<DeviceProgram> deserializeDeviceProgram(std::string_view bytes, const Program &description,
                                                 std::string_view &rest) {
  TENON_ASSIGN_OR_RETURN(std::string_view body, unsealed(bytes, rest));
  Reader reader(body);
  DeviceProgram program;
  reader.field(program);
  if (reader.failed() || !reader.atEnd())
    return invalidArgument("serialised program: the data is inconsistent");
  TENON_RETURN_IF_ERROR(DeviceCheck(program, description).run());
  return program;
}

} // namespace tenon::program
