// The state of one client.
#pragma once

#include "tenon/api/local_service.h"
#include "tenon/server/worker.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace tenon::server {

// The limits of one client. Requests beyond memory and programs fail with RESOURCE_EXHAUSTED.
struct ClientLimits {
  int64_t memory = int64_t{8} << 30; // of data, programs, and what runs need
  int64_t programs = 1000;
  int concurrent = 8;                       // executions; more wait in line
  std::chrono::nanoseconds deadline{0};     // of an execution, and of waiting for infeed and outfeed; 0: none
  int64_t streamBytes = int64_t{256} << 20; // waiting in each infeed, outfeed and channel
  int64_t processes = 8;                    // of a grid that runs
  CompileLimits compile;
};

class Session {
public:
  using Deadline = xla::ServiceInterface::Deadline;

  Session(std::string id, const std::string &platform, backend::Backend &backend, const ClientLimits &limits,
          Metrics &metrics);

  const std::string &id() const { return id_; }
  // The part of the id that may appear in logs.
  std::string name() const { return id_.substr(0, 8); }
  api::LocalService &service() { return service_; }

  // Waits for a turn among the executions of the client. Fails with DEADLINE_EXCEEDED, or with CANCELLED when the
  // session ends.
  Status enter(Deadline deadline);
  void leave();

  // Everything that runs or waits comes to its end. What the session owns is freed with the last reference to it.
  void end();

private:
  const std::string id_;
  const int concurrent_;
  WorkerBackend backend_;
  api::LocalService service_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int running_ = 0;
  bool ended_ = false;
};

class Sessions {
public:
  Sessions(std::string platform, backend::Backend &backend, ClientLimits limits, int most, Metrics &metrics)
      : platform_(std::move(platform)), backend_(backend), limits_(std::move(limits)), most_(most), metrics_(metrics) {}

  // RESOURCE_EXHAUSTED where there are as many as may be.
  StatusOr<std::shared_ptr<Session>> open();
  // UNAVAILABLE: it has ended, or never was.
  StatusOr<std::shared_ptr<Session>> find(const std::string &id);
  void close(const std::string &id);
  void closeAll();

  // Into `gauges`: how many sessions, and what they own.
  void measure(Metrics::Gauges &gauges);

private:
  const std::string platform_;
  backend::Backend &backend_;
  const ClientLimits limits_;
  const int most_;
  Metrics &metrics_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Session>> sessions_;
};

} // namespace tenon::server
