// A target from outside that knows add and multiply of f32, and keeps its arrays where the host cannot look.
#include "tenon/target.h"

#include <cstring>
#include <mutex>

namespace {

using namespace tenon::target;
using tenon::Status;
using tenon::StatusOr;

// Addresses of the device are numbers, not pointers.
class Numbered : public Memory {
public:
  void *allocate(int64_t bytes) override {
    std::lock_guard lock(mutex_);
    if (bytes > 1 << 20)
      return nullptr;
    arrays_[++last_].resize(static_cast<size_t>(bytes));
    return reinterpret_cast<void *>(last_);
  }
  void release(void *device) override {
    std::lock_guard lock(mutex_);
    arrays_.erase(reinterpret_cast<uintptr_t>(device));
  }
  Status copyIn(void *device, const void *host, int64_t bytes) override {
    std::memcpy(at(device), host, static_cast<size_t>(bytes));
    return {};
  }
  Status copyOut(void *host, const void *device, int64_t bytes) override {
    std::memcpy(host, at(device), static_cast<size_t>(bytes));
    return {};
  }
  float *at(const void *device) {
    std::lock_guard lock(mutex_);
    return reinterpret_cast<float *>(arrays_.at(reinterpret_cast<uintptr_t>(device)).data());
  }

private:
  std::mutex mutex_;
  uintptr_t last_ = 0;
  std::map<uintptr_t, std::vector<char>> arrays_;
};

class Adder : public Executable {
public:
  Adder(Numbered &memory, Program program) : memory_(memory), program_(std::move(program)) {}

  Status run(const void *const *arguments, void *const *results, const Run &run) override {
    TENON_RETURN_IF_ERROR(run.check());
    std::vector<std::vector<float>> values(program_.values.size());
    auto sizeOf = [&](Value value) { return program_.values[static_cast<size_t>(value)].elementCount(); };
    auto valueOf = [&](Value value) -> std::vector<float> & { return values[static_cast<size_t>(value)]; };
    for (size_t i = 0; i < program_.main.arguments.size(); ++i) {
      Value value = program_.main.arguments[i];
      const float *data = memory_.at(arguments[i]);
      valueOf(value).assign(data, data + sizeOf(value));
    }
    for (const Operation &operation : program_.main.operations) {
      const auto &a = valueOf(operation.operands[0]), &b = valueOf(operation.operands[1]);
      auto &result = valueOf(operation.results[0]);
      for (size_t i = 0; i < a.size(); ++i)
        result.push_back(operation.name == "add" ? a[i] + b[i] : a[i] * b[i]);
    }
    for (size_t i = 0; i < program_.main.results.size(); ++i) {
      const auto &result = valueOf(program_.main.results[i]);
      std::memcpy(memory_.at(results[i]), result.data(), result.size() * sizeof(float));
    }
    return {};
  }

private:
  Numbered &memory_;
  Program program_;
};

class Good : public Target {
public:
  StatusOr<std::unique_ptr<Executable>> compile(const Program &program) override {
    for (const Operation &operation : program.main.operations)
      if (operation.name != "add" && operation.name != "multiply")
        return unsupported(operation);
    for (const Type &type : program.values)
      if (type.element != "f32")
        return tenon::unimplemented("only f32");
    return std::unique_ptr<Executable>(std::make_unique<Adder>(memory_, program));
  }
  Memory *memory() override { return &memory_; }

private:
  Numbered memory_;
};

} // namespace

TENON_TARGET_PLUGIN("good", Good)
