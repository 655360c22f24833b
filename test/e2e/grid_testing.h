// Running programs on grids of processes, for tests.
#pragma once

#include "tenon/client/grid.h"
#include "tenon/targets/targets.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace tenon {

struct GridShape {
  int32_t replicas = 1, partitions = 1;

  int64_t size() const { return int64_t(replicas) * partitions; }
};

// The elements of an array of f32.
using Array = std::vector<float>;

// A grid of processes on a target. Arguments and results are arrays of f32.
class Grid {
public:
  // One program for all processes, or one for each.
  Grid(const std::string &target, GridShape shape, const std::vector<std::string> &programs) : shape(shape) {
    client::CompileOptions options;
    options.numReplicas = shape.replicas;
    options.numPartitions = shape.partitions;
    for (const std::string &program : programs) {
      auto compiled = (*targets::backendOf(target))->compile(program, options);
      if (!compiled.ok()) {
        status = compiled.status();
        return;
      }
      executables.push_back(*compiled);
    }
  }

  // The first result of each process for its arguments; the status is that of the run.
  std::vector<Array> run(const std::vector<std::vector<Array>> &arguments, const runtime::RunOptions &options = {}) {
    if (!status.ok())
      return {};
    std::vector<std::vector<const void *>> argumentPointers;
    std::vector<Array> results;
    std::vector<std::vector<void *>> resultPointers;
    for (int64_t process = 0; process < shape.size(); ++process) {
      const program::Program &program = executableOf(process).program();
      argumentPointers.emplace_back();
      if (!arguments.empty())
        for (const Array &argument : arguments[process])
          argumentPointers.back().push_back(argument.data());
      results.emplace_back(program.results[0].shape.elementCount());
    }
    std::vector<client::GridProcess> processes;
    for (Array &result : results)
      resultPointers.push_back({result.data()});
    for (int64_t process = 0; process < shape.size(); ++process)
      processes.push_back({&executableOf(process), argumentPointers[process], resultPointers[process]});
    status = client::executeGrid(shape.replicas, shape.partitions, processes, options);
    return results;
  }

  const client::Executable &executableOf(int64_t process) const {
    return *executables[executables.size() == 1 ? 0 : process];
  }

  GridShape shape;
  Status status;
  std::vector<std::shared_ptr<client::Executable>> executables;
};

} // namespace tenon
