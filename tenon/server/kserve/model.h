// A version of a model that serves: its program, compiled, and the requests that run it.
//
// With batches (ModelConfig::maxBatchSize), the first dimension of each input and output is that of the rows, which the
// program must compute independently of each other. A batch runs in the program of the smallest size that it fits into;
// places that are left over hold copies of its last row. So the bits of a row follow from its own elements and the size
// of that program, and not from what else is in the batch: with one size, the default, a request gives the same bits
// whenever and with whomever it runs. Programs of different sizes may cut their sums in different ways.
#pragma once

#include "tenon/backend/backend.h"
#include "tenon/server/kserve/config.h"
#include "tenon/server/kserve/programs.h"
#include "tenon/server/kserve/scheduler.h"
#include "tenon/server/kserve/statistics.h"
#include "tenon/server/kserve/tensor.h"

#include <atomic>
#include <stop_token>

namespace tenon::kserve {

struct TensorInfo {
  std::string name;
  program::ElementType type = program::ElementType::kInvalid;
  std::vector<int64_t> dims; // -1: any size
};

struct ModelLimits {
  std::chrono::nanoseconds deadline{0}; // of a request; 0: none
  int64_t memory = int64_t{8} << 30;    // of one run: arguments, results and temporary values
};

class Model {
public:
  // Compiles what can be compiled before the first request: all but sizes that the program leaves open. `backend` must
  // outlive the model. The error says why the program cannot be served.
  static StatusOr<std::shared_ptr<Model>> load(backend::Backend &backend, const std::string &name, int64_t version,
                                               std::string program, const ModelConfig &config,
                                               const ModelLimits &limits);
  ~Model() { stop(); }

  const std::string &name() const { return name_; }
  int64_t version() const { return version_; }
  const ModelConfig &config() const { return config_; }
  const std::vector<TensorInfo> &inputs() const { return inputs_; }
  const std::vector<TensorInfo> &outputs() const { return outputs_; }

  // Waits for the answer, from any thread. INVALID_ARGUMENT for inputs that are not the program's, DEADLINE_EXCEEDED,
  // UNAVAILABLE where too many wait.
  StatusOr<InferResponse> infer(InferRequest &request);

  Statistics statistics() const { return statistics_.get(); }
  int64_t waiting() const { return scheduler_->waiting(); }
  // Ends what runs, with CANCELLED, and what waits.
  void stop();

private:
  Model(std::string name, int64_t version, ModelConfig config, ModelLimits limits)
      : name_(std::move(name)), version_(version), config_(std::move(config)), limits_(limits) {}

  bool isBatched() const { return config_.maxBatchSize > 0; }
  Status describeProgram(const std::string &program, bool &isOpen);
  Status checkBatchDimensions() const;
  // Whether a compiled program can be served.
  Status checkProgram(const program::Program &program, const Programs::Shapes &shapes) const;
  Status compileAhead();

  StatusOr<std::shared_ptr<Job>> makeJob(InferRequest &request) const;
  Status checkInput(const TensorInfo &info, const Tensor &tensor, int64_t &rows) const;
  StatusOr<std::vector<size_t>> chosenOutputs(const InferRequest &request) const;
  StatusOr<std::vector<Tensor>> await(const std::shared_ptr<Job> &job);
  void runBatch(Scheduler::Batch batch);
  StatusOr<std::vector<std::vector<Tensor>>> execute(const Scheduler::Batch &batch);

  const std::string name_;
  const int64_t version_;
  const ModelConfig config_;
  const ModelLimits limits_;
  std::vector<TensorInfo> inputs_, outputs_;
  std::unique_ptr<Programs> programs_;
  StatisticsCounter statistics_;
  std::atomic<uint64_t> lastSeed_{0};
  std::stop_source stop_;
  std::unique_ptr<Scheduler> scheduler_; // the last: its threads use the rest
};

} // namespace tenon::kserve
