// Compiling in a process of its own, which can be killed: whatever a program does to the compiler, the server lives.
#pragma once

#include "tenon/backend/backend.h"
#include "tenon/server/metrics.h"

#include <chrono>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

namespace tenon::server {

struct CompileLimits {
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);
  int64_t memory = int64_t{8} << 30;                         // of the process's address space
  int64_t resultBytes = std::numeric_limits<int64_t>::max(); // of the compiled program, constants included
  // A program and its arguments that run workerMain; empty: compile in the server.
  std::vector<std::string> command;
};

// A backend that compiles in a worker and loads the result here. Of the options, the shapes of arguments count.
class WorkerBackend : public backend::Backend {
public:
  // `stop` ends what compiles with CANCELLED.
  WorkerBackend(backend::Backend &backend, CompileLimits limits, Metrics &metrics)
      : backend_(backend), limits_(std::move(limits)), metrics_(metrics) {}

  StatusOr<std::shared_ptr<backend::Executable>> compile(std::string_view module,
                                                         const backend::CompileOptions &options) override;
  std::string target() const override { return backend_.target(); }
  StatusOr<std::shared_ptr<backend::Executable>> deserialize(std::string_view bytes) override {
    return backend_.deserialize(bytes);
  }

  void stop() { stop_.request_stop(); }

private:
  backend::Backend &backend_;
  const CompileLimits limits_;
  Metrics &metrics_;
  std::stop_source stop_;
};

// The worker: compiles what it reads from descriptor 3, and writes there what has become of it. `target` is as
// backend::compilerOf knows it. Takes no more memory and time of processors than given (0: any). The exit status.
int workerMain(const std::string &target, int64_t memory, int64_t cpuSeconds);

} // namespace tenon::server
