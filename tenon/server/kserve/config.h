// What the operator says about a model, in MODEL/config.json, in the words of Triton's model configuration.
#pragma once

#include "tenon/status.h"

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::kserve {

struct ModelConfig {
  // Rows of the batches that requests are put together to. 0: requests are run one by one, with any shape that the
  // program takes.
  int64_t maxBatchSize = 0;
  // The sizes that programs are compiled for, ascending; the last one is maxBatchSize. Without a preferred size that
  // one alone.
  std::vector<int64_t> batchSizes;
  // How long a request may wait for others to fill a batch.
  std::chrono::microseconds maxQueueDelay{0};
  // Requests beyond are refused with UNAVAILABLE.
  int64_t maxQueueSize = 1024;
  // Runs at the same time.
  int64_t instances = 1;
  // Sets of shapes that are kept compiled where requests bring them (maxBatchSize is 0).
  int64_t maxShapes = 16;
  // Names of inputs and outputs, in the order of the program's; empty: the program's own.
  std::vector<std::string> inputs, outputs;

  // Which versions of those that are there serve.
  struct VersionPolicy {
    int64_t latest = 1;         // so many of the highest numbers; 0: all
    std::set<int64_t> specific; // if not empty, these
  } versions;
};

// INVALID_ARGUMENT with the field that is wrong. Fields that are not known are errors.
StatusOr<ModelConfig> readConfig(std::string_view text);

// The versions of `present` that the policy chooses.
std::set<int64_t> chosenVersions(const ModelConfig::VersionPolicy &policy, const std::set<int64_t> &present);

} // namespace tenon::kserve
