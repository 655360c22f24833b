// What clients of the protocol ask for, whether by HTTP or gRPC.
#pragma once

#include "tenon/server/kserve/store.h"

namespace tenon::kserve {

struct ModelMetadata {
  std::string name;
  std::vector<int64_t> versions; // that serve
  std::vector<TensorInfo> inputs, outputs;
};

struct ModelStatistics {
  std::string name;
  int64_t version = 0;
  Statistics statistics;
};

inline constexpr const char *kServerName = "tenon";
inline constexpr const char *kPlatform = "stablehlo";
std::vector<std::string> extensions();
// A parameter of requests to unload a model, which clients send; it must be false.
inline constexpr const char *kUnloadDependents = "unload_dependents";
inline constexpr const char *kNoDependents =
    "no model of the server depends on another: unload_dependents must be false";

class Service {
public:
  // Told of each call that has ended, from any thread.
  using Observer = std::function<void(const char *method, const std::string &model, const Status &status,
                                      std::chrono::nanoseconds time)>;

  // The store must outlive the service.
  Service(Store &store, Observer observer) : store_(store), observer_(std::move(observer)) {}

  // Makes inferences and changes of the store fail with UNAVAILABLE from now on. Those under way go on.
  void refuse() { refuses_ = true; }
  int callsUnderWay() const { return underWay_; }

  bool isReady() const { return !refuses_ && store_.isReady(); }
  // NOT_FOUND for a model that there is not; false for one that does not serve.
  StatusOr<bool> isModelReady(const std::string &name, const std::string &version);
  StatusOr<ModelMetadata> metadata(const std::string &name, const std::string &version);
  StatusOr<InferResponse> infer(InferRequest &request);
  // Those of all models for an empty name, of all versions for an empty version.
  StatusOr<std::vector<ModelStatistics>> statistics(const std::string &name, const std::string &version);
  std::vector<IndexEntry> index(bool isReadyOnly);
  Status load(const std::string &name);
  Status unload(const std::string &name);

private:
  class Call;

  Store &store_;
  const Observer observer_;
  std::atomic<bool> refuses_{false};
  std::atomic<int> underWay_{0};
};

// Counters of the models that serve, in the text form that Prometheus reads.
std::string metricsText(const Store &store);

} // namespace tenon::kserve
