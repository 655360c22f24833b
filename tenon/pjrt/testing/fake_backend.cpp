#include "tenon/pjrt/testing/fake_backend.h"

#include "tenon/program/sharding.h"
#include "tenon/runtime/core/transfer.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace tenon::pjrt {
namespace {

using program::ElementType;
using program::Shape;

// What holds slow programs.
class Gate {
public:
  void hold(int change) {
    {
      std::lock_guard lock(mutex_);
      holds_ += change;
    }
    changed_.notify_all();
  }
  // False where that takes so long that the test hangs.
  bool pass() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return holds_ == 0; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int holds_ = 0;
};

Gate &gate() {
  static auto *gate = new Gate;
  return *gate;
}

class FakeExecutable : public backend::Executable {
public:
  FakeExecutable(std::string kind, int64_t size, int32_t partitions)
      : kind_(std::move(kind)), size_(size), elements_(size) {
    Shape shape{ElementType::kF32, {size}};
    program_.name = "fake_" + kind_;
    program_.fingerprint = kind_ + std::to_string(size);
    bool slow = kind_.starts_with("slow") || kind_ == "exchange" || kind_ == "wait";
    program_.estimatedNanoseconds = slow ? 1'000'000'000 : 100;
    program_.report.flops = static_cast<double>(size);
    int arguments = kind_.starts_with("add") ? 2 : kind_ == "place" ? 0 : 1;
    for (int i = 0; i < arguments; ++i)
      program_.arguments.push_back({.shape = shape, .name = {}, .memoryKind = {}});
    if (kind_ == "increment" || kind_ == "slow" || kind_ == "add-donate")
      program_.arguments[0].aliasedResult = 0;
    if (kind_ == "place")
      shape = {ElementType::kI32, {3}};
    if (kind_ == "whole")
      program_.arguments[0].sharding = *program::parseSharding("{devices=[2,2]<=[4] last_tile_dim_replicate}");
    program_.numPartitions = kind_ == "whole" ? 1 : partitions;
    program_.results.push_back({.shape = shape, .name = {}, .memoryKind = {}});
    if (kind_ == "columns" || kind_ == "swap") {
      program_.arguments[0].shape.dims = program_.results[0].shape.dims = {2, size};
      program_.results[0].layout = {0, 1};
      if (kind_ == "columns")
        program_.arguments[0].layout = {0, 1};
      elements_ = 2 * size;
    }
    if (kind_.ends_with("first")) {
      program_.arguments[0].shape.dims = program_.results[0].shape.dims = {2, size};
      program_.results[0].sizeResults = {-1, 1};
      program_.results.push_back({.shape = {ElementType::kI32, {}}});
      elements_ = 2 * size;
    }
    if (kind_ == "whole")
      program_.results[0].sharding = *program::parseSharding("{devices=[4]<=[2,2]T(1,0)}");
    if (kind_.starts_with("slow-effect"))
      addEffect(program_, kind_.ends_with("shards"));
  }

  const program::Program &program() const override { return program_; }

  Status execute(std::span<const void *const> arguments, std::span<void *const> results,
                 const runtime::RunOptions &options) const override {
    if (kind_.starts_with("slow") && !gate().pass())
      return internalError("nobody lets the program go on");
    if (kind_ == "exchange")
      return exchange(arguments[0], results[0], options);
    if (kind_ == "wait")
      return runtime::readInfeed(options,
                                 std::vector<runtime::TransferArray>{{{program_.results[0].shape, {}}, results[0]}});
    if (kind_.ends_with("fail"))
      return internalError("the program failed, as it was told to");
    if (kind_ == "place") {
      int32_t numbers[3] = {options.deviceOrdinal, options.replicaId, options.partitionId};
      std::memcpy(results[0], numbers, sizeof(numbers));
      return {};
    }
    if (kind_.ends_with("first"))
      *static_cast<int32_t *>(results[1]) = static_cast<int32_t>(*static_cast<const float *>(arguments[0]));
    auto *result = static_cast<float *>(results[0]);
    for (int64_t i = 0; i < elements_; ++i) {
      float second = kind_.starts_with("add") ? static_cast<const float *>(arguments[1])[i] : 1.0f;
      result[i] = static_cast<const float *>(arguments[0])[i] + second;
    }
    return {};
  }

  StatusOr<std::string> serialize() const override { return kind_ + " " + std::to_string(size_); }
  StatusOr<std::string> optimizedModule() const override { return "module {} // " + kind_; }

private:
  // A custom call with an effect, of the program itself or of one that it runs for each device.
  static void addEffect(program::Program &program, bool inManualComputation) {
    program::Program inner;
    program::RuntimeCall &call = (inManualComputation ? inner : program).runtimeCalls.emplace_back();
    call.kind = program::RuntimeCall::Kind::kCustomCall;
    call.target = "log";
    call.hasSideEffect = true;
    if (!inManualComputation)
      return;
    program::RuntimeCall &shards = program.runtimeCalls.emplace_back();
    shards.target = "manual_computation";
    shards.programs.push_back(std::move(inner));
  }

  Status exchange(const void *argument, void *result, const runtime::RunOptions &options) const {
    runtime::StreamType type{program_.results[0].shape, {}};
    std::vector<runtime::TransferArray> out{{type, const_cast<void *>(argument)}}, in{{type, result}};
    Status status = runtime::sendMessage(options, {.id = 1, .isHostTransfer = true, .pairs = {}}, out);
    return status.ok() ? runtime::receiveMessage(options, {.id = 2, .isHostTransfer = true, .pairs = {}}, in) : status;
  }

  std::string kind_;
  int64_t size_, elements_;
  program::Program program_;
};

class FakeBackend : public backend::Backend {
public:
  StatusOr<std::shared_ptr<backend::Executable>> compile(std::string_view module,
                                                         const backend::CompileOptions &options) override {
    return make(module, options.numPartitions);
  }
  std::string target() const override { return "a machine"; }
  StatusOr<std::shared_ptr<backend::Executable>> deserialize(std::string_view bytes) override { return make(bytes, 1); }

private:
  static StatusOr<std::shared_ptr<backend::Executable>> make(std::string_view bytes, int32_t partitions) {
    std::string text(bytes);
    size_t space = text.find(' ');
    if (space == std::string::npos)
      return invalidArgument("not a program: " + text);
    std::string kind = text.substr(0, space);
    for (const char *known :
         {"add", "add-donate", "increment", "slow", "fail", "slow-fail", "whole", "columns", "swap", "place", "first",
          "slow-first", "exchange", "wait", "slow-effect", "slow-effect-in-shards", "slow-effect-fail"})
      if (kind == known)
        return std::shared_ptr<backend::Executable>(
            std::make_shared<FakeExecutable>(kind, std::atoll(text.c_str() + space), partitions));
    return invalidArgument("no program is called " + kind);
  }
};

} // namespace

StatusOr<backend::Backend *> fakeBackend(std::string_view platform) {
  static FakeBackend backend;
  if (platform != "cpu")
    return notFound("there is no GPU");
  return &backend;
}

} // namespace tenon::pjrt

#include "tenon/pjrt/api.h"

extern "C" __attribute__((visibility("default"))) void tenon::pjrt::tenonFakeHold(int change) { gate().hold(change); }

extern "C" __attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi() {
  return tenon::pjrt::makeApi(tenon::pjrt::fakeBackend, nullptr);
}
